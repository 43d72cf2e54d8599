#!/usr/bin/env bash
# From a fresh clone to text: installs what is missing, builds, fetches a real
# model, compiles it for a capped device and continues a prompt.
#
#   utils/quickstart.sh [OPTION]...
#
#   --prompt=TEXT           the text to continue ("The capital of France is")
#   --generate=N            tokens to continue it by (16)
#   --device-memory=SIZE    the cap of the device's memory, such as 8MiB (64MiB)
#   --sequence-length=N     tokens that the text may have in all (64)
#   --tile-budget=SIZE      bytes that one task may take (4MiB)
#
# A value may follow its option after a space as well. What is up to date is not
# done again. Everything is written under build/.
set -euo pipefail
cd "$(dirname "$0")/.."

prompt="The capital of France is"
generate=16
device_memory=64MiB
sequence_length=64
tile_budget=4MiB

usage() {
  echo "quickstart.sh: $1; see utils/quickstart.sh --help" >&2
  exit 2
}

check() {
  case "$1" in
  --generate | --sequence-length)
    [[ $2 =~ ^[1-9][0-9]*$ ]] || usage "$1: expected a number of tokens, but got '$2'"
    ;;
  --device-memory | --tile-budget)
    [[ $2 =~ ^[0-9]+(\.[0-9]+)?([KMGT]iB)?$ ]] || usage "$1: expected a size such as 64MiB, but got '$2'"
    ;;
  esac
}

while [ $# -gt 0 ]; do
  option=${1%%=*}
  case "$option" in
  --prompt | --generate | --device-memory | --sequence-length | --tile-budget)
    if [[ $1 == *=* ]]; then
      value=${1#*=}
    else
      [ $# -ge 2 ] || usage "$option: expected a value"
      value=$2
      shift
    fi
    check "$option" "$value"
    variable=${option#--}
    printf -v "${variable//-/_}" %s "$value"
    ;;
  -h | --help)
    sed -n '2,/^set -euo/{/^set/!s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
  *)
    usage "unknown argument '$1'"
    ;;
  esac
  shift
done

started=$SECONDS
say() { printf '[%4ds] %s\n' $((SECONDS - started)) "$*" >&2; }

say "checking packages"
bash utils/setup.sh build

bin=build/release/bin
if [ -x "$bin/turnip-run" ]; then
  say "building what has changed"
else
  say "building (this first time takes some minutes)"
fi
if [ ! -f build/release/build.ninja ]; then
  utils/quietly.sh build/configure.log 30 cmake --preset release
fi
targets=(turnip-opt turnip-import turnip-compile turnip-translate turnip-run)
build=(cmake --build --preset release --target "${targets[@]}")
if [ -t 2 ]; then
  "${build[@]}" >&2
else
  utils/quietly.sh build/build.log 30 "${build[@]}"
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
