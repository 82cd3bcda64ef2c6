# Answers of `every`, by examples and by event time, come at exactly their records: random pipelines write the same
# bytes however their input is cut. It is cut by batches, by writes to a pipe, and by runs over a file that grows.
# tier: long (50 s)
. "$(dirname "$0")/../support/claims.sh"
cuts_lua=$(realpath "$(dirname "$0")/../support/cuts.lua")
cd "$tmp" || exit 1

awk 'BEGIN { srand(1); t = 1700000000; print "t,u,v,y"
    for (i = 0; i < 2500; i++) {
        t += int(rand() * 3); late = rand() < .05 ? int(rand() * 40) : 0; u = int(rand() * rand() * 60)
        printf "%s,u%d,%.2f,%d\n", rand() < .01 ? "" : t - late, u, rand(), rand() < (u % 5) / 6
    } }' >whole.csv
bytes=$(wc -c <whole.csv)

# cuts_run DIR INPUT [OPTION…]: one run, with random batches and threads
cuts_run() {
    local dir=$1 input=$2
    shift 2
    mkdir -p "$dir"
    "$LEAT" run "$cuts_lua" --quiet --set "seed=$seed" --set "to=$dir" --set "input=$input" \
        --set threads=$((RANDOM % 4 + 1)) --set rows=$((RANDOM % 2 ? RANDOM % 20 + 1 : RANDOM % 3000 + 1)) "$@" \
        2>"$dir.err"
}
cuts_at() { for ((k = RANDOM % 4; k >= 0; k--)); do echo $((1 + RANDOM * RANDOM % bytes)); done | sort -n; }

cuts_of_pipe() {
    local at from=0
    for at in $(cuts_at) "$bytes"; do
        tail -c +$((from + 1)) whole.csv | head -c $((at - from))
        from=$at
        sleep 0.02
    done | cuts_run pipe -
}
cuts_of_file() { # one run in three is killed at a snapshot
    local at fault
    for at in $(cuts_at) "$bytes"; do
        head -c "$at" whole.csv >grown.csv
        ((RANDOM % 3)) && fault='' || fault=snapshot_durable:$((RANDOM % 4 + 1))
        LEAT_FAULT=$fault cuts_run grown grown.csv --state state --every $((RANDOM % 900 + 1))
    done
    cuts_run grown grown.csv --state state
}

# cuts_judge SEED: returns 0 if all runs write the same bytes. Dead letters come in the order of batches (state.md).
cuts_judge() {
    local seed=$1 dir
    RANDOM=$1
    rm -rf one other pipe grown state
    cuts_run one whole.csv || { echo "seed $seed: exit $?" && tail -3 one.err; return 1; }
    cuts_run other whole.csv || { echo "seed $seed: exit $?" && tail -3 other.err; return 1; }
    cuts_of_pipe || { echo "seed $seed: a pipe: exit $?" && tail -3 pipe.err; return 1; }
    cuts_of_file 2>/dev/null || { echo "seed $seed: a file: exit $?" && tail -3 grown.err; return 1; }
    for dir in one other pipe grown; do
        sed -Ei 's/"seconds":[0-9.e+-]*//; s/"input":"[^"]*"//' "$dir"/* && sort -o "$dir/dead" "$dir/dead"
    done
    for dir in other pipe grown; do diff -rq one $dir || { echo "seed $seed: other bytes"; return 1; }; done
}

for seed in $(seq "$(repeats 3 60)"); do
    claim "pipeline $seed: the same however it is cut" cuts_judge "$seed"
done
rest_is_long
claim "and there were answers" test -s one/1
done_claims
