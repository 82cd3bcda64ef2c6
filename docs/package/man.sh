#!/usr/bin/env bash
# man.sh LEAT OUT -- writes the manual pages OUT/leat-COMMAND.1 from what `LEAT help COMMAND` prints, and leat.1 itself.
set -eu
leat=$1 out=$2
here=$(dirname "$0")
mkdir -p "$out"
cp "$here/../leat.1" "$out"
version=$("$leat" version | head -1)
date=$(awk -F'[()]' '/^## .*\(/ { print $2; exit }' "$here/../../CHANGELOG.md")
sed -n 's/^\.It Cm \([a-z]*\).*/\1/p; s/^\.It Cm \(.*\) |.*/\1/p' "$here/../leat.1" | sort -u |
    while read -r command; do
    "$leat" help "$command" >"$out/help" 2>/dev/null || continue
    awk -v command="$command" -v version="$version" -v date="$date" '
        function plain(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text);
        return text ~ /^[.\x27]/ ? "\\&" text : text }
        BEGIN { printf ".TH LEAT\\-%s 1 \"%s\" \"%s\"\n.SH NAME\n", toupper(command), date, version }
        { line[++n] = $0 }
        END {
            what = ""
            for (i = 1; i <= n && what == ""; i++)
                if (line[i] ~ /^  leat / && match(line[i], /[a-z\]\|G]   +[a-z].*$/)) what = substr(line[i], RSTART + 1)
                else if (line[i] ~ /^ {40,}[a-z]/) what = line[i]
            sub(/^ +/, "", what)
            printf "leat\\-%s \\- %s\n.SH SYNOPSIS\n.nf\n", command, plain(what == "" ? "run a pipeline" : what)
            for (i = 1; i <= n && line[i] !~ /^  -/; i++) print plain(substr(line[i], 3))
            print ".fi"
            if (i <= n) print ".SH OPTIONS"
            for (; i <= n; i++)
                if (match(line[i], /^  -[^ ].*[^ ]  +/)) {
                    option = substr(line[i], 3, RLENGTH - 2)
                    sub(/ +$/, "", option)
                    print ".TP\n" plain(option) "\n" plain(substr(line[i], RLENGTH + 1))
                } else if (line[i] ~ /^ +[^ ]/) {
                    sub(/^ +/, "", line[i])
                    print plain(line[i])
                }
            print ".SH SEE ALSO\n.BR leat (1)"
        }' "$out/help" >"$out/leat-$command.1"
done
rm -f "$out/help"
