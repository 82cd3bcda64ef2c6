# Products of two sides, against counting, for every way to separate the sides.
. "$(dirname "$0")/../support/claims.sh"

# 4,000 payments of 30 offices to 200 payees; two pairs are planted.
awk 'BEGIN { srand(7); print "office,payee,note"; for (i = 0; i < 4000; i++) {
  o = "o" int(30 * rand()^2); p = "p" int(200 * rand()^2)
  if (i % 9 == 0) { o = "Mint"; p = "Copper Co" } if (i % 13 == 0) { o = "Zoo"; p = "Hay Inc" }
  print o "," p ",paid to " p } }' >"$tmp/pay.csv"
correlate() { leat_run run pipelines/correlate.lua --quiet --set out=jsonl "$@"; }

correlate --set data="$tmp/pay.csv" --set left=office --set right=payee --set size=100 --set k=20 \
    --summary "$tmp/s.json"
claim_exit "the pipeline runs on CSV" 0
cp "$out" "$tmp/first"
claim "planted pairs are the first" equal \
    "$(jq -r '[.top[0, 1].feature] | join("; ")' "$out")" "office=Mint × payee=Copper Co; office=Zoo × payee=Hay Inc"
claim "with as many columns as offices, every value is the count" awk -F'\t' '
    NR == FNR { if (FNR > 1) { split($0, f, ","); n["office=" f[1] " × payee=" f[2]]++ } next }
    { d = n[$1] - $2; if (d > 1e-6 || d < -1e-6) exit 1; seen++ } END { exit seen != 20 }' \
    "$tmp/pay.csv" <(jq -r '.top[] | [.feature, .value] | @tsv' "$out")
claim "and the bound knows it" jq -e '.top[0].bound < 1e-6' "$out"
claim "no record is lost" equal "$(json .records)" 4000
correlate --set data="$tmp/pay.csv" --set left=office --set right=payee --set size=100 --set k=20
claim "a second run finds the same, to the byte" cmp "$out" "$tmp/first"

for method in scod cod fd_amm sfd_amm columns projection hashing; do
    correlate --set data="$tmp/pay.csv" --set left=office --set right=payee --set size=8 --set k=5 \
        --set method=$method --set evaluate=true
    claim "$method: estimates are within their bound of the counts" awk -F'\t' '
        NR == FNR { if (FNR > 1) { split($0, f, ","); n["office=" f[1] " × payee=" f[2]]++ } next }
        { d = n[$1] - $2; if (d < 0) d = -d; if (d > $3 + 1e-6) exit 1; seen++ } END { exit seen != 5 }' \
        "$tmp/pay.csv" <(grep learner "$out" | jq -r '.top[] | [.feature, .value, .bound] | @tsv')
    claim "$method: the error found by keeping everything is within the bound, too" jq -se --arg m $method '
        .[] | select(.method == $m) | .error > 0 and .error <= .bound and .projection >= 1 - 1e-9' "$out"
done

# 40,000 records of 900 different pairs, at random values: the memory of 16 columns holds the pairs, not the records.
awk 'BEGIN { srand(3); print "a,b"; for (i = 0; i < 40000; i++) print int(90 * rand()^2) "," int(10 * rand()) }' \
    >"$tmp/many.csv"
few() { correlate --set data="$tmp/many.csv" --set left=a --set right=b --set size=16 --set k=2000 --set method=scod "$@"; }
few
claim "pairs that fit in the sketch's memory are counted exactly, whatever the records, equal ones by name" cmp \
    <(awk -F, 'NR > 1 { n["a=" $1 " × b=" $2]++ } END { for (p in n) print n[p] "\t" p }' "$tmp/many.csv" |
        LC_ALL=C sort -t "$(printf '\t')" -k1,1nr -k2,2) <(jq -r '.top[] | [.value, .feature] | @tsv' "$out")
claim "their bound is 0" jq -e 'all(.top[]; .bound == 0)' "$out"
cp "$out" "$tmp/counted"
(sed 1q "$tmp/many.csv"; sed 1d "$tmp/many.csv" | sort) >"$tmp/sorted.csv"
mv "$tmp/sorted.csv" "$tmp/many.csv"
few
claim "records in another order give the same answer, to the byte" cmp "$out" "$tmp/counted"
few --set exact=false --set size=4
claim "without exact they are sketched" jq -e '.top[0].bound > 1' "$out"

# Eight groups of three shops, each with three items: eight directions of one sigma.
awk 'BEGIN { print "shop,item"; for (t = 0; t < 40; t++) for (g = 0; g < 8; g++) for (s = 0; s < 3; s++)
    print "shop" g s ",item" g (s + t) % 3 }' >"$tmp/blocks.csv"
(sed 1q "$tmp/blocks.csv"; sed 1d "$tmp/blocks.csv" | sort -t, -k2,2r -k1,1) >"$tmp/turned.csv"
for data in blocks turned; do
    for exact in true false; do
        correlate --set data="$tmp/$data.csv" --set left=shop --set right=item --set show=triplets --set exact=$exact \
            --set k=4
        cat "$out"
    done
done >"$tmp/directions"
claim "directions of one sigma are those of the data, by name, in any order" equal \
    "$(jq -r '.top[] | [.sigma, .alike, .feature] | @tsv' "$tmp/directions" | sort | uniq -c | awk '{ print $1, $2, $3, $5, $9 }')" \
    "$(for g in 0 1 2 3; do echo "4 40 8 shop=shop${g}1, item=item${g}1,"; done)"
claim "with one bound" equal "$(jq '.top[0].bound' "$tmp/directions" | sort -u | wc -l)" 1

correlate --set data="$tmp/pay.csv" --set left=office --set right=payee --set size=8 --set k=40
claim "rows that may be nothing, for all the sketch knows, are told" equal "$(sed \
    -n 's/.*: \([0-9]* of [0-9]*\) rows are within the error bound.*raise size (now 8)$/\1/p' "$err")" \
    "$(jq -s '[.[].top[] | select(.value <= .bound)] | length' "$out") of 40"
correlate --set data="$tmp/pay.csv" --set left=office --set right=payee --set size=100 --set k=20
claim "and no others" sh -c "! grep -Eq 'nothing is left|within the error bound' '$err'"

printf 'a,b\nx,y\nx,z\nw,y\n' >"$tmp/three.csv"
correlate --set data="$tmp/three.csv" --set left=a --set right=b --set method=cod --set size=1
claim "a sketch that has nothing left says so" equal "$(jq -c .top "$out") $(grep \
    -c 'nothing is left in the sketch, .* (3): raise size (now 1)$' "$err")" "[] 1"

correlate --set data="$tmp/pay.csv" --set left=office --set words=note --set lower=true --set size=100 --set k=50
claim "words of a column are a side: the counts" equal \
    "$(jq -r '.top[] | select(.feature == "office=zoo × hay") | .value | round' "$out")" "$(grep -c '^Zoo,' \
    "$tmp/pay.csv")"

sed '1s/office/the office/' "$tmp/pay.csv" >"$tmp/blank.csv"
correlate --set data="$tmp/blank.csv" --set left="the office" --set words=note --set lower=true --set size=100 \
    --set k=50
claim "a blank in a column's name makes no feature of its own" equal \
    "$(jq -r '.top[] | select(.feature == "the_office=zoo × hay") | .value | round' "$out")" "$(grep -c '^Zoo,' \
    "$tmp/pay.csv")"
claim "all are of the column" jq -se 'all(.[].top[].feature; startswith("the_office="))' "$out"

claim "a name that begins like another's for 64 bytes is another" equal "$(
    n=$(printf 'x%.0s' {1..80})
    printf 'office,note\n%s a,w\n%s b,w\n' "$n" "$n" >"$tmp/long.csv"
    "$LEAT" run pipelines/correlate.lua --quiet --set data="$tmp/long.csv" --set left=office --set words=note --set method=scod \
        --set out=jsonl |
        jq '.top | length')" 2

correlate --set data="$tmp/pay.csv" --set left=office --set right=payee --set size=100 --set of_left=office=Mint \
    --set of_right="payee=Copper Co"
claim "one entry is asked for by its names" equal "$(jq -c '[.top[] | [.feature, (.value | round)]]' "$out")" \
    "[[\"office=Mint × payee=Copper Co\",$(grep -c '^Mint,Copper Co' "$tmp/pay.csv")]]"
correlate --set data="$tmp/pay.csv" --set left=office --set right=payee --set of_right="paye=Copper Co"
claim_exit "a side without the column of of_right is a mistake" 2
claim_says "that names its columns" \
    "of_right is paye=Copper Co: this side has no such column: a feature of it is written payee=VALUE"
cat >"$tmp/of.lua" <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "of" {
  leat.source.file { a.data }, leat.parse.csv {}, leat.feature.columns { "office", "payee", "note" },
  leat.feature.sides { left = { "office" } }, leat.learn.product { size = 100, of_left = a.l, of_right = a.r }, leat.sink.top {},
}
LUA
told() { # told NAME SIDE FEATURE WORDS…
    leat_run run "$tmp/of.lua" --quiet --set data="$tmp/pay.csv" --set "$2=$3"
    claim_says "$1" "${@:4}"
}
told "a column that is none is told, with the nearest and all" r "paye=Copper Co" \
    "product (learn.product): of_right = 'paye=Copper Co': no feature of the right side has this name: did you mean 'payee=Copper Co'? (columns: payee, note)"
told "a value that is none, with the nearest" r "payee=Coper Co" \
    "of_right = 'payee=Coper Co': no feature of the right side has this name: did you mean 'payee=Copper Co'?"
told "a column alone is no feature" l office "did you mean 'office=…'? (columns: office)"
told "a feature of the other side is told to be there" l "payee=Copper Co" \
    "of_left = 'payee=Copper Co': this feature is on the right side: set of_right instead"
told "what is near to none, with the columns" l zzz \
    "of_left = 'zzz': no feature of the left side has this name (columns: office)"
leat_run run "$tmp/of.lua" --quiet --set data="$tmp/pay.csv" --set l=office=Mint
claim "and of one that is there nothing is said" test ! -s "$err"

# Of a snapshot: what the learner shows is asked anew, and the model is the same.
top() { leat_run model top "$tmp/asked" --format jsonl --set k=1 "$@"; }
leat_run run "$tmp/of.lua" --quiet --set data="$tmp/pay.csv" --state "$tmp/asked"
top --set of_left=office=Mint --set of_right="payee=Copper Co"
claim "a snapshot is asked for one entry" equal "$(jq -c '[.top[] | [.feature, (.value | round)]]' "$out")" \
    "[[\"office=Mint × payee=Copper Co\",$(grep -c '^Mint,Copper Co' "$tmp/pay.csv")]]"
claim "without a word" test ! -s "$err"
top --set show=triplets
claim "or for triplets" jq -e '.top[0].sigma > 0' "$out"
top --set of_left=office=Mimt
claim_says "a name that no feature has is told" \
    "of_left = 'office=Mimt': no feature of the left side has this name: did you mean 'office=Mint'? (columns: office)"
top --set show=triplets --set of_left=office=Mint
claim_exit "what the learner refuses is a mistake" 2
claim_says "with its reason" 'product (learn.product): of_left: show = "triplets" shows all features'
top --set show=rows
claim_exit "so is a value that is none" 2
claim_says "and which there are" '--set show=rows: show must be "entries" or "triplets", not "rows"'
top --set of_lef=a
claim_exit "and a misspelt name" 2
claim_says "with what was meant" \
    "--set of_lef: model top of product (learn.product) takes no 'of_lef': did you mean 'of_left'?"
top --set size=5
claim_exit "and what it has learned with" 2
claim_says "which is said" \
    "--set size: product (learn.product) has learned with size = 100: run the pipeline again to use another value"
leat_run run "$tmp/of.lua" --set data="$tmp/pay.csv" --state "$tmp/asked" --set l=office=Mint
claim_exit "a run that continues is asked otherwise" 0
claim_says "and says so" \
    'of_left is "office=Mint" here and nothing in the snapshot; the new value counts from the next answer on'
leat_run model top "$tmp/asked" --format jsonl --set k=1 --set of_left= --set show=triplets
claim "an empty name asks of all again" jq -e '.top[0].sigma > 0' "$out"
leat_run run "$tmp/of.lua" --set data="$tmp/pay.csv" --state "$tmp/asked" --set l=office=Mint
claim "all its rows are of the feature" sh \
    -c "grep -q 'office=Mint ×' '$out' && ! grep ' × ' '$out' | grep -v 'office=Mint ×'"
for seed in 1 2; do
    correlate --set data="$tmp/pay.csv" --set left=office --set right=payee --set method=projection --set size=4 \
        --set seed=$seed
    cp "$out" "$tmp/seed$seed"
done
claim "a random method's answer is its seed's" sh -c "! cmp -s '$tmp/seed1' '$tmp/seed2'"

awk 'BEGIN { for (i = 0; i < 300; i++) printf "{\"host\":\"h%d\",\"tags\":[\"t%d\"%s]}\n", i % 3, i % 5,
    i % 2 ? ",\"odd\"" : "" }' >"$tmp/tags.jsonl"
correlate --set data="$tmp/tags.jsonl" --set left=host --set 'right=tags[*]' --set of_left=host=h1 \
    --set 'of_right=tags[*]=odd'
claim "elements of an array are features each" equal "$(jq -c '[.top[] | [.feature, (.value | round)]]' "$out")" \
    '[["host=h1 × tags[*]=odd",50]]'
correlate --set data="$tmp/tags.jsonl" --set left=host --set 'words=tags[*]'
claim_exit "which words have not" 2
claim_says "as is said" "tags[*] holds several values: with words give columns of one each"
printf 'cat sat on ||| chat assis sur\ncat ran ||| chat court\nno mark here\n' >"$tmp/two.txt"
correlate --set data="$tmp/two.txt" --set format=lines --set mark='|||' --set k=1 --set method=scod \
    --summary "$tmp/s.json"
claim "a mark parts lines, and a line without it is rejected" equal \
    "$(jq -r '.top[0] | "\(.feature) \(.value | round)"' "$out") $(stage sides rejected)" "cat × chat 2 1"
correlate --set data="$tmp/two.txt" --set format=lines --set mark='|||' --set of_right=asis
claim_says "of words the nearest is told, and the first" \
    "of_right = 'asis': no feature of the right side has this name: did you mean 'assis'? (features: chat, assis, sur, court)"
correlate --set data="$tmp/two.txt" --set format=lines --set k=1 --set show=triplets
claim "halves of lines, as triplets" jq -e '.top | length == 1 and (.[0].sigma > 0)' "$out"

printf '1 1:2 9:3\n1 1:1 2:5 9:1\n' >"$tmp/ids.svm"
correlate --set data="$tmp/ids.svm" --set format=libsvm --set below=5 --set k=9
claim "ids below a number are a side" equal "$(jq -c '[.top[] | [.feature, (.value | round)]]' "$out")" \
    '[["1 × 9",7],["2 × 9",5]]'
correlate --set data="$tmp/ids.svm" --set format=libsvm --set below=5 --set normalize=true --set k=1
claim "sides of length 1 count alike" jq -e '.top[0].value > 1.19 and .top[0].value < 1.2' "$out"

leat_run run pipelines/correlate.lua --quiet --set data="$tmp/pay.csv" --set words=note
claim "one side only is a mistake that is said" test "$status" != 0
claim_says "with its reason" "two sides"
leat_run check pipelines/correlate.lua --set data="$tmp/three.csv" --set left=a --set right=b,a
claim_exit "a column on both sides is refused" 2
claim_says "by its name" "left and right both name a: a column is on one side"
claim "once" equal "$(grep -c 'error:' "$err")" 1
leat_run run pipelines/correlate.lua --quiet --set data="$tmp/pay.csv" --set left=office --set right=office
claim_exit "so is a column on both sides" 2
leat_run check pipelines/correlate.lua --set brokers=localhost:9 --set topic=t --set columns=office,payee \
    --set left=office --set right=payee
claim_exit "a topic can be read in place of a file" 0
: >"$tmp/empty"
correlate --set data="$tmp/empty" --set format=lines --set evaluate=true
claim_exit "an empty file is no error" 0

"$LEAT" check pipelines/correlate.lua --set size=100 --json >"$out" 2>"$err"
claim "what the sketch may take is stated" jq -e '.graph.stages[] | select(.id == "model") | .state_bytes > 1e8 and
    .state_bytes < 6e8' "$out"

# State: the file as it grows.
cat >"$tmp/state.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "state" {
  leat.source.file { path = leat.args.data },
  leat.parse.csv {},
  leat.feature.columns { columns = { "office", "payee" } },
  leat.feature.sides { left = { "office" } },
  leat.learn.product { size = 10 },
  leat.sink.top { k = 10, format = "csv", path = leat.args.to },
  threads = leat.args.threads,
}
LUA
for threads in 1 3; do
    leat_run run "$tmp/state.lua" --quiet --set data="$tmp/pay.csv" --set to="$tmp/threads$threads" \
        --set threads=$threads
done
claim "any number of threads finds the same, to the byte" cmp "$tmp/threads1" "$tmp/threads3"
leat_run run "$tmp/state.lua" --quiet --set data="$tmp/pay.csv" --set to="$tmp/whole"
head -2001 "$tmp/pay.csv" >"$tmp/grows.csv"
leat_run run "$tmp/state.lua" --quiet --set data="$tmp/grows.csv" --set to="$tmp/kept" --state "$tmp/state"
tail -n +2002 "$tmp/pay.csv" >>"$tmp/grows.csv"
leat_run run "$tmp/state.lua" --quiet --set data="$tmp/grows.csv" --set to="$tmp/kept" --state "$tmp/state"
claim_exit "a run goes on from its state" 0
claim "and finds what one run finds, to the byte" cmp "$tmp/whole" <(head -1 "$tmp/kept"; tail -10 "$tmp/kept")

# ---- fractions ----
cat >"$tmp/fractions.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "fractions" {
  leat.source.file { path = leat.args.data }, leat.parse.libsvm {}, leat.feature.sides { below = 100 },
  leat.learn.product { id = "model", size = 20 }, leat.sink.top { k = 10000, format = "csv", path = "-" },
}
LUA
awk 'BEGIN { srand(4); for (i = 0; i < 300; i++) print 1, 1 + int(rand() * 9) ":" 1 / (2 + int(rand() * 90)), 101 + int(rand() * 9) ":" 3 / (1 + int(rand() * 90)) }' \
    >"$tmp/fractions.svm"
leat_run run "$tmp/fractions.lua" --quiet --set data="$tmp/fractions.svm"
there_is python3 "sums of fractions are within their bound" && claim "sums of fractions are within their bound" \
    equal "$(python3 - "$tmp/fractions.svm" "$out" <<'PY'
import collections, csv, fractions, struct, sys
single = lambda text: fractions.Fraction(struct.unpack("f", struct.pack("f", float(text)))[0])
total = collections.Counter()
for line in open(sys.argv[1]):
    (a, x), (b, y) = (part.split(":") for part in line.split()[1:])
    total[f"{a} × {b}"] += single(x) * single(y)
rows = list(csv.DictReader(open(sys.argv[2])))
wrong = [r for r in rows if abs(fractions.Fraction(float(r["value"])) - total[r["feature"]]) > fractions.Fraction(float(r["bound"]))]
print(len(rows) > 70, len(wrong))
PY
)" "True 0"

# ---- after another learner ----
cat >"$tmp/scored.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "scored" {
  leat.source.null { records = 40, text = "+1 1:1 2:1 9:1" }, leat.parse.libsvm {},
  leat.learn.awm { id = "scores" }, leat.feature.sides { below = 5 },
  leat.args.show and leat.sink.predictions {} or leat.learn.product { id = "product" }, leat.sink.null {},
}
LUA
leat_run check "$tmp/scored.lua" --set show=1
claim_says "sides have no scores, as no learner has seen them" \
    "the stage needs scores, but sides (feature.sides) (line 4) gives only records, labels, examples"
leat_run run "$tmp/scored.lua" --quiet --summary "$tmp/s.json"
claim "a learner without scores has no figures of another's" equal \
    "$(stage scores error_rate | grep -c .)/$(stage product error_rate)" "1/null"
done_claims
