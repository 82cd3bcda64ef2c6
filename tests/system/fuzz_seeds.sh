# Each fuzz target accepts its seeds, and all their prefixes, without a fuzzer. So an outdated target is found here.
# tier: long (24 s)
. "$(dirname "$0")/../support/claims.sh"
[[ $LEAT != *address* && $LEAT != *thread* ]] || skip_rest "the targets have their own sanitizers"
# replays TARGET
replays() {
    local name=$1 sources
    tests/fuzz/seeds.sh "$name" "$tmp/$name" || return 1
    sources=$(tests/fuzz/sources.sh "tests/fuzz/$name.c" "$tmp" ${CXX:-g++} -O0 -w) || return 1
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -O0 -w -I. -Iruntime -Iruntime/include -Iplugins -Itests -I"$B/docs" \
        -o "$tmp/$name.run" "tests/fuzz/$name.c" tests/fuzz/replay.c $sources -lm || return 1
    find "$tmp/$name" -type f -exec "$tmp/$name.run" {} +
    "$tmp/$name.run"
}
for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c)
    claim "$name takes its seeds" replays "$name"
done
done_claims
