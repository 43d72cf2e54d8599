#!/usr/bin/env bash
# Checks and measures Turnip on this machine's GPU. It lies at the root of the
# archive that utils/package-gpu-check.sh makes and runs where that is unpacked.
# Needs a C++ compiler, cmake, ninja and NVIDIA's driver with cuBLASLt (it comes
# with the CUDA toolkit); compares with PyTorch where python3 has it.
#
#   ./gpu-check.sh [OPTION]...
#
#   --device=cuda:N     the GPU (cuda:0); host runs all of it on the processors
#   --stand-in          no GPU: NVIDIA's libraries are replaced by the stand-in,
#                       which the archive has the sources of
#   --results=DIR       where results, logs and the build go (./results)
#   --seconds=N         how long everything may take (480)
#   --runs=N            runs of each program under each cap (20)
#   --rounds=N          rounds of the benchmark, time permitting (3)
#   --only=STEP,...     just these steps, with what earlier calls left in DIR
#   --resume            leave out the steps that passed in DIR
#   --python=PROGRAM    a Python with torch (python3)
#   --cmake-flag=FLAG   something for cmake; may be repeated
#
# Steps: describe, build, conformance, device, cases, rates, benchmark. Each has
# a limit; one that fails is reported and the rest goes on as far as it can. Ends
# with DIR/results.json and DIR/results.md. Exit code: 0 all passed, 1 something
# failed, 2 usage, 4 there is no device to run on, 130 interrupted.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

steps=(describe build conformance device cases rates benchmark)
# The most seconds that each may take; the benchmark takes what is left.
declare -A limits=([describe]=20 [build]=240 [conformance]=90 [device]=20 [cases]=120 [rates]=60 [benchmark]=100000)
device=cuda:0
stand_in=
results=results
seconds=480
runs=20
rounds=3
only=
resume=
python=python3
cmake_flags=()
step=

usage() {
  echo "gpu-check.sh: error: $1" >&2
  exit 2
}

number() {
  [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || usage "$1: expected a positive number, but got '$2'"
}

original=("$@")
while [ $# -gt 0 ]; do
  value=${1#*=}
  case "$1" in
  --device=host | --device=cuda:[0-9] | --device=cuda:[0-9][0-9]) device=$value ;;
  --device=*) usage "--device: expected cuda:N or host, but got '$value'" ;;
  --stand-in) stand_in=1 ;;
  --results=?*) results=$value ;;
  --seconds=*) number --seconds "$value" && seconds=$value ;;
  --runs=*) number --runs "$value" && runs=$value ;;
  --rounds=*) number --rounds "$value" && rounds=$value ;;
  --only=?*) only=$value ;;
  --resume) resume=1 ;;
  --python=?*) python=$value ;;
  --cmake-flag=?*) cmake_flags+=("$value") ;;
  # What the script calls itself with.
  --step=?*) step=$value ;;
  -h | --help)
    sed -n '2,/^set -uo/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) usage "unknown argument '$1'" ;;
  esac
  shift
done
for name in ${only//,/ }; do
  [[ " ${steps[*]} " == *" $name "* ]] || usage "--only: unknown step '$name'; the steps are ${steps[*]}"
done
[ -z "$stand_in" ] || [ "$device" != host ] || usage "--stand-in and --device=host cannot both be given"
[ -d "$here/source/runtime" ] ||
  usage "there are no sources beside this script; it runs in the archive that utils/package-gpu-check.sh makes"

mkdir -p "$results" || exit 1
results=$(cd "$results" && pwd)
build=$results/build
run=$build/bin/turnip-run
# Nothing that a user's settings name gets in between.
export TURNIP_PLAN_CACHE="" LC_ALL=C
if [ -n "$stand_in" ]; then
  TURNIP_CUDA_LIBRARY=$(find "$build" -name libturnip-cuda-stand-in.so 2>/dev/null | head -n 1)
  export TURNIP_CUDA_LIBRARY TURNIP_CUBLASLT_LIBRARY=$TURNIP_CUDA_LIBRARY
fi

# shellcheck source=utils/gpu-check/steps.sh
source "$here/gpu-check/steps.sh"
# shellcheck source=utils/gpu-check/benchmark.sh
source "$here/gpu-check/benchmark.sh"
# shellcheck source=utils/gpu-check/report.sh
source "$here/gpu-check/report.sh"

cd "$here" || exit 1
started=$SECONDS
child=
interrupt() {
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
  note interrupted failed 0 "by a signal"
  write_reports
  exit 130
}

# The outcome of each step: name, result, seconds, message.
note() {
  local table=$results/steps.tsv
  if [ -f "$table" ]; then
    awk -F'\t' -v name="$1" '$1 != name' "$table" >"$table.new" && mv "$table.new" "$table"
  fi
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4//$'\t'/ }" >>"$table"
}

result_of() {
  [ ! -f "$results/steps.tsv" ] || awk -F'\t' -v name="$1" '$1 == name { print $2 }' "$results/steps.tsv"
}

# Runs a step in a process of its own, so that it can be ended.
run_step() {
  local name=$1 limit=$2 begin=$SECONDS code result message=
  printf '%-12s ' "$name"
  timeout -k 5 "$limit" bash "$here/gpu-check.sh" "${original[@]}" --results="$results" --step="$name" \
    >"$results/$name.log" 2>&1 </dev/null &
  child=$!
  wait "$child"
  code=$?
  child=
  case $code in
  0) result=passed ;;
  3) result=skipped ;;
  124 | 137) result=failed message="ended after $limit s; " ;;
  *) result=failed ;;
  esac
  message+=$(tail -n 1 "$results/$name.log")
  note "$name" "$result" $((SECONDS - begin)) "$message"
  printf '%-8s %4d s  %s\n' "$result" $((SECONDS - begin)) "$message"
}

main() {
  local name left limit
  export GPU_CHECK_DEADLINE
  for name in "${steps[@]}"; do
    if [ -n "$only" ] && [[ ",$only," != *",$name,"* ]]; then
      continue
    fi
    if [ -n "$resume" ] && [ "$(result_of "$name")" = passed ]; then
      echo "$name passed before"
      continue
    fi
    left=$((seconds - (SECONDS - started)))
    limit=$((limits[$name] < left ? limits[$name] : left))
    if [ "$limit" -lt 1 ]; then
      note "$name" skipped 0 "no time left of $seconds s"
      echo "$name skipped: no time left"
      continue
    fi
    GPU_CHECK_DEADLINE=$(($(date +%s) + limit))
    run_step "$name" "$limit"
  done
  write_reports
  cat "$results/results.md"
  if [ "$(result_of device)" = failed ]; then
    exit 4
  fi
  ! cut -f 2 "$results/steps.tsv" | grep -qx failed
}

if [ -n "$step" ]; then
  "step_$step"
  exit
fi
# An error that ends the function ends up here.
[ -z "$step" ] || exit 1
trap interrupt INT TERM
main
