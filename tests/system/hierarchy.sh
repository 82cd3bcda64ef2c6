# Parents of paths, addresses and hosts are attributes; a child is a row only if it says more than its parent.
# tier: long (9 s)
. "$(dirname "$0")/../support/claims.sh"

# All of /c/ fails 15 times as often, and /e/s3/ a bit; the address and the host say nothing.
awk 'BEGIN { srand(3); for (i = 0; i < 20000; i++) { a = int(rand() * 6); b = int(rand() * 8); c = int(rand() * 40)
    bad = rand() < (a == 2 ? .3 : a == 4 && b == 3 ? .15 : .02)
    printf "/%s/s%d/item%d\t10.%d.%d.%d\tw%d.z%d.example.%s\t%d\n", substr("abcdef", a + 1, 1), b, c, rand() * 4,
        rand() * 200, rand() * 250, rand() * 90, rand() * 5, rand() < .3 ? "com" : "org", bad ? 500 : 200 } }' >"$tmp/rows"
awk -F'\t' '{ printf "{\"path\":\"%s\",\"ip\":\"%s\",\"host\":\"%s\",\"status\":%d}\n", $1, $2, $3, $4 }' "$tmp/rows" \
    >"$tmp/log.jsonl"
explain() { leat_run run pipelines/explain.lua --quiet --set data="$tmp/log.jsonl" --set outlier='status >= 500' "$@"; }
rows() { jq -r '.top[] | "\(.feature)\t\(.count)\t\(.support_outliers)"' "$out" 2>"$tmp/none"; }

explain --set out=jsonl
claim_says "columns of paths, addresses and hosts are seen" "leat: with the parents of their texts: path, ip, host"
claim "the folders that fail are the rows, and nothing in them or above them" equal "$(rows | cut -f1 | paste -sd' ')" \
    "path=/c/ path=/e/s3/"
claim "with the counts of awk" equal "$(rows | cut -f2 | paste -sd' ')" \
    "$(awk -F'\t' '$1 ~ "^/c/" { c++ } $1 ~ "^/e/s3/" { e++ } END { print c, e }' "$tmp/rows")"
explain --set out=jsonl --set attributes=path
claim "so it is if only the path is named" equal "$(rows | cut -f1 | paste -sd' ')" "path=/c/ path=/e/s3/"
awk 'BEGIN { srand(6); split("disk full on|disk slow on|mail sent to|user gone from", m, "|"); for (i = 0; i < 9000; i++) {
    k = 1 + int(rand() * 4); printf "{\"m\":\"%s %d of %d\",\"bad\":%d}\n", m[k], rand() * 1e6, i, rand() < (k < 3 ? .4 : .03) } }' >"$tmp/m.jsonl"
leat_run explain "$tmp/m.jsonl" --outlier 'bad == 1' --out jsonl --quiet
claim "first words of many texts are attributes" equal "$(rows | cut -f1,2 | tr '\t' ' ' | paste -sd,)" \
    "m=disk  $(grep -c '"disk ' "$tmp/m.jsonl")"
leat_run classify "$tmp/log.jsonl" --label status --out jsonl --k 500 --quiet
claim_says "classify has them, too" "leat: with the parents of their texts: path, ip, host"
claim "and the folder that fails most weighs most" equal "$(jq -r '.top[0].feature' "$out")" path=/c/
claim "texts of too many values are no features" equal "$(jq -r '.top[].feature' "$out" | grep -c '^ip=.*[.].*[.].*[.][0-9]')" 0
sed 's/"status":500/"ms":90.5/; s/"status":200/"ms":10/' "$tmp/log.jsonl" >"$tmp/ms.jsonl"
leat_run regress "$tmp/ms.jsonl" --target ms --out jsonl --k 500 --quiet
claim "regress as well" equal "$(jq -r '[.top[].feature] | index("path=/c/") != null' "$out")" true

rest_is_long

# Every parent with its count, by awk: path from the left, host from the right, address by its first three numbers.
awk -F'\t' '{ n = split($1, p, "/"); s = "path=/"; for (i = 2; i < n; i++) { s = s p[i] "/"; count[s]++ }
    split($2, q, "."); s = "ip="; for (i = 1; i < 4; i++) { s = s q[i] "."; count[s]++ }
    n = split($3, h, "."); s = ""; for (i = n; i > n - 3; i--) { s = "." h[i] s; count["host=" s]++ } }
    END { for (s in count) print s "\t" count[s] }' "$tmp/rows" | sort >"$tmp/by_awk"
cat >"$tmp/all.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "all" {
  leat.source.file { path = leat.args.data }, leat.parse.json { lanes = tonumber(leat.args.lanes) }, leat.label.where { "status >= 500" },
  leat.feature.columns { levels = { "path=/ 3", "ip=. 3", "host=. 3 right" }, explode = true },
  leat.learn.contrast { budget = "4MB" },
  leat.sink.top { k = 2000, min_count = 0, min_support = 0, min_odds_gain = 0, sign = "both", order = "support", format = "jsonl" },
  threads = tonumber(leat.args.threads),
}
LUA
leat_run run "$tmp/all.lua" --set data="$tmp/log.jsonl" --quiet
# Parents of the same records are one row, whose others stand in `also`.
jq -r '.top[] | .count as $n | (.feature, ((.also // "") / "; ")[]) | "\(.)\t\($n)"' "$out" 2>"$tmp/none" | sort >"$tmp/by_leat"
claim "each parent has the count of awk" cmp "$tmp/by_leat" "$tmp/by_awk"
cp "$out" "$tmp/one"
leat_run run "$tmp/all.lua" --set data="$tmp/log.jsonl" --quiet --set threads=3 --set lanes=4
claim "in four lanes on three threads, too" cmp "$out" "$tmp/one"

# Texts at the limits: no separator, only separators, one at the end, two in a row.
printf '%s\n' path,status /,500 //,500 /a,500 /a/,500 a/b,500 //a//b//c,500 http://u/v,500 ,500 x,200 >"$tmp/odd.csv"
sed 's/parse.json/parse.csv/; s/"ip=. 3", "host=. 3 right"/"status=. 1 right"/' "$tmp/all.lua" >"$tmp/odd.lua"
leat_run run "$tmp/odd.lua" --set data="$tmp/odd.csv" --quiet
claim "odd texts have the parents they should" equal "$(jq -r '.top[] | .feature, ((.also // "") / "; ")[]' "$out" |
    LC_ALL=C sort | paste -sd' ')" \
    "path=//a// path=//a//b// path=a/ path=http:// path=http://u/"

wrong() {
    sed "s|\"ip=. 3\"|\"$2\"|" "$tmp/all.lua" >"$tmp/wrong.lua"
    leat_run check "$tmp/wrong.lua" --set data="$tmp/log.jsonl"
    claim_says "$1" "$3"
}
form="is wrong: write a column, its separator and a depth of 1 to 16, such as path=/ 3, host=. 2 right, or text=  1 for the first word"
wrong "an entry without a depth" "ip=." "'ip=.' $form"
wrong "without a separator" "ip= 3" "'ip= 3' $form"
wrong "too deep" "ip=. 17" "'ip=. 17' $form"
wrong "another side" "ip=. 3 left" "'ip=. 3 left' $form"
wrong "a column twice" "path=. 3" "column 'path' is listed twice: leave one out"
wrong "a column that is not there" "ipp=. 3" "column 'ipp' is in none of the first 1024 records; did you mean 'ip'?"

{ echo path,n && awk -F'\t' '{ print $1 "," NR }' "$tmp/rows"; } >"$tmp/a.csv"
{ echo path,n && awk -F'\t' '$1 !~ "^/b/" || NR % 3 == 0 { print $1 "," NR }' "$tmp/rows"; } >"$tmp/b.csv"
leat_run run pipelines/compare.lua --quiet --set a="$tmp/a.csv" --set b="$tmp/b.csv" --set out=csv
claim "compare has parents, too" grep -q 'path=/b/,' "$out"
done_claims
