# leat check, and run before it reads: unreadable or unwritable files, columns of headers, states that cannot continue.
# Nothing is created or changed.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

printf 'city,kind,amount\nBonn,c,3\nKiel,d,5\n' >data.csv
gzip -k data.csv
mkdir sub closed
cat >p.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "p" {
  leat.source.file { a.data or "data.csv" },
  leat.parse.csv {},
  leat.label.quantile { column = "amount", q = tonumber(a.q) },
  leat.feature.columns { a.column or "city" },
  leat.learn.awm { id = "model" },
  leat.sink.top { of = a.of, path = a.out },
  dead_letters = a.dead,
}
LUA

claim_finds() {
    local words=$1 code=$2
    shift 2
    leat_run check p.lua "${args[@]}"
    claim_exit "$words: check ends with $code, as run does" "$code"
    claim_says "$words: check says so" "$@"
    leat_run run p.lua --quiet "${args[@]}"
    claim_exit "$words: run ends with $code" "$code"
    claim_says "$words: run says so, too" "$@"
}

args=()
leat_run check p.lua
claim_exit "a pipeline whose files are there is in order" 0
claim "the columns of the header are shown" grep -q "columns: city, kind, amount" "$out"
claim "once, by the stage that gives them" equal "$(grep -o 'amount' "$out" | wc -l)" 1
leat_run check p.lua --set data=data.csv.gz
claim "so are those of compressed files" grep -q "columns: city, kind, amount" "$out"

args=(--set data=dta.csv)
claim_finds "a missing input" 1 "p.lua:4: error: file (source.file): path: cannot read dta.csv: No such file" \
    "did you mean 'data.csv'?"
args=(--set data=sub/none.csv)
claim_finds "a missing input without a near name" 1 "cannot read sub/none.csv: No such file or directory"
claim "has no suggestion" sh -c "! grep -q 'did you mean' '$err'"
ln -s gone.csv dangling.csv
args=(--set data=dangling.csv)
claim_finds "a link to nothing" 1 "cannot read dangling.csv: No such file or directory: it is a link to 'gone.csv'"
claim "is not taken for its own misspelling" sh -c "! grep -q 'did you mean' '$err'"
rm dangling.csv
args=(--set 'data=none*.csv')
claim_finds "a pattern that matches nothing" 1 "no file matches none*.csv"
args=(--set data=sub)
claim_finds "a directory as input" 1 "cannot read sub: it is a directory"
args=(--set out=nodir/out)
claim_finds "a missing folder" 1 "p.lua:9: error: top (sink.top): path: cannot open nodir/out: No such file" \
    "make the folder nodir first"
args=(--set out=sub)
claim_finds "a directory as output" 1 "cannot open sub: it is a directory"
args=(--set dead=nodir/dead)
claim_finds "dead letters without a folder" 1 "p.lua:3: error: pipeline: dead_letters: cannot open nodir/dead"
cat >dash.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "dash.csv" }, leat.parse.csv {}, leat.map(function(a) return a end, { "a:number" }),
  leat.sink.file { path = "-" }, dead_letters = "-", max_reject_ratio = 1 }
LUA
printf 'a\n1\nx\n' >dash.csv
leat_run run dash.lua --quiet
claim_exit "dead letters may go to standard output" 0
claim "beside the output of a sink" grep -qx 1 "$out"
claim "each a line" equal "$(grep '^{' "$out" | jq -r .record)" x
claim "and no file has that name" test ! -e ./-
rm dash.csv dash.lua
args=(--summary nodir/s)
claim_finds "a summary that cannot be written" 1 "p.lua: error: --summary: cannot open nodir/s: No such file"
args=(--state nodir/s)
claim_finds "a state that cannot be kept" 1 "--state: cannot keep snapshots in nodir/s: No such file"
args=(--state data.csv)
claim_finds "a file as directory of states" 1 "--state: cannot keep snapshots in data.csv: it is not a directory"
if [[ $(id -u) != 0 ]]; then
    touch secret.csv
    chmod 0 secret.csv closed
    args=(--set data=secret.csv)
    claim_finds "an input without permission" 1 "cannot read secret.csv: Permission denied"
    args=(--set out=closed/x)
    claim_finds "a folder without permission" 1 "cannot open closed/x: the folder closed does not allow new files"
    chmod 700 closed
fi

args=(--set column=citty)
claim_finds "a column that the header lacks" 2 \
    "p.lua:7: error: --set column=citty: columns (feature.columns): columns: there is no column 'citty': did you mean 'city'?" \
    "(columns: city, kind, amount)"
args=(--set data=data.csv.gz --set column=citty)
claim_finds "one that a compressed header lacks" 2 "there is no column 'citty': did you mean 'city'?"
args=(--set column=citty --set q=80 --set of=modell --set out=nodir/x --summary nodir/s)
claim_finds "five mistakes" 2 "q must be" "no column 'citty'" "no stage has this id; did you mean 'model'?" \
    "cannot open nodir/x" "cannot open nodir/s" "leat: 5 errors"
claim "no stage is said to follow nothing" sh -c "! grep -q 'line 0' '$err'"

for words in "the script:p.lua" "an input of file (source.file):data.csv"; do
    ln -s "${words#*:}" link
    for name in "${words#*:}" link; do
        args=(--summary "$name")
        claim_finds "a summary into ${words#*:} as $name" 2 \
            "--summary = \"$name\" is also ${words%:*} and would be overwritten"
        args=(--set out="$name")
        claim_finds "a sink into ${words#*:} as $name" 2 "path = \"$name\" is also ${words%:*} and would be overwritten"
    done
    rm link
done
args=(--set out=o --summary o)
claim_finds "a summary into a sink's file" 2 "--summary = \"o\" is also written by top (sink.top)"
ln -s o to_nothing
for name in ./o "$PWD/o" sub/../o to_nothing; do
    args=(--set out=o --summary "$name")
    claim_finds "the same file by another name, $name, before it exists" 2 "is also written by top (sink.top)"
done
rm to_nothing
mkdir states
args=(--summary states/s --state states)
claim_finds "a summary in the directory of the state" 2 "--summary = \"states/s\" is in the directory of --state"
rmdir states
claim "the input is as it was" equal "$(wc -l <data.csv)" 3
claim "nothing was made" equal "$(echo *)" "$(printf '%s ' closed data.csv data.csv.gz p.lua secret.csv stderr stdout \
    sub why | sed 's/ $//' | { [[ -e secret.csv ]] && cat || sed 's/ secret.csv//'; })"

printf 'old\n' >old
leat_run check p.lua --set out=old --set dead=sub/d --summary sub/s --state sub/st
claim_exit "files that can be made or written are in order" 0
claim "and check leaves them as they were" equal "$(cat old) $(ls sub)" "old "

cat >refuses.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "r" { leat.source.null { records = 10, text = "1 1:1" }, leat.parse.libsvm {},
  leat.learn.awm { budget = leat.args.budget }, leat.sink.null {} }
LUA
leat_run run refuses.lua --set budget=8KB --state st --quiet
claim_exit "a run keeps its state" 0
leat_run check refuses.lua --set budget=8KB --state st
claim_exit "check finds that the same pipeline may continue" 0
leat_run check refuses.lua --set budget=4KB --state st
claim_exit "check finds that another budget may not" 2
claim_says "and says why" "budget is \"4KB\" here" "--reset STAGE"

# ---- records within records ----
printf 'a,n\nx,1\ny,two\n' >letters.csv
cat >letters.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "letters" {
  leat.source.file { path = "letters.csv" }, leat.parse.csv {}, leat.label.number { column = "n" }, leat.sink.null {},
  dead_letters = "letters", max_reject_ratio = 1,
}
LUA
leat_run run letters.lua --quiet
cat >again.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "again" {
  leat.source.file { path = "letters" }, leat.parse.dead_letters {}, leat.parse.csv { header = false, columns = { "a", "n" } },
  leat.label.number { column = "n" }, leat.sink.null {},
}
LUA
leat_run check again.lua
claim_exit "dead letters are tried before a run" 0
claim_says "what they hold goes through the stages" \
    "1 of the first 1 record is rejected, such as letters:1: column 'n': 'two' is not a number"

# ---- without the data ----
for given in "--set data=nowhere/x.csv" "--set out=nowhere/out" "--summary nowhere/s.json" "--set column=colour"; do
    read -ra args <<<"$given"
    leat_run check p.lua "${args[@]}"
    claim "$given is found" test "$status" -ne 0
    leat_run check p.lua --offline "${args[@]}"
    claim_exit "and not with --offline, which opens no file" 0
done
leat_run check p.lua --offline --set q=80
claim_exit "what is wrong in the script is found" 2
claim_says "with its line" "p.lua:6: error:"
leat_run run p.lua --quiet --state kept
leat_run check p.lua --offline --state kept --set data=nowhere/x.csv
claim_exit "snapshots are looked at" 0
claim "as --state names them" grep -q "model.*resumes" "$out"
leat_run check p.lua --offline --online
claim_exit "with --online it is refused" 2
claim_says "in a sentence" "leat: --offline opens nothing, and --online asks brokers: give one of them"
done_claims
