#!/usr/bin/env bash
# Installs what the tests need, builds, runs every test, prints where the time
# went and ends with a line `N passed, N failed, N skipped`.
#
#   utils/test.sh [--only STEP[,STEP]] [--list]
set -euo pipefail
cd "$(dirname "$0")/.."
bash utils/setup.sh build test
exec python3 utils/checks/run_all.py "$@"
