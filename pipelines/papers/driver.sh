# shellcheck shell=bash
# driver.sh -- common part of the drivers of papers in this folder, which source it. Needs jq and leat.
#
# It sets here, the drivers' folder; LEAT, the program; and tmp, a folder that is removed at the end.

here=$(cd "$(dirname "$0")" && pwd)
if [[ -z ${LEAT:-} ]]; then
    LEAT=$here/../../build/leat
    [[ -x $LEAT ]] || LEAT=leat
fi
. "$here/figures.sh"
. "$here/standins.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# usage ARGUMENTS: prints the driver's usage, and ends it.
usage() {
    echo "usage: ${0##*/} $1" >&2
    exit 2
}

# full WITH_FULL OTHERWISE: prints the first if FULL is set, the second otherwise.
full() { if [[ -n $FULL ]]; then echo "$1"; else echo "$2"; fi; }

# note_standin NAME FILE: writes "rows,sha256" to standin-NAME.csv in $out.
note_standin() {
    echo "$(($(wc -l <"$2"))),$(sha256sum <"$2" | cut -d" " -f1)" >"$out/standin-$1.csv"
}

# plain FILE: prints the file, decompressed.
plain() {
    echo 'local leat = require "leat"
return leat.pipeline "plain" { leat.source.file { path = leat.args.data }, leat.sink.file {} }' >"$tmp/plain.lua"
    "$LEAT" run "$tmp/plain.lua" --set data="$1" --quiet
}

# take DATASET: sets name, data and rows. The driver's make_standin prints a missing data set.
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

# names DATASETS: prints their names in the CSV files.
names() {
    local set
    for set in $1; do if [[ -n ${!set:-} ]]; then echo "$set"; else echo "$set~"; fi; done | paste -sd' '
}

# verdicts TITLE HEAD less|more TOLERANCE DIGITS: prints a table of lines "row,paper,method,leat": the paper's figure
# (or nothing; >X means more than X), the same method's figure here, leat's default, and whether it must be less or
# more. Figures that differ by at most the share TOLERANCE count as equal.
verdicts() {
    printf '\n**%s**\n\n' "$1"
    printf "| %s | paper | paper's method here | leat's default | verdict |\n|---|---|---|---|---|\n" "$2"
    awk -F, -v sense="$3" -v tolerance="$4" -v digits="$5" '
        function cell(x) { return x == "" ? "–" : x + 0 == x ? sprintf("%." digits "f", x) : x }
        function size(x) { return x < 0 ? -x : x }
        # Returns 1 if a is better, -1 if b is better, 0 if they are equal.
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

# floors TITLE: prints a table of lines "claim,the paper's words,paper's method here,leat's default,floor". A claim
# holds for a figure of at least floor.
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
