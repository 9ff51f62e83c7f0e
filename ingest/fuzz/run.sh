#!/bin/sh
# Fuzzes a target for some seconds and prints the CPU seconds at the end (the second line, user and
# system): ingest/fuzz/run.sh unpack 600
# The flags are those of cargo-fuzz without its sanitizer, so that the stable compiler accepts them.
# Failing inputs are in ingest/fuzz/artifacts; `run.sh TARGET 0 FILE` runs one again.
set -eu
instrument=$(cd "$(dirname "$0")" && pwd)/instrument.sh
cd "${FUZZ:-$(dirname "$0")}"
target=${1:?usage: run.sh TARGET SECONDS [FILE]}
seconds=${2:?usage: run.sh TARGET SECONDS [FILE]}
host=$(rustc -vV | sed -n 's/^host: //p')
# With an explicit target, the flags do not apply to build scripts.
RUSTC_WRAPPER="$instrument" RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1" \
    cargo build --release --target "$host" --target-dir "${CARGO_TARGET_DIR:-target}/fuzz" --bin "$target" ${FEATURES:+--features "$FEATURES"}
built="${CARGO_TARGET_DIR:-target}"
mkdir -p "corpus/$target" "artifacts/$target"
export SEEDS="corpus/$target"
run="$built/fuzz/$host/release/$target -artifact_prefix=artifacts/$target/ -rss_limit_mb=1024 -timeout=20"
if [ $# -gt 2 ]; then exec $run "$3"; fi
status=0
$run -max_total_time="$seconds" -max_len=20000 -print_final_stats=1 "corpus/$target" || status=$?
times
exit $status
