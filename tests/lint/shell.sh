#!/usr/bin/env bash
# Errors that shellcheck finds in scripts, scripts for people that cannot be run, and waits that cannot end.
# tier: long (30 s)
source "$(dirname "$0")/../support/lint.sh"
needs shellcheck
errors() { git ls-files '*.sh' .ci/run | xargs shellcheck --shell=bash --severity=error --exclude=SC2218; }
nothing "shellcheck finds no error" errors
unrunnable() { git ls-files 'tests/bench/*.sh' 'findings/*.sh' | while read -r script; do
    head -n 1 "$script" | grep -q '^#!' && [[ ! -x $script ]] && echo "$script"
done; }
nothing "every script for people can be run" unrunnable
# The shell expands $(…) before the wait begins, so the wait never sees a change.
constant() { git grep -nE "(until_true|within [0-9]+) (\[|test|equal) [^']*\\\$\(" -- 'tests/*.sh'; }
nothing "no wait looks at what was read before it" constant
done_claims
