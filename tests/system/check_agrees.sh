# check refuses whatever a run refuses before its first record: in each run of these scripts that ends so.
# tier: long (150 s)
. "$(dirname "$0")/../support/claims.sh"
here=$PWD
export unchecked_log=$tmp/unchecked
cd "$tmp" || exit 1
: >unchecked
scripts="bad_input mistakes_data script lua operational memory_limit http kafka reload lookup_sqlite applications grown"
for name in $scripts; do
    (cd "$here" && TIER=all bash "tests/system/$name.sh") >/dev/null 2>&1
done
claim "many runs are refused" [ "$(wc -l <unchecked.all)" -ge 60 ]
claim "check refuses each" cmp unchecked /dev/null || cat unchecked
done_claims
