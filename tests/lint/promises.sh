#!/usr/bin/env bash
# Promises of README, guide and stage pages, each with the test that holds it.
#
# tests/lint/promises.tsv has a line for each: the beginning of the promise or words in it, a test, and words of the
# test. A sentence is a promise if it has one of the words below.
source "$(dirname "$0")/../support/lint.sh"
list=tests/lint/promises.tsv
promising='never|always|whatever|same bytes|bit for bit|in any order|do(es)? not depend|exactly once'
promising+='|(change|lose|write|read|commit|learn|lock|load|keep)s? nothing|nothing (is|was|else|changes|grows|can)'
pages() { git ls-files README.md 'docs/guide/*.md' 'plugins/*.md'; }

# Prints the sentences of the pages, each on a line behind the name of its page. Examples and headings are none.
sentences() {
    pages | while read -r page; do
        awk '/^```/ { code = !code; next } code || /^    / || /^#/ { next }
            /^$/ || /^[|]/ || /^[-*] / || /^[0-9]+\. / { printf "\n" } { printf "%s ", $0 } END { print "" }' "$page" |
            sed -E 's/([.!?;:])( +)([A-Z`*|])/\1\n\3/g; s/ +/ /g; s/^ //' | sed "s|^|$page: |"
    done
}

# Prints promises that the list lacks.
unlisted() {
    sentences | grep -iE ": .*\b($promising)\b" | awk -F'\t' 'FNR == NR { known[$1]; next }
        { for (text in known) if (index($0, text)) next; print }' "$list" -
}
nothing "each promise of a page is in tests/lint/promises.tsv" unlisted

gone_promises() {
    sentences | awk -F'\t' 'FNR == NR { text[$1]; next } { for (t in text) if (index($0, t)) delete text[t] }
        END { for (t in text) print t }' "$list" -
}
nothing "each line of the list is a promise of a page" gone_promises

without_test() {
    while IFS=$'\t' read -r promise test words_of_test; do
        [[ $test == - ]] || grep -qF -- "$words_of_test" "$test" || echo "$promise: $test has no '$words_of_test'"
    done <"$list"
}
nothing "each has its test" without_test

# Prints lines that name no test: sentences with a promise's words that promise nothing.
idle() { awk -F'\t' 'NF != 3 || ($2 == "-" && $3 == "")' "$list"; }
nothing "a line has a test, or says after - why it needs none" idle
done_claims
