# A service: messages to systemd, logs as JSON, levels of stages.
. "$(dirname "$0")/../support/claims.sh"
programs=$(dirname "$LEAT")/../tests/programs
docs=$PWD/docs/package
cd "$tmp" || exit 1

cat >endless.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "endless" {
  leat.source.null { records = 0, text = "1" }, leat.parse.lines {}, leat.sink.file { path = leat.args.out },
}
LUA

"$programs/datagrams" "$tmp/notify" >told &
listener=$!
until_true test -S "$tmp/notify"
export NOTIFY_SOCKET=$tmp/notify WATCHDOG_USEC=1000000

leat_start endless.lua --set out=/dev/null --quiet
claim "a run that has begun is ready" until_true grep -qx "READY=1" told
claim "one that moves is alive" until_true grep -qx "WATCHDOG=1" told
claim "and tells how far it is" until_true grep -qE "^STATUS=[1-9][0-9]* records$" told
leat_stop
claim_exit "it ends when it is told to" 0
claim "and says that it ends" until_true grep -qx "STOPPING=1" told

mkfifo stuck
sleep 600 <>stuck &
: >told
leat_start endless.lua --set out=stuck --quiet --stop-timeout 1s
claim "a run whose sink stands still was ready" until_true grep -qx "READY=1" told
stands() {
    kill -USR1 "$pid"
    grep -qE 'in process for ([2-9]|[0-9]{2,})\.' "$err"
}
claim "and stands" until_true stands
: >told
claim "it still has a status" until_true grep -q "^STATUS=" told
claim "but is not alive" sh -c '! grep -q WATCHDOG told'
leat_stop

: >told
WATCHDOG_PID=1 leat_start endless.lua --set out=/dev/null --quiet
claim "a watchdog of another process" until_true grep -qx "READY=1" told
leat_stop
claim "is not served" until_true grep -qx "STOPPING=1" told
claim "not once" sh -c '! grep -q -e STATUS -e WATCHDOG told'
NOTIFY_SOCKET=$tmp/nobody leat_run run endless.lua --set out=/dev/full --quiet
claim_exit "a manager that does not listen is nobody's failure" 1
claim_says "only the sink's is" "No space left on device"
kill "$listener"
unset NOTIFY_SOCKET WATCHDOG_USEC

printf 'name,n\na"\\\x01,1\n\xff\xe2\x80\xa8,x\nc,3\n' >bad.csv
cat >bad.lua <<'LUA'
local leat = require "leat"
print("begin")
return leat.pipeline "bad" {
  leat.source.file { path = "bad.csv" }, leat.parse.csv { quote = "" },
  leat.map(function(name, n) print(name) return name, n end, { "name", "n:number" }), leat.sink.null {},
}
LUA
leat_run run bad.lua --log-format json --progress always --log-level debug
claim "each line of a log is an object with time, level and message" \
    jq -es 'length > 3 and all(.[]; (.time | test("^2[0-9]{3}-[0-9-]+T[0-9:.]+Z$")) and (.level | IN("error", "warn",
        "info", "debug")) and (.message | length > 0))' "$err"
claim "of UTF-8, without control characters" sh \
    -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$err' && iconv -f UTF-8 -t UTF-8 '$err'"
claim "a rejected record is a warning with its place" jq -es 'any(.[]; .level == "warn" and (.message |
    test("bad.csv:3 .*is not a number")))' "$err"
claim "what a script prints is in it" jq -es 'any(.[]; .level == "info" and (.message | test("begin$")))' "$err"
sed -i 's/records = 0/recrods = 0/' endless.lua
leat_run run endless.lua --set out=x --log-format json
claim_exit "a script that is wrong" 2
claim "is said with file, line and stage" jq -es '.[0].level == "error" and .[0].file == "endless.lua" and .[0].line ==
    3 and .[0].stage == "null (source.null)" and (.[0].message | test("records"))' "$err"
leat_run run bad.lua --log-format xml
claim_exit "there is no other format" 2
claim_says "which is said" "--log-format takes text or json, not xml"

cat >levels.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "levels" {
  leat.source.null { records = 10, text = "1 1:1" }, leat.parse.libsvm {}, leat.learn.awm { budget = "2KB", id = "model" },
  leat.sink.top { of = "model" },
}
LUA
leat_run run levels.lua --log-level modl=debug
claim_exit "a level of a stage that there is not does not end a run" 0
claim_says "but is said" "--log-level: the pipeline has no stage 'modl'" "leat graph"
leat_run run levels.lua --log-level =debug
claim_exit "a level of no name is refused" 2
leat_run run levels.lua --log-level model=loud
claim_says "and one that is none" \
    "--log-level takes error, warn, info or debug, or STAGE= and one of them, not model=loud"

if there_is systemd-analyze "systemd knows each word of the unit"; then
    sed "s#/usr/local/bin/leat#$LEAT#" "$docs/leat@.service" >leat@.service
    claim "systemd knows each word of the unit" \
        sh -c "! systemd-analyze verify '$tmp/leat@.service' 2>&1 | grep -E 'leat@.*(Unknown|[Ff]ailed to parse|Invalid)'"
fi
done_claims
