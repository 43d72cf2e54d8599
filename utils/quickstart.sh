#!/usr/bin/env bash
# From a fresh clone to text: installs what is missing, builds, fetches a real
# model, compiles it for a capped device and continues a prompt.
#
#   utils/quickstart.sh [--prompt=TEXT] [--generate=N] [--device-memory=SIZE]
#                       [--sequence-length=N] [--tile-budget=SIZE]
#
# What is up to date is not done again. Everything is written under build/.
set -euo pipefail
cd "$(dirname "$0")/.."

prompt="The capital of France is"
generate=16
device_memory=64MiB
sequence_length=64
tile_budget=4MiB
for argument in "$@"; do
  case "$argument" in
  --prompt=*) prompt=${argument#*=} ;;
  --generate=*) generate=${argument#*=} ;;
  --device-memory=*) device_memory=${argument#*=} ;;
  --sequence-length=*) sequence_length=${argument#*=} ;;
  --tile-budget=*) tile_budget=${argument#*=} ;;
  -h | --help)
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
  *)
    echo "quickstart.sh: unknown argument '$argument'; see utils/quickstart.sh --help" >&2
    exit 2
    ;;
  esac
done

started=$SECONDS
say() { printf '[%4ds] %s\n' $((SECONDS - started)) "$*" >&2; }

say "checking packages"
bash utils/setup.sh build

bin=build/release/bin
say "building (the first time takes some minutes)"
mkdir -p build
if [ ! -f build/release/build.ninja ]; then
  cmake --preset release >build/configure.log 2>&1 || {
    tail -n 30 build/configure.log >&2
    exit 1
  }
fi
targets=(turnip-opt turnip-import turnip-compile turnip-translate turnip-run)
if [ -t 2 ]; then
  cmake --build --preset release --target "${targets[@]}" >&2
else
  cmake --build --preset release --target "${targets[@]}" >build/build.log 2>&1 || {
    tail -n 30 build/build.log >&2
    exit 1
  }
fi

say "fetching the model"
model=$(bash utils/fetch-model.sh)

work=build/quickstart
mkdir -p "$work"
name="$work/smollm2-$sequence_length"
artifact="$name-$device_memory-$tile_budget.memgraph"
if [ ! "$name.mlir" -nt "$bin/turnip-import" ]; then
  say "importing $model for $sequence_length tokens"
  "$bin/turnip-import" "$model" --sequence-length="$sequence_length" -o "$name.mlir"
fi
if [ ! "$artifact" -nt "$bin/turnip-compile" ] || [ ! "$artifact" -nt "$name.mlir" ]; then
  say "compiling for a device of $device_memory"
  "$bin/turnip-compile" "$name.mlir" --device-memory="$device_memory" --tile-budget="$tile_budget" -o "$artifact"
fi

say "running"
"$bin/turnip-run" "$artifact" --parameters="$model" --prompt="$prompt" --generate="$generate" --summary
say "done"
