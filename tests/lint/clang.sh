#!/usr/bin/env bash
# Warnings of clang, which has other ones than gcc.
# tier: long (60 s)
source "$(dirname "$0")/../support/lint.sh"
needs clang
faults() {
    local flags
    flags=$(make -s CC=clang WERROR=1 flags | tail -n 1)
    git ls-files 'runtime/*.c' 'plugins/*.c' ':!*/templates/*' |
        eval "xargs -P $(nproc) -n 16 clang $flags -fsyntax-only" 2>&1 | grep -E 'error:|warning:'
}
nothing "clang has no warning" faults
done_claims
