#!/usr/bin/env bash
# The same input and seed give the same bytes on every machine: states, answers and predictions of all stages with a
# state, and of evaluators. Snapshots continue on another machine.
#
# Other processors are emulated (qemu-x86_64), so code for one kind of processor is chosen there. `make test-machines`
# builds also what else is tried here: CLANG is a leat by another compiler; OTHER runs one for another kind of machine,
# RUN is that of tests/run.sh.
# tier: long (60 s)
source "$(dirname "$0")/../support/claims.sh"
source "$(dirname "$0")/../support/every_state.sh"
build=$PWD/build
cd "$tmp" || exit
CLANG=${CLANG:-$build/release-clang/bin/leat}
OTHER=${OTHER:-${RUN:-qemu-aarch64 -L /} $build/release-aarch64-linux-gnu/bin/leat}
rows=120 cut=(30 60 90 120)
every_state_make $rows

# at_once NAME COMMAND…: a run of all records by a leat, and its evaluators.
at_once() { every_state_run "$1" $rows "${@:2}" && every_state_evaluate "$@"; }
# same_as_home "words" NAME COMMAND…
same_as_home() {
    claim "$1: a run" at_once "${@:2}"
    claim "$1: the same bytes" equal "$(every_state_same home "$2")" ""
}

claim "a run here" at_once home "$LEAT"
claim "has each stage with a state" equal "$(every_state_missing home)" ""
claim "states have many numbers" [ "$(wc -l <home.dump)" -gt 500 ]
claim "the comparison finds a number that differs" eval '
    mkdir other && cp -r home/* other && sed -i "2s/[0-9]\$/x/" other/awm && equal "$(every_state_same home other)" \
        "Files home/awm and other/awm differ"'
same_as_home "one thread and small batches" threads "$LEAT" --set threads=1 --set batch_rows=7

if qemu-x86_64 "$LEAT" --version >/dev/null 2>&1; then
    for cpu in Nehalem Haswell; do
        same_as_home "on a $cpu" "$cpu" qemu-x86_64 -cpu $cpu "$LEAT"
    done
else
    skip "on other processors" "qemu-x86_64 cannot run $LEAT"
fi
if "$CLANG" --version >/dev/null 2>&1; then
    same_as_home "as clang has built it" clang "$CLANG"
else
    skip "as clang has built it" "there is no $CLANG"
fi

# shellcheck disable=SC2086
$OTHER --version >/dev/null 2>&1 || skip_rest "this cannot run here: $OTHER"
# in_turn NAME WHERE…: runs of ever longer files, "here" or "there".
in_turn() {
    local name=$1 part=0 where
    shift
    for where in "$@"; do
        # shellcheck disable=SC2086
        if [[ $where == here ]]; then
            every_state_run "$name" ${cut[part++]} "$LEAT"
        else
            every_state_run "$name" ${cut[part++]} $OTHER
        fi || return
    done
}
# shellcheck disable=SC2086
same_as_home "on another kind of machine" there $OTHER
claim "runs of a part each, on both machines in turn" in_turn turns here there here there
claim "evaluated here" every_state_evaluate turns "$LEAT"
claim "a snapshot continues on another kind of machine to the same bytes" equal "$(every_state_same home turns)" ""
done_claims
