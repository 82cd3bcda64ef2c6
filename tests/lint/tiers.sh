#!/usr/bin/env bash
# The content of `make test`: a test of each room, and scripts that cannot end early unnoticed.
source "$(dirname "$0")/../support/lint.sh"

# Prints the folders of the test programs of a tier.
rooms() { TIER=$1 SETS="unit kernel stage" tests/run.sh -n | xargs -r -n 1 dirname | sort -u; }
without_short_test() { comm -23 <(rooms all) <(rooms short); }
nothing "each folder that has tests has one in the short tier" without_short_test

unmarked() {
    git ls-files 'tests/**.c' 'tests/**.sh' ':!tests/run.sh' | xargs grep -nE '^(#|/\*) tier: ' |
        grep -vE ':[2-9]:(#|/\*) tier: (long \([0-9]+ s(, waits)?\)|short \(([0-9]+ s, )?waits\))( \*/)?$'
}
nothing "each line that names a tier is one that tests/run.sh reads" unmarked

# Prints lines whose tier does not begin them: tests/run.sh reads no such line.
swallowed() {
    git ls-files 'tests/**.c' 'tests/**.sh' ':!tests/run.sh' ':!tests/lint/tiers.sh' |
        xargs grep -nE '^(#|/\*| \*) .*[^ ] tier: (long|short) \('
}
nothing "no tier stands within the text of a comment" swallowed

# Prints scripts that repeat less in the short tier, and that the long tier does not run.
once() {
    git ls-files 'tests/*/*.sh' ':!tests/lint' | xargs grep -lE '[(]repeats [0-9]' | xargs -r grep -Lx rest_is_long
}
nothing "a script that repeats less in the short tier is in the long one, too" once

# Prints scripts of a set, which tests/run.sh runs, without a plan.
unplanned() {
    git ls-files 'tests/*/*.sh' | grep -E '^tests/(system|kafka|engines|lint|crash)/' | while read -r script; do
        [[ ! -e $script || $(tail -n 1 "$script") == done_claims ]] || echo "$script"
    done
}
nothing "each script of a set ends with done_claims" unplanned

gone_kernels() { cut -f 1 tests/mutants/equivalent | sort -u | while read -r file; do [[ -e $file ]] ||
    echo "$file"; done; }
nothing "each mutant that is listed as equivalent is of a kernel that exists" gone_kernels
done_claims
