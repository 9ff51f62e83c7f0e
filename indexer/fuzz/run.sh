#!/bin/sh
# Fuzzes a target of this folder for some seconds, as ingest/fuzz/run.sh does: indexer/fuzz/run.sh query 600
set -eu
FUZZ=$(cd "$(dirname "$0")" && pwd)
export FUZZ
# The engine is built only for the targets that need it.
case "${1:-}" in manifest | notes | segments) export FEATURES=case ;; esac
exec "$FUZZ/../../ingest/fuzz/run.sh" "$@"
