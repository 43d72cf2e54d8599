# What gpu-check.sh found, as JSON and as Markdown, from the tables of its steps.
# shellcheck shell=bash disable=SC2154

# The rates in a machine description: key, value, unit. Descriptions have a line
# for each device, kernel class and link.
extract_rates() {
  awk '
    function number(line, key) {
      if (!match(line, "\"" key "\":[0-9.e+-]+")) return ""
      return substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    }
    /^{"name":.*"launch_overhead":/ {
      device = $0 ~ /^{"name":"dev0"/
      if (device) printf "launch\t%s\ts\n", number($0, "launch_overhead")
    }
    device && /^"contraction":/ {
      split("f32 f16 bf16", types, " ")
      for (i = 1; i <= 3; ++i) if (number($0, types[i]) != "") printf "flops_%s\t%s\tFLOP/s\n", types[i], number($0, types[i])
    }
    device && /^"(elementwise|reduction)":/ {
      split($0, words, "\"")
      if (number($0, "bandwidth") != "") printf "%s\t%s\tB/s\n", words[2], number($0, "bandwidth")
    }
    /^{"source":"host","destination":"dev0"/ { printf "copy_to_device\t%s\tB/s\n", number($0, "bandwidth") }
    /^{"source":"dev0","destination":"host"/ { printf "copy_from_device\t%s\tB/s\n", number($0, "bandwidth") }
  ' "$1"
}

# What the measurements come to: for each number of tokens and cap: tokens, cap, median of Turnip, bound of
# products, bound of copies, larger bound, ratio, resident, offload, prefetch, best of the last two / Turnip.
summarise_runs() {
  [ -s "$results/runs.tsv" ] || return 0
  awk -F'\t' -v rates="$results/rates.tsv" -v flops="$results/flops.tsv" '
    function middle(list,   n, values, i, j, t) {
      n = split(list, values, " ")
      for (i = 2; i <= n; ++i)
        for (j = i; j > 1 && values[j - 1] > values[j] + 0; --j) { t = values[j]; values[j] = values[j - 1] + 0; values[j - 1] = t + 0 }
      return n ? values[int(n / 2) + 1] : "-"
    }
    function larger(a, b) { return a == "-" ? b : b == "-" ? a : a > b ? a : b }
    function ratio(a, b) { return a == "-" || b == "-" || b == 0 ? "-" : a / b }
    BEGIN {
      while ((getline line < rates) > 0) { split(line, f, "\t"); rate[f[1]] = f[2] }
      while ((getline line < flops) > 0) {
        split(line, f, "\t")
        if (!(f[1] in products)) products[f[1]] = 0
        if (rate["flops_" f[2]] > 0 && products[f[1]] != "-") products[f[1]] += f[3] / rate["flops_" f[2]]
        else products[f[1]] = "-"
      }
    }
    {
      key = $2 "\t" $3
      if ($4 != "turnip") { if ($5 != "-") torch[$2, $4] = torch[$2, $4] " " $5; next }
      if (!(key in seen)) { seen[key] = 1; order[++count] = key }
      if ($5 != "-") {
        times[key] = times[key] " " $5
        to = rate["copy_to_device"] > 0 ? $7 / rate["copy_to_device"] : "-"
        from = rate["copy_from_device"] > 0 ? $8 / rate["copy_from_device"] : "-"
        copies[key] = larger(to, from)
      }
    }
    END {
      for (i = 1; i <= count; ++i) {
        key = order[i]; split(key, f, "\t")
        turnip = middle(times[key])
        copy = key in copies ? copies[key] : "-"
        product = f[1] in products ? products[f[1]] : "-"
        bound = larger(product, copy)
        resident = middle(torch[f[1], "resident"]); offload = middle(torch[f[1], "offload"]); prefetch = middle(torch[f[1], "prefetch"])
        best = offload == "-" ? prefetch : prefetch == "-" ? offload : offload < prefetch ? offload : prefetch
        print key "\t" turnip "\t" product "\t" copy "\t" bound "\t" ratio(turnip, bound) "\t" resident "\t" offload "\t" prefetch "\t" ratio(best, turnip)
      }
    }' "$results/runs.tsv" >"$results/summary.tsv"
}

# json_table FILE KEY...: the lines of a table as JSON objects; what is a number stays one.
json_table() {
  local file=$1
  shift
  [ -f "$file" ] || return 0
  awk -F'\t' -v keys="$*" '
    function text(value) {
      if (value == "-") return "null"
      if (value ~ /^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/) return value
      gsub(/\\/, "\\\\\\\\", value); gsub(/"/, "\\\"", value); gsub(/[\001-\037]/, " ", value)
      return "\"" value "\""
    }
    BEGIN { n = split(keys, key, " ") }
    {
      printf "%s\n{", (NR > 1 ? "," : "")
      for (i = 1; i <= n; ++i) printf "%s\"%s\":%s", (i > 1 ? "," : ""), key[i], text($i)
      printf "}"
    }' "$file"
}

write_json() {
  {
    echo '{"format":1,'
    echo '"facts":['"$(json_table "$results/facts.tsv" key value)"'],'
    echo '"steps":['"$(json_table "$results/steps.tsv" step result seconds message)"'],'
    echo '"cases":['"$(json_table "$results/cases.tsv" case result message)"'],'
    echo '"rates":['"$(json_table "$results/rates.tsv" name value unit)"'],'
    echo '"runs":['"$(json_table "$results/runs.tsv" round tokens cap who median times bytes_to_device bytes_from_device note)"'],'
    echo '"benchmark":['"$(json_table "$results/summary.tsv" tokens cap seconds products copies bound over_bound resident offload prefetch ahead)"'],'
    echo '"torch":'"$(if [[ $(cat "$results/torch.txt" 2>/dev/null) == "{"* ]]; then cat "$results/torch.txt"; else echo null; fi)"','
    echo '"machine":'"$(if [ -s "$results/machine.json" ]; then cat "$results/machine.json"; else echo null; fi)"
    echo '}'
  } >"$results/results.json"
}

# markdown_table FILE HEADER...: a table of a file's lines.
markdown_table() {
  local file=$1 line
  shift
  [ -s "$file" ] || {
    echo "(nothing)"
    return 0
  }
  printf '| %s ' "$@"
  echo "|"
  printf '| --- %.0s' "$@"
  echo "|"
  while IFS= read -r line; do
    line=${line//|/\\|}
    echo "| ${line//$'\t'/ | } |"
  done <"$file"
}

# The summary in milliseconds and percent.
round_summary() {
  [ -s "$results/summary.tsv" ] || return 0
  awk -F'\t' -v OFS='\t' '
    function ms(value) { return value == "-" ? "-" : sprintf("%.4g", value * 1000) }
    function times(value) { return value == "-" ? "-" : sprintf("%.2f", value) }
    { print $1, $2, ms($3), ms($4), ms($5), times($7), ms($8), ms($9), ms($10), times($11) }' "$results/summary.tsv"
}

write_markdown() {
  round_summary >"$results/rounded.tsv"
  awk -F'\t' -v OFS='\t' '{ print $1, sprintf("%.4g", $2), $3 }' "$results/rates.tsv" 2>/dev/null >"$results/short-rates.tsv"
  {
    echo "# Turnip on $device${stand_in:+ (stand-in)}"
    echo
    [ -z "$stand_in" ] || printf 'The stand-in computes on processors: times below say nothing about any GPU.\n\n'
    markdown_table "$results/facts.tsv" fact value
    echo
    markdown_table "$results/steps.tsv" step result seconds message
    echo
    markdown_table "$results/cases.tsv" program result message
    echo
    markdown_table "$results/short-rates.tsv" rate value unit
    echo
    echo "Times in ms, medians of rounds. Products and copies: what those take at the rates above; over bound: Turnip's"
    echo "time over the larger. Ahead: the faster of PyTorch's offload and prefetch over Turnip's time."
    echo
    markdown_table "$results/rounded.tsv" tokens cap Turnip products copies "over bound" resident offload prefetch ahead
    echo
    sed 's/^/PyTorch: /' "$results/torch.txt" 2>/dev/null
  } >"$results/results.md"
}

write_reports() {
  summarise_runs
  write_json
  write_markdown
}
