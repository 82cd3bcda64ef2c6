#!/usr/bin/env bash
# seeds.sh TARGET FOLDER: small inputs from which the fuzzing of a target starts. Those of the decoder
# are made by the formats' own programs, as far as they are installed.
set -eu
mkdir -p "$2"
cd "$2"
seed() { # seed NAME: standard input, after a byte that is the size of pieces
    { printf '\003'; cat; } >"$1"
}
case $1 in
fuzz_decoder)
    for text in '' 'a' "$(printf 'one,two\n%.0s' $(seq 40))"; do
        for format in gzip bzip2 xz zstd lz4; do
            command -v $format >/dev/null || continue
            printf '%s' "$text" | $format -c | seed "$format-${#text}"
            { printf '%s' "$text" | $format -c; printf 'x' | $format -c; } | seed "$format-${#text}-twice"
        done
    done
    printf '\x28\xb5\x2f\xfd\x24\xf5\x01\0\0\x99\xe9\xd8\x51' | seed zstd-declares
    ;;
fuzz_model_load)
    head='{"snapshot":1,"checkpoint":1}'
    printf '%s\n{"section":"pipeline","text":"{}"}\n' "$head" >text
    printf '%s\n{"section":"stage/m/0","stage":"learn.awm","version":2}\n' "$head" >state
    printf '%s\n' '{"section":"stage/m/0","field":"n","type":"u64","value":3}' |
        cat state - >number
    printf '%s\n' '{"section":"stage/m/0","field":"v","type":"f32","values":[1,-2.5,"nan"]}' |
        cat number - >array
    ;;
esac
