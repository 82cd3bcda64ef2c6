# Promises of the guide that no other script holds (tests/lint/promises.tsv lists each with its test).
. "$(dirname "$0")/../support/claims.sh"
repository=$PWD
cd "$tmp" || exit 1
awk 'BEGIN { print "n,host,ms"; for (i = 1; i <= 3000; i++) printf "%d,h%d,%d\n", i, i % 7, i % 7 == 3 ? 900 : i * 37 % 800 }' >rows.csv
flat() { awk -F, -v OFS=, 'NR > 1 { $2 = "h" NR % 7; $3 = NR * 7919 % 1000 } 1' rows.csv >even.csv; }
flat

# Luck stands in JSON and CSV; a table has it only for a row of more than .05.
explain() { leat_run explain "$1" --attributes host --outlier "$2" --order risk --quiet "${@:3}"; }
has_luck() {
    explain rows.csv 'ms > 850' --out jsonl && jq -e '.top | length > 0 and all(has("luck"))' "$out" >seen &&
        explain rows.csv 'ms > 850' --out csv && head -1 "$out" | grep -qw luck
}
claim "luck is a column of every JSON and CSV" has_luck
explain rows.csv 'ms > 850'
claim "a table without a row that may be luck has none" sh -c '! grep -qw luck "$0"' "$out"
explain even.csv 'ms > 850'
claim "a table with such a row has it" grep -qw luck "$out"

# Modules: `leat` and what is under it cannot be replaced by files beside the script.
mkdir -p beside/leat
for name in leat leat/args leat/question; do echo 'error("replaced")' >"beside/$name.lua"; done
cat >beside/run.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "rows.csv" }, leat.parse.csv {}, leat.sink.null {} }
LUA
leat_run run beside/run.lua --quiet
claim_exit "a module beside the script does not replace leat's own" 0
leat_run run beside/run.lua --quiet --set nobody=1
claim_exit "a key that the script never reads is an error" 2
claim_says "which is named" "nobody"

# Progress without a terminal: a table as a learner is there, and a bar while the run lasts.
cat >learn.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { leat.args.data or "rows.csv" }, leat.parse.csv {},
  leat.label.is { column = "host", positive = "h3" }, leat.feature.columns { "ms" }, leat.learn.logistic {}, leat.sink.null {} }
LUA
{ cat rows.csv; sleep 1.5; } | leat_run run learn.lua --set data=- --progress always
claim "--progress always prints a table" grep -q '^average  since' "$err"
claim "and a bar" grep -aqE '[0-9] records  ' "$err" # the last line says "records in"
{ cat rows.csv; sleep 1.5; } | leat_run run learn.lua --set data=- --progress never --log-level warn
claim "--progress never prints neither" equal "$(grep -acE '^average  since|[0-9] records  ' "$err") $(wc -l <"$err")" "0 1"

# Exit 2: the input is not touched. A named pipe without a writer would keep a run that opens it.
mkfifo input
sed 's/"rows.csv"/"input"/; s/leat.sink.null {}/leat.sink.null { nobody = 1 }/' learn.lua >wrong.lua
claim "with exit 2 nothing was read" equal "$(timeout 60 "$LEAT" run wrong.lua --quiet 2>/dev/null; echo $?)" 2

# leat check: sink.command is not started, and no file appears.
sed 's/leat.sink.null {}/leat.sink.command { "touch started", format = "jsonl" }, dead_letters = "dead"/' learn.lua >command.lua
ls -I before -I after >before
leat_run check command.lua
ls -I before -I after >after
claim "leat check runs no command and writes nothing" cmp before after
claim_exit "of a script that is right" 0

# An empty text is a missing value whatever missing_texts is.
awk 'BEGIN { print "a,b"; for (i = 0; i < 300; i++) print i "," (i % 3 == 0 ? "" : i % 3 == 1 ? "-" : "x") }' >empty.csv
leat_run explain empty.csv --attributes b --missing-texts - --outlier "a % 3 <= 1 and a > 9" --order risk --out jsonl --quiet
claim "an empty text is no value, whatever else is none" equal \
    "$(jq -c '[.top[] | select(.feature == "b is missing").count]' "$out")" "[200]"

# The unit of systemd.
unit=$repository/docs/package/leat@.service
claim "the unit starts again after a crash, and not after exits 2 and 3" equal "$(grep -cE \
    '^(Restart=on-failure|RestartPreventExitStatus=2 3|ExecStart=.* --state .*|WatchdogSec=.*)$' "$unit")" 4

# An output that is shorter than its snapshot knows.
sed 's/leat.sink.null {}/leat.sink.predictions { path = "predicted" }/' learn.lua >predict.lua
leat_run run predict.lua --quiet --state kept
head -c 100 predicted >short && cp short predicted
seq -f '%g,h1,5' 3001 3010 >>rows.csv
leat_run run predict.lua --quiet --state kept
claim_exit "an output that is shorter than the snapshot knows ends the run" 1
claim_says "by its name" "predicted"
claim "and nothing is written" cmp short predicted

# Lookups: without `refresh` a file gives the same bytes; a run that continues reads it as it is then.
printf 'host,rack\n' >racks.csv && seq 0 6 | sed 's/.*/h&,r&/' >>racks.csv
cat >look.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { leat.args.data }, leat.parse.csv {},
  leat.shape.lookup { path = "racks.csv", key = "host", columns = { "rack" } },
  leat.sink.file { path = leat.args.to, format = "csv", columns = { "n", "rack" } },
  threads = tonumber(leat.args.threads) }
LUA
for i in 1 2; do leat_run run look.lua --quiet --set data=rows.csv --set to="looked.$i" --set threads=$i; done
claim "a lookup gives the same bytes each time" cmp looked.1 looked.2
head -2001 rows.csv >grows.csv
leat_run run look.lua --quiet --set data=grows.csv --set to=looked --state look
sed -i 's/,r\([0-9]\)/,s\1/' racks.csv && cp rows.csv grows.csv
leat_run run look.lua --quiet --set data=grows.csv --set to=looked --state look
claim "a run that continues looks up the file as it is then" equal "$(grep -c ',r[0-9]' looked) $(grep -c ',s[0-9]' looked)" "2000 1010"

# Compressed text is known by its first bytes, whatever the file's name.
for tool in gzip bzip2 xz zstd lz4; do
    there_is $tool "$tool" || continue # elsewhere
    $tool -c rows.csv >packed.csv
    leat_run run look.lua --quiet --set data=packed.csv --set to=unpacked
    claim "text of $tool is known by its first bytes" cmp unpacked <(sed 's/,r\([0-9]\)/,s\1/' looked.1)
done
done_claims
