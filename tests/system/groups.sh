# explain --each: limits and an answer for each value of a column, against awk.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# Each service has its own scale and its own cause; batch has few records.
awk 'BEGIN { srand(4); print "service,host,kind,ms"; for (i = 0; i < 9000; i++) { s = i % 300 == 7 ? "batch" : i % 3 ? "web" : "db"
    h = "h" int(rand() * 5); k = "k" int(rand() * 4); slow = s == "db" ? k == "k1" : h == "h2"
    printf "%s,%s,%s,%.3f\n", s, h, k, (s == "db" ? 1000 : 10) * (1 + rand() + (slow && rand() < .8 ? 2 : 0)) } }' >all.csv
# counts SERVICE: the least number that at most a fifth of its values exceed, how many exceed it, and how many it has.
counts() {
    awk -F, -v s="$1" '$1 == s { print $4 }' all.csv | sort -n | awk '{ v[NR] = $1 } END { at = int(.8 * NR); if (at < .8 * NR) at++
        for (i = 1; i <= NR; i++) n += v[i] > v[at]; print v[at], n, NR }'
}
explain() { leat_run explain "$@" --metric ms --attributes host,kind; }
feature() { jq -r --arg of "$1" 'select(.learner == $of) | .top[0].feature' "$out"; }
explain all.csv --each service --out jsonl
claim_exit "each service has an answer" 0
claim "which is its own" equal "$(feature service=web) $(feature service=db)" "host=h2 kind=k1"
for service in web db batch; do
    read -r limit n all <<<"$(counts $service)"
    claim_says "$service: the limit, and how many are beyond it, are those of awk" " have ms > $limit " \
        "$(printf "%'d of %'d" "$n" "$all" | LC_ALL=C sed -E 's/\b([0-9])([0-9]{3})\b/\1,\2/g') records"
    claim "$service: so is its base rate" jq -se --arg of "service=$service" --arg n "$n" --arg all "$all" \
        'map(select(.learner == $of and (.top | length) > 0)) | length == 0 or (.[0].top[0].base_rate - ($n | tonumber) / ($all | tonumber) | fabs < 1e-9)' "$out"
done
for _ in 1 2 3 4; do explain all.csv --each service --out jsonl; jq -r .learner "$out" | paste -sd' '; done >orders
claim "the answers come in one order, the most frequent group first" equal "$(sort -u orders)" "service=web service=db service=batch"
explain all.csv --out jsonl
claim "one answer for all hides that of web" equal "$(feature model | grep -c host=h2)" 0
explain all.csv --each service --summary s.json --quiet
claim "the budget is divided" equal "$(jq '[.stages[] | select(.plugin == "learn.contrast") | .metrics.budget_bytes] | add' s.json)" \
    "$((8388608 / 3 * 3))"
awk -F, -v OFS=, 'NR == 1 || NR % 2 { print; next } { $1 = "s" NR % 40; print }' all.csv >many.csv
awk -F, -v OFS=, 'NR > 1 && $1 ~ /^s[0-9]$|^s1[0-9]$/ { $4 *= 1000 } 1' many.csv >scaled.csv
explain scaled.csv --each service --out jsonl
claim "of many values the most frequent are answered, and the others together" equal "$(jq -s 'map(.learner) | unique |
    [length, (index("others") != null)] | tostring' -r "$out")" "[13,true]"
share=$(sed -nE 's/.*[( ]([0-9.]+) %\) have ms > [0-9.]+ \(about the quantile 0.8\) where other values of service.*/\1/p' "$err")
claim "the limit of the others is theirs, too" awk -v share="$share" 'BEGIN { exit !(share > 19 && share <= 20) }'
{ sed 8999q all.csv; echo "new,h1,k1,5"; } >new.csv
explain new.csv --each service=web,db --quiet
claim "values that nobody asks for are no news" sh -c "! grep -q dropped '$err'"
explain - --each service=db,web --out jsonl <all.csv
claim "the values of a stream are given" equal "$(feature service=web) $(feature service=db)" "host=h2 kind=k1"
claim "and each has its own limit" test "$(grep -c 'above its running quantile' "$err")" -eq 1
explain - --each service <all.csv
claim_exit "values of a stream cannot be known" 2
claim_says "which says what to write" "--each service=a,b"
explain all.csv --each servce
claim_exit "a column that is not there" 2
claim_says "is named" "each: the files have no column 'servce'"
leat_run explain all.csv --outlier 'ms > 2000' --each service --attributes host,kind --out jsonl
claim "a condition has an answer for each, too" equal "$(feature service=db)" "kind=k1"
explain all.csv --each service --evaluate
claim_says "an evaluation is of one answer" "leave out each"
done_claims
