#!/usr/bin/env bash
# Errors that shellcheck finds in scripts.
# tier: long (30 s)
source "$(dirname "$0")/../support/lint.sh"
needs shellcheck
errors() { git ls-files '*.sh' .ci/run | xargs shellcheck --shell=bash --severity=error --exclude=SC2218; }
nothing "shellcheck finds no error" errors
done_claims
