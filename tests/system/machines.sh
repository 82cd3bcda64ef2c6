#!/usr/bin/env bash
# The same input and seed give the same bytes on every machine: states, answers and predictions of all stages with a
# state, and of evaluators. Snapshots continue on another machine.
#
# Other processors are emulated (qemu-x86_64), so code for one kind of processor is chosen there. `make test-machines`
# builds also what else is tried here: CLANG is a leat by another compiler; OTHER runs one for another kind of machine.
# Without it, those of build/ are run, for arm64 and for s390x, a big-endian machine. Their libraries are in / or in
# build/root-ARCHITECTURE. RUN is that of tests/run.sh.
# tier: long (60 s)
source "$(dirname "$0")/../support/claims.sh"
source "$(dirname "$0")/../support/every_state.sh"
build=$PWD/build
cd "$tmp" || exit
CLANG=${CLANG:-$build/release-clang/bin/leat}
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

# in_turn NAME COMMAND…: runs of ever longer files, here and by a leat of another kind of machine.
in_turn() {
    local name=$1 part=0 where
    shift
    for where in here there here there; do
        if [[ $where == here ]]; then
            every_state_run "$name" "${cut[part++]}" "$LEAT"
        else
            every_state_run "$name" "${cut[part++]}" "$@"
        fi || return
    done
}

# on_another NAME COMMAND…: COMMAND is a leat of another kind of machine.
on_another() {
    local name=$1
    if ! "${@:2}" --version >/dev/null 2>&1; then
        skip "on $name" "this cannot run here: ${*:2}"
        return
    fi
    same_as_home "on $name" "there_$name" "${@:2}"
    claim "$name: runs of a part each, on both machines in turn" in_turn "turns_$name" "${@:2}"
    claim "$name: evaluated here" every_state_evaluate "turns_$name" "$LEAT"
    claim "$name: a snapshot continues on another kind of machine to the same bytes" \
        equal "$(every_state_same home "turns_$name")" ""
}

# of_build ARCHITECTURE: the leat of build/ for this kind of machine.
of_build() {
    local root=$build/root-$1
    [[ -d $root ]] || root=/
    on_another "$1" "qemu-$1" -L "$root" "$build/release-$1-linux-gnu/bin/leat"
}
[[ -n ${OTHER:-} || -z ${RUN:-} ]] || OTHER="$RUN $build/release-aarch64-linux-gnu/bin/leat"
if [[ -n ${OTHER:-} ]]; then
    # shellcheck disable=SC2086
    on_another other $OTHER
else
    of_build aarch64
    of_build s390x
fi
done_claims
