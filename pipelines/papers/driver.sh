# shellcheck shell=bash
# driver.sh -- what the drivers of papers beside it share, which source it. Needs jq and leat.
#
# Sourcing it sets here, their folder; LEAT, the program; and tmp, a folder that goes at the end.

here=$(cd "$(dirname "$0")" && pwd)
if [[ -z ${LEAT:-} ]]; then
    LEAT=$here/../../build/leat
    [[ -x $LEAT ]] || LEAT=leat
fi
. "$here/figures.sh"
. "$here/standins.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# usage ARGUMENTS: says what the driver wants, and ends it.
usage() {
    echo "usage: ${0##*/} $1" >&2
    exit 2
}

# full WITH_FULL OTHERWISE
full() { if [[ -n $FULL ]]; then echo "$1"; else echo "$2"; fi; }

# take DATASET: sets name, data and rows; the driver's make_standin prints what is not given.
take() {
    name=$1 data=${!1:-}
    if [[ -z $data ]]; then
        name=$1~ data=$tmp/$1
        make_standin "$1" >"$data"
    fi
    echo 'local leat = require "leat"
return leat.pipeline "rows" {
    leat.source.file { path = leat.args.data }, leat.parse.lines {}, leat.sink.null {},
}' >"$tmp/rows.lua"
    rows=$("$LEAT" run "$tmp/rows.lua" --set data="$data" --quiet --summary - | jq .records)
}

# names DATASETS: as they are in the CSV files.
names() {
    local set
    for set in $1; do if [[ -n ${!set:-} ]]; then echo "$set"; else echo "$set~"; fi; done | paste -sd' '
}
