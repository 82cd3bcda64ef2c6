# Processes of one machine: xargs, GNU parallel and the tasks of an array, with tasks that are killed and run twice.
# tier: long (60 s)
. "$(dirname "$0")/../support/engines.sh"
many=$root/pipelines/many
flights

# Runs the same line again if a task was killed.
again_if_killed() {
    rm -rf "$LEAT_ONCE"
    "$@" || { [[ -d $LEAT_ONCE ]] && "$@"; }
}
for n in 8 64; do
    measured "xargs" $n "$many/xargs.sh" splits.$n states.$n "${ask[@]}"
    claim_exit "xargs learns $n splits" 0
    claim "to the counts of one process" same_counts states.$n.snapshot
    KILLED=05 measured "xargs, a task killed, all again" $n again_if_killed "$many/xargs.sh" splits.$n killed.$n "${ask[@]}"
    claim_exit "and again, after one of $n tasks was killed" 0
    claim "it was killed" [ -d "$LEAT_ONCE" ]
    claim "to the same bytes" noted_if cmp states.$n.snapshot killed.$n.snapshot
done

mkdir twice
measured "one split twice" 1 leat "${ask[@]}" --quiet --split 03 --state twice/ <splits.8/03
claim "a split that runs twice gives the same bytes" cmp twice/03.snapshot states.8/03.snapshot
measured "merge of 64 states" 64 leat model merge merged.snapshot states.64/ --of 64
claim_exit "64 states are merged" 0
claim "to the same bytes, again" noted_if cmp merged.snapshot states.64.snapshot
measured "merge of 8, one twice" 9 leat model merge twice.snapshot states.8/ twice/ --of 8
claim_exit "a state that comes twice counts once" 0
claim "it changes no byte" noted_if cmp twice.snapshot states.8.snapshot

# GNU parallel cuts the file itself: each block begins with the heading.
if [[ ! -e $engines/usr/bin/parallel ]]; then
    mkdir -p "$engines"
    (cd "$engines" && apt-get -qq download parallel=20221122+ds-2 && dpkg -x parallel_*.deb .)
fi
if [[ -e $engines/usr/bin/parallel ]]; then
    export PATH=$engines/usr/bin:$PATH HOME=$tmp
    { echo date,delay,distance,origin,destination && cat rows; } >headed
    headed=(explain - "${ask[@]:4}")
    measured "GNU parallel --pipe" 8 "$many/parallel.sh" headed parallel 16M "${headed[@]}"
    claim_exit "GNU parallel learns blocks" 0
    claim "to the counts of one process" same_counts parallel.snapshot
    rm -rf "$LEAT_ONCE"
    KILLED=3 measured "GNU parallel --pipe, a task killed" 8 "$many/parallel.sh" headed retried 16M "${headed[@]}"
    claim "a block whose task is killed is tried again" [ $status = 0 -a -d "$LEAT_ONCE" ]
    claim "to the same bytes" noted_if cmp parallel.snapshot retried.snapshot
else
    skip "GNU parallel" "there is no package of it"
fi
show_table
done_claims
