"""Runs a quick command and one that hangs with a child that ignores hints."""

import pathlib
import sys
import tempfile
import time

sys.path.insert(0, sys.argv[1])
from limited import run_limited

print("quick:", run_limited(["bash", "-c", "exit 3"], 60))
with tempfile.TemporaryDirectory() as folder:
    noted = pathlib.Path(folder) / "child"
    start = time.monotonic()
    code = run_limited(["bash", "-c", f"trap '' TERM INT; sleep 1000 & echo $! > {noted}; wait"], 1)
    print(f"stuck: {code} after less than 60 s: {time.monotonic() - start < 60}")
    child = pathlib.Path("/proc") / noted.read_text().strip() / "stat"
    for _ in range(100):
        if not child.exists() or " Z " in child.read_text():
            break
        time.sleep(0.1)
    gone = not child.exists() or " Z " in child.read_text()
    print("its child:", "gone" if gone else "still there")
