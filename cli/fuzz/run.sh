#!/bin/sh
# Fuzzes a target of this folder for some seconds, as ingest/fuzz/run.sh does: cli/fuzz/run.sh guard 600
set -eu
FUZZ=$(cd "$(dirname "$0")" && pwd)
export FUZZ
exec "$FUZZ/../../ingest/fuzz/run.sh" "$@"
