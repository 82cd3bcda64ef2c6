#!/usr/bin/env bash
# Results of benchmarks are data, and their page agrees with the data.
source "$(dirname "$0")/../support/lint.sh"
table=tests/bench/results.tsv

# Prints the rows that meet an awk condition. The fields are id, section, claim, figure, unit, target, verdict, command,
# date, machine.
rows() { awk -F'\t' "NR > 1 && ($1)" $table; }

# Prints the rows whose verdict contradicts the figure and a numeric target.
misjudged() {
    awk -F'\t' '
        function holds(figure, target,   part) {
            split(target, part, " ")
            if (part[1] == "<") return figure < part[2] + 0
            if (part[1] == "<=") return figure <= part[2] + 0
            if (part[1] == ">") return figure > part[2] + 0
            if (part[1] == ">=") return figure >= part[2] + 0
            return figure == part[2] + 0
        }
        NR > 1 && $6 ~ /^(<|<=|>|>=|=) [0-9.]+$/ && $7 != (holds($4 + 0, $6) ? "met" : "missed")' $table
}
stale_page() { diff <(tests/bench/results.sh) tests/bench/RESULTS.md; }
too_many() { sed 1,81d $table; }

nothing "the page of results is generated from the data" stale_page
nothing "the page has at most 80 results" too_many
nothing "a result has ten fields" rows 'NF != 10'
nothing "an id stands for one result" rows 'seen[$1]++'
nothing "a claim has at most 12 words" rows 'split($3, words, " ") > 12'
nothing "a figure is one number" rows '$4 !~ /^-?[0-9]+([.][0-9]+)?$/'
nothing "a verdict is met, missed or empty" rows '$7 !~ /^(met|missed|)$/'
nothing "a verdict judges a target" rows '($6 == "") != ($7 == "")'
nothing "a verdict is that of the figure and a numeric target" misjudged
nothing "a date is a day" rows '$9 !~ /^20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/'
done_claims
