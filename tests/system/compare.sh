# Relative deltoids: planted differences between two streams are found, in CSV, split streams and packet captures. The
# evaluation counts correctly. Bad input ends the run properly.
# tier: long (11 s)
. "$(dirname "$0")/../support/claims.sh"
deltoids() { leat_run run pipelines/compare.lua --quiet "$@"; }
top() { jq -r "select(.top) | .top[$1].$2" "$out"; }
recall() { jq -r "select(.recall) | .recall[$1 - 1].$2" "$out"; }

# 400 hosts; h7 is ten times as frequent in a, h9 in b.
stream() {
    awk -v seed="$1" -v extra="$2" -v more="$3" 'BEGIN { srand(seed); print "host,port";
        for (i = 0; i < 20000; i++) print (rand() < 0.05 ? extra : "h" int(rand() * 400)) "," int(rand() * 9) + more }'
}
stream 1 h7 0 >"$tmp/a.csv"
stream 2 h9 0 >"$tmp/b.csv"
paste -d'\n' <(sed 's/$/,a/; 1s/,a$/,side/' "$tmp/a.csv") <(sed 's/$/,b/' "$tmp/b.csv") | sed 2d >"$tmp/both.csv"
a=(--set a="$tmp/a.csv" --set attributes=host)
ab=("${a[@]}" --set b="$tmp/b.csv")

deltoids "${ab[@]}" --set evaluate=true --set out=jsonl
claim_exit "two files are compared" 0
claim "the planted items lead" equal "$(printf '%s\n' "$(top 0 feature)" "$(top 1 feature)" | sort |
    paste -sd' ')" "host=h7 host=h9"
claim "more of A is positive" below 1 "$(jq -r 'select(.top) | .top[] | select(.feature == "host=h7").weight' "$out")"
claim "more of B is negative" below "$(jq -r 'select(.top) | .top[] | select(.feature == "host=h9").weight' "$out")" -1
claim "two features have a ratio above e^2" equal "$(recall 2 features)" 2
claim "both are found" equal "$(recall 2 recall)" 1
claim "none has a ratio above e^5" equal "$(recall 5 recall)" null
claim "the evaluation saw all features" equal "$(jq -r 'select(.recall).features' "$out")" 400
cp "$out" "$tmp/first"
deltoids "${ab[@]}" --set evaluate=true --set out=jsonl
claim "a second run writes the same" cmp "$out" "$tmp/first"
for learner in exact paired_count_min; do
    deltoids "${ab[@]}" --set learner=$learner --set evaluate=true --set out=jsonl
    claim_exit "$learner runs" 0
    claim "$learner finds both" equal "$(recall 2 recall)" 1
done
deltoids "${ab[@]}" --set learner=exact --set out=jsonl
ratio=$(awk -F, 'FNR == 1 { f++; next } { n[f]++; c[f] += $1 == "h7" } END { print log(c[1] / n[1] / (c[2] / n[2])) }' \
    "$tmp/a.csv" "$tmp/b.csv")
claim "exact weights are log ratios" jq -e --argjson r "$ratio" 'select(.top) | .top[] | select(.feature == "host=h7") |
    (.weight - $r) | fabs < 0.4' "$out"
deltoids "${ab[@]}" --set learner=exact
claim "its table shows weights, and says so" eval \
    'head -1 "$out" | grep -q "(weight > 0: more of A)" && sed -n 2p "$out" | grep -qE "weight +relative risk"'
claim "files that the script has mixed are not called unmixed" sh -c "! grep -q 'long runs' $err"
deltoids "${ab[@]}" --set learner=exact --set evaluate=true --set retrieve=1 --set out=csv
claim "of two deltoids one answer finds half" grep -q '^model,40000,2,2,1,0.5$' "$out"
deltoids "${ab[@]}" --set evaluate=true --set order=weight
claim "the table shows the share in A and that in B" grep -qE '^ *# +ratio +in A +in B +count +luck +feature' "$out"
claim "the table shows thresholds and recall" grep -qE '^ +2 +2 +2 +1.000$' "$out"

deltoids --set data="$tmp/both.csv" --set attributes=host --set split='side == "a"' --set out=jsonl
claim_exit "one stream is split by an expression" 0
claim "and gives the planted items" equal "$(printf '%s\n' "$(top 0 feature)" "$(top 1 feature)" | sort |
    paste -sd' ')" "host=h7 host=h9"
deltoids --set data="$tmp/both.csv" --set attributes=host --set split='port > 3 and side ~= "b"' --set out=jsonl
claim_exit "expressions may use numbers" 0
deltoids "${ab[@]}" --set cross=2 --set attributes=host,port --set out=csv
claim "an answer gives ratios with their bounds" grep \
    -q '^learner,examples,rank,feature,also,weight,rate,.*,relative_risk,.*,ratio,ratio_low,ratio_high,' "$out"
deltoids "${ab[@]}" --set counts=true --set cross=2 --set attributes=host,port --set out=csv --set learner=awm
claim "counts give ratio and support of awm" grep -q '^learner,examples,rank,feature,weight,relative_risk' "$out"
deltoids "${ab[@]}" --set counts=true
claim_exit "counts of a learner that counts anyway are refused" 2

# ---- a small side ----
# One record in fifty is of A; 400 items come a hundred times each, some of them never in A; `ten` is ten times as
# frequent there.
awk 'BEGIN { srand(4); print "item,side"; for (i = 0; i < 40000; i++) { a = rand() < 0.02;
    print (rand() < (a ? 0.05 : 0.005) ? "ten" : "h" int(rand() * 400)) "," (a ? "a" : "b") } }' >"$tmp/small.csv"
deltoids --set data="$tmp/small.csv" --set attributes=item --set split='side == "a"' --set out=jsonl
claim "where A is small, items that it lacks by chance do not lead" equal "$(top 0 feature)" item=ten
claim "and their weights are nearer to 0" jq -e 'select(.top) | .top | all(.[1:][]; (.weight | fabs) < 1.6)' "$out"

# ---- streams of unequal length ----
# 200 items, the k-th about as often as 1 / k; every 20th is e^2 times as frequent in A, or in B.
uneven() {
    awk -v n="$1" -v seed="$2" -v side="$3" 'BEGIN { srand(seed); print "item"; for (i = 0; i < n;) {
        k = int(exp(rand() * log(201))); d = k % 20 ? 0 : k % 40 ? 1 : -1
        if (d * side >= 0 || rand() < 0.135) { print "i" k; i++ } } }'
}
uneven 60000 1 1 >"$tmp/long.csv"
uneven 6000 2 -1 >"$tmp/short.csv"
head -6001 "$tmp/long.csv" >"$tmp/cut.csv"
# off A B : how far weights lie from the exact log ratios, on average, over items seen 50 times
off() {
    awk -v top="$tmp/weights" 'FNR == 1 { f++; next } { n[f]++; c[f, $1]++; seen[$1] }
        END { while ((getline < top) > 0) w[$1] = $2
            for (i in seen) if (c[1, i] + c[2, i] >= 50 && ("item=" i) in w) {
                e = w["item=" i] - log((c[1, i] + .5) / (c[2, i] + .5) * n[2] / n[1]); all += e; size += e < 0 ? -e : e;
                m++ }
            printf "%d %.4f %.4f\n", m, all / m, size / m }' "$1" "$2"
}
all_of() { [[ $1 != contrast ]] || echo --set order=weight; } # all items, not only those that tell most
weigh() {
    deltoids --set a="$1" --set b="$2" --set attributes=item --set k=400 --set evaluate=true --set out=jsonl \
        "${@:3}"
    jq -r 'select(.top) | .top[] | "\(.feature) \(.weight)"' "$out" >"$tmp/weights"
}
gzip -kf "$tmp/long.csv"; xz -kf "$tmp/long.csv"; zstd -qf "$tmp/long.csv"
for pair in "long short" "short long" "cut short" "long.csv.gz short" "long.csv.xz short" "long.csv.zst short"; do
    read -r one two <<<"$pair"
    x=$tmp/${one%.csv*}.csv y=$tmp/$two.csv
    for learner in contrast awm exact paired_count_min; do
        [[ $one == *.csv.* && $learner != awm ]] && continue
        weigh "$tmp/$one$([[ $one == *.* ]] || echo .csv)" "$y" --set learner=$learner $(all_of $learner)
        read -r m mean size <<<"$(off "$x" "$y")"
        claim "$pair, $learner: items are compared" below 40 "$m"
        claim "$pair, $learner: weights are log ratios of shares, not of counts" \
            jq -ne "($mean | fabs) < 0.15 and $size < 0.3"
        claim "$pair, $learner: all planted items are found" jq -e 'select(.recall) | .recall[0] | .features >= 1 and
            .recall == 1' "$out"
    done
done
weigh "$tmp/long.csv" "$tmp/short.csv"
cp "$out" "$tmp/first"
weigh "$tmp/long.csv" "$tmp/short.csv"
claim "streams of unequal length give the same in every run" cmp "$out" "$tmp/first"
# A pipe's length is not known, but counting does not mind the order.
for learner in contrast paired_count_min; do
    weigh <(cat "$tmp/long.csv") "$tmp/short.csv" --set learner=$learner $(all_of $learner)
    read -r m mean size <<<"$(off "$tmp/long.csv" "$tmp/short.csv")"
    claim "from a pipe, $learner: weights are log ratios of shares" jq \
        -ne "$m > 40 and ($mean | fabs) < 0.15 and $size < 0.3"
done
# All of A before all of B.
{ sed 's/$/,a/; 1s/,a$/,side/' "$tmp/long.csv"; sed '1d; s/$/,b/' "$tmp/short.csv"; } >"$tmp/after.csv"
for budget in 16KB 1MB; do
    deltoids --set data="$tmp/after.csv" --set attributes=item --set split='side == "a"' --set k=400 \
        --set evaluate=true --set out=jsonl --set budget=$budget
    claim "A before B, $budget: all planted items are found" jq -e 'select(.recall) | .recall[0] | .features >= 1 and
        .recall == 1' "$out"
done

# ---- logs of Zeek ----
zeek() {
    printf '#separator \\x09\n#fields\tts\tuid\tid.orig_h\tproto\n#types\ttime\tstring\taddr\tenum\n'
    awk -F, -v OFS='\t' 'NR > 1 { print NR, "C" NR, $1, ($2 > 4 ? "tcp" : "-") }' "$1"
    printf '#close\t2024-01-01\n'
}
zeek "$tmp/a.csv" >"$tmp/a.log"
# The names of the second log stand in another order.
zeek "$tmp/b.csv" | awk -F'\t' -v OFS='\t' '$1 == "#fields" || $1 == "#types" { print $1, $5, $4, $3, $2; next }
    /^#/ { print; next } { print $4, $3, $2, $1 }' >"$tmp/b.log"
deltoids --set a="$tmp/a.log" --set b="$tmp/b.log" --set attributes=id.orig_h,proto --set out=jsonl --summary "$tmp/s.json"
claim_exit "logs of Zeek are compared" 0
claim "and give the planted items" equal "$(printf '%s\n' "$(top 0 feature)" "$(top 1 feature)" | sort |
    paste -sd' ')" "id.orig_h=h7 id.orig_h=h9"
claim "lines with # are no data and not bad" jq -e '.rejected == 0 and .records == 40008' "$tmp/s.json"
claim "- is no value" sh -c "! grep -q proto=- $out"

# ---- captures ----
# le N BYTES: a number, lowest byte first. packet SRC4 DPORT2: an Ethernet frame with an IPv4 TCP segment.
le() { local n=$1 i; for ((i = 0; i < $2; i++)); do printf '\\x%02x' $((n >> 8 * i & 255)); done; }
bytes() { printf '%s' "$1" | sed 's/../\\x&/g'; }
header=$(le $((0xa1b2c3d4)) 4)$(le 2 2)$(le 4 2)$(le 0 8)$(le 65535 4)$(le 1 4)
packet() {
    printf '%s' "$(le 1700000000 4)$(le 0 4)$(le 54 4)$(le 54 4)$(bytes \
        020000000001020000000002080045000028000100004006"0000$1"c0a80001c000"$2"0000000000000000500000000000"0000")"
}
# capture N PACKET… : the packets in turn, N times
capture() {
    local times=$1 all= i
    shift
    for i in "$@"; do all+=$i; done
    printf "$header"
    for ((i = 0; i < times; i++)); do printf "$all"; done
}
one=$(packet 0a010101 0050) two=$(packet 0a020202 0050) three=$(packet 0a030303 0016)
capture 60 "$one" "$one" "$one" "$two" "$three" >"$tmp/a.pcap"
capture 60 "$one" "$two" "$two" "$two" "$three" >"$tmp/b.pcap"
pcap=(--set format=pcap --set a="$tmp/a.pcap" --set b="$tmp/b.pcap")
deltoids "${pcap[@]}" --set attributes=src --set order=weight --set out=jsonl --summary "$tmp/s.json"
claim_exit "captures are compared" 0
claim "every packet is read" equal "$(json .records)" 600
claim "the sender that differs leads" grep -qE '"top":\[\{"feature":"src=10\.[12]\.[12]\.[12]"' "$out"
claim "the one that does not is last" equal "$(top 2 feature)" src=10.3.3.3
cp "$out" "$tmp/plain"
counted() { jq -c 'select(.top) | [.top[] | [.feature, .count, .relative_risk]] | sort' "$1"; }
gzip -k "$tmp/a.pcap"
deltoids "${pcap[@]}" --set a="$tmp/a.pcap.gz" --set attributes=src --set order=weight --set out=jsonl
claim "a compressed capture holds the same" equal "$(counted "$out")" "$(counted "$tmp/plain")"
claim "and that is something" equal "$(counted "$out" | jq length)" 3
"$LEAT" run pipelines/compare.lua --quiet --set format=pcap --set a=- --set b="$tmp/b.pcap" --set attributes=src \
    --set order=weight --set out=jsonl <"$tmp/a.pcap" >"$out" 2>"$err"
claim "so does one on standard input" equal "$(counted "$out")" "$(counted "$tmp/plain")"
deltoids "${pcap[@]}" --set capture='tcp port 22' --set attributes=src --set out=jsonl --summary "$tmp/s.json"
claim "a filter takes the packets it matches" equal "$(json .records)" 120
deltoids "${pcap[@]}" --set capture='tcp port'
claim_exit "a wrong filter is told before anything runs" 1
claim_says "with the filter" 'filter "tcp port"'
deltoids "${pcap[@]}" --set capture=tcp --set format=csv
claim_exit "a filter for text is a configuration error" 2

deltoids "${pcap[@]}" --set attributes=src16,dport --set learner=exact --set out=csv
claim "networks can be compared" grep -q ',src16=10.1.0.0/16,' "$out"

head -c 5000 "$tmp/a.pcap" >"$tmp/cut.pcap"
deltoids "${pcap[@]}" --set a="$tmp/cut.pcap" --set b="$tmp/cut.pcap" --summary "$tmp/s.json"
claim_exit "a capture that breaks off fails the run" 1
claim_says "and says so" "cut.pcap: truncated"
claim "after the packets before" below 70 "$(json .records)"
deltoids "${pcap[@]}" --set a="$tmp/a.csv"
claim_exit "what is no capture is refused" 1
claim_says "by name" "cannot read $tmp/a.csv"
head -c 100 "$tmp/a.pcap.gz" >"$tmp/broken.gz"
deltoids "${pcap[@]}" --set b="$tmp/broken.gz"
claim_exit "damaged compression fails the run" 1
claim_says "as what it is" "compressed data (gzip) ends early"

# ---- what can be wrong ----
head -1 "$tmp/b.csv" >"$tmp/header.csv"
deltoids "${a[@]}" --set b="$tmp/header.csv" --set evaluate=true --set out=jsonl
claim_exit "a second stream without records is no error" 0
claim "there are no ratios then" equal "$(recall 1 features)" 0
: >"$tmp/empty.csv"
deltoids "${a[@]}" --set b="$tmp/empty.csv"
claim_exit "a file without even a header is refused" 2
deltoids "${a[@]}" --set b="$tmp/missing.csv"
claim_exit "a missing file is refused" 1
claim_says "by name" "missing.csv"
deltoids "${a[@]}"
claim_exit "one stream alone is a configuration error" 2
claim_says "that says what to give" "give two streams"
deltoids --set data="$tmp/both.csv" --set attributes=host --set split='side =='
claim_exit "a wrong expression is a configuration error" 2
claim_says "that shows it" \
    "split (label.where): condition: 'side ==' is wrong at character 8: the expression ends where a value is missing"
deltoids "${ab[@]}" --set learner=oracle
claim_exit "an unknown learner is a configuration error" 2
deltoids --set data="$tmp/both.csv" --set attributes=host --set split='side < 3'
claim_exit "an expression that fails on every record fails the run" 1
deltoids --set data="$tmp/both.csv" --set attributes=host
claim_says "one stream alone says what splits it" "needs split, a condition that is true for the records of A"
deltoids --set data="$tmp/both.csv" --set attributes=host --set split='seite == "a"'
claim_exit "a condition of no column is a configuration error" 2
claim_says "with the column that may be meant" \
    "split (label.where): condition: 'seite == \"a\"' is wrong at character 1: there is no column 'seite': did you mean 'side'?"
deltoids --set data="$tmp/both.csv" --set attributes=host --set split='side == "c"' --log-level warn
claim_says "a split into one part is told, with the condition" \
    "split (label.where): 'side == \"c\"' is true for none of 40000 records: compare it with the values of its columns"
deltoids "${ab[@]}" --set filter='port < 4' --set derive='pair=host .. "/" .. port' --set attributes=pair \
    --set out=jsonl --summary "$tmp/s.json"
claim_exit "both files are filtered, and get new columns" 0
claim "which leaves what awk counts" equal "$(jq '[.stages[] | select(.id | startswith("filter")).out] | add' \
    "$tmp/s.json")" \
    "$(awk -F, 'FNR > 1 && $2 < 4' "$tmp/a.csv" "$tmp/b.csv" | wc -l)"
claim "the new column leads" grep -q '"feature":"pair=h[79]/' "$out"
deltoids "${pcap[@]}" --set filter='dport == 22' --set attributes=src --set out=jsonl --summary "$tmp/s.json"
claim "packets are filtered by the same words" equal "$(jq '[.stages[] | select(.id | startswith("filter")).out] |
    add' "$tmp/s.json")" 120
deltoids --set data="$tmp/after.csv" --set attributes=item --set split='side == "a"' --set learner=awm --log-level warn
claim_says "a learner of order is warned of A before B, with what to do" \
    "model (learn.awm): the labels came in long runs" \
    "shuffle the file, join one input for each label by leat.merge" "or count (learn.contrast)"
deltoids --set data="$tmp/after.csv" --set attributes=item --set split='side == "a"' --log-level warn
claim "the counts of the default do not mind" sh -c "! grep -q 'long runs' '$err'"

deltoids --set a="$tmp/a.csv" --set b="$tmp/b.csv" --set attributes=host --set split='port > 3'
claim_exit "a split of two streams is refused" 2

leat_run run pipelines/compare.lua --set a=<(cat "$tmp/a.csv") --set b="$tmp/b.csv"
claim_exit "columns of a pipe must be named" 2
claim_says "which is said" "a pipe gives each record only once. Name the columns to take: --set attributes=a,b,c"

awk 'BEGIN { srand(8); print "item,side";
    for (i = 0; i < 20000; i++) print "i" int(rand() * 200) "," (rand() < .5 ? "a" : "b");
    for (i = 0; i < 600; i++) print "new,a" }' >"$tmp/alike.csv"
alike=(--set data="$tmp/alike.csv" --set attributes=item --set split='side == "a"')
deltoids "${alike[@]}" --set order=weight --log-level warn
claim_says "rows of two streams that chance explains are told" "19 of 20 rows (all but #1) may be no more than chance" \
    "raise min_count, or lower k"
deltoids "${alike[@]}" --set out=jsonl
claim "by default they are no rows" equal "$(jq -c '[.top[].feature]' "$out")" '["item=new"]'
deltoids "${alike[@]}" --set learner=exact --set order=gain
claim_says "order is of contrast" "order needs --set learner=contrast: the others have one order"
# Rare items of a large ratio, and a frequent one of a small ratio, which tells more; u and v only together.
awk 'BEGIN { srand(9); print "item,u,v,side"; for (i = 0; i < 30000; i++) { a = rand() < .5; u = rand() < .5
    v = rand() < .5
    item = rand() < (a ? .4 : .25) ? "often" : i % 500 == 7 && a ? "rare" : "i" int(rand() * 50)
    if (u && v && a && rand() < .4) u = 0
    print item ",u" u ",v" v "," (a ? "a" : "b") } }' >"$tmp/tells.csv"
tells=(--set data="$tmp/tells.csv" --set attributes=item,u,v --set split='side == "a"' --set out=jsonl)
deltoids "${tells[@]}" --set attributes=item --set min_count=5
claim "the first row tells the streams apart most" equal "$(top 0 feature)" item=often
claim "its figures are those that awk counts" equal "$(jq -r '.top[0] | "\(.count) \(.ratio * 1e6 | round)"' "$out")" \
    "$(awk -F, '{ n[$4]++; c[$4] += $1 == "often" }
        END { printf "%d %.0f", c["a"] + c["b"], 1e6 * (c["a"] / n["a"]) / (c["b"] / n["b"]) }' "$tmp/tells.csv")"
deltoids "${tells[@]}" --set attributes=item --set min_count=5 --set order=weight
claim "by weight the rare one is" equal "$(top 0 feature)" item=rare
deltoids "${tells[@]}" --set cross=2 --set k=2000 --set order=weight
# beats: for each pair of the answer, its odds must be further from those of all records than those of each part.
claim "a conjunction is a row only if it says more than each part" equal "$(jq -r '.top[] | [.feature] | @tsv' "$out" |
    awk -F, 'FILENAME == "-" { pair[++n] = $0; next } FNR == 1 { next }
        { a = $4 == "a"; split("item=" $1 ",u=" $2 ",v=" $3, f, ",")
          for (i = 1; i < 4; i++) { c[f[i], a]++; for (k = 1; k < 4; k++) if (i != k) c[f[i] " & " f[k], a]++ } }
        function odds(x) { return (c[x, 1] + 10) / (c[x, 0] + 10) }
        function less(x, part,   r) { r = odds(x); return r > 1 ? r < .95 * odds(part) : 1 / r < .95 / odds(part) }
        END { for (i = 1; i <= n; i++) if (split(pair[i], p, " & ") == 2) bad += less(pair[i], p[1]) || less(pair[i], p[2])
            print bad + 0 }' - "$tmp/tells.csv")" 0
claim "there are such" grep -q '"feature":"u=u1 & v=v1"' "$out"

# ---- several values in a column ----
for side in a b; do
    awk -v side=$side 'BEGIN { srand(side == "a" ? 21 : 22); for (i = 0; i < 4000; i++) { tags = "";
        for (k = 0; k < 6; k++) if (rand() < (k == 4 &&
        side == "a" ? .8 : .2)) tags = rand() < .5 ? tags (tags == "" ? "" : ",") "\"t" k "\"" : "\"t" k "\"" (tags == "" ? "" : ",") tags
        printf "{\"tags\":[%s]}\n", tags } }' >"$tmp/$side.jsonl"
done
deltoids --set a="$tmp/a.jsonl" --set b="$tmp/b.jsonl" --set 'attributes=tags[*]' --set out=jsonl
claim "each element of an array is an item" equal "$(top 0 feature)" "tags[*]=t4"
claim "which is counted exactly" equal "$(top 0 count)" "$(cat "$tmp/a.jsonl" "$tmp/b.jsonl" |
    jq -c 'select(.tags | index("t4"))' | wc -l)"

# ---- logs ----
access() { awk -v seed="$1" -v path="$2" 'BEGIN { srand(seed);
    for (i = 0; i < 4000; i++) printf "10.0.0.%d - - [01/Mar/2024:%02d:00:00 +0000] \"GET %s HTTP/1.1\" %d 7 \"-\" \"agent %d\"\n", i % 9, i % 24, rand() < .1 ? path : "/p" int(rand() * 40), 200, rand() * 3 }'; }
access 41 /new >"$tmp/a.log"
access 42 /old >"$tmp/b.log"
logs=(--set a="$tmp/a.log" --set b="$tmp/b.log" --set out=jsonl)
deltoids "${logs[@]}" --log-level info
claim_exit "access logs are compared" 0
claim_says "as their first lines say" "format = combined, found from the first lines of the data"
claim "by what a request asks for, unless attributes are given" equal "$(printf '%s\n' "$(top 0 feature)" "$(top 1 \
    feature)" | sort | paste -sd' ')" "path=/new path=/old"
claim "which awk counts, too" equal "$(jq -r '.top[] | select(.feature == "path=/new").count' "$out")" "$(grep \
    -c ' /new ' "$tmp/a.log")"
cp "$out" "$tmp/looked"
deltoids "${logs[@]}" --set format=combined --set attributes=method,path,agent
claim "also where format and attributes are named" cmp "$out" "$tmp/looked"
deltoids "${logs[@]}" --set pattern='^(?<host>\S+) .*"GET (?<path>\S+) ' --set attributes=path
claim "and by a pattern of one's own" equal "$(jq -r '.top[] | select(.feature == "path=/old").count' "$out")" "$(grep \
    -c ' /old ' "$tmp/b.log")"
sed 's/01\/Mar\/2024:..:/01\/Mar\/2024:03:/' "$tmp/a.log" >"$tmp/night.log"
deltoids "${logs[@]}" --set a="$tmp/night.log" --set attributes=method --set time=time --set time_parts=hour --set k=100
claim "parts of their times are compared" equal "$(jq -r '.top[] | select(.feature == "hour=03").count' "$out")" \
    "$(cat "$tmp/night.log" "$tmp/b.log" | grep -c 2024:03:)"
for side in a b; do awk -v s=$side 'BEGIN { srand(s == "a");
    for (i = 0; i < 2000; i++) printf "Nov %2d 10:00:%02d host%d %s[7]: text %d\n", 1 + i / 100, i % 60, i % 3,
    rand() < .2 ? "only-" s : "sshd", i }' >"$tmp/$side.syslog"; done
deltoids --set a="$tmp/a.syslog" --set b="$tmp/b.syslog" --set out=jsonl
claim "syslog, too" equal "$(printf '%s\n' "$(top 0 feature)" "$(top 1 feature)" | sort |
    paste -sd' ')" "program=only-a program=only-b"
done_claims
