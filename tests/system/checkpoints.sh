# Numbers of checkpoints: 1, 2, 3, …, up to the last, for every stage that gets them.
# tier: long (90 s, waits)
. "$(dirname "$0")/../support/claims.sh"
mkdir "$tmp/plugins"
cp "${B:-build/release}/tests/plugins/numbers.so" "$tmp/plugins"
cd "$tmp" || exit 1
cat >numbers.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "numbers" {
  leat.stage("source.numbers", { path = "lines", rows = a.rows }),
  leat.parse.lines {},
  leat.stage("sink.numbers", { path = "lines", name = a.name }),
  threads = a.threads,
}
LUA
run() { leat_run run numbers.lua --plugin-path plugins --quiet "$@"; }
heard() { sed -n "s/^$1 //p" lines | paste -sd' '; } # heard WHO: the numbers, in their order
all_heard() {                                        # all_heard N: those that all hear of are 1 to N
    local want who
    want=$(seq -s' ' "$1")
    for who in "source barrier" "source durable" "sink barrier"; do
        equal "$(heard "$who")" "$want" || return 1
    done
}

for threads in 1 2 3; do
    rm -rf lines state
    run --set rows=1000 --set threads=$threads
    claim_exit "without --state, $threads threads" 0
    claim "the numbers are 1 to 10, the last one included" all_heard 10
    rm -f lines
    run --set rows=1000 --set threads=$threads --state state
    claim "with --state they are the same" all_heard 10
    claim "the newest snapshot has the last one" equal "$(ls state/*.snapshot |
        tail -1)" state/0000000000000010.snapshot
    run --set rows=1250 --set threads=$threads --state state
    claim "a run that continues goes on with the next" equal "$(heard "sink barrier")" "$(seq -s' ' 13)"
    claim "and says first that the one before is durable" equal "$(heard "source durable")" "$(seq -s' ' 10) $(seq \
        -s' ' 10 13)"
    rm -rf lines state
    run --set rows=1000 --set threads=$threads --set name=commits --state state
    claim "with a sink that commits they are the same" all_heard 10
    claim "and so are those that it commits" equal "$(heard "sink commit")" "$(seq -s' ' 10)"
    claim "each before it is durable" equal "$(grep -c . <(grep -A1 'sink commit' lines | grep 'source durable'))" 10
done
rm -rf lines state
run --set rows=0 --state state
claim "an input without records has one checkpoint" all_heard 1
done_claims
