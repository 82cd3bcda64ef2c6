# random_runs.sh -- sourced: one random pipeline (random.lua) with 1, 2 and 8 threads, and with kills under --state.
#   random_inputs          makes part1 … part3 in the working directory
#   random_judge SEED      0: the same bytes each time, or each time the same refusal; else prints what differs
random_lua=${BASH_SOURCE%/*}/random.lua
[[ $random_lua == /* ]] || random_lua=$PWD/$random_lua

random_inputs() {
    local i
    for i in 1 2 3; do
        awk -v seed="$i" 'BEGIN { srand(seed); for (i = 0; i < 300 * seed; i++)
            printf "%c,%d,b%d\n", 97 + int(rand() * 3), rand() * 9, rand() * 20 }' >part$i
    done
    sed -i '70s/.*/too,few/' part2
    gzip -kf part1
}

random_run() { # random_run DIR THREADS [OPTION…]: 124: stuck, killed after a minute
    local dir=$1 threads=$2
    shift 2
    mkdir -p "$dir"
    timeout -s KILL 60 "$LEAT" run "$random_lua" --quiet --set "seed=$seed" --set "to=$dir" --set "threads=$threads" \
        "$@" 2>"$dir.err"
}

random_same() { # random_same DIR STATUS WORDS
    [[ $2 == "$first" && $2 -le 2 ]] || { echo "seed $seed, $3: exit $2, with 1 thread $first"; tail -3 "$1.err"; return 1; }
    [[ $2 == 2 ]] || diff -rq one "$1" || { echo "seed $seed, $3: other bytes than with 1 thread"; return 1; }
}

random_killed() { # one run, killed up to three times
    local i
    for i in 1 2 3; do
        (timeout --foreground -s KILL "0.0$((RANDOM % 10))" "$LEAT" run "$random_lua" --quiet --set "seed=$seed" --set to=killed \
            --set threads=3 --state state --every 1ms >/dev/null 2>&1)
    done
    random_run killed 3 --state state --every 2ms
}

random_judge() {
    seed=$1
    rm -rf one two eight killed state
    mkdir -p killed
    random_run one 1
    first=$?
    ((first <= 2)) || { echo "seed $seed, 1 thread: exit $first"; tail -3 one.err; return 1; }
    random_run two 2
    random_same two $? "2 threads" || return 1
    random_run eight 8
    random_same eight $? "8 threads" || return 1
    random_killed 2>/dev/null
    random_same killed $? "killed and continued"
}
