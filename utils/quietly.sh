#!/usr/bin/env bash
# Runs a command with its output in a log. Says on stderr from time to time how
# far it is; prints the end of the log if it fails, and exits as it does.
#
#   utils/quietly.sh LOG SECONDS COMMAND...
set -euo pipefail
log=$1 every=$2
shift 2
mkdir -p "$(dirname "$log")"
: >"$log"

tell() {
  local second=0
  while sleep 1; do
    second=$((second + 1))
    [ $((second % every)) -eq 0 ] || continue
    echo "  ... after $second s: $(tail -n 1 "$log" | cut -c 1-70)" >&2
  done
}
tell &
teller=$!
trap 'kill "$teller" 2>/dev/null || true' EXIT

status=0
"$@" >>"$log" 2>&1 </dev/null || status=$?
[ "$status" -eq 0 ] || tail -n 30 "$log" >&2
exit "$status"
