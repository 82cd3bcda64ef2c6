# Event time: from columns, its parts as attributes, refusals before the run; it moves with the record.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
home=$OLDPWD

# A request each three minutes from 1 March 2024 on, in UTC and as clocks in New York show it (they go forward on 10
# March). Between 9 and 10 there, on Mondays, half of them fail, else one of fifty. date makes the times.
seq 1709269200 180 1713000000 | sed 's/^/@/' >stamps
date -u -f stamps '+%Y-%m-%dT%H:%M:%SZ' >utc
TZ=America/New_York date -f stamps '+%d.%m.%Y %H:%M:%S,%a,%H' >local
paste -d, utc local | awk -F, 'BEGIN { srand(7); print "utc,clock,dow,hh,host,status" }
    { print $0 "," "h" int(rand() * 9) "," (rand() < ($3 $4 == "Mon09" ? .5 : .02) ? 503 : 200) }' >shop.csv
explain() { leat_run run "$home/pipelines/explain.lua" --quiet --set data=shop.csv --set outlier='status >= 500' \
    --set attributes=host --set k=5 --set out=csv "$@"; }
explain --set attributes=host,dow,hh
# But for luck, the last column, which goes by an estimate of how many different names have come.
table() { eventless "$1" | sed 's/,[^,]*$//'; }
sed 's/dow=/weekday=/g; s/hh=/hour=/g; s/,[^,]*$//' "$out" >wanted
claim "the hour and the weekday explain the failures" grep -q '1,weekday=Mon & hour=09,' wanted
explain --set time=utc --set time_zone=America/New_York --set time_parts=weekday,hour
claim_exit "parts of the event time are attributes by one argument" 0
claim "and explain it as columns of the clock do, to the byte" cmp <(table "$out") wanted
explain --set time=clock --set time_format='%d.%m.%Y %H:%M:%S' --set time_zone=America/New_York \
    --set time_parts=weekday,hour
claim "so does a pattern, of the clock" cmp <(table "$out") wanted
explain --set derive='seconds=utc' --set time=seconds --set time_zone=America/New_York --set time_parts=weekday,hour
claim "a column that is derived may be the time" cmp <(table "$out") wanted
leat_run run "$home/pipelines/explain.lua" --quiet --set data=shop.csv --set outlier='status >= 500' --set time=utc \
    --set time_parts=hour --set filter='hour >= "08"'
claim_exit "a filter can use a part, and attributes are chosen beside it" 0
claim_says "without the time itself" "utc (a time)"

awk -F, 'NR > 1 { split($2, t, /[. :]/); split("Jan Feb Mar Apr", m, " ")
    printf "10.0.0.1 - - [%s/%s/%s:%s:%s:%s %s] \"GET / HTTP/1.1\" %d 0\n", t[1], m[t[2] + 0], t[3], t[4], t[5], t[6],
    ($1 >= "2024-03-10T07:00:00Z" ? "-0400" : "-0500"), $6 }' shop.csv >access.log
leat_run run "$home/pipelines/explain.lua" --quiet --set data=access.log --set format=common \
    --set outlier='status >= 500' --set attributes=method --set time=time --set time_zone=America/New_York \
    --set time_parts=weekday,hour --set k=5 --set out=csv
claim "an access log has its format" grep -q '1,weekday=Mon & hour=09,' "$out"
leat_run run "$home/pipelines/classify.lua" --quiet --set data=shop.csv --set format=csv --set label=status \
    --set positive=503 --set attributes=host --set cross=2 --set time=utc --set time_zone=America/New_York \
    --set time_parts=weekday,hour --set k=10 --set out=jsonl
claim "and they are learned from" grep -q "weekday=Mon & hour=09" "$out"

# ---- where the time goes ----

cat >all.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "all" {
  leat.source.file { path = a.data }, leat.parse.csv { lanes = a.lanes },
  leat.parse.time { "clock", format = "%d.%m.%Y %T", zone = "America/New_York", parts = "iso8601,weekday,hour" },
  leat.sink.file { path = a.to, format = "csv", columns = { "iso8601", "weekday", "hour" } }, batch_rows = 100, max_reject_ratio = 1, dead_letters = a.dead,
}
LUA
leat_run run all.lua --quiet --set data=shop.csv --set to=of_clock
claim "the clock of a zone is the time in UTC, but for the hour that is there twice" cmp of_clock <(echo \
    iso8601,weekday,hour; cut -d, -f1,3,4 shop.csv | sed 1d)
for lanes in 1 3; do leat_run run all.lua --quiet --set data=shop.csv --set to=lanes$lanes --set lanes=$lanes; done
claim "lanes change nothing" cmp lanes1 lanes3
TZ=Asia/Tokyo leat_run run all.lua --quiet --set data=shop.csv --set to=elsewhere
claim "nor does TZ" cmp of_clock elsewhere
sed '3s/^[^,]*,[^,]*/x,31.04.2024 10:00:00/; 5s/^[^,]*,[^,]*/x,/; 9s/.*/short/' shop.csv >bad.csv
leat_run run all.lua --set data=bad.csv --set to=of_bad --set dead=dead
claim_exit "records without a time do not stop the run" 0
claim_says "and are named" "bad.csv:3 " \
    "column 'clock': '31.04.2024 10:00:00' is not a time (format %d.%m.%Y %T): its month does not have that day"
claim "each with its reason" equal "$(jq -rc .reason dead)" "$(printf 'time\ntime\nfields')"

# ---- the wrong format ----

{ echo s,ms,iso,dmy; for i in $(seq 40); do echo \
    "$((1714557600 + i)),$((1714557600 + i))000,2024-05-01T10:00:$((i + 10))Z,$i/05/2024"; done; } >wrong.csv
unit() {
    printf 'local leat = require "leat"\nreturn leat.pipeline "w" { leat.source.file { "wrong.csv" }, leat.parse.csv {},\n  leat.parse.time { "%s", format = "%s" }, leat.sink.null {}, max_reject_ratio = 1 }\n' "$1" "$2" >wrong.lua
    leat_run "${3:-run}" wrong.lua --quiet
}
unit s unix_ms
claim_says "seconds that are read as milliseconds are told" \
    "time (parse.time): column 's': the times of the first 10 records are in the year 1970: numbers of this size are of format = \"unix\", not unix_ms"
leat_run check wrong.lua
claim_says "by check, too" \
    "wrong.lua:3: warning: time (parse.time): column 's': the times of the first 10 records are in the year 1970"
unit ms unix_us
claim_says "or milliseconds as microseconds" "of format = \"unix_ms\", not unix_us"
{ echo s && head -3 wrong.csv | tail -2 | cut -d, -f1; } >few.csv
cp wrong.csv all.csv && cp few.csv wrong.csv
unit s unix_ms
claim_says "also of two records, at the end" \
    "column 's': the times of the first 2 records are in the year 1970: numbers of this size are of format = \"unix\", not unix_ms"
sed -i 's/parse.csv {}/parse.csv { integers = { "s" } }/' wrong.lua
cp all.csv wrong.csv
unit ms unix_ms
claim "and not what is right" test ! -s "$err"
unit iso "%d.%m.%Y"
claim_says "a pattern for what is ISO 8601" \
    "'2024-05-01T10:00:11Z' is not a time (format %d.%m.%Y): it does not follow the pattern; format = \"iso8601\" reads it"
unit dmy "%m/%d/%Y"
claim_says "day and month the wrong way round" \
    "'13/05/2024' is not a time (format %m/%d/%Y): its month is not 1 to 12; format = \"%d/%m/%Y\" reads it"

cat >predictions.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "shop.csv" }, leat.parse.csv {}, leat.parse.time { "clock", format = "%d.%m.%Y %T", zone = "America/New_York", parts = { "iso8601" } },
  leat.label.is { column = "status", positive = "503" }, leat.feature.columns { "host" }, leat.learn.awm {}, leat.sink.predictions { path = "p.csv", format = "csv", columns = { "iso8601" } } }
LUA
leat_run run predictions.lua --quiet
claim "predictions can have the event time" cmp <(cut -d, -f4 p.csv | sed 1d) <(sed 1d shop.csv | cut -d, -f1)

# ---- half-lives ----

risks() { jq -r '.top[] | select(.count > 50) | "\(.feature) \(.relative_risk * 50 | round)"' "$out" | sort; }
for mode in counts awm; do
    explain --set mode=$mode --set attributes=host,hh --set half_life=2000 --set out=jsonl --set k=30
    risks >by_records
    explain --set mode=$mode --set attributes=host,hh --set half_life=100h --set time=utc --set out=jsonl --set k=30
    risks >by_time
    claim "$mode: at regular times a half-life in event time is one in records" below "$(diff by_records by_time |
        grep -c '^<')" "$(($(wc -l <by_records) / 10))"
done
claim "and there are some" below 10 "$(wc -l <by_time)"
explain --set attributes=host --set half_life=36h
claim_exit "a half-life in event time is refused where records have none" 2
claim_says "with what to do" \
    "half_life: a duration needs event times, and the records have none: put leat.parse.time" "--set time=COLUMN"
for learner in rfd_son s_adagrad sftrl product; do
    cat >none.lua <<LUA
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "shop.csv" }, leat.parse.csv {}, leat.label.is { column = "status", positive = "503" },
  leat.feature.columns { "host", "utc" }, leat.feature.sides { left = { "host" } }, leat.learn.$learner { half_life = "6h" }, leat.sink.top {} }
LUA
    [[ $learner == product ]] || sed -i 's/leat.feature.sides {[^}]*}, //' none.lua
    leat_run check none.lua
    claim_says "$learner: likewise" "half_life: a duration needs event times"
done
explain --set attributes=host --set half_life=2e9
claim_says "one of too many records is refused, too" "half_life must be 0 to 100000000"

# ---- refused ----

refused() { leat_run check "$home/pipelines/explain.lua" --set data=shop.csv --set outlier='status >= 500' \
    --set attributes=host "$@"; claim_exit "$* is refused" 2; }
refused --set time=utc --set time_format=unix_seconds
claim_says "with the formats that there are" "iso8601, unix, unix_ms, unix_us, unix_ns, clf, syslog or a pattern"
refused --set time=utc --set time_zone=New_York
claim_says "with the zone that was meant" "did you mean 'America/New_York'?"
refused --set time=utx
claim_says "with the columns" "no column 'utx'" "utc"
refused --set time_zone=UTC
claim_says "a zone of nothing" "time_zone needs a time: name the column with it, --set time=COLUMN"
refused --set time_parts=hour
claim_says "parts of nothing" "time_parts needs a time: name the column with it, --set time=COLUMN"
sed 's/hh/hour/' shop.csv >taken.csv
refused --set data=taken.csv --set time=utc --set time_parts=hour
claim_says "a part whose name is taken" "the input already has a column 'hour'" "prefix"

# ---- seconds are those of the text ----
awk 'BEGIN { srand(7); print "u"; for (i = 0; i < 2000; i++) printf "%d.%03d\n", 1e9 + rand() * 2e9, rand() * 1000 }' >u.csv
cat >seconds.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "seconds" { leat.source.file { "u.csv" }, leat.parse.csv {},
  leat.parse.time { "u", format = "unix", parts = { "iso8601" } },
  leat.shape.set { "equal = number(u) == @timestamp" }, leat.sink.file { path = "seconds.csv", format = "csv" } }
LUA
leat_run run seconds.lua --quiet
claim "a time has the seconds of its text, to the last digit" equal "$(grep -c 'true$' seconds.csv)" 2000

done_claims
