#!/usr/bin/env bash
# Sums of dense products on emulated processors: the loops for SSE2 and for AVX2 add in the order of multiply.h, too.
# tier: long (20 s)
source "$(dirname "$0")/../support/claims.sh"
tests=$PWD/$B/tests/kernel/dense/test_multiply
[[ $(uname -m) == x86_64 && -x $tests ]] || skip_rest "this needs an x86-64 machine and $tests"
qemu-x86_64 --version >/dev/null 2>&1 || skip_rest "this needs qemu-x86_64"

on() { CK_EXCLUDE_TAGS=long CK_TIMEOUT_MULTIPLIER=10 qemu-x86_64 -cpu "$1" "$tests" 2>/dev/null; }
claim "products without AVX have the order of the header" on Nehalem
claim "products with AVX2 have it" on Haswell
done_claims
