# Each figure that explain shows of its own choice, against SQLite's counts: two real sets, and three made ones of
# sensors, a survey and sales.
# tier: long (11 s)
. "$(dirname "$0")/../support/claims.sh"
command -v sqlite3 >/dev/null || skip_rest "sqlite3 is not installed"
pipelines=$PWD/pipelines
cd "$tmp" || exit 1

zstd -qdc "$pipelines/data/senate-disbursements.csv.zst" >senate.csv
zstd -qdc "$pipelines/data/houston-flights.csv.zst" >flights.csv
# Hours of two stations. Fog comes with humidity, and the barometer often fails in it.
awk 'BEGIN { srand(5); print "station,time,humid,temp,pressure,visib"; for (i = 0; i < 12000; i++) { h = int(rand() * 1000) / 10
    f = h >= 80 && rand() < .35 || rand() < .004; p = rand() < (f ? .6 : .1) ? "NA" : int(980 + rand() * 50)
    printf "%s,2023-%02d-%02dT%02d:00:00Z,%s,%d,%s,%s\n", i % 2 ? "N" : "S", i / 1000 + 1, i / 24 % 28 + 1, i % 24,
        h, rand() * 40 - 10, p, f ? rand() * 3 : 3 + rand() * 7 } }' >sensors.csv
# People who leave: few hours, or no rise in pay.
awk 'BEGIN { srand(6); print "gender,age,hours,pay,grade,status"; for (i = 0; i < 8000; i++) { h = int(35 + rand() * 45)
    p = int(rand() * 6); s = rand() < (h < 45 ? .7 : p == 0 ? .5 : .1) ? "left" : rand() < .3 ? "raised" : "stays"
    print (rand() < .5 ? "f" : "m") "," int(20 + rand() * 45) "," h "," p "," int(rand() * 4) + 2 "," s } }' >survey.csv
# Stones in the order of their price, which grows with the square of their weight.
awk 'BEGIN { srand(7); print "carat,cut,color,depth,price"; for (i = 0; i < 15000; i++) { c = .2 + int(rand() * rand() * 200) / 100
    print c "," substr("FairGoodBestIdea", int(rand() * 4) * 4 + 1, 4) "," substr("DEFGHIJ", int(rand() * 7) + 1, 1) "," \
        int(550 + rand() * 150) / 10 "," int(4000 * c * c * (.4 + rand() * 1.2)) + 300 } }' >stones.tmp
{ head -1 stones.tmp; sed 1d stones.tmp | sort -t, -k5n; } >sales.csv

# sql_of TIME: turns each feature, "x >= 3 & a=b & p is missing", into a condition. TIME: the column of weekday, hour ….
sql_of() {
    awk -v time="$1" -v q="'" 'function text(s) { gsub(q, q q, s); return q s q }
        function seen() { return "case when " name(time) " between " q 1970 q " and " q 2262 q " then " name(time) " end" }
        function name(s) { return "\"" s "\"" }
        function of(part,   w, v) {
            if (part ~ / is missing$/ && time != "" && substr(part, 1, length(part) - 11) in code) return seen() " is null"
            if (sub(/ is missing$/, "", part)) return name(part) " in (" q q ", " q "NA" q ")"
            if (match(part, / (>=|<) /)) return name(substr(part, 1, RSTART - 1)) " not in (" q q ", " q "NA" q ") and cast(" \
                name(substr(part, 1, RSTART - 1)) " as real)" substr(part, RSTART, RLENGTH) substr(part, RSTART + RLENGTH)
            match(part, /=/); w = substr(part, 1, RSTART - 1); v = substr(part, RSTART + 1)
            if (time == "" || !(w in code)) return (v ~ / $/ ? "substr(" name(w) ", 1, " length(v) ")" : name(w)) " = " text(v)
            if (w == "weekday") v = (index("SunMonTueWedThuFriSat", v) - 1) / 3
            if (w == "hour" || w == "month") v = sprintf("%02d", v)
            return "strftime(" q code[w] q ", " seen() ") = " text(v)
        }
        BEGIN { code["hour"] = "%H"; code["month"] = "%m"; code["weekday"] = "%w"; code["date"] = "%Y-%m-%d" }
        { n = split($0, p, " & "); m = 0
          for (i = 1; i <= n; i++) if (i == 1 || p[i] ~ /^[^ ]+( is missing$|=| >= | < )/) part[++m] = p[i]; else part[m] = part[m] " & " p[i]
          c = of(part[1]); for (i = 2; i <= m; i++) c = c " and " of(part[i]); print c }'
}
# agrees FILE OUTLIER RECORDS TIME: compares the last answer with counts of the records for which RECORDS is true.
agrees() {
    jq -r '.top[].feature' "$out" | sql_of "${4-}" >conditions
    [ -s conditions ] && awk -v outlier="$2" -v records="$3" '
        { union = (NR > 1 ? union " or " : "") "(" $0 ")"; if (NR > 1) print " union all"
          printf("select %d as k, sum(y * (%s)) as a, sum((1 - y) * (%s)) as b, sum(y * (%s)) as c", NR, $0, $0, union)
          print ", sum(y) as n1, sum(1 - y) as n0 from t" }
        BEGIN { print "create table t as select *, " outlier " as y from r where " records ";" } END { print " order by k;" }' \
        conditions >counts.sql
    jq -r '.top[] | [.rate, .relative_risk, .support_outliers, .support_inliers, .count, .base_rate, .covered_low, .covered_high,
        (.count_low - .count_high | fabs)] | @tsv' "$out" >shown
    sqlite3 -separator ' ' :memory: ".import --csv $1 r" ".read counts.sql" >counted && paste -d' ' counted shown | awk '
        function off(x, y) { return x > y * (1 + 1e-9) + 1e-9 || y > x * (1 + 1e-9) + 1e-9 }
        # Where a count is 0, each record counts n times, and n records like all are with the feature, n without it.
        { n = $2 == 0 || $3 == 0 || $5 == $2 || $6 == $3 ? $5 + $6 : 0; m = n ? n : 1; a = m * $2 + (n ? $5 : 0)
          b = m * $3 + (n ? $6 : 0); c = m * ($5 - $2) + (n ? $5 : 0); d = m * ($6 - $3) + (n ? $6 : 0)
          bad = off($7, $2 / ($2 + $3)) + off($8, a / (a + b) / (c / (c + d))) + off($9, $2 / $5) + off($10, $3 / $6)
          bad += off($11, $2 + $3) + off($12, $5 / ($5 + $6)) + ($4 / $5 < $13 - 1e-9) + ($4 / $5 > $14 + 1e-9) + $15
          if (bad) { print; wrong = 1 } }
        END { exit wrong || !NR }'
}
# Says which condition marks the outliers, as SQL.
outliers() {
    sed -n 's/^leat: .* records ([^)]*) have //p' "$err" | sed -E "s/ \(about .*//; s/==/=/; s/\"/'/g; s/^([A-Za-z]*) ([<>])/cast(\1 as real) \2/"
}
# answers FILE OPTION QUESTION RECORDS FIRST: claims of a question, whose first row matches FIRST.
answers() {
    local file=$1 option=$2 question=$3 records=$4 first=$5 time y
    leat_run graph "$pipelines/explain.lua" --format json --set data="$file.csv" --set "${option#--}=$question"
    time=$(jq -r '.stages[] | select(.plugin == "parse.time").parameters.column | fromjson? // .' "$out")
    leat_run explain --out jsonl "$file.csv" "$option" "$question" --name-bytes 500
    y="($(outliers))"
    claim "$file: each figure of the first answer is SQLite's count" agrees "$file.csv" "$y" "$records" "$time"
    claim "$file: what is known comes first" grep -qE "$first" <<<"$(jq -r '.top[0].feature' "$out")"
    leat_run explain --quiet --out jsonl "$file.csv" "$option" "$question" --order risk --k 15 \
        --name-bytes 500
    claim "$file: and each figure of 15 rows by risk" agrees "$file.csv" "$y" "$records" "$time"
}
answers flights --metric ArrDelay "ArrDelay != ''" '^(TaxiOut|DepTime) >= '
answers survey --outlier 'status == "left"' 1 '^hours < 4[4-6]'
sed '5s/2023-01-01/3023-01-01/' sensors.csv >far.csv
leat_run explain --out jsonl far.csv --outlier 'visib < 3'
claim_says "a time that nobody asked for rejects no record" "1 record has no time that can be read: column 'time': '3023-01-01"
claim "each is counted" equal "$(jq .examples "$out")" 12000
leat_run explain --out jsonl flights.csv --metric ArrDelay
claim "a fifth is a fifth: fewer are above the threshold, with those at it more" equal "$(sqlite3 :memory: \
    ".import --csv flights.csv r" "select sum($(outliers)) < .2 * count(*), sum($(outliers | sed 's/ > / >= /')) >= .2 * count(*)
    from r where ArrDelay != ''")" "1|1"
rest_is_long
answers senate --metric amount "amount != ''" '^line_type=three data line'
answers sensors --outlier 'visib < 3' 1 '^humid >= (79|80|81)'
answers sales --metric price 1 '^carat >= (0\.[789]|1)'
done_claims
