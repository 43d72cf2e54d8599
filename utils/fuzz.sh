#!/usr/bin/env bash
# Fuzzes the loading of artifacts with libFuzzer, under the address and undefined
# behaviour sanitizers.
#
#   utils/fuzz.sh [--seconds=N]    fuzz for N seconds (60), then keep what is new and small
#   utils/fuzz.sh --reproduce=FILE run one input that failed
#
# Inputs that reach new code are collected in build/fuzz/corpus; a small selection of
# them lies in runtime/test/artifact/corpus, which artifact-tests replays. Needs clang.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=60
reproduce=
for argument in "$@"; do
  case "$argument" in
  --seconds=*) seconds="${argument#*=}" ;;
  --reproduce=*) reproduce="${argument#*=}" ;;
  *)
    echo "usage: utils/fuzz.sh [--seconds=N] [--reproduce=FILE]" >&2
    exit 2
    ;;
  esac
done
build=build/fuzz
flags="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all"
cmake -S runtime -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_COMPILER="${CC:-clang-22}" -DCMAKE_CXX_COMPILER="${CXX:-clang++-22}" \
  -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
  -DCMAKE_EXE_LINKER_FLAGS="-fsanitize=address,undefined" \
  -DTURNIP_BUILD_FUZZERS=ON >/dev/null
cmake --build "$build" --target fuzz-load write-sample
if [ -n "$reproduce" ]; then
  exec "$build/bin/fuzz-load" "$reproduce"
fi
mkdir -p "$build/corpus" "$build/findings"
"$build/bin/write-sample" "$build/corpus/sample.memgraph"
"$build/bin/fuzz-load" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
  -artifact_prefix="$build/findings/" -print_final_stats=1 \
  "$build/corpus" runtime/test/artifact/corpus
