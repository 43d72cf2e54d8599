"""Fails unless a page and a test file have the same constraint numbers."""

import re
import sys

NUMBER = re.compile(r"\b[a-z]+-C\d+\b")
page, tests = (open(path).read() for path in sys.argv[1:])
stated = set(re.findall(r"\*\*([a-z]+-C\d+)\*\*", page))
violated = {number for line in re.findall(r"^// (\S+)$", tests, re.M) for number in NUMBER.findall(line)}
for number in sorted(stated - violated):
    print(f"{number}: stated, but no test violates it")
for number in sorted(violated - stated):
    print(f"{number}: violated, but not stated")
print(f"{len(stated)} constraints")
sys.exit(stated != violated or not stated)
