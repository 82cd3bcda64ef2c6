# sink.command: a command gets the records. Its faults end the run with its messages.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise

awk 'BEGIN { print "id,what,n"; for (i = 0; i < 20000; i++) printf "%d,\"w,%d\",%s\n", i, i % 7,
    i % 10 ? i / 4 : "" }' >in.csv
cat >command.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "command" {
  leat.source.file { path = "in.csv", ["repeat"] = a.times }, leat.parse.csv {},
  leat.tee {
    { leat.sink.command { a.command, format = a.format, columns = { a.column } } },
    { leat.sink.file { path = "file", format = a.format, columns = { a.column } } },
  },
}
LUA
feed() { leat_run run command.lua --quiet --set "command=$1" "${@:2}"; }
for format in raw jsonl csv tsv; do
    feed 'cat >got' --set format=$format
    claim "$format: a command gets what a file would" equal "$status $(cmp got file && wc -l <got |
        sed 's/2000[01]/whole/')" "0 whole"
done
feed 'sort -r | head -1' --set format=csv --set column=id
claim "its standard output is that of the run, which waits for it" equal "$(<"$out")" id
feed 'cat >got; echo working hard >&2; echo done >&2'
claim_exit "a command may say something" 0
claim_says "which becomes warnings" "warning: command (sink.command): the command says: working hard" \
    "the command says: done"
feed 'cat >/dev/null; echo first >&2; echo "disk is full" >&2; exit 3'
claim_exit "its failure ends the run" 1
claim_says "with its status and its last words" "'cat >/dev/null; echo first" \
    "exit 3' ended with exit status 3: disk is full"
feed 'head -1 >got; echo enough >&2' --set times=50
claim_exit "one that ends before it has all does" 1
claim_says "which is said" "ended with exit status 0 before it took all records: enough"
feed 'cat >/dev/null; kill -9 $$'
claim_says "one that is killed as well" "ended by signal 9"
feed 'no-such-command-here' --set times=50
claim_says "one that does not exist, too" "ended with exit status 127" "no-such-command-here" "not found"
feed 'exec 2>&-; sleep 0.3; cat >got'
claim "one that closes standard error and is slow gets all" equal "$status $(cmp got file && echo same)" "0 same"
feed 'head -c 300000 /dev/zero | tr "\0" x >&2; cat >got' --set times=5
claim "one that says much before it reads anything does not get stuck" equal "$status $(cmp got file &&
    echo same)" "0 same"
from=$SECONDS
feed '(sleep 30 >/dev/null) & cat >got'
claim "what it leaves behind is not waited for" equal "$status $(cmp got file && echo same) $((SECONDS - from < 30))" \
    "0 same 1"
feed ''
claim_says "no command is a mistake" 'command: is empty: write a command'
leat_start command.lua --quiet --set command='cat >got' --set times=1000
until_true test -s got
leat_stop
claim "stopped by a signal, a run gives what is under way and ends" equal "$status $(cmp got file &&
    echo same)" "0 same"
leat_start command.lua --quiet --set command='touch began; exec sleep 60' --set times=1000 --stop-timeout 2
until_true test -e began
leat_stop
claim "a command that takes nothing does not hold it up for ever" below "$took" 30
for i in 1 2; do
    LEAT_FAULT=snapshot_durable:2 leat_run run command.lua --quiet --set command='cat >>all' --set times=20 \
        --state state --every 20000
done
killed=$status
leat_run run command.lua --quiet --set command='cat >>all' --set times=20 --state state
# Each record 20 times; the kill leaves the beginning of one before the first of the next run, and a command that reads
# on.
all_came() { awk 'NR == FNR { n[$0]++; next } FNR > 1 && n[$0] < 20 { bad = 1 } END { exit bad }' all in.csv; }
until_true all_came
claim "killed, it goes on; every record comes at least once" equal "$killed $status $(all_came && echo all)" "137 0 all"
done_claims
