# Streaming PMI: estimates against exact counts, on text and on event logs; small, and repeatable.
. "$(dirname "$0")/../support/claims.sh"

# 60,000 sentences of 300 words, word i about as often as 1/i; "hong kong" and "los angeles" are planted.
awk 'BEGIN { srand(4); for (i = 0; i < 60000; i++) { line = ""
  for (j = 0; j < 12; j++) line = line "W" int(exp(rand() * log(300))) " "
  if (i % 60 == 7) line = line "Hong Kong "
  if (i % 40 == 3) line = line "los Angeles"
  print line } }' >"$tmp/news.txt"

leat_run run pipelines/pmi.lua --set data="$tmp/news.txt" --set lower=true --set evaluate=true --set out=jsonl --quiet --summary "$tmp/s.json"
claim_exit "the pipeline runs on plain text" 0
cp "$out" "$tmp/first"
claim "planted pairs are the first" \
    equal "$(jq -r '[.top[0, 1].pair] | sort | join(", ")' "$out")" "hong & kong, los & angeles"
claim "of the frequent pairs the estimates follow the exact PMI" jq -e '.pearson > 0.6 and .median_absolute_error < 0.6' "$out"
claim "no record is lost" equal "$(json .records) $(stage pairs rejected)" "60000 0"
leat_run run pipelines/pmi.lua --set data="$tmp/news.txt" --set lower=true --set evaluate=true --set out=jsonl --quiet
claim "a second run finds the same" cmp "$out" "$tmp/first"
leat_run run pipelines/pmi.lua --set data="$tmp/news.txt" --set lower=true --set evaluate=true --set out=jsonl --set seed=2 --quiet
claim "another seed draws other pairs of chance" sh -c "! cmp -s '$out' '$tmp/first'"

# The exact counts of the sink against counting by awk.
for ordered in true false; do
    leat_run run pipelines/pmi.lua --set data="$tmp/news.txt" --set lower=true --set evaluate=true --set out=csv --set ordered=$ordered --set window=4 --quiet
    awk -v ordered=$ordered -v compared="$out" '
        { $0 = tolower($0); N += NF
          for (i = 1; i <= NF; i++) { n[$i]++
            for (j = i + 1; j <= NF && j - i < 4; j++) { M++; c[ordered == "true" || $i < $j ? $i " " $j : $j " " $i]++ } } }
        END { FS = ","; getline line < compared
          while ((getline line < compared) > 0) { split(line, f, ","); split(f[3], t, " & ")
            k = ordered == "true" || t[1] < t[2] ? t[1] " " t[2] : t[2] " " t[1]
            if (c[k] + 0 != f[6] || n[t[1]] != f[7] || n[t[2]] != f[8]) { print "counts of", line; exit 1 }
            if (!c[k]) continue
            chance = n[t[1]] / N * n[t[2]] / N; if (ordered != "true" && t[1] != t[2]) chance *= 2
            d = log(c[k] / M / chance) - f[5]; if (d > 1e-9 || d < -1e-9) { print "pmi of", line; exit 1 }
            seen++ }
          exit seen < 100 }' "$tmp/news.txt" 2>"$tmp/awk"
    claim "exact counts and PMI are those of an independent count (ordered = $ordered)" equal $? 0
done

# An event log: sessions of event templates in a column of a CSV file; disk_full sets off node_down.
awk 'BEGIN { srand(9); print "host,events"; for (i = 0; i < 20000; i++) { s = ""
  for (j = 0; j < 8; j++) s = s "E" int(rand() * 40) " "
  if (i % 50 == 0) s = s "disk_full node_down"
  print "h" i % 7 "," s } }' >"$tmp/events.csv"
leat_run run pipelines/pmi.lua --set data="$tmp/events.csv" --set format=csv --set column=events --set k=1 --set out=jsonl --quiet
claim "a column of events in a CSV file is searched as well" equal "$(jq -r '.top[0].feature' "$out")" "disk_full & node_down"

printf 'one\n\n   \ntwo\n' >"$tmp/short.txt"
leat_run run pipelines/pmi.lua --set data="$tmp/short.txt" --set evaluate=true --set out=jsonl --quiet
claim_exit "records of one token, or none, are no error" 0
claim "and make no pairs" equal "$(jq -c '[.pairs, .compared, .pearson]' "$out")" "[0,0,null]"
: >"$tmp/empty.txt"
leat_run run pipelines/pmi.lua --set data="$tmp/empty.txt" --set evaluate=true --quiet
claim_exit "nor is an empty file" 0

"$LEAT" check pipelines/pmi.lua --set data="$tmp/news.txt" --json >"$out" 2>"$err"
claim "model, sample and all names are planned to take less than 1.5 MB" jq -e '
    [.graph.stages[] | select(.id == "model" or .id == "pairs") | .state_bytes + .names_bytes + .work_bytes] | add < 1500000' "$out"
leat_run check pipelines/pmi.lua --set data="$tmp/news.txt" --set window=1
claim_exit "a window of one token is a configuration error" 2
claim_says "and says what it may be" "window" "2"
leat_run check pipelines/pmi.lua --set data="$tmp/events.csv" --set format=csv --set column=nothing
claim_exit "a column that the header does not have is found" 2
leat_run run pipelines/pmi.lua --set data="$tmp/events.csv" --set format=csv --set column=nothing --quiet
claim_exit "and one that is not there is a configuration error" 2

peak() { /usr/bin/time -f %M -o "$tmp/peak" "$LEAT" run pipelines/pmi.lua --set data="$tmp/news.txt" --set lower=true --quiet >/dev/null && tail -1 "$tmp/peak"; }
case $LEAT in
*address* | *thread*) ;;
*) claim "the whole process stays below 64 MB" below "$(peak)" 65536 ;;
esac

sed 's/bias = "none"/bias = "prior", counts = true/' pipelines/pmi.lua >"$tmp/prior.lua"
leat_run check "$tmp/prior.lua" --set data="$tmp/short.txt"
claim_exit "a prior and counts of labels that are made up are no error" 0
claim_says "but a warning" "model (learn.awm): bias: \"prior\" counts labels, and feature.pairs makes the examples of label -1 up: set bias = \"none\"" \
    "model (learn.awm): counts: true shows relative risks"
