# Streaming PMI: counts with bounds, and learned estimates, against exact counts, on text and on event logs; repeatable.
# tier: long (60 s)
. "$(dirname "$0")/../support/claims.sh"

# 60,000 sentences of 300 words, word i about as often as 1/i; "hong kong" and "los angeles" are planted.
awk 'BEGIN { srand(4); for (i = 0; i < 60000; i++) { line = ""
  for (j = 0; j < 12; j++) line = line "W" int(exp(rand() * log(300))) " "
  if (i % 60 == 7) line = line "Hong Kong "
  if (i % 40 == 3) line = line "los Angeles"
  print line } }' >"$tmp/news.txt"

pmi() { leat_run run pipelines/pairs.lua --quiet --set data="$tmp/news.txt" --set lower=true "$@"; }

# ---- counts ----
pmi --set evaluate=true --set out=jsonl --summary "$tmp/s.json"
claim_exit "the pipeline runs on plain text" 0
claim "planted pairs are the first" \
    equal "$(jq -r '[.top[0, 1].pair] | sort | join(", ")' "$out")" "hong & kong, los & angeles"
claim "the bounds of all rows hold the exact PMI" jq -e '.shown == 20 and .bounded == 20 and .hold == 20' "$out"
claim "estimates follow the exact PMI" jq -e '.pearson > 0.9 and .pearson_shown > 0.9 and .median_absolute_error
    < 0.1' "$out"
claim "no record is lost" equal "$(json .records) $(stage model rejected)" "60000 0"
pmi --set evaluate=true --set out=table
claim "a table tells how many bounds hold" grep -qE '^shown +20 .* 20 +20$' "$out"
pmi
claim "without evaluation a table shows lift and counts" grep -qE '^ *# +count +count u +count v +lift +(luck +)?feature$' "$out"
pmi --set order=pmi
claim "or PMI" grep -qE '^ *# +pmi +count +count u +count v +(luck +)?feature$' "$out"

# ---- columns ----
(echo id,kind,note && awk '{ printf "%d,a%d,%s\n", NR, NR % 3, $0 } NR == 5000 { exit }' "$tmp/news.txt") >"$tmp/notes.csv"
leat_run pairs "$tmp/notes.csv" --lower
claim_says "of CSV the only column with words is taken" "column = note, the only one whose texts have several words" \
    "tokens of note make"
cut -d, -f1,2 "$tmp/notes.csv" >"$tmp/short.csv"
leat_run pairs "$tmp/short.csv"
claim_exit "without words no column is taken" 2
claim_says "but the columns are told" "no column has texts of several words: choose with --column (columns: id, kind)"
leat_run pairs "$tmp/notes.csv" --derive 'text=note .. kind'
claim_says "a derived text is the text" "tokens of text make"
for run in explain "compare --split" "correlate --right a --left"; do
    leat_run ${run%% *} "$tmp/news.txt" ${run#"${run%% *}"} $([ "$run" = explain ] && echo --outlier) 'W1 == 1'
    claim_exit "lines of text have no columns for ${run%% *}" 2
    claim_says "which says what they are" "news.txt: lines of text, which have no columns: give --pattern" "leat pairs "
done

rest_is_long

# Where bounds are wide, what is shown between them is nearest to the truth (Pearson of their low ends: .93 and .97).
zstd -dqc pipelines/data/senate-disbursements.csv.zst | tail -n +2 | sed 's/[",]/ /g' >"$tmp/rows.txt"
for budget in 32KB 256KB; do
    leat_run run pipelines/pairs.lua --quiet --set data="$tmp/rows.txt" --set lower=true --set budget=$budget \
        --set evaluate=true --set out=jsonl
    claim "$budget: the estimates shown follow the exact PMI" jq -e '.pearson_shown > 0.98 and .hold == .shown' "$out"
    claim "$budget: and stand between their bounds" jq -e 'all(.top[]; .estimate_low <= .estimate and
        .estimate <= .estimate_high) and any(.top[]; .estimate_low < .estimate)' "$out"
done

# Each row's bounds against counts by awk, for orders of the records and budgets.
holds() { # FILE ANSWER ORDERED FLOOR
    awk -v ordered=$3 -v floor=$4 -v answer="$2" '
        function off(x, low, high) { return x < low - 1e-9 || x > high + 1e-9 }
        { $0 = tolower($0); N += NF
          for (i = 1; i <= NF; i++) { n[$i]++
            for (j = i + 1; j <= NF && j - i < 6; j++) { M++; c[ordered == "true" ||
            $i < $j ? $i " " $j : $j " " $i]++ } } }
        END { FS = ","; getline line < answer
          while ((getline line < answer) > 0) { split(line, f, ","); split(f[4], t, " & "); rows++
            k = ordered == "true" || t[1] < t[2] ? t[1] " " t[2] : t[2] " " t[1]
            chance = n[t[1]] / N * n[t[2]] / N; if (ordered != "true" && t[1] != t[2]) chance *= 2
            if (f[10] < floor || f[5] <= 0 || f[5] != f[7]) { print "not to be shown:", line; exit 1 }
            if (off(c[k], f[10], f[11]) || off(n[t[1]], f[13], f[14]) || off(n[t[2]], f[16], f[17]) ||
                off(log(c[k] / M / chance), f[7], f[8])) { print "truth is not within", line; exit 1 } }
          exit rows < 2 }' "$1"
}
head -8000 "$tmp/news.txt" >"$tmp/some.txt"
for order in cat tac sort "sort -r"; do
    $order "$tmp/some.txt" >"$tmp/ordered.txt"
    for budget in 32KB 256KB 1MB; do
        leat_run run pipelines/pairs.lua --quiet --set data="$tmp/ordered.txt" --set lower=true --set budget=$budget \
            --set k=1000 --set order=pmi --set out=csv
        claim "$order, $budget: PMI and counts are within their bounds" holds "$tmp/some.txt" "$out" true 5
    done
done
pmi --set ordered=false --set budget=32KB --set min_count=9 --set k=1000 --set order=pmi \
    --set out=csv
claim "unordered pairs, too, and none that came too seldom" holds "$tmp/news.txt" "$out" false 9
leat_run run pipelines/pairs.lua --set data="$tmp/some.txt" --set budget=16KB
claim_says "a model that is too small is told of, with the budget that would do" "are kept" "budget = "
pmi --set out=csv
cp "$out" "$tmp/one"
cat >"$tmp/threads.lua" <<LUA
local leat = require "leat"
return leat.pipeline "pmi" { leat.source.file { "$tmp/news.txt" }, leat.parse.lines {},
  leat.feature.tokens { rule = "words", lower = true }, leat.learn.cooccurrence { id = "model", ordered = true },
  leat.sink.top { sign = "positive", format = "csv" }, threads = tonumber(leat.args.threads) }
LUA
for threads in 1 2 8; do
    leat_run run "$tmp/threads.lua" --quiet --set threads=$threads
    claim "$threads threads write the same" cmp "$out" "$tmp/one"
done

# The hashes of x48438/x48439 and x103364/x103365 fold to the same 32 bits.
awk 'BEGIN { for (i = 0; i < 600; i++) print i % 3 ? "x48438 x48439" : "x103364 x103365" }' >"$tmp/fold.txt"
leat_run run pipelines/pairs.lua --quiet --set data="$tmp/fold.txt" --set k=9 --set out=csv --set min_count=1
claim "pairs with the same fold are counted apart" equal "$(grep -c ' & .*,\([24]\)00,\100,\100,' "$out")" 2
pmi --set heap=100
claim_says "what only the other mode has is refused" "heap needs --set mode=awm"
pmi --set mode=awm --set order=lift
claim_says "and of the order" "order needs --set mode=counts"
pmi --set mode=awm --set budget=1MB
claim_says "and the other way round" "budget needs --set mode=counts"
pmi --set mode=hopes
claim_says "a mode that there is not is refused" "mode is hopes: give counts or awm"

# ---- the AWM-Sketch ----
awm=(--set mode=awm --set rule=whitespace --set evaluate=true --set out=jsonl)
pmi "${awm[@]}" --summary "$tmp/s.json"
claim_exit "mode=awm runs" 0
cp "$out" "$tmp/first"
claim "planted pairs are its first" \
    equal "$(jq -r '[.top[0, 1].pair] | sort | join(", ")' "$out")" "hong & kong, los & angeles"
claim "of the frequent pairs its estimates follow the exact PMI" jq -e '.pearson > 0.6 and .median_absolute_error
    < 0.6' "$out"
claim "it has no bounds" jq -e '.bounded == 0 and .hold == 0' "$out"
claim "it loses no record" equal "$(json .records) $(stage pairs rejected)" "60000 0"
pmi "${awm[@]}"
claim "a second run finds the same" cmp "$out" "$tmp/first"
pmi "${awm[@]}" --set seed=2
claim "another seed draws other pairs of chance" sh -c "! cmp -s '$out' '$tmp/first'"

# The exact counts of the sink against counting by awk.
for ordered in true false; do
    pmi --set mode=awm --set evaluate=true --set out=csv --set ordered=$ordered --set window=4
    awk -v ordered=$ordered -v compared="$out" '
        { $0 = tolower($0); N += NF
          for (i = 1; i <= NF; i++) { n[$i]++
            for (j = i + 1; j <= NF && j - i < 4; j++) { M++; c[ordered == "true" ||
            $i < $j ? $i " " $j : $j " " $i]++ } } }
        END { FS = ","; getline line < compared
          while ((getline line < compared) > 0) { split(line, f, ","); split(f[3], t, " & ")
            k = ordered == "true" || t[1] < t[2] ? t[1] " " t[2] : t[2] " " t[1]
            if (c[k] + 0 != f[8] || n[t[1]] != f[9] || n[t[2]] != f[10]) { print "counts of", line; exit 1 }
            if (!c[k]) continue
            chance = n[t[1]] / N * n[t[2]] / N; if (ordered != "true" && t[1] != t[2]) chance *= 2
            d = log(c[k] / M / chance) - f[7]; if (d > 1e-9 || d < -1e-9) { print "pmi of", line; exit 1 }
            seen++ }
          exit seen < 100 }' "$tmp/news.txt" 2>"$tmp/awk"
    claim "exact counts and PMI are those of an independent count (ordered = $ordered)" equal $? 0
done

# An event log: sessions of event templates in a column of a CSV file; disk_full sets off node_down.
awk 'BEGIN { srand(9); print "host,events"; for (i = 0; i < 20000; i++) { s = ""
  for (j = 0; j < 8; j++) s = s "E" int(rand() * 40) " "
  if (i % 50 == 0) s = s "disk_full node_down"
  print "h" i % 7 "," s } }' >"$tmp/events.csv"
leat_run run pipelines/pairs.lua --set data="$tmp/events.csv" --set format=csv --set column=events --set rule=whitespace \
    --set k=1 --set out=jsonl --quiet
claim "a column of events in a CSV file is searched as well" equal "$(jq -r '.top[0].feature' "$out")" \
    "disk_full & node_down"
cp "$out" "$tmp/with_format"
leat_run run pipelines/pairs.lua --set data="$tmp/events.csv" --set column=events --set rule=whitespace --set k=1 \
    --set out=jsonl --quiet
claim "a file whose name ends in .csv needs no format for its column" cmp "$out" "$tmp/with_format"
leat_run check pipelines/pairs.lua --set data="$tmp/news.txt" --set column=events
claim_exit "a column of lines is refused" 2
claim_says "with the cure" "column is events, and lines have no columns: give --set format=csv"

printf 'one\n\n   \ntwo\n' >"$tmp/short.txt"
leat_run run pipelines/pairs.lua --set data="$tmp/short.txt" --set evaluate=true --set out=jsonl --quiet
claim_exit "records of one token, or none, are no error" 0
claim "and make no pairs" equal "$(jq -c '[.pairs, .compared, .pearson]' "$out")" "[0,0,null]"
: >"$tmp/empty.txt"
leat_run run pipelines/pairs.lua --set data="$tmp/empty.txt" --set evaluate=true --quiet
claim_exit "nor is an empty file" 0

planned() { # MODE: bytes of model, sample and all names
    "$LEAT" check pipelines/pairs.lua --set data="$tmp/news.txt" --set mode=$1 --json 2>"$err" |
        jq '[.graph.stages[] | select(.id == "model" or .id == "pairs") | .state_bytes + .names_bytes + .work_bytes] |
            add'
}
claim "the model with names and answers is planned to take less than 2 MB" below "$(planned counts)" 2000000
claim "the sketch with sample and names less than 1.5 MB" below "$(planned awm)" 1500000
leat_run check pipelines/pairs.lua --set data="$tmp/news.txt" --set window=1
claim_exit "a window of one token is a configuration error" 2
claim_says "and says what it may be" "window" "2"
leat_run check pipelines/pairs.lua --set data="$tmp/events.csv" --set format=csv --set column=nothing
claim_exit "a column that the header does not have is found" 2
leat_run run pipelines/pairs.lua --set data="$tmp/events.csv" --set format=csv --set column=nothing --quiet
claim_exit "and one that is not there is a configuration error" 2

peak() { /usr/bin/time -f %M -o "$tmp/peak" "$LEAT" run pipelines/pairs.lua --set data="$tmp/news.txt" --set lower=true \
    --quiet >/dev/null && tail -1 "$tmp/peak"; }
if [[ $LEAT != *address* && $LEAT != *thread* ]]; then
    claim "the whole process stays below 64 MB" below "$(peak)" 65536
else
    skip "the whole process stays below 64 MB" "sanitizers have an allocator of their own"
fi

sed 's/bias = "none"/bias = "prior", counts = true/' pipelines/pairs.lua >"$tmp/prior.lua"
leat_run check "$tmp/prior.lua" --set data="$tmp/short.txt" --set mode=awm
claim_exit "a prior and counts of labels that are made up are no error" 0
claim_says "but a warning" \
    "model (learn.awm): bias: \"prior\" counts labels, but feature.pairs makes the examples of label -1 at random: set bias = \"none\"" \
    "model (learn.awm): counts: true shows relative risks"

# Long tokens are cut where they stand: no record is lost for want of room.
awk 'BEGIN { x = sprintf("%600s", ""); gsub(/ /, "x", x); for (i = 0; i < 2000; i++) print x i % 5, x i % 5 "y" }' \
    >"$tmp/long"
leat_run run pipelines/pairs.lua --set data="$tmp/long" --quiet
claim_exit "texts of long tokens are all taken" 0
claim "and none is rejected" sh -c "! grep -q rejected $err"
leat_run run pipelines/pairs.lua --set data="$tmp/long" --set format=CSV --quiet
claim_exit "a format that there is not is refused" 2

awk 'BEGIN { for (j = 0; j < 100; j++) s = s "q"; for (i = 0; i < 600; i++) print s (i % 2) " w" i % 2 }' \
    >"$tmp/long.txt"
leat_run run pipelines/pairs.lua --quiet --set data="$tmp/long.txt"
claim_says "tokens that are cut, and taken for one another, are told" \
    "600 of 1200 tokens have more than max_bytes = 64 bytes and are cut, so tokens with the same beginning count as one: raise max_bytes"
done_claims
