# Lift of pairs of words, and of pairs of columns: counts, bounds, luck and order against counting by awk.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# judge N: reads lines "n nu nv weight lift low high luck" of rows; the pair comes E = nu nv / N times by chance. Prints
# how many rows are wrong: of a lift or bound that is not Byar's, or out of order.
judge() {
    awk -F'\t' -v N="$1" 'function off(x, y) { return x > y * (1 + 1e-6) || y > x * (1 + 1e-6) }
        function cube(x) { return x > 0 ? x * x * x : 0 }
        { E = $2 * $3 / N
          bad += off($5, $1 / E)
          bad += off($6, $1 * cube(1 - 1 / (9 * $1) - 1.96 / (3 * sqrt($1))) / E)
          bad += off($7, ($1 + 1) * cube(1 - 1 / (9 * ($1 + 1)) + 1.96 / (3 * sqrt($1 + 1))) / E)
          bad += off(exp($4), $6)
          bad += NR > 1 && late == ($8 > .05) && $6 > last * (1 + 1e-9)
          bad += late && $8 <= .05
          late = $8 > .05; last = $6 }
        END { print NR ? bad + 0 : "none" }'
}
figures() { jq -r '.top[] | [.count, .count_u, .count_v, .weight, .lift, .lift_low, .lift_high, .luck] | @tsv' "$out"; }

# ---- columns ----
# x: "rare" comes 3 times, always with y = hit; "often" 1,000 times, 900 with it. A tenth of all others has it, too.
# b follows a; a has a value in most records; z is noise.
awk 'BEGIN { srand(3); print "x,y,a,b,z"; for (i = 0; i < 20000; i++) {
    x = i < 3 ? "rare" : i < 1003 ? "often" : "x" int(rand() * 30)
    y = i < 903 || (i >= 1003 && rand() < .055) ? "hit" : "y" int(rand() * 9)
    a = rand() * 100; b = a + rand() * 9
    print x "," y "," (i % 17 ? sprintf("%.2f", a) : "") "," sprintf("%.2f", b) ",z" int(rand() * 40) } }' >two.csv
correlate() { leat_run correlate two.csv "$@"; }
# pairs LEFT RIGHT: the counts of the pairs of two columns, "left × right n nl nr", of all records that have both.
pairs() {
    awk -F, -v l="$1" -v r="$2" 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == l) L = i; if ($i == r) R = i } next }
        $L != "" && $R != "" { n[$L "\t" $R]++; nl[$L]++; nr[$R]++ }
        END { for (k in n) { split(k, p, "\t"); print l "=" p[1] " × " r "=" p[2] "\t" n[k] "\t" nl[p[1]] "\t" nr[p[2]] } }' two.csv | sort
}
correlate --left x --right y --min-count 1 --k 500 --out jsonl --quiet
claim_exit "two columns are correlated" 0
claim "each row has the counts of awk" equal "$(jq -r '.top[] | [.feature, .count, .count_u, .count_v] | @tsv' "$out" |
    sort | comm -23 - <(pairs x y) | wc -l) $(jq '.top | length > 5' "$out")" "0 true"
claim "and lift, bounds and order of awk" equal "$(figures | judge 20000)" 0
claim "900 of 1,000 stands above 3 of 3" equal "$(jq -r '[.top[].feature | select(test("(rare|often) × y=hit"))] |
    join("; ")' "$out")" "x=often × y=hit; x=rare × y=hit"
claim "3 of 3 has the greater lift" jq -e '[.top[] | select(.feature | test("× y=hit")) | .lift] as [$a, $b] | $b > $a' "$out"
claim "luck is Fisher's test times the pairs that could be rows" jq -e '.top[] | select(.feature == "x=rare × y=hit") |
    .luck > .1 and .luck < 1' "$out"
correlate --left x --right z --k 500 --out jsonl --quiet
claim "of noise no row is more than chance" jq -e '[.top[] | select(.luck <= .05)] == []' "$out"
correlate --left x --right y --order support --out jsonl --quiet
claim "by support the most frequent are first" jq -e '[.top[].count] | . == (sort | reverse)' "$out"
correlate --left x --right y --order pmi --min-count 1 --out jsonl --quiet
claim "by PMI chance is left aside" equal "$(jq -r '.top[0].feature' "$out")" "x=rare × y=hit"
correlate --left x --right y --k 2
claim "a table shows lift and counts" grep -qE '^ *# +count +count left +count right +lift +(luck +)?feature$' "$out"
claim_says "and the run its records" "20,000 records have both sides (left: x; right: y)"

correlate --left a --right b --edges 'a=20 80;b=20 80' --k 3 --out jsonl --quiet
claim "numbers are cut at edges" jq -e '.top | length == 3 and all(.[].feature; test("^a (>=|<) [28]0 × b (>=|<) [28]0$"))' "$out"
claim "whose counts are those of awk" equal "$(jq -r '.top[] | select(.feature == "a >= 80 × b >= 80") |
    "\(.count) \(.count_u) \(.count_v)"' "$out")" "$(awk -F, 'NR > 1 && $3 != "" { u += $3 >= 80; v += $4 >= 80
        n += $3 >= 80 && $4 >= 80 } END { print n, u, v }' two.csv)"
correlate --left a --right b --quiet --k 1
claim "by default, too" grep -qE 'a (>=|<) [0-9.]+ × b (>=|<) [0-9.]+$' "$out"
correlate --left x --k 1
claim_says "the right side is chosen from the others" "attributes come from" "(left: x; right: chosen columns)"
claim "and finds what goes together" grep -q 'x=often × y=hit' "$out"
correlate --left x --right y --method scod --order lift
claim_says "order is of counts" "order needs --method counts: method=scod has no such thing"
correlate --left x --right y --method counts --size 9
claim_says "size is of the product" "size needs --method scod: method=counts has no such thing"
correlate --left x --right y --size 100 --k 1 --quiet
claim "which it chooses" grep -qE '^# +value +bound +feature$' "$out"
for threads in 1 4; do
    correlate --left x --right y,z --threads $threads --out csv --quiet
    cp "$out" threads.$threads
done
claim "any number of threads finds the same" cmp threads.1 threads.4
head -8001 two.csv >grows.csv
leat_run correlate grows.csv --left x --right y --out csv --quiet --state kept
cp two.csv grows.csv
leat_run correlate grows.csv --left x --right y --out csv --quiet --state kept
cp "$out" continued
correlate --left x --right y --out csv --quiet
claim "a run that continues finds what one run does" cmp "$out" continued

# ---- words ----
# 20,000 texts of independent words w1 .. w20: the lift of each pair is 1.
awk 'BEGIN { srand(11); for (i = 0; i < 20000; i++) { line = ""
    for (k = 0; k < 8; k++) line = line " w" 1 + int(20 * rand() ^ 2)
    print line } }' >null.txt
cat >words.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "words" {
  leat.source.file { "null.txt" }, leat.parse.lines {}, leat.feature.tokens { rule = "words" },
  leat.learn.cooccurrence { id = "model", ordered = true }, leat.sink.top { k = 1000, format = "jsonl" },
}
LUA
leat_run run words.lua --quiet
claim "of independent words all pairs are there" equal "$(jq '.top | length' "$out")" 400
claim "95 % of the bounds hold the lift, 1" jq -e '[.top[] | select(.lift_low <= 1 and .lift_high >= 1)] | length >= 372' "$out"
claim "and none is more than chance" jq -e 'all(.top[]; .luck > .05)' "$out"
leat_run pairs null.txt --order lift --out jsonl --quiet --k 1000
M=$(awk '{ for (i = 1; i <= NF; i++) for (j = i + 1; j <= NF && j - i < 6; j++) M++ } END { print M }' null.txt)
claim "lift, bounds and order are those of awk" equal "$(figures |
    judge "$(awk -v M="$M" 'BEGIN { N = 8 * 20000; printf "%.9f", N * N / M }')")" 0
{ cat null.txt; for i in {1..60}; do echo "w$((1 + i % 20)) hong kong w$((1 + i % 7))"; done; } >kong.txt
leat_run pairs kong.txt --k 3
claim "a planted pair is the first" equal "$(awk 'NR == 3' "$out" | grep -o 'hong & kong')" "hong & kong"
leat_run pairs kong.txt --order pmi --k 1 --out jsonl --quiet
claim "PMI is the logarithm of the lift" jq -e '.top[0] | .weight == .pmi_low and ((.lift | log) - .pmi | fabs) < 1e-9' "$out"
{ printf '%s\n' 'x,y' 'a,' ',b' ','; sed 1d two.csv | cut -d, -f1,2; } >half.csv
leat_run correlate half.csv --left x --right y --progress never
claim_says "records with an empty side are told" "20,000 records have both sides (left: x; right: y), records with an empty side: 3"
done_claims
