#!/usr/bin/env bash
# Faults that cppcheck finds in C and C++.
# tier: long (60 s)
source "$(dirname "$0")/../support/lint.sh"
needs cppcheck
faults() {
    cppcheck --quiet -j "$(nproc)" --std=c11 --std=c++17 --enable=warning,performance,portability --inline-suppr \
        --suppress=missingInclude --suppress=missingIncludeSystem -i runtime/sdk/templates \
        -Iruntime/include -Iruntime -Iplugins runtime plugins
}
nothing "cppcheck finds nothing" faults
done_claims
