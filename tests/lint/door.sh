#!/usr/bin/env bash
# Allowed tracked files: names in the root, types of files, and lengths of lines and subjects.
source "$(dirname "$0")/../support/lint.sh"

in_root='\.[^/]*|Makefile|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|LICENSE'
folders='\.ci|docs|findings|lua|pipelines|plugins|runtime|tests'
strangers_in_root() {
    git ls-files | grep -v / | grep -vE "^($in_root)$"
    git ls-files | sed -n 's|/.*||p' | sort -u | grep -vE "^($folders)$"
}
nothing "the root holds the known files and folders alone" strangers_in_root

types='c h cpp rs java lua sh awk md html css mk tsv csv txt zst svg png service xml py sql 1'
names='Makefile Containerfile LICENSE suppressions frozen equivalent .gitignore .editorconfig .clang-format .clang-tidy .ci/run
    runtime/sdk/templates/CMakeLists.txt docs/package/control'
unknown_types() {
    git ls-files | awk -v types="$types" -v names="$names" '
        BEGIN { split(types, t, /[ \n]+/); for (i in t) known["." t[i]]; split(names, n, /[ \n]+/);
        for (i in n) name[n[i]] }
        { base = type = $0; sub(/.*\//, "", base); sub(/.*\./, ".", type) }
        !($0 in name) && !(base in name) && !(base ~ /.\./ && type in known)'
}
nothing "each tracked file has a known type" unknown_types

long_lines() {
    local columns=$1
    shift
    git ls-files "$@" | grep -v '^tests/abi/' | xargs -r grep -HnE "^.{$((columns + 1))}"
}
nothing "no line of C has over 100 columns" long_lines 100 '*.c' '*.h' '*.cpp'

# Prints lines of shell with over 120 columns, not counting quoted texts. It leaves out programs in other languages: in
# here-documents, and in quotes over several lines.
long_shell() {
    git ls-files '*.sh' .ci/run | LC_ALL=C xargs -r awk '
        FNR == 1 { within = quoted = "" }
        { gsub(/[\200-\277]/, "") } # a character of UTF-8 is a column
        within != "" { text = $0; gsub(/^[ \t]+/, "", text); if (text == within) within = ""; next }
        {
            code = $0
            if (quoted == "" && code ~ /^ *#/) { if (length(code) > 120) print FILENAME ":" FNR ": " code; next }
            was = quoted
            gsub(/\\./, "", code)
            n = length(code)
            left = ""
            for (i = 1; i <= n; i++) {
                c = substr(code, i, 1)
                if (quoted != "") { if (c == quoted) quoted = "" }
                else if (c == "\x27" || c == "\"") quoted = c
                else left = left c
            }
            if (was == "" && length(left) > 120) print FILENAME ":" FNR ": " $0
            if (quoted == "" && match(left, /<<-?[A-Z]+/)) within = substr(left, RSTART + 2, RLENGTH - 2)
            else if (quoted == "" && match($0, /<<-?[\x27"\\]?[A-Z]+/)) {
                within = substr($0, RSTART + 2, RLENGTH - 2)
                gsub(/[-\x27"\\]/, "", within)
            }
        }'
}
nothing "no line of shell has over 120 columns without its texts" long_shell

long_subjects() { git log --format='%h %s' "$(release)..HEAD" | grep -E '^[^ ]+ .{61}'; }
nothing "no subject of a commit since the release has over 60 characters" long_subjects

undone() { git grep -nIE 'TO[D]O|FIX[M]E|(^|[^X])X[X]X([^X]|$)' -- runtime plugins lua pipelines docs; }
nothing "nothing is left undone by its own words" undone
done_claims
