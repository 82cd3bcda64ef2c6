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

# note_standin NAME FILE: "rows,sha256" to standin-NAME.csv in $out.
note_standin() {
    echo "$(($(wc -l <"$2"))),$(sha256sum <"$2" | cut -d" " -f1)" >"$out/standin-$1.csv"
}

# plain FILE: what it holds, decompressed.
plain() {
    echo 'local leat = require "leat"
return leat.pipeline "plain" { leat.source.file { path = leat.args.data }, leat.sink.file {} }' >"$tmp/plain.lua"
    "$LEAT" run "$tmp/plain.lua" --set data="$1" --quiet
}

# take DATASET: sets name, data and rows; the driver's make_standin prints what is not given.
take() {
    name=$1 data=${!1:-}
    if [[ -z $data ]]; then
        name=$1~ data=$tmp/$1
        make_standin "$1" >"$data"
        note_standin "$1" "$data"
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

# verdicts TITLE HEAD less|more TOLERANCE DIGITS: a table of lines "row,paper,method,leat": what the paper
# prints (or nothing; >X: more than X), what its method has here, and leat's default, and which it is to be.
# Figures that differ by no more than the share TOLERANCE count as equal.
verdicts() {
    printf '\n**%s**\n\n' "$1"
    printf "| %s | paper | paper's method here | leat's default | verdict |\n|---|---|---|---|---|\n" "$2"
    awk -F, -v sense="$3" -v tolerance="$4" -v digits="$5" '
        function cell(x) { return x == "" ? "–" : x + 0 == x ? sprintf("%." digits "f", x) : x }
        function size(x) { return x < 0 ? -x : x }
        # 1: a is the better one, -1: b is, 0: they are equal
        function compare(a, b) {
            if (size(a - b) <= tolerance * size(b)) return 0
            return (a < b) == (sense == "less") ? 1 : -1
        }
        function verdict(paper, method, leat,  v, c) {
            if (paper == "" || method == "") return paper == "" ? "no figure of the paper" : "not run"
            if (sub(/^>/, "", paper)) v = compare(method + 0, paper + 0) > 0 ? "better" : "not reached"
            else { c = compare(method, paper + 0); v = c > 0 ? "better" : c < 0 ? "not reached" : "met" }
            c = leat == "" ? 0 : compare(leat, method)
            return v (c > 0 ? "; the default is better" : c < 0 ? "; the default is worse" : "")
        }
        { print "| " $1 " | " ($2 == "" ? "–" : $2) " | " cell($3) " | " cell($4) " | " verdict($2, $3, $4) " |" }'
}

# floors TITLE: a table of lines "claim,what the paper says,paper's method here,leat's default,floor": a claim holds
# of a figure that is no less than floor.
floors() {
    printf '\n**%s**\n\n' "$1"
    printf "| claim | paper | paper's method here | leat's default | verdict |\n|---|---|---|---|---|\n"
    awk -F, '
        function cell(x) { return x == "" ? "–" : sprintf("%.3f", x) }
        function verdict(x) { return x >= $5 ? "holds" : "does not hold" }
        {
            v = verdict($3)
            if ($4 != "" && verdict($4) != v) v = v "; of the default it " verdict($4)
            print "| " $1 " | " $2 " | " cell($3) " | " cell($4) " | " v " |"
        }'
}
