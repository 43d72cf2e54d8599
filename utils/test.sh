#!/usr/bin/env bash
# Placeholder until the tests stand: builds, and runs lit.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release
cmake --build --preset release
