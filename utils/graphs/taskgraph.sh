#!/usr/bin/env bash
# Prints a generated graph as a module of the task dialect, for turnip-opt.
#
#   utils/graphs/taskgraph.sh KIND [--vertices=N] [--devices=N] [--seed=N] [--tile=SIZE]
#   utils/graphs/taskgraph.sh llama-7b [--sequence=N] [--layers=N] [--tile-budget=SIZE]
#
# KIND: training, layered, star, butterfly, skip-chain, or llama- and one of 7b, 13b,
# 30b, 65b, 3-8b, 3-70b. Up to 10^6 vertices take a second or two; the same options give
# the same text. TURNIP_BUILD names the build (build/release).
set -euo pipefail
if [[ $# -eq 0 ]]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
root="$(cd "$(dirname "$0")/../.." && pwd)"
exec "${TURNIP_BUILD:-$root/build/release}/bin/planner-bench" graph "$@" --print=task
