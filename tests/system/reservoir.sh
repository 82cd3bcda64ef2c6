# leat.shape.reservoir: k records of the input with equal chances, the same for any threads, batches and kills.
# tier: long (4 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >sample.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "sample" {
  threads = a.threads, batch_rows = a.rows, seed = a.seed, dead_letters = a.dead, max_reject_ratio = 1,
  leat.source.file { path = a.data or "in.csv" }, leat.parse.csv {}, leat.shape.set { "up = upper(k)" },
  leat.shape.reservoir { k = a.k or 100, budget = a.budget },
  leat.filter(function(n) if n % 7 == 0 then error "seven" end return true end, { "n:number" }),
  leat.sink.file { path = a.out, format = a.format or "csv" },
}
LUA
run() { leat_run run sample.lua --quiet "$@"; }
awk 'BEGIN { print "n,k"; for (i = 0; i < 5000; i++) printf "%d,k%d\n", i * 7 + 1 + i % 6, i % 9 }' >in.csv
run --set out=one --summary s.json
claim_exit "a run that samples ends well" 0
claim "what is not in the sample is filtered" equal "$(jq -c '.stages[] | select(.plugin == "shape.reservoir") | [.in,
    .out, .filtered, .rejected]' s.json)" "[5000,100,4900,0]"
claim "there are k records" equal "$(sed 1d one | wc -l)" 100
claim "of the input, in its order, with columns that were made" diff <(sed 1d one) <(awk -F, 'NR == FNR { in_it[$1];
    next } $1 in in_it { print $0 "," toupper($2) }' <(sed 1d one) in.csv)
for how in threads=3 rows=7 rows=5000; do
    run --set out=two --set $how
    claim "with $how they are the same" cmp one two
done
run --set out=two --set seed=2
claim "with another seed others" sh -c '! cmp -s one two'
run --set out=two --set format=raw
claim "their bytes are those that arrived" diff two <(cut -d, -f1,2 one | sed 1d)
run --set out=all --set k=9999
claim "of fewer records it gives all" cmp <(sed 1d all | cut -d, -f1,2) <(sed 1d in.csv)

for seed in {1..200}; do echo "$seed"; done | xargs -P 4 -I @ "$LEAT" run sample.lua --quiet --set seed=@ --set k=500 \
    --set out=sample.@
cat sample.* | grep -v '^n' | awk -F, '{ n[int($1 / 3500)]++; m[$1]++ } END {
    for (i = 0; i < 10; i++) { d = n[i] - 10000; x += d * d / 9000 }
    for (i in m) { d = m[i] - 20; y += d * d / 18 }
    print (x < 30 && y > 4600 && y < 5400) ? "even" : "uneven " x " " y }' >chances
claim "in 200 samples each record and each tenth is there as often as chance has it" equal "$(cat chances)" even

awk 'BEGIN { print "n,k"; for (i = 1; i < 3000; i++) printf "%d,%0500d\n", i * 7 + 1, i }' >wide.csv
run --set data=wide.csv --set k=1000 --set budget=128KB --set out=few
claim_says "a budget that does not hold k is told" \
    "budget = 131072 bytes does not hold k = 1000 of these records, so the sample is smaller: raise budget"
claim "and there are fewer" below "$(wc -l <few)" 230
claim "but not few" below 90 "$(wc -l <few)"
run --set data=wide.csv --set k=1000 --set budget=128KB --set out=few2 --set rows=3
claim "the same in other batches" cmp few few2

awk 'BEGIN { print "n,k"; for (i = 0; i < 3000; i++) printf "%d,k\n", i }' >in.csv
run --set rows=64 --set out=one --set dead=dead1
claim "what a later stage rejects has its line" equal "$(jq -r '"\(.input) \(.line) \(.record)"' dead1 |
    head -3)" "$(jq -r .line dead1 | head -3 | while read -r line; do echo "in.csv $line $(sed -n "${line}p" \
    in.csv)"; done)"
for i in 1 2 3; do
    LEAT_FAULT=snapshot_durable:$((i * 2)) run --set rows=64 --set out=two --set dead=dead2 --state state --every 500
done
run --set rows=64 --set out=two --set dead=dead2 --state state --every 500
claim "killed three times and continued, the sample is the same" cmp one two
claim "and the dead letters" cmp dead1 dead2
claim "leat model restores what it keeps" "$LEAT" model verify state
done_claims
