#!/bin/sh
# Fuzzes a target of this folder for some seconds, as ingest/fuzz/run.sh does: receive/fuzz/run.sh filter_path 600
set -eu
FUZZ=$(cd "$(dirname "$0")" && pwd)
export FUZZ
exec "$FUZZ/../../ingest/fuzz/run.sh" "$@"
