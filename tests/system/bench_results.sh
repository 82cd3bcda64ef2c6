#!/usr/bin/env bash
# The results are data, and their page says what the data say.
. tests/support/claims.sh
table=tests/bench/results.tsv
# True if no row meets an awk condition. The fields are id, section, claim, figure, unit, target, verdict, command, date,
# machine.
no_row() { awk -F'\t' "NR > 1 && ($1) { print; found = 1 } END { exit found }" $table >&2; }
judge='
function holds(figure, target,   part) {
    split(target, part, " ")
    if (part[1] == "<") return figure < part[2] + 0
    if (part[1] == "<=") return figure <= part[2] + 0
    if (part[1] == ">") return figure > part[2] + 0
    if (part[1] == ">=") return figure >= part[2] + 0
    return figure == part[2] + 0
}
NR > 1 && $6 ~ /^(<|<=|>|>=|=) [0-9.]+$/ && $7 != (holds($4 + 0, $6) ? "met" : "missed") { print; wrong = 1 }
END { exit wrong }'
claim "the page is generated from the data" diff <(tests/bench/results.sh) tests/bench/RESULTS.md
claim "a result has ten fields" no_row 'NF != 10'
claim "an id stands for one result" no_row 'seen[$1]++'
claim "the page has at most 80 results" test "$(sed 1d $table | wc -l)" -le 80
claim "a claim has at most 12 words" no_row 'split($3, words, " ") > 12'
claim "a figure is one number" no_row '$4 !~ /^-?[0-9]+([.][0-9]+)?$/'
claim "a verdict is met, missed or empty" no_row '$7 !~ /^(met|missed|)$/'
claim "a verdict judges a target" no_row '($6 == "") != ($7 == "")'
claim "a verdict is that of the figure and a numeric target" awk -F'\t' "$judge" $table
claim "a date is a day" no_row '$9 !~ /^20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/'
