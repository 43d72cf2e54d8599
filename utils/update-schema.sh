#!/usr/bin/env bash
# Writes runtime/include/turnip/artifact/memgraph_generated.h from the schema.
# With an argument: into that folder instead. Needs flatc 2.0.8.
set -euo pipefail
cd "$(dirname "$0")/.."
flatc --cpp --scoped-enums -o "${1:-runtime/include/turnip/artifact}" runtime/schema/memgraph.fbs
