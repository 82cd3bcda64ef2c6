# Too little memory within the system's limit (ulimit -v) is reported as such: before the run, when it happens, and by
# commands that read snapshots.
# tier: long (9 s)
. "$(dirname "$0")/../support/claims.sh"
[[ $LEAT == *release* ]] || skip_rest "sanitizers need all address space"
check_refuses_too
cd "$tmp" || exit 1
awk 'BEGIN { srand(1); print "a,b,y";
    for (i = 0; i < 150000; i++) print int(rand() * 5000000) "," int(rand() * 5000000) "," i % 2 }' >data.csv
cat >p.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "p" {
  leat.source.file { "data.csv" }, leat.parse.csv {}, leat.label.class { column = "y", classes = { "0", "1" } },
  leat.feature.columns { "a", "b" }, leat.learn[a.learner] { id = "model", max_features = tonumber(a.max), names_budget = "4MB" },
  leat.sink.null {},
}
LUA
limit=$((1 << 20)) # KB
limited() { (ulimit -v $limit && timeout 30 "$LEAT" "$@" >"$out" 2>"$err"); status=$?; }

frequent=(p.lua --set learner=frequent --set max=524288)
limited check "${frequent[@]}" --state none
claim_exit "a plan within the limit passes" 0
claim "without a word" equal "$(cat "$err")" ""

# What the run needs is found by trying, as libraries differ: from where it opens to where it can save.
for ((limit = 60000; limit < 400000; limit += 5000)); do
    rm -rf state
    limited run "${frequent[@]}" --state state --quiet
    grep -q "cannot be saved" "$err" && break
done
claim_exit "a snapshot that finds no memory ends the run" 1
claim_says "which says what it is, the limit, and what to do" \
    "model (learn.frequent): its state cannot be saved: there is not enough memory for a copy: raise the limit of" \
    "(ulimit -v), of which" "are in use, or lower its max_features or budget"
claim_says "it has said at the start that it may" "warning: pipeline: it may take" \
    "for copies of the states (--state)"
limited check "${frequent[@]}" --state none
claim_exit "check passes it, as the plan is a bound" 0
claim_says "and says the same" "warning: pipeline: it may take" "for copies of the states (--state)" "(ulimit -v)"
leat_run run "${frequent[@]}" --state state --reset --quiet
claim "nothing is said without a limit" equal "$(grep -c "it may take" "$err")" 0

rm -rf one two
leat_run run "${frequent[@]}" --split one --state one --quiet
leat_run run "${frequent[@]}" --split two --state two --quiet
for command in "merge three one two" "diff one two" "top one"; do
    for ((limit = 40000; limit < 400000; limit += 10000)); do
        # shellcheck disable=SC2086
        limited model $command
        rm -rf three
        ((status == 0)) && break
        grep -q "of model (learn.frequent)" "$err" && cp "$err" last
        grep -qv "not enough memory\|system gives no .* more\|cannot be loaded\|libraries\|has learned the same" "$err" &&
            cp "$err" other
    done
    claim "leat model ${command%% *} works in the end" test "$status" = 0
    claim "where memory lacks, it names the stage, how much it may take, and the limit" \
        grep -q ": there is not enough memory for the state of model (learn.frequent), which may take .* MB: raise the limit of .* MB (ulimit -v), of which .* MB are in use" last
    claim "and nothing else is blamed" test ! -e other
    rm -f last other
done
done_claims
