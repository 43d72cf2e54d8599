# The steps of gpu-check.sh but the benchmark. Each is a function that runs in a
# process of its own and a directory that is the archive's root. The last line
# that it prints says what came of it; it ends with 0 (passed), 3 (skipped) or
# anything else (failed).
#
# Figures go to tables in $results, one a line, separated by tabs, as soon as
# they are there: what a step had found out when its time was over is kept.
# shellcheck shell=bash disable=SC2154

# say FORMAT ...: the last word on a step.
say() {
  # shellcheck disable=SC2059
  printf "$@"
  echo
}

need_build() {
  [ -x "$run" ] || {
    say "there is no turnip-run: the step build has not passed"
    exit 3
  }
}

need_device() {
  need_build
  [ "$device" = host ] || [ -f "$results/device.txt" ] || {
    say "there is no device: the step device has not passed"
    exit 3
  }
}

# fact KEY VALUE: something about the machine or the software.
fact() {
  printf '%s\t%s\n' "$1" "$2" >>"$results/facts.tsv"
}

# first COMMAND...: the first line of what a command prints; "none" where it is not there.
first() {
  local line
  line=$("$@" 2>/dev/null | head -n 1)
  echo "${line:-none}"
}

step_describe() {
  : >"$results/facts.tsv"
  fact date "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  fact device "$device${stand_in:+ (stand-in)}"
  fact system "$(first uname -srm)"
  fact processor "$(first sed -n 's/^model name[^:]*: //p' /proc/cpuinfo), $(nproc) threads"
  fact memory "$(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo)"
  fact gpu "$(first nvidia-smi --query-gpu=name,memory.total,driver_version,pcie.link.gen.max,pcie.link.width.max --format=csv,noheader)"
  fact toolkit "$(nvcc --version 2>/dev/null | sed -n 's/^Cuda compilation tools, //p' | grep . || echo none)"
  fact compiler "$(first c++ --version)"
  fact cmake "$(first cmake --version)"
  fact torch "$(first "$python" -c 'import torch; print(torch.__version__)')"
  fact archive "$(tr '\n' ' ' <README.txt)"
  nvidia-smi 2>/dev/null
  say '%s' "$(awk -F'\t' '$1 == "gpu" { print $2 }' "$results/facts.tsv")"
}

# Programs and tests of the archive that there may be.
targets=(turnip-run driver-conformance-tests cuda-driver-tests turnip-cuda-stand-in)

step_build() {
  local prefix=$results/googletest known=() target
  if ! cmake -S googletest -B "$results/googletest-build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "${cmake_flags[@]}" ||
    ! cmake --build "$results/googletest-build" --target install; then
    say "GoogleTest could not be built; see build.log"
    return 1
  fi
  cmake -S source/runtime -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
    -DTURNIP_FLATBUFFERS_INCLUDE_DIR="$here/include" -DTURNIP_USE_CCACHE=OFF -DTURNIP_USE_MOLD=OFF \
    "${cmake_flags[@]}" || {
    say "the runtime could not be configured; see build.log"
    return 1
  }
  cmake --build "$build" --target help >"$results/targets.txt"
  for target in "${targets[@]}"; do
    ! grep -q "^$target: " "$results/targets.txt" || known+=("$target")
  done
  cmake --build "$build" --target "${known[@]}" || {
    say "the runtime could not be built; see build.log"
    return 1
  }
  say 'built %s' "${known[*]}"
}

# count_of WORD FILE: how many tests a report of GoogleTest says there are.
count_of() {
  sed -n "s/^\[ *$1 *\] \([0-9]*\) test.*/\1/p" "$2" | awk 'NR == 1 { count = $1 } END { print count + 0 }'
}

step_conformance() {
  need_build
  # On a GPU the suite runs on that, too.
  [ "$device" = host ] || [ -n "$stand_in" ] || export TURNIP_TEST_GPU=${device#cuda:}
  local program passed=0 failed=0 skipped=0 report=$results/conformance.txt
  for program in "$build"/bin/*-tests; do
    "$program" >"$report" 2>&1 || failed=$((failed + 1))
    cat "$report"
    passed=$((passed + $(count_of PASSED "$report")))
    skipped=$((skipped + $(count_of SKIPPED "$report")))
  done
  say '%d tests passed, %d skipped, %d programs failed' "$passed" "$skipped" "$failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

step_device() {
  need_build
  rm -f "$results/device.txt"
  if [ "$device" = host ]; then
    say "the processors of this machine"
    return 0
  fi
  "$run" --list-devices >"$results/devices.txt" 2>&1
  local code=$?
  cat "$results/devices.txt"
  grep "^$device\b" "$results/devices.txt" >"$results/device.found" || {
    rm -f "$results/device.found"
    say 'turnip-run --list-devices shows no %s (exit code %d)' "$device" "$code"
    return 1
  }
  mv "$results/device.found" "$results/device.txt"
  say '%s' "$(head -n 1 "$results/device.txt")"
}

# Runs a program under one cap $runs times; appends the hashes of its results.
run_case() {
  local name=$1 artifact=$2 tolerance=$4 cap=$5 result expected=() words=() text
  read -ra words <<<"$3"
  for result in cases/expected/"$name"/*.npy; do
    expected+=("--expected-output=$(basename "$result" .npy)=@$result")
  done
  [ "$cap" = none ] || words+=("--device-memory=$cap")
  text=$("$run" "$artifact" --device="$device" "${words[@]}" --runs="$runs" --hash-results --tolerance="$tolerance" \
    "${expected[@]}" 2>&1) || {
    echo "$text"
    return 1
  }
  echo "$text"
  printf '%s' "$(grep ' hash ' <<<"$text" | sort | cksum)" >>"$results/hashes.txt"
  echo >>"$results/hashes.txt"
}

# One program: equal bits in all runs under all caps, and values as expected.
check_case() {
  local name=$1 where=$2 artifact=$3 flags=$4 tolerance=$5 cap message=passed
  local caps=()
  IFS=, read -ra caps <<<"$6"
  if [ "$where" = gpu ] && { [ -n "$stand_in" ] || [ "$device" = host ]; }; then
    printf '%s\tskipped\ttoo large without a GPU\n' "$name" >>"$results/cases.tsv"
    return 0
  fi
  : >"$results/hashes.txt"
  for cap in "${caps[@]}"; do
    echo "== $name, $cap bytes"
    if ! run_case "$name" "$artifact" "$flags" "$tolerance" "$cap" >"$results/case.txt" 2>&1; then
      message="cap $cap: $(tail -n 1 "$results/case.txt")"
    fi
    cat "$results/case.txt"
  done
  if [ "$message" = passed ] && [ "$(sort -u "$results/hashes.txt" | wc -l)" -ne 1 ]; then
    message="results differ between caps"
  fi
  if [ "$message" = passed ]; then
    printf '%s\tpassed\t%s\n' "$name" "$runs runs under each of ${#caps[@]} caps, equal bits, within $tolerance" \
      >>"$results/cases.tsv"
  else
    printf '%s\tfailed\t%s\n' "$name" "$message" >>"$results/cases.tsv"
  fi
}

step_cases() {
  need_device
  local name where artifact flags tolerance caps
  : >"$results/cases.tsv"
  while IFS='|' read -r name where artifact flags tolerance caps; do
    check_case "$name" "$where" "$artifact" "$flags" "$tolerance" "$caps"
  done <cases/cases.txt
  say '%d passed, %d failed, %d skipped' "$(cut -f 2 "$results/cases.tsv" | grep -cx passed)" \
    "$(cut -f 2 "$results/cases.tsv" | grep -cx failed)" "$(cut -f 2 "$results/cases.tsv" | grep -cx skipped)"
  ! cut -f 2 "$results/cases.tsv" | grep -qx failed
}

step_rates() {
  need_device
  local words=()
  read -ra words <benchmark/products.txt
  : >"$results/rates.tsv"
  "$run" benchmark/products.memgraph --device="$device" "${words[@]}" --calibrate="$results/machine.json" || {
    say "the machine could not be measured; see rates.log"
    return 1
  }
  # The description is good for the simulator, too.
  "$run" benchmark/products.memgraph --device="sim:$results/machine.json" --summary || {
    say "the machine's description cannot be read back; see rates.log"
    return 1
  }
  extract_rates "$results/machine.json" >"$results/rates.tsv"
  say '%s' "$(awk -F'\t' '{ printf "%s%s %.4g %s", (NR > 1 ? ", " : ""), $1, $2, $3 }' "$results/rates.tsv")"
  [ -s "$results/rates.tsv" ]
}
