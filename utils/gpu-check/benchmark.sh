# The last step of gpu-check.sh: a prefill under several caps of the device's
# memory, beside PyTorch on the same device. Rounds are interleaved, and begun
# only while there is time for them.
# shellcheck shell=bash disable=SC2154

# Runs per round that count; one more goes before them.
benchmark_repeat=5

seconds_left() {
  echo $((GPU_CHECK_DEADLINE - 5 - $(date +%s)))
}

# median NUMBER,...: the middle one.
median() {
  tr ',' '\n' <<<"$1" | sort -g | awk '{ values[NR] = $1 } END { if (NR) print values[int(NR / 2) + 1] }'
}

# number_in FILE KEY: the first number with this key in JSON.
number_in() {
  sed -n "s/.*\"$2\":\([0-9][0-9.e+-]*\).*/\1/p" "$1" | head -n 1
}

# record ROUND TOKENS CAP WHO MEDIAN TIMES TO FROM NOTE: a line of the table of runs. "-" is nothing.
record() {
  local IFS=$'\t'
  echo "$*" >>"$results/runs.tsv"
}

# The FLOPs of each type in products, from what --inspect prints. Fused attention counts half: its mask
# spares the other half.
flops_of() {
  "$run" --inspect "$1" | awk '
    match($0, / [0-9]+ calls?, grid /) && / flops, .* contraction of / {
      calls = $2; type = $NF
      for (i = 1; i < NF; ++i) if ($(i + 1) ~ /^flops,/) total[type] += calls * $i / ($1 ~ /^fused/ ? 2 : 1)
    }
    END { for (type in total) printf "%s\t%.0f\n", type, total[type] }'
}

# Starts PyTorch; the model is made meanwhile.
start_torch() {
  local model=() where=cuda
  torch_pid=
  : >"$results/torch.txt"
  if ! "$python" -c 'import torch' 2>"$results/torch.log"; then
    echo "not compared: $python has no torch" >"$results/torch.txt"
    return 0
  fi
  read -ra model <benchmark/model.txt
  if [ -n "$stand_in" ] || [ "$device" = host ]; then
    where=cpu
  else
    export CUDA_VISIBLE_DEVICES=${device#cuda:}
  fi
  coproc torch { exec "$python" gpu-check/torch_offload.py --device=$where "${model[@]}" 2>>"$results/torch.log"; }
  torch_pid=$!
  ask_torch describe 120 >"$results/torch.txt" || {
    echo "not compared: $(tail -n 1 "$results/torch.log")" >"$results/torch.txt"
    torch_pid=
  }
}

# ask_torch COMMAND SECONDS: prints the answer.
ask_torch() {
  local answer
  echo "$1" >&"${torch[1]}" || return 1
  IFS= read -r -t "$2" answer <&"${torch[0]}" || return 1
  echo "$answer"
} 2>/dev/null

run_torch() {
  local round=$1 tokens=$2 variant=$3 answer times
  [ -n "$torch_pid" ] || return 0
  [ "$(seconds_left)" -gt 5 ] || return 0
  answer=$(ask_torch "run $variant $tokens 0 $benchmark_repeat" "$(seconds_left)") || {
    record "$round" "$tokens" - "$variant" - - - - "PyTorch ended or took too long; see torch.log"
    torch_pid=
    return 0
  }
  echo "$answer"
  times=$(sed -n 's/.*"seconds": \[\([^]]*\)\].*/\1/p' <<<"$answer" | tr -d ' ')
  if [ -n "$times" ]; then
    record "$round" "$tokens" - "$variant" "$(median "$times")" "$times" - - \
      "$(sed -n 's/.*\("difference": [^,}]*\).*/\1/p' <<<"$answer" | tr -d '"')"
  else
    record "$round" "$tokens" - "$variant" - - - - "$(sed -n 's/.*"error": "\(.*\)"}$/\1/p' <<<"$answer" | sed 's/\\\(.\)/\1/g')"
  fi
}

# Host memory that a run needs and there is, in KiB.
fits_host() {
  local artifact=$1 available needed
  shift
  "$run" "$artifact" --device=null "$@" --json="$results/null.json" || return 0
  needed=$(number_in "$results/null.json" peak_host_bytes)
  available=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
  [ $((needed / 1024)) -lt "$available" ] || {
    echo "needs $((needed >> 20)) MiB of host memory, $((available >> 10)) MiB are free"
    return 1
  }
}

run_turnip() {
  local round=$1 tokens=$2 artifact=$3 cap=$5 words=() times code=0 report=$results/turnip.json
  local last=$results/last-$tokens-$cap left begin=$SECONDS
  read -ra words <<<"$4"
  words+=("--device-memory=$cap")
  left=$(seconds_left)
  # Not begun if it did not end in time in the round before.
  if [ "$left" -lt $((1 + $(cat "$last" 2>/dev/null || echo 3))) ]; then
    return 0
  fi
  rm -f "$report"
  echo "== turnip-run, $tokens tokens, $cap"
  timeout "$left" "$run" "$artifact" --device="$device" "${words[@]}" --repeat=$((benchmark_repeat + 1)) \
    --benchmark --hash-results --json="$report" --summary >"$results/turnip.txt" 2>&1 || code=$?
  cat "$results/turnip.txt"
  echo $((SECONDS - begin)) >"$last"
  if [ "$code" -ne 0 ]; then
    record "$round" "$tokens" "$cap" turnip - - - - "exit code $code: $(tail -n 1 "$results/turnip.txt")"
    return 0
  fi
  times=$(sed -n 's/.*"times_seconds":\[[^],]*,\([^]]*\)\].*/\1/p' "$report")
  record "$round" "$tokens" "$cap" turnip "$(median "$times")" "$times" \
    "$(number_in "$report" bytes_to_devices)" "$(number_in "$report" bytes_from_devices)" \
    "$(sed -n 's/.* \(hash [0-9a-f]*\)$/\1/p' "$results/turnip.txt" | tr '\n' ' ')"
}

# One line of benchmark.txt: every cap, and every way of PyTorch in between.
run_round() {
  local round=$1 tokens=$2 artifact=$3 flags=$4 list=() variants=(resident offload prefetch) i
  IFS=, read -ra list <<<"$5"
  for i in 0 1 2 3; do
    [ "$i" -ge ${#list[@]} ] || run_turnip "$round" "$tokens" "$artifact" "$flags" "${list[i]}"
    [ "$i" -ge 3 ] || run_torch "$round" "$tokens" "${variants[i]}"
  done
}

step_benchmark() {
  need_device
  local where tokens artifact flags caps round message words=()
  : >"$results/runs.tsv"
  : >"$results/flops.tsv"
  rm -f "$results"/last-*
  while IFS='|' read -r where tokens artifact flags caps; do
    if [ "$where" = gpu ] && { [ -n "$stand_in" ] || [ "$device" = host ]; }; then
      say "the benchmark of this archive is too large without a GPU"
      exit 3
    fi
    read -ra words <<<"$flags"
    message=$(fits_host "$artifact" "${words[@]}" "--device-memory=${caps%%,*}") || {
      say '%s tokens: %s' "$tokens" "$message"
      exit 3
    }
    flops_of "$artifact" | sed "s/^/$tokens\t/" >>"$results/flops.tsv"
  done <benchmark/benchmark.txt
  start_torch
  for ((round = 1; round <= rounds; ++round)); do
    while IFS='|' read -r where tokens artifact flags caps; do
      run_round "$round" "$tokens" "$artifact" "$flags" "$caps"
    done <benchmark/benchmark.txt
  done
  [ -z "$torch_pid" ] || kill "$torch_pid" 2>/dev/null
  # Under all caps, the same bits.
  message=$(awk -F'\t' '$9 ~ /^hash/ && !seen[$2, $9]++ && ++kinds[$2] == 2 { print "results differ for " $2 " tokens" }' \
    "$results/runs.tsv")
  if [ -n "$message" ]; then
    say '%s' "$message"
    return 1
  fi
  say '%d measurements of Turnip, %d of PyTorch, %d failed' \
    "$(awk -F'\t' '$4 == "turnip" && $5 != "-"' "$results/runs.tsv" | wc -l)" \
    "$(awk -F'\t' '$4 != "turnip" && $5 != "-"' "$results/runs.tsv" | wc -l)" \
    "$(awk -F'\t' '$4 == "turnip" && $5 == "-"' "$results/runs.tsv" | wc -l)"
  awk -F'\t' '$4 == "turnip" { $5 == "-" && $9 !~ /^exit code 3:/ ? ++bad : ++good } END { exit bad || !good }' \
    "$results/runs.tsv"
}
