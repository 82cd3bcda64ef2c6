#!/usr/bin/env bash
# Fuzzes each target for FUZZ_SECONDS (default 30) with libFuzzer; needs clang and its runtime. What a
# target links stands in its head, after "sources:".
# A corpus grows under build/fuzz, from the seeds of seeds.sh.
set -eu
cd "$(dirname "$0")/../.."
command -v clang >/dev/null || { echo "fuzz: clang is not installed (apt-get install clang)"; exit 1; }
for target in ${*:-tests/fuzz/fuzz_*.c}; do
    name=$(basename "$target" .c)
    tests/fuzz/seeds.sh "$name" "build/fuzz/$name"
    sources=$(tests/fuzz/sources.sh "$target" build/fuzz clang++ -g -O1 \
        -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function)
    # shellcheck disable=SC2086
    clang -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iruntime -Iruntime/include \
        -Iplugins -Itests -I"${B:-build/release}/docs" -o "build/fuzz/$name.run" "$target" $sources -lm
    "build/fuzz/$name.run" -max_total_time="${FUZZ_SECONDS:-30}" -max_len=4096 -print_final_stats=1 "build/fuzz/$name"
done
