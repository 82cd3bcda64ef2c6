#!/usr/bin/env bash
# Fuzzes each target for FUZZ_SECONDS (default 30) with libFuzzer; needs clang and its runtime.
# A corpus grows under build/fuzz.
set -eu
cd "$(dirname "$0")/../.."
command -v clang >/dev/null || { echo "fuzz: clang is not installed (apt-get install clang)"; exit 1; }
for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c)
    mkdir -p "build/fuzz/$name"
    clang -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iruntime/include \
        -o "build/fuzz/$name.run" "$target" plugins/kernels/{framing,csv,libsvm,decimal,feature_id}.c -lm
    "build/fuzz/$name.run" -max_total_time="${FUZZ_SECONDS:-30}" -max_len=4096 -print_final_stats=1 "build/fuzz/$name"
done
