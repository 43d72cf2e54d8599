#!/usr/bin/env bash
# Random programs through every level, compared with the reference evaluator.
#   utils/stress.sh --cases=2000            any number of cases
#   utils/stress.sh --seconds=420           as many as fit
#   utils/stress.sh --seed=1 --case=17      one of them again
# Every option goes to turnip-stress; `--help` lists them.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${TURNIP_STRESS:-build/release/bin/turnip-stress}
if [[ ! -x $program ]]; then
  echo "utils/stress.sh: $program is missing; build it with:" >&2
  echo "  cmake --preset release && cmake --build --preset release --target turnip-stress" >&2
  exit 2
fi
exec "$program" "$@"
