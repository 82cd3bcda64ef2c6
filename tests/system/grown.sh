# An input that grows between runs with --state (cron).
#
# The output at the end of an input (open windows, a last line without its end) is cut back by the next run. So the
# outputs equal those of one run over all input.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >grown.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local n = 0
local stages = {
  window = leat.window { "count", "distinct(user)", "quantile(ms, 0.95)", "top(user, 2)", every = "1h" },
  sort = leat.sort_window { lateness = "100s" },
  flat = leat.flat(function(emit, user, ended) n = n + 1; if ended then emit("all", n) end end, { "user", "@end" }, { "what", "n:number" }, { state = "n" }),
  two = { leat.sort_window { lateness = "100s" }, leat.window { "count", every = "10min", lateness = "5min" } },
}
return leat.pipeline "grown" {
  threads = a.threads, dead_letters = a.dead,
  leat.source.file { "a.jsonl" }, leat.parse.json {}, leat.parse.time { "time", format = "unix" },
  stages[a.stage], leat.sink.file { path = a.out, format = "csv" },
}
LUA
gen() { awk -v a="$1" -v b="$2" 'BEGIN { for (i = a; i < b; i++) printf "{\"time\":%d,\"user\":\"u%d\",\"ms\":%d}\n",
    1717200000 + i, i % 50, i % 100 }'; }
run() { leat_run run grown.lua --quiet "$@"; }
gen 0 6000 >all.jsonl
for stage in window sort flat two; do
    cp all.jsonl a.jsonl
    run --set stage=$stage --set out=wanted --state "whole-$stage"
    rm -f a.jsonl got
    for part in "0 1000" "1000 1800" "1800 1800" "1800 5000" "5000 6000"; do
        # shellcheck disable=SC2086
        gen $part >>a.jsonl
        run --set stage=$stage --set out=got --state "state-$stage" --set threads=$((1 + RANDOM % 3))
    done
    claim "$stage: five runs over an input that grew give what one gives" cmp wanted got
    run --set stage=$stage --set out=got --state "state-$stage"
    claim "$stage: and one more run the same again" cmp wanted got
    run --set stage=$stage --set out=plain
    claim "$stage: as does a run without --state" cmp wanted plain
done
leat_run model verify state-window
claim "the snapshots are whole" equal "$status" 0

# ---- kills ----

gen 0 1800 >a.jsonl
rm -f got
for n in 2 3 4; do
    LEAT_FAULT=snapshot_durable:$n run --set stage=window --set out=got --state killed --every 700
done
gen 1800 6000 >>a.jsonl
run --set stage=window --set out=got --state killed --every 700
cp all.jsonl a.jsonl
run --set stage=window --set out=wanted
claim "killed before, at and after the end of the first part the rows are the same" cmp wanted got
gen 0 1800 >a.jsonl
rm -f got
run --set stage=window --set out=got --state damaged
for file in damaged/*.snapshot; do last=$file; done
for file in damaged/*.snapshot; do [[ $file == "$last" ]] || echo x >"$file"; done
gen 1800 6000 >>a.jsonl
run --set stage=window --set out=got --state damaged
claim_says "without a snapshot from before the end the run continues after it, and says so" \
    "the snapshot before the end of the last run's input cannot be read"

# ---- --keep-open ----

gen 0 1800 >a.jsonl
run --set stage=window --set out=- --state open --keep-open
claim "--keep-open gives no window that is open" equal "$(wc -l <"$out")" 1
gen 1800 6000 >>a.jsonl
run --set stage=window --set out=- --state open --keep-open
claim "and gives it once, when it is over" equal "$(tail -n +2 "$out")" "$(sed -n 2p wanted)"
run --set stage=window --set out=- --state open
claim "a run without it gives the rest" equal "$(tail -n +2 "$out")" "$(sed -n 3p wanted)"
leat_run run grown.lua --set stage=window --keep-open
claim_exit "without --state it is refused" 2
claim_says "with what it needs" "--keep-open needs --state"

# ---- a line without its end ----

cat >lines.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "lines" {
  dead_letters = "dead", max_reject_ratio = 1,
  leat.source.file { path = a.data or "h.log", record_start = a.start },
  a.csv and leat.parse.csv { columns = { "x", "y" }, header = false } or a.start and leat.parse.lines {} or leat.parse.logfmt { "x" },
  leat.sink.file { path = a.out, format = a.start and "raw" or "csv" },
}
LUA
# grows NAME ARGS…: the parts in $parts, one after the other, against all of them at once.
grows() {
    local name=$1 part
    shift
    rm -rf h.log got "lines-$name"
    for part in "${parts[@]}"; do
        printf '%b' "$part" >>h.log
        leat_run run lines.lua --quiet --set out=got --state "lines-$name" "$@"
    done
    cp dead dead-got
    leat_run run lines.lua --quiet --set out=wanted "$@"
    claim "$name: a last line without its end is read again" cmp wanted got
    claim "$name: and what was rejected of it is not" cmp dead dead-got
}
parts=('x=10\nx=1' '1\nx=12' '' '3\n' 'y' '=1 x=4\n') && grows logfmt
parts=('1,2\n3,"a\n' 'b"\n4,5' '6\n') && grows csv --set csv=1
parts=('1,2\n3,"a\nc' 'b"\n4,"5\n' '6\n7"\n8,9\n' '1,"x\ny\n') && grows quotes --set csv=1
parts=('E one\n two\n' ' three\nE fo' 'ur\n' 'E five\n') && grows events --set start='^E'
printf 'x=1\nx=2' >h.log
rm -rf got st
leat_run run lines.lua --quiet --set out=got --state st
claim "a last line without its end is a record all the same" equal "$(tr '\n' ' ' <got)" "x 1 2 "
leat_run run lines.lua --quiet --set out=- --state kept --keep-open
claim "with --keep-open it waits" equal "$(tr '\n' ' ' <"$out")" "x 1 "
printf '5\n' >>h.log
leat_run run lines.lua --quiet --set out=- --state kept --keep-open
claim "until it is whole" equal "$(tr '\n' ' ' <"$out")" "x 25 "

# ---- what cannot be cut back ----

cat >several.lua <<'LUA'
local leat = require "leat"
local function part(path)
  return { leat.source.file { path }, leat.parse.json {}, leat.parse.time { "time", format = "unix" } }
end
return leat.pipeline "several" {
  leat.merge { part "a.jsonl", part "b.jsonl" },
  leat.window { "count", every = "1h", lateness = "1h" }, leat.sink.file { path = "several", format = "csv" },
}
LUA
cp a.jsonl b.jsonl
leat_run run several.lua --quiet --state several-state
claim_exit "a pipeline with several sources runs" 0
claim_says "and says that what it gives at the end stays" \
    "are written, and a later run cannot replace them, because the pipeline has several sources: it writes later" \
    "With --keep-open they wait for a later run"
sed 's/leat.window {.*}, leat.sink/leat.sink/' several.lua >merged.lua
leat_run run merged.lua --quiet --state merged
claim "but not where nothing is open" equal "$status $(wc -c <"$err")" "0 0"
leat_run run several.lua --quiet --state several-open --keep-open
claim "not so with --keep-open" equal "$(wc -c <"$err")" 0

# ---- files that grow out of turn ----

cat >windows.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "windows" { leat.source.file { "part/*.csv" }, leat.parse.csv { header = false, columns = { "t" } },
  leat.parse.time { column = "t", format = "unix" }, leat.window { "count", every = "10s" },
  leat.sink.file { path = leat.args.to, format = "csv" } }
LUA
mkdir part && seq 1000 1059 >part/a.csv && : >part/b.csv
leat_run run windows.lua --quiet --state windows-state --set to=windows
seq 1000 1059 >part/b.csv
leat_run run windows.lua --quiet --state windows-state --set to=windows
leat_run run windows.lua --quiet --set to=windows.whole
claim "a last file that was empty is in the same windows as in one run" cmp windows windows.whole
seq 1060 1064 >>part/a.csv
leat_run run windows.lua --quiet --state windows-state --set to=windows
claim_says "a file that grows after it was read to its end is told" "25 bytes were added to files after they had been"

# ---- what a snapshot shows ----

cat >shown.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "shown" {
  leat.source.file { "a.jsonl" }, leat.parse.json {}, leat.shape.reservoir { k = 500 },
  leat.label.is { column = "user", positive = { "u7" } }, leat.feature.columns { "ms" }, leat.learn.awm {}, leat.sink.top { path = "top", k = 5 },
}
LUA
leat_run run shown.lua --quiet --state shown
claim_exit "a sample that is made at the end is learned from" 0
leat_run model top shown
claim "a model is shown with what it learned at the end" grep -q 'ms=' "$out"
done_claims
