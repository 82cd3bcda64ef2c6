#!/usr/bin/env bash
# The form of C and C++: clang-format.
# tier: long (10 s)
source "$(dirname "$0")/../support/lint.sh"
needs clang-format
# Prints only the warnings; `make fmt` repairs them.
unformatted() { git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run -Werror 2>&1 | grep error: ; }
nothing "clang-format changes nothing (make fmt)" unformatted
done_claims
