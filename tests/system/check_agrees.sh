# check refuses whatever a run refuses (exit code 2: nothing was read): in each such run of these scripts.
# tier: long (60 s)
. "$(dirname "$0")/../support/claims.sh"
here=$PWD
export unchecked_log=$tmp/unchecked
cd "$tmp" || exit 1
: >unchecked
scripts="bad_input mistakes_data script lua memory_limit applications rename"
for name in $scripts; do
    (cd "$here" && TIER=all bash "tests/system/$name.sh") >/dev/null 2>&1
done
claim "many runs are refused" [ "$(wc -l <unchecked.all)" -ge 30 ]

# check does not compare inputs with a snapshot, asks no broker, and reads no values of librdkafka from the environment.
late="cannot be restored|has no entry for this partition|env:.*librdkafka refuses the value"
each_is_refused() { ! grep -vE "$late" unchecked; }
claim "check refuses each" each_is_refused
done_claims
