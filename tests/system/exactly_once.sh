# A committing sink: each record is in its ledger once, whatever happens.
#
# Models and files equal those of an undisturbed run. A file stands for the cluster (ledger.c).
# tier: long (18 s, waits)
. "$(dirname "$0")/../support/claims.sh"
plugins=$PWD/${B:-build/release}/tests/plugins preload=$PWD/${B:-build/release}/tests/preload/late_lock.so
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
mkdir with && cp "$plugins/ledger.so" with
awk 'BEGIN { srand(5); for (i = 0; i < 20000; i++) { y = rand() < .5; if (i % 997 == 5) print "bad line"; else {
    printf "%s", y ? "+1" : "-1"; for (j = 0; j < 6; j++) printf " %d:%.3f", rand() * 400 + (y ? 9 : 0), rand();
    print "" } } }' >a.svm
head -9000 a.svm >b.svm

# The ledger behind a fork, in the middle of a branch, with stages after it.
cat >ledger.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "ledger" {
  leat.source.file { path = "a.svm", ["repeat"] = tonumber(a.times) or 5 },
  leat.parse.libsvm { lanes = 2 },
  leat.tee {
    { leat.learn.awm { id = "awm", budget = "4KB" }, leat.sink.predictions { path = a.to .. ".predictions" } },
    { leat.sink.ledger { path = a.to .. ".ledger" }, leat.learn.logistic { id = "logistic" } },
  },
  batch_rows = 200, threads = tonumber(a.threads), dead_letters = a.to .. ".dead",
}
LUA
# The sink's stream ends long before the other one, which goes on making checkpoints.
cat >uneven.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "uneven" {
  leat.merge {
    { leat.source.file { path = "b.svm" }, leat.parse.libsvm {}, leat.sink.ledger { path = a.to .. ".ledger" }, leat.filter(function() return false end, {}) },
    { leat.source.file { path = "a.svm", ["repeat"] = 4 }, leat.parse.libsvm { id = "second" } },
  },
  leat.learn.wm { id = "awm", budget = "4KB" }, leat.sink.predictions { path = a.to .. ".predictions" },
  batch_rows = 200, dead_letters = a.to .. ".dead",
}
LUA
# Records that others become, and windows that end while others are open.
awk 'BEGIN { srand(6); print "t,k,x"; for (i = 0; i < 60000; i++) if (i % 997 == 5) print "bad line";
    else printf "%d,k%d,%.3f\n", 1700000000 + i + rand() * 50, rand() * 5, rand() }' >a.csv
cat >windows.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local n = 0
local function some(emit, k, x, last)
  n = n + 1
  for i = 1, n % 3 do emit(k, n + i, x) end
  if last then emit("end", n, 0) end
end
return leat.pipeline "windows" {
  leat.source.file { path = "a.csv" }, leat.parse.csv {}, leat.parse.time { "t", format = "unix" },
  leat.flat(some, { "k", "x:number", "@end" }, { "k", "n:number", "x:number" }, { state = "n" }),
  leat.tee {
    { leat.label.is { column = "k", positive = "k1" }, leat.feature.columns { "n" }, leat.learn.awm { id = "awm", budget = "4KB" },
      leat.sink.predictions { path = a.to .. ".predictions" } },
    { leat.filter(function(k) return k ~= "end" end, { "k" }),
      leat.window { "count", "sum(n)", "quantile(x, 0.5)", "distinct(n)", every = "5min", by = { "k" }, lateness = "1min" },
      leat.sink.ledger { path = a.to .. ".ledger", columns = true } },
  },
  batch_rows = 200, threads = tonumber(a.threads), dead_letters = a.to .. ".dead",
}
LUA
run() { # run SCRIPT NAME ARGS…
    local script=$1 to=$2
    shift 2
    leat_run run "$script.lua" --plugin-path with --set to="$to" --state "$to.state" --quiet "$@"
}
# Windows of 5 minutes and keys that there are, of each third record none and of the others one or two.
windows() { awk -F, 'NR > 1 && NF == 3 && ++n % 3 { seen[int($1 / 300) "," $2]++ } END { print length(seen) }' a.csv; }
rows() { sed 1d "$1.ledger"; }
model() { "$LEAT" model dump "$1.state" --plugin-path with --stage awm | grep '"weight\|stage/awm' |
    sed 's/"checkpoint":[0-9]*//'; }
same() { # same A B
    cmp "$1.predictions" "$2.predictions" && cmp "$1.dead" "$2.dead" && cmp <(rows "$1") <(rows "$2") &&
        cmp <(model "$1") <(model "$2")
}

for script in ledger uneven windows; do
    run $script whole --every 3000 --summary s.json
    claim_exit "$script: a run to its end" 0
    declare -A want=([ledger]=99895 [uneven]=8990 [windows]=$(windows))
    claim "$script: each record is in the ledger" equal "$(rows whole | wc -l)" "${want[$script]}"
    claim "$script: checkpoints were committed" [ "$(json .snapshots.committed)" -gt 3 ]
    run $script other --every 0
    claim "$script: so it is with a single checkpoint" same whole other
    rm -rf cut.*
    kills=0
    for _ in $(seq 12); do
        (timeout --foreground -s KILL "0.$((RANDOM % 3))$((RANDOM % 10))" "$LEAT" run $script.lua --plugin-path with \
            --set to=cut --state cut.state \
            --every 2ms --quiet) 2>/dev/null && break
        kills=$((kills + 1))
    done
    run $script cut --every 2ms
    claim_exit "$script: the last of many runs, $kills of them killed" 0
    claim "$script: killed and started again, each record is in the ledger once" same whole cut
    rm -rf cut.*
    echo 9 >cut.ledger.aborts
    run $script cut --every 500 --summary s.json
    claim_exit "$script: nine checkpoints taken back in one process" 0
    claim "$script: and no record was lost or came twice" same whole cut
    claim "$script: the summary counts them" equal "$(json .snapshots.went_back)" 9
    [[ $script == uneven ]] || for place in handed_in snapshot_created snapshot_durable snapshot_prepared \
        transaction_offsets_sent transaction_committed; do
        rm -rf cut.*
        LEAT_FAULT=$place:3 run $script cut --every 20000
        claim_exit "killed at $place" 137
        run $script cut --every 20000 --log-level info
        [[ $place == transaction_offsets_sent ]] && claim_says "what was not committed is dropped" \
            "was not committed: its snapshot is removed"
        claim "killed at $place, it went on to the same" same whole cut
    done
    LEAT_FAULT=snapshot_prepared run $script cut --every 20000 # a finished run: its closing checkpoint
    run $script cut
    claim "$script: a finished run that is started again changes nothing" same whole cut
    mv whole.ledger $script.whole
    rm -rf other.* cut.* whole.state whole.predictions whole.dead
done

# One thread; stopped by a signal.
for threads in 1 3; do
    leat_start ledger.lua --plugin-path with --set to=cut --set threads=$threads --state cut.state --every 20ms --quiet
    sleep 0.1
    leat_stop
done
run ledger cut
claim "stopped by a signal and started again, each record is there once" cmp <(rows cut) <(sed 1d ledger.whole)

# What goes wrong for good.
rm -rf cut.*
echo 1 >cut.ledger.never
run ledger cut --every 0 --summary s.json
claim_exit "what can never be committed is given up" 3
claim_says "with the reason" "the ledger is closed"
claim "after some attempts" equal "$(json .snapshots.went_back)" 5
rm -rf cut.*
leat_start ledger.lua --plugin-path with --set to=cut --set times=100000 --state cut.state --every 10ms --quiet
until_true test -s cut.ledger
echo 99 >cut.ledger.owner
leat_end
claim_exit "who is fenced off ends" 3
claim_says "and says why" "the ledger is another's"

# What is written to is away: a signal ends the run all the same, though two sources are to end at a
# common cut.
rm -rf cut.*
echo 1 >cut.ledger.away
has_files() { (($(ls "$1" | wc -l) >= $2)); }
leat_start uneven.lua --plugin-path with --set to=cut --state cut.state --every 2ms --quiet
until_true has_files cut.state 3
leat_stop
claim_exit "stopped while a commit waits, a run ends" 1
claim_says "and says why" "the ledger is away"
rm cut.ledger.away
run uneven cut
claim "the next one goes on" cmp <(rows cut) <(sed 1d uneven.whole)

# A checkpoint that falls due while workers read, and opens after the last of them has ended.
rm -rf cut.* whole.*
run uneven whole --every 0
LD_PRELOAD=$preload timeout 60 "$LEAT" run uneven.lua --plugin-path with --set to=cut --state cut.state --quiet --every 2ms
status=$?
claim_exit "a run ends whose checkpoint opens after its last worker has ended" 0
claim "and it is one like all others" same whole cut

# Which snapshots hold.
rm -rf cut.*
LEAT_FAULT=transaction_committed:3 run ledger cut --every 10000
truncate -s 90 "$(ls cut.state/*.snapshot | tail -1)"
run ledger cut --every 10000 --log-level warn
claim_exit "without the snapshot of the last checkpoint, a sink that keeps no positions is refused" 1
claim_says "with the reason" "its position in the input is lost" \
    "has committed checkpoint 3, but the newest usable snapshot in cut.state is of checkpoint 2"
rm -rf cut.*
LEAT_FAULT=transaction_committed:5 run ledger cut --every 10000
rm cut.ledger
run ledger cut --every 10000
claim_exit "snapshots that nothing confirms are not used" 1
claim_says "which is said" "depends on transaction cut.ledger"
claim "and they stay" equal "$(ls cut.state/*.snapshot | wc -l)" 3
rm -rf cut.*

leat_run run ledger.lua --plugin-path with --set to=cut --quiet
claim_exit "without --state it is refused" 2
claim_says "with the reason" "exactly once needs --state DIR"
sed 's/leat.learn.logistic { id = "logistic" }/leat.sink.ledger { path = "second" }/' ledger.lua >two.lua
leat_run check two.lua --plugin-path with --set to=cut --state cut.state
claim_exit "two that commit are refused" 2
claim_says "with the reason" "a pipeline can have only one transactional sink"
done_claims
