#!/usr/bin/env bash
# Dense products and factorizations on emulated processors: loops for SSE2, AVX2 and arm64 have the order of operations
# of their headers, and the bits of tests/kernel/dense/test_factor_bits.c. .ci/run builds for arm64.
# tier: long (20 s)
source "$(dirname "$0")/../support/claims.sh"
build=$PWD/build arm=release-aarch64-linux-gnu

# on WORDS TESTS EMULATOR…: runs the programs in the folder TESTS.
on() {
    local words=$1 tests=$2 name
    shift 2
    for name in test_multiply test_factor_bits; do
        if [[ -x $tests/$name ]] && "$1" --version >/dev/null 2>&1; then
            claim "$name passes $words" env CK_EXCLUDE_TAGS=long CK_TIMEOUT_MULTIPLIER=10 "$@" "$tests/$name"
        else
            skip "$name $words" "this needs $1 and $tests/$name"
        fi
    done
}
if [[ $(uname -m) == x86_64 ]]; then
    for cpu in Nehalem Haswell; do on "on a $cpu" "$PWD/$B/tests/kernel/dense" qemu-x86_64 -cpu $cpu; done
fi
on "on arm64" "$build/$arm/tests/kernel/dense" qemu-aarch64 -L "$build/root-aarch64"
done_claims
