# From one machine to many: splits that processes learn in any order, some twice, one of which is killed.
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/many.sh"
many=$PWD/pipelines/many data=$PWD/pipelines/data/houston-flights.csv.zst
cd "$tmp" || exit 1
put_leat_into "$tmp/bin"
ask=(explain - --outlier 'ArrDelay >= 45' --attributes UniqueCarrier,Origin,Dest,DayOfWeek
    --columns "$(zstd -dc "$data" | head -n 1)")

mkdir splits again other bad
zstd -dc "$data" | tail -n +2 >rows
(cd splits && split -n l/8 -d -a 1 ../rows "" && : >8)
run_one() { "$LEAT" "${ask[@]}" --quiet "$@" 2>>"$err"; }
run_one --split all --state one.snapshot <rows
answer() { "$LEAT" model top "$1" --format csv --k 1000; }
has_all() { # FILE: its answer is that of one process, byte for byte
    cmp <(answer one.snapshot) <(answer "$1")
}
claim "one process has rows to compare" [ "$(answer one.snapshot | wc -l)" -gt 20 ]

# ---- xargs ----
spread() { "$many/xargs.sh" splits states "${ask[@]}" >"$out" 2>"$err"; status=$?; }
KILLED=3 spread
claim "a task that is killed fails the whole" [ $status != 0 ]
claim "and leaves no state" [ ! -e states/3.snapshot ]
claim "while all others are learned" [ "$(find states -name '*.snapshot' | wc -l)" = 8 ]
before=$(stat -c %Y%i states/0.snapshot)
spread
claim_exit "run again, the rest is learned, and all is merged" 0
claim "nothing was learned again" [ "$before" = "$(stat -c %Y%i states/0.snapshot)" ]
claim "the answer is that of one process" has_all states.snapshot
cp states.snapshot flat.snapshot
spread
claim_exit "a third time there is nothing to do" 0
claim "and nothing changes" cmp states.snapshot flat.snapshot

# ---- a split twice, an empty one, missing ones ----
run_one --split 5 --state again/ <splits/5
claim "a split that is learned twice has the same state, byte for byte" cmp again/5.snapshot states/5.snapshot
leat_run model merge twice.snapshot states/ again/
claim_exit "a split that comes twice" 0
claim "counts once" cmp twice.snapshot flat.snapshot
claim_says "and is named" 5
run_one --split 5 --state other/ <splits/6
leat_run model merge wrong.snapshot states/ other/
claim_exit "another content by the name of a split is refused" 1
claim "and no state is written" [ ! -e wrong.snapshot ]
leat_run model merge part.snapshot states/[1-8].snapshot --of 9
claim_exit "a merge of too few splits fails" 1
claim "and writes nothing" [ ! -e part.snapshot ]
leat_run model merge part.snapshot states/[0-7].snapshot --of 9
claim_says "an empty split is one of them" "splits are missing: 8"

# ---- Slurm, whose array is imitated: tasks in any order, two of them again ----
for SLURM_ARRAY_TASK_ID in 6 2 8 0 5 2 1 7 3 4 6; do
    export SLURM_ARRAY_TASK_ID
    "$many/slurm.sh" splits array "${ask[@]}" 2>"$err" || echo "not ok task $SLURM_ARRAY_TASK_ID"
done
leat_run model merge array.snapshot array/ --of 9
claim_exit "the states of an array are merged" 0
claim "to the same bytes" cmp array.snapshot flat.snapshot

# ---- what a scheduler sees ----
printf 'AA,"' >bad.csv
leat_run "${ask[@]}" --quiet --split bad --state bad/ <bad.csv
claim_exit "a split that cannot be read is 1: do not try it again" 1
claim "and has no state" [ ! -e bad/bad.snapshot ]
leat_run "${ask[@]}" --quiet --split 1 <splits/1
claim_exit "a usage without a place for the state is 2" 2
rest_is_long

# ---- an engine: states by pipes, one of several attempts of each task, a tree of random shape ----
mkdir piped
for i in 7 3 0 8 1 6 2 5 4; do run_one --split $i --state - --base64 <splits/$i; done >lines
claim "a state in base64 is a line" equal "$(wc -l <lines)" 9
for i in 7 3 0 8 1 6 2 5 4; do read -r line && base64 -d <<<"$line" >piped/$i.snapshot; done <lines
claim "of the same bytes" diff -r -x .question piped states
leat_run model merge text.snapshot - <lines
claim "lines are merged" cmp text.snapshot flat.snapshot
RANDOM=7
tree() { # prints how many merges it has
    local all=() from=(states array piped) i j n=0
    for i in 0 1 2 3 4 5 6 7 8; do all+=("${from[RANDOM % 3]}/$i.snapshot"); done
    while ((${#all[@]} > 1)); do
        i=$((RANDOM % ${#all[@]})) j=$((RANDOM % (${#all[@]} - 1)))
        ((j < i)) || j=$((j + 1))
        n=$((n + 1))
        cat "${all[i]}" "${all[j]}" | "$LEAT" model merge - - >node.$n || return
        all[i]=node.$n
        unset "all[j]" && all=("${all[@]}")
    done
    cp "${all[0]}" tree.snapshot && echo $n
}
for _ in 1 2; do
    claim "a tree has eight merges" equal "$(tree)" 8
    claim "and the bytes of a flat merge" cmp tree.snapshot flat.snapshot
done
done_claims
