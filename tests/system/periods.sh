# Two periods of one stream: `leat compare --before --after` on CSV, JSON and logs, against awk's counts.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

# 92 days from 2024-03-01 on, in no order, a record every 20 minutes, some without a time. x is frequent in April.
awk 'BEGIN { srand(5); print "at,item,n"; for (i = 0; i < 6624; i++) { k = i * 2731 % 6624; day = int(k / 72)
    m = day < 31 ? 3 : day < 61 ? 4 : 5; d = day - (m == 3 ? 0 : m == 4 ? 31 : 61) + 1
    at = sprintf("2024-%02d-%02dT%02d:%02d:00Z", m, d, int(k % 72 / 3), k % 3 * 20)
    printf "%s,%s,%d\n", i % 100 == 7 ? "" : at, rand() < (m == 4 ? .5 : .2) ? "x" : "y" int(rand() * 4), i } }' >days.csv
# exact A_FROM A_TO B_FROM B_TO: the records of each period, and those of item x in it
exact() {
    awk -F, -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'NR > 1 && $1 != "" { x = $2 == "x"
        if ($1 >= a && $1 < b) { A++; X += x } else if ($1 >= c && $1 < d) { B++; Y += x } }
        END { printf "%d %d %d %d\n", A, B, X, Y }' days.csv
}
# counted: the same of the report and the summary
counted() {
    jq -r --slurpfile s s.json '$s[0].stages[] | select(.id == "period") | .metrics | "\(.first) \(.second)"' s.json | tr '\n' ' '
    jq -r --argjson n "$(jq '[.stages[] | select(.id == "period") | .metrics | .first, .second]' s.json)" '.top[]
        | select(.feature == "item=x") | "\(.support_outliers * $n[0] | round) \(.support_inliers * $n[1] | round)"' "$out"
}
# periods CLAIM A_FROM A_TO B_FROM B_TO OPTIONS…
periods() {
    local claim=$1 want
    want=$(exact "${@:2:4}")
    leat_run compare days.csv --attributes item --out jsonl --progress never --summary s.json "${@:6}"
    claim "$claim" equal "$status $(counted)" "0 $want"
}
periods "records before a date are compared with the others" 0 2024-04-10 2024-04-10 3 --before 2024-04-10
periods "so are those from it on" 2024-04-10 3 0 2024-04-10 --after 2024-04-10
periods "what lies between two dates is left out" 0 2024-04-01 2024-05-01 3 --before 2024-04 --after 2024-05-01
claim_says "and counted" " records are before 2024-04 and " " from 2024-05-01 on, " " in neither"
claim_says "as are records without a time" "$(awk -F, 'NR > 1 && $1 == ""' days.csv | wc -l) records have no event time and are left out"
claim_says "the column of times is found" "time = at, the column with the most times"
periods "a span is from its beginning until before its end" 2024-04-01 2024-05-01 2024-03-01 2024-04-01 \
    --before 2024-04..2024-05 --after 2024-03..2024-04
newest=$(cut -d, -f1 days.csv | sed 1d | sort | tail -1)
claim "the newest time is the one expected" equal "$newest" 2024-05-31T23:40:00Z
periods "the last days are compared with those before" 2024-05-24T23:40:01Z 3 0 2024-05-24T23:40:01Z --after -7d
claim_says "from the newest time on back" "newest time: 2024-05-31 23:40:00Z" "are in the last 7d; the others are before the last 7d"
periods "a zone moves the dates" 0 2024-04-09T22:00 2024-04-09T22:00 3 --before 2024-04-10 --time-zone Europe/Berlin
periods "the column may be named" 0 2024-04-10 2024-04-10 3 --before 2024-04-10 --time at

jq -Rc 'split(",") | if .[0] == "" then {} else { at: .[0] } end + { item: .[1] }' <(sed 1d days.csv) >days.jsonl
leat_run compare days.jsonl --attributes item --out jsonl --progress never --summary s.json --before -1w
claim "JSON has its periods, too" equal "$status $(counted)" "0 $(exact 0 2024-05-24T23:40:01Z 2024-05-24T23:40:01Z 3)"
awk -F, 'BEGIN { split("Jan Feb Mar Apr May", m, " ") } NR > 1 && $1 != "" { split($1, t, /[-T:Z]/)
    printf "h - - [%s/%s/%s:%s:%s:%s +0000] \"GET /%s HTTP/1.1\" 200 5\n", t[3], m[t[2] + 0], t[1], t[4], t[5], t[6], $2 }' \
    days.csv >access.log
leat_run compare access.log --attributes path --out jsonl --progress never --summary s.json --after -3d
sed -i 's,path=/x,item=x,' "$out"
claim "and so do access logs" equal "$status $(counted)" "0 $(exact 2024-05-28T23:40:01Z 3 0 2024-05-28T23:40:01Z)"
{ sed -n '1p' days.csv && sed 1d days.csv | head -3000; } >one.csv
{ sed -n '1p' days.csv && sed 1d days.csv | tail -n +3001; } >two.csv
leat_run compare one.csv two.csv --attributes item --out jsonl --progress never --summary s.json --before 2024-04-10
claim "two files with a period are one stream" equal "$status $(counted)" "0 $(exact 0 2024-04-10 2024-04-10 3)"

leat_run compare days.csv --attributes item --quiet --before 2024-04-10 --after 2024-05
claim "the table has the periods in words" eval 'sed -n 1p "$out" | grep -q "(ratio: share before 2024-04-10 / share from 2024-05 on)" &&
    sed -n 2p "$out" | grep -qE "ratio +before 2024-04-10 +from 2024-05 on +count"'
leat_run compare days.csv --attributes item --before 2023
claim_says "an empty period is told, with the times there are" \
    "no record lies before 2023: their times are from 2024-03-01T00:00:00Z to 2024-05-31T23:40:00Z"

claim "and nothing is compared" equal "$(sed -n 2p "$out")" none

# Columns that say the time again are the question, and tell nothing: month, week, day and date.
awk -F, 'NR == 1 { print $0 ",month,week,stamp,day" } NR > 1 && $1 != "" { split($1, t, /[-T]/)
    day = (t[2] - 3) * 31 - (t[2] > 4) + t[3]; print $0 "," t[2] + 0 "," int(day / 7) "," t[1] t[2] t[3] "," t[3] + 0 }' days.csv >parts.csv
# told CLAIM OPTIONS…
told() {
    leat_run compare parts.csv --time at --out jsonl --progress never "${@:2}"
    claim "$1" equal "$status $(jq -r '.top[].feature' "$out" | grep -cE '(month|week|stamp|day)')" "0 0"
    claim_says "and told" "looks like the answer itself: "
    claim "each by its name" equal "$(grep "answer itself:" "$err" | grep -oE '(month|week|day) \(' | xargs)" "month ( week ( day ("
}
told "columns that follow the time are set apart" --before 2024-04-16
claim_says "with the reason" "week (follows at)" "day (the day of at)"
claim "what differs is found" grep -q '"feature":"item=x"' "$out"
told "so they are at the beginning of a month" --after 2024-05
claim_says "where a month gives the answer" "month (gives it in 100 % of the records)"
told "for the last days" --after -7d
told "and for two spans" --before 2024-03..2024-04 --after 2024-04..2024-05

# refused CLAIM TEXT OPTIONS…
refused() {
    leat_run compare "${@:3}" --attributes item --quiet
    claim_exit "$1" 2
    claim_says "and told" "$2"
}
refused "periods that overlap are refused" "'2024-05' and '2024-04' overlap" days.csv --before 2024-05 --after 2024-04
refused "a text that is no time is refused" "'fish': it is too short: give 2024-05-17" days.csv --before fish
refused "a period and a condition are refused" "leave one out" days.csv --before 2024-05 --split 'item == "x"'
cut -d, -f2,3 days.csv >untimed.csv
refused "a file without times is refused" "no column of times was found: name it by --time COLUMN" untimed.csv --before 2024
awk -F, 'NR == 1 { print "year,item" } NR > 1 { print 1900 + NR % 50 "," $2 }' days.csv >years.csv
refused "years have a condition" "compare years by --split 'year < YEAR'" years.csv --before 1950
leat_run compare - --attributes item --time at --after -7d <days.csv
claim_exit "a pipe has no newest time" 2
claim_says "and that is told" "counts from the newest time of files, which is not known here: give a date"

awk 'BEGIN { for (i = 0; i < 60000; i++) { at = sprintf("2024-01-01T%02d:%02d:%02dZ", int(i / 6000), i / 100 % 60, i % 60)
    printf "{\"at\":\"%s\",\"item\":\"x%d\"}\n", i == 31700 ? "2025-01-01T00:00:00Z" : at, i % 9 } }' >large.jsonl
leat_run compare large.jsonl --attributes item --after -2h
claim_says "a record after the newest one of a sample is told" "newest time: 2024-01-01 09:59:59Z" "1 records are later than 2024-01-01T09:59:59" \
    "the newest is 2025-01-01T00:00:00Z"
grep -v 2025 large.jsonl | gzip >large.jsonl.gz
leat_run compare large.jsonl.gz --attributes item --after -2h
claim_says "the end of a compressed file is read" "newest time: 2024-01-01 09:59:59Z" "12,000 of 59,999 records (20 %) are in the last 2h; the others are before the last 2h"

"$LEAT" peek days.csv 2>"$err" >"$out"
claim_says "peek proposes two periods" "leat compare days.csv --before 2024-04-16 --time at --attributes item"
done_claims
