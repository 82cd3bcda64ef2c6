#!/bin/sh
# xargs.sh -- learns every file of a folder, a process for each processor, and merges what they learned.
#
#   xargs.sh SPLITS STATES explain - --columns date,delay --outlier 'delay >= 60'
#
# Each file of SPLITS is a split. Its state is STATES/NAME.snapshot, and STATES.snapshot is all of them. The command
# reads a split from standard input. Run the same line again after a failure: it learns what has no state, or changed.
# STATES/.question keeps the question, as the states of another one must not be taken for it.
# "|| exit 1": xargs starts no more tasks after one that a signal ends.
set -eu
export SPLITS="$1" STATES="$2"
shift 2
mkdir -p "$STATES"
[ -e "$STATES/.question" ] || printf '%s\n' "$@" >"$STATES/.question"
printf '%s\n' "$@" | cmp -s - "$STATES/.question" || { echo "$0: $STATES has another question: name a new folder" >&2; exit 2; }

ls "$SPLITS" | tr '\n' '\0' | xargs -0 -P "$(nproc)" -I{} sh -c '
    split=$1 && shift && [ ! "$STATES/$split.snapshot" -nt "$SPLITS/$split" ] || exit 0
    leat "$@" --quiet --split "$split" --state "$STATES/" <"$SPLITS/$split" || exit 1' sh {} "$@"
leat model merge "$STATES.snapshot" "$STATES/" --of "$(ls "$SPLITS" | wc -l)"
