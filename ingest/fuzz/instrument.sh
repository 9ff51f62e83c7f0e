#!/bin/sh
# Called by cargo as `instrument.sh rustc ARGUMENTS`: adds what guides the fuzzer to every crate that is built for a target,
# so not to build scripts. The engines of tables and of text are left out: nothing is fuzzed in them, and the fuzzer
# reads the counters of all code after each run.
case "$*" in
    *"--crate-name polars_parquet"*) ;;
    *"--crate-name polars"* | *"--crate-name tantivy"* | *"--crate-name sqlparser"*) exec "$@" ;;
esac
case "$*" in
    *" --target "*)
        exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
            -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
        ;;
esac
exec "$@"
