#!/usr/bin/env bash
# man.sh LEAT OUT -- writes the manual pages: leat.1, and those of commands and applications from what LEAT prints.
# OUT/leat-COMMAND.1 has what `LEAT help COMMAND` prints. OUT/leat-APPLICATION.1 has what `LEAT APPLICATION --help`
# prints, which comes from the arguments that the script declares.
set -eu
leat=$1 out=$2
here=$(dirname "$0")
mkdir -p "$out"
cp "$here/../leat.1" "$out"
version=$("$leat" version | head -1)
date=$(awk -F'[()]' '/^## .*\(/ { print $2; exit }' "$here/../../CHANGELOG.md")

shared='
    function plain(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/…/, "...", text)
        return text ~ /^[.\x27]/ ? "\\&" text : text }
    # Prints an option if there are two blanks before its text.
    function put_option(line,    at) {
        at = match(substr(line, 4), /  +/)
        if (line !~ /^  -[^ ]/ || !at) return 0
        print ".TP\n" plain(substr(line, 3, at)) "\n" plain(substr(line, at + 3 + RLENGTH))
        return 1
    }
    function trimmed(line) { sub(/^ +/, "", line); return line }
    BEGIN { printf ".TH LEAT\\-%s 1 \"%s\" \"%s\"\n.SH NAME\n", toupper(name), date, version }'

# page NAME AWK: writes a page from $out/help
page() { awk -v name="$1" -v version="$version" -v date="$date" "$shared$2" "$out/help" >"$out/leat-$1.1"; }

sed -n 's/^\.It Cm \([a-z]*\).*/\1/p; s/^\.It Cm \(.*\) |.*/\1/p' "$here/../leat.1" | sort -u |
    while read -r command; do
    "$leat" help "$command" >"$out/help" 2>/dev/null || continue
    page "$command" '
        { line[++n] = $0 }
        END {
            what = ""
            for (i = 1; i <= n && what == ""; i++)
                if (line[i] ~ /^  leat / && match(line[i], /[a-z\]\|G]   +[a-z].*$/)) what = substr(line[i], RSTART + 1)
                else if (line[i] ~ /^ {40,}[a-z]/) what = line[i]
            what = trimmed(what)
            printf "leat\\-%s \\- %s\n.SH SYNOPSIS\n.nf\n", name, plain(what == "" ? "run a pipeline" : what)
            for (i = 1; i <= n && line[i] !~ /^  -/; i++) print plain(substr(line[i], 3))
            print ".fi"
            if (i <= n) print ".SH OPTIONS"
            for (; i <= n; i++)
                if (!put_option(line[i]) && line[i] ~ /^ +[^ ]/) print plain(trimmed(line[i]))
            print ".SH SEE ALSO\n.BR leat (1)"
        }'
done

# Applications of the user have no pages.
export XDG_DATA_HOME=$out/none
"$leat" help | sed -n '/^applications:/,$s/^  \([A-Za-z][^ ]*\) .*/\1/p' | while read -r application; do
    "$leat" "$application" --help >"$out/help"
    # lines: the synopsis, the question, the comment with indented examples; then a title before each group of arguments
    page "$application" '
        NR == 1 { synopsis = $0; next }
        /^options of every run/ { exit }
        !NF { gap = 1; next }
        !asked++ {
            printf "leat\\-%s \\- %s\n.SH SYNOPSIS\n%s\n.SH DESCRIPTION\n", name, plain($0), plain(synopsis)
            gap = 0
            next
        }
        /^  -/ { put_option($0); next }
        gap && title($0) { print ".SH " toupper(plain($0)); gap = 0; next }
        /^  / && !code++ { print ".PP\n.nf" }
        /^[^ ]/ && code { code = 0; print ".fi" }
        gap && !code && said { print ".PP" }
        { gap = 0; said = 1; print plain(code ? substr($0, 3) : $0) }
        function title(line) { known = known || line == "arguments"; if (known && code) { code = 0; print ".fi" }
            return known }
        END { if (code) print ".fi"; print ".SH SEE ALSO\n.BR leat\\-run (1)\nhas the options of every run;\n.BR leat (1)" }'
done
rm -f "$out/help"
