# Outliers by several metrics, both tails, quantiles and MADs, in files and as records arrive, against sort and awk.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# a has a long tail, b is nearly normal, c is mostly 5; some a and b are missing; h names every 7th record.
awk 'BEGIN { srand(5); print "a,b,c,h"; for (i = 0; i < 3000; i++) { n = 0; for (k = 0; k < 12; k++) n += rand()
    a = int(10 * exp(2 * rand()) * exp(2 * rand())); b = sprintf("%.3f", 100 + 8 * (n - 6))
    print (i % 41 ? a : "") "," (i % 53 ? b : "") "," (rand() < .6 ? 5 : int(rand() * 99)) ",h" i % 7 } }' >x.csv
file=x.csv
# sorted COLUMN: the numbers in $file; quantile Q: the smallest of sorted lines with a share of Q of them up to it.
sorted() { awk -F, -v c="$1" 'NR > 1 && $c != "" { print $c }' "$file" | sort -g; }
quantile() { awk -v q="$1" '{ v[NR] = $1 } END { at = q * NR; at = at == int(at) ? at : int(at) + 1; print v[at] }'; }
# low_quantile Q: the largest with a share of 1 - Q of them from it on.
low_quantile() { awk '{ print -$1 }' | sort -g | quantile "$(awk -v q="$1" 'BEGIN { print 1 - q }')" | awk '{ print -$1 }'; }
# mad COLUMN: median and MAD.
mad() {
    local m
    m=$(sorted "$1" | quantile 0.5)
    echo "$m $(sorted "$1" | awk -v m="$m" '{ d = $1 - m; print d < 0 ? -d : d }' | sort -g | quantile 0.5)"
}
# counts CONDITION… [by awk, of columns 1, 2]: outliers and known records of x.csv, as SQL's `or`, and those of each.
counts() {
    awk -F, -v conditions="$*" 'BEGIN { n = split(conditions, c, ";") } NR == 1 { next }
        { any = unknown = 0
          for (k = 1; k <= n; k++) { split(c[k], p, " "); v = $p[1]; is = p[2] == ">" ? v + 0 > p[3] + 0 : v + 0 < p[3] + 0
              if (v == "") unknown = 1; else if (is) { any = 1; by[k]++ } }
          if (any || !unknown) known++
          all += any }
        END { line = all " of " known; for (k = 1; k <= n; k++) line = line ", " by[k]; print line }' x.csv
}
explain() { leat_run explain x.csv --attributes h "$@"; }
# told: the counts of the last run in the form of counts(), without commas in numbers and words.
told() { sed -n '/^leat: [0-9].* have /s/^leat: //p' "$err" |
    sed -E 's/([0-9]),([0-9]{3})/\1\2/g; s/ records? \(.* have [^,]*//; s/ (with|by) [^,]*//g'; }

qa=$(sorted 1 | quantile 0.8) qb=$(sorted 2 | quantile 0.8)
la=$(sorted 1 | low_quantile 0.2) lb=$(sorted 2 | low_quantile 0.2)
awk 'BEGIN { for (i = 0; i < 12000; i++) printf "{\"ms\":%d,\"k\":\"k%d\"}\n", i * 7 % 1000, i % 3 }' >"$tmp/many.jsonl"
head -500 "$tmp/many.jsonl" >"$tmp/few.jsonl"
leat_run explain "$tmp/many.jsonl" --metric ms --mad 1
claim_says "limits of a sample are said to be of one" "1 times 1.4826 MAD above the median of a sample)"
leat_run explain "$tmp/few.jsonl" --metric ms
claim_says "of all records they are not" "(about the quantile 0.8)"
explain --metric a
claim_says "one metric has the quantile of the file" " have a > $qa (about the quantile 0.8)"
claim "and the records that awk counts" equal "$(told)" "$(counts "1 > $qa" | sed 's/, .*//')"
explain --metric a,b
claim_exit "two metrics are taken" 0
claim_says "each with its own quantile" " have a > $qa or b > $qb (about the quantile 0.8)"
claim "a record is an outlier by either, and each has its count" equal "$(told)" "$(counts "1 > $qa;2 > $qb")"
explain --metric a,b --out jsonl --quiet
claim "the base rate is theirs" equal "$(jq -r '.top[0].base_rate * 1e6 | round' "$out")" \
    "$(counts "1 > $qa;2 > $qb" | awk '{ printf "%.0f", 1e6 * $1 / $3 }')"
explain --metric a --tail low
claim_says "the low tail is below the other quantile" " have a < $la (about the quantile 0.2)"
explain --metric a,b --tail both
claim_says "both tails have both" \
    " have a > $qa or a < $la or b > $qb or b < $lb (about the quantiles 0.2 and 0.8)"
claim "all four are counted" equal "$(told)" "$(counts "1 > $qa;1 < $la;2 > $qb;2 < $lb")"

read -r ma da <<<"$(mad 1)"
read -r mb db <<<"$(mad 2)"
# limit M D SIGN: the limit of 3 MADs
limit() { awk -v m="$1" -v d="$2" -v s="$3" 'BEGIN { printf "%.12g", m + s * 3 * 1.4826 * d }'; }
ha=$(limit "$ma" "$da" 1) hb=$(limit "$mb" "$db" 1) nb=$(limit "$mb" "$db" -1)
explain --metric a --mad 3
claim_says "MADs of the file" " have a > $ha (3 times 1.4826 MAD above the median)"
explain --metric b,a --mad 3 --tail both
claim_says "of both tails" " have b > $hb or b < $nb or a > $ha or a < " "(3 times 1.4826 MAD from the median)"
claim "and their counts" equal "$(told | cut -d, -f1-4)" "$(counts "2 > $hb;2 < $nb;1 > $ha;1 < -1e9" | cut -d, -f1-4)"
head -301 x.csv >few.csv
leat_run explain few.csv --attributes h --metric b --mad 3
file=few.csv
read -r ma da <<<"$(mad 2)"
claim_says "few records have exact limits, too" " have b > $(limit "$ma" "$da" 1) (3 times"

# ---- as records arrive ----
# running HOW COLUMN… : by awk, what label.quantile and label.mad say while they are exact: "outliers of known, by each"
running() {
    awk -F, -v how="$1" -v columns="$2" 'function add(k, x,   i) { for (i = n[k]++; i && v[k, i] > x; i--) v[k, i + 1] = v[k, i]; v[k, i + 1] = x }
        function upto(k, q,   at) { at = q * n[k]; return v[k, at == int(at) ? at : int(at) + 1] }
        function median_distance(k, m,   i, d, half, lo, hi) { half = int((n[k] + 1) / 2); lo = 1; while (v[k, lo] < m) lo++; hi = lo - 1; lo--
            for (i = 0; i < half; i++) { if (hi < n[k] && (lo < 1 || v[k, hi + 1] - m <= m - v[k, lo])) d = v[k, ++hi] - m; else d = m - v[k, lo--] }
            return d }
        NR == 1 { split(columns, c, " "); next }
        NR <= 251 { any = unknown = 0
          for (k = 1; k in c; k++) { x = $c[k]; if (x == "") { unknown = 1; continue }
              x += 0; add(k, x)
              if (how == "mad") { m = upto(k, .5); r = 3 * 1.4826 * median_distance(k, m); is = r > 0 && (x > m + r || x < m - r) }
              else is = x > upto(k, .8)
              if (is) { any = 1; by[k]++ } }
          if (any || !unknown) known++
          all += any }
        END { line = all " of " known; for (k = 1; k in c; k++) line = line ", " by[k] + 0; print line }' x.csv
}
head -251 x.csv >stream.csv
stream() { leat_run explain - --attributes h --min-count 1 "$@" <stream.csv; }
arrived() { sed -nE '/running/s/^leat: ([0-9]* of .*)/\1/p' "$err" | sed -E 's/ records? \(.* have [^,]*//; s/ by [^,]*//g'; }
stream --metric a,b
claim_says "a stream has running quantiles" " have a or b above its running quantile 0.8"
claim "of each metric, which add up" equal "$(arrived)" "$(running quantile "1 2")"
stream --metric a,b --mad 3 --tail both
claim_says "or running medians" " have a or b more than 3 times 1.4826 MAD from its running median"
claim "with the MADs that sort finds" equal "$(arrived)" "$(running mad "1 2")"
stream --metric b --tail both --quantile 0.9
claim_says "both tails of one" " have b outside its running quantiles 0.1 and 0.9" "by b (high)" "by b (low)"
stream --metric a,b --mad 3 --threads 1 --out jsonl
cp "$out" one
stream --metric a,b --mad 3 --threads 4 --out jsonl
claim "any number of threads gives the same" cmp "$out" one
head -201 stream.csv >grows.csv
grow() { leat_run explain grows.csv --attributes h --metric a,b --mad 3 --tail both --min-count 1 --state kept; }
grow
cp stream.csv grows.csv
grow
claim "a run that continues counts what one run does" equal "$(arrived)" "$(running mad "1 2")"

# ---- what is wrong ----
wrong() { # wrong WORDS TEXT ARGS…
    explain "${@:3}"
    claim_says "$1" "$2"
}
wrong "a column of texts is no metric" \
    "metric is h, but its values are no numbers (such as 'h0'): give a column of numbers, or a condition: --outlier 'h == \"h0\"'" \
    --metric h
wrong "a column that is not there" "there is no column 'aa' (columns: a, b, c, h)" --metric b,aa
wrong "a MAD of 0" "mad: at least half of the values of c are 5, so that their MAD is 0 and tells no outlier: leave mad out, or \
give a condition: --outlier 'c > 5'" --metric c --mad 3
wrong "two ways" "mad and quantile are two ways to say how far an outlier lies: leave one out" --metric a --mad 3 --quantile .9
wrong "another tail" "--tail up: tail takes high, low, both" --metric a --tail up
wrong "no distance" "--mad 0: mad takes a number of at least 1e-09" --metric a --mad 0
for other in metric=a tail=low mad=3; do
    wrong "$other beside a condition" "${other%=*} and outlier are two ways to say what an outlier is: leave one out" \
        --outlier 'a > 3' "--${other%=*}" "${other#*=}"
done
stream --metric c --mad 3
claim_says "in a stream, a MAD of 0 is told at the end" \
    "mad (label.mad): at least half of the 250 values of 'c' are 5, so their MAD is 0 and none is an outlier"
# A filter asks about the records that it passes, in any order.
awk 'BEGIN { print "h,v"; for (i = 0; i < 3000; i++) print "h" i % 3 "," i }' >sorted.csv
leat_run explain sorted.csv --metric v --filter 'h ~= "h0"' --attributes h
claim_says "the limit of filtered records is theirs" "400 of 2,000 records (20 %) have v > 2399 "
awk 'BEGIN { print "h,v,text"; for (i = 0; i < 60000; i++) print "h" i % 300 "," i ",some words of a longer line" }' >long.csv
leat_run explain long.csv --metric v --filter 'h == "h7"' --attributes text --min-count 1
claim_says "a filter that few sampled records pass has a limit that follows them" "have v above its running quantile 0.8"
done_claims
