#!/bin/sh
# parallel.sh -- cuts a file with a heading into blocks, learns them by GNU parallel, and merges what they learned.
#
#   parallel.sh FILE STATES 64M explain - --outlier 'delay >= 60' --attributes origin,destination
#
# Block 3 is split 3, whose state is STATES/3.snapshot. A block that fails is tried three times.
# Not --pipepart: with it, GNU parallel 20221122 gives a job that it tries again the next block.
set -eu
file=$1 states=$2 block=$3
shift 3
mkdir -p "$states"

parallel --pipe --header : --block "$block" --retries 3 --quote \
    leat "$@" --quiet --split '{#}' --state "$states/" <"$file"
leat model merge "$states.snapshot" "$states/"
