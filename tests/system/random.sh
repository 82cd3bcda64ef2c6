# Random pipelines write the same bytes with 1, 2 and 8 threads, and after kills and stops, or get the same refusal.
# `make random` tries more.
# tier: long (30 s)
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/random_runs.sh"
cd "$tmp" || exit 1
random_inputs
for seed in {1..12}; do
    claim "random pipeline $seed does the same each time" random_judge $seed
done
done_claims
