#!/usr/bin/env bash
# Runs random pipelines for SECONDS_MAX (60) from seed SEED (by default the time). The bytes must be the same with 1, 2
# and 8 threads, and after kills under --state.
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/random_runs.sh"
cd "$tmp" || exit 1
random_inputs
tried=0 refused=0 failed=0
for ((next = ${SEED:-$(date +%s)}; SECONDS < ${SECONDS_MAX:-60}; next++)); do
    random_judge $next || failed=$((failed + 1))
    tried=$((tried + 1)) refused=$((refused + (first == 2)))
done
claim "$tried random pipelines give the same bytes ($refused are refused)" equal "$failed" 0
done_claims
