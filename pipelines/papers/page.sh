# shellcheck shell=bash
# page.sh -- makes pages of the tables that drivers print; all.sh sources it. Needs awk.
#
# A part is a folder with tables.md. It has tables under a line **title**, with "verdict" as the last column of some,
# and links ![title](plot.svg).

# verdict_rows: prints "title|row|verdict" for the tables on standard input.
verdict_rows() {
    awk -F' *[|] *' '
        /^\*\*/ { title = $0; gsub(/^\*\*|\*\*$/, "", title); judged = 0; next }
        /^[|]---/ { next }
        /^[|]/ {
            if ($(NF - 1) == "verdict") judged = 1
            else if (judged) print title "|" $2 "|" $(NF - 1)
            next
        }
        { judged = 0 }'
}

# Target of a link to a heading, as GitHub makes it; the HTML has the same.
slug='
    function slug(s) { s = tolower(s); gsub(/[^a-z0-9 -]/, "", s); gsub(/ /, "-", s); return s }
'

# tally NAMES: prints the number of rows of each verdict in the parts, as a Markdown table with links to parts.
tally() {
    printf '| part | met or better | not reached | holds | does not hold | no figure of the paper |\n'
    printf '|---|---|---|---|---|---|\n'
    local name
    for name in $1; do
        verdict_rows <"$out/$name/tables.md" | awk -F'|' -v title="$(title_of "$name")" "$slug"'
            { v = $3 }
            v ~ /^(met|better)/ { n["met"]++; next }
            v ~ /^not reached/ { n["missed"]++; next }
            v ~ /^holds/ { n["holds"]++; next }
            v ~ /^does not hold/ { n["fails"]++; next }
            { n["none"]++ }
            END { printf "| [%s](#%s) | %d | %d | %d | %d | %d |\n", title, slug(title), n["met"], n["missed"], n["holds"],
                  n["fails"], n["none"] }'
    done
}

# with_reasons NAME: copies tables from standard input. After each it prints the reason of every row that is not reached
# or does not hold (for the paper's method, or for the default). The reason is the first line "part|title|row|reason" of
# reasons.txt whose three regular expressions match.
with_reasons() {
    awk -v name="$1" -v reasons="$here/reasons.txt" '
        function reason(row,  i) {
            for (i = 1; i <= n; i++)
                if (name ~ "^(" part[i] ")$" && title ~ titles[i] && row ~ "^(" rows[i] ")$") return why[i]
            return "the reason is not known."
        }
        function flush(  i) {
            if (m) print ""
            for (i = 1; i <= m; i++) print "- *" missed[i] "*: " reason(missed[i])
            m = 0; judged = 0
        }
        BEGIN {
            while ((getline line < reasons) > 0) if (line !~ /^#/ && split(line, f, "|") == 4) {
                part[++n] = f[1]; titles[n] = f[2]; rows[n] = f[3]; why[n] = f[4]
            }
        }
        !/^[|]/ { flush() }
        { print }
        /^\*\*/ { title = $0; gsub(/^\*\*|\*\*$/, "", title) }
        /^[|]/ {
            k = split($0, cell, / *[|] */)
            if (cell[k - 1] == "verdict") judged = 1
            else if (judged && (cell[k - 1] ~ /^not reached/ || cell[k - 1] ~ /does not hold/)) missed[++m] = cell[2]
        }
        END { flush() }'
}

# html TITLE DIR: makes one self-contained page of HTML of the Markdown above, with headings, lists, paragraphs and
# links. It embeds the plots, whose paths begin in DIR.
html() {
    awk -v title="$1" -v dir="$2" "$slug"'
        function escaped(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
        function between(s, mark, tag,  k, p, r, i) { # every second piece; an unpaired mark stays
            k = split(s, p, "[" mark "]")
            r = p[1]
            for (i = 2; i <= k; i++) r = r (i % 2 ? "</" tag ">" : i < k ? "<" tag ">" : mark) p[i]
            return r
        }
        function linked(s,  r, text, to) { # [text](to)
            while (match(s, /\[[^]]*\]\([^)]*\)/)) {
                text = substr(s, RSTART + 1, index(substr(s, RSTART), "](") - 2)
                to = substr(s, RSTART + length(text) + 3, RLENGTH - length(text) - 4)
                r = r substr(s, 1, RSTART - 1) "<a href=\"" to "\">" text "</a>"
                s = substr(s, RSTART + RLENGTH)
            }
            return r s
        }
        function inline(s) { return linked(between(between(escaped(s), "`", "code"), "*", "em")) }
        function close_block() { if (block != "") print block; block = "" }
        function open_block(start, end) { if (block != end) { close_block(); print start; block = end } }
        function heading(level,  text) {
            text = substr($0, level + 2)
            print "<h" level " id=\"" slug(text) "\">" inline(text) "</h" level ">"
        }
        function row(  k, c, i, tag) {
            k = split($0, c, / *[|] */)
            tag = block == "</table></div>" ? "td" : "th"
            open_block("<div class=\"wide\"><table>", "</table></div>")
            printf "<tr>"
            for (i = 2; i < k; i++) printf "<%s%s>%s</%s>", tag, i == k - 1 ? class(c[i]) : "", inline(c[i]), tag
            print "</tr>"
        }
        function class(s) {
            if (s ~ /^(met|better|holds)/) return " class=\"good\""
            return s ~ /^(not reached|does not hold)/ ? " class=\"bad\"" : ""
        }
        function figure(  file, line) {
            file = $0; sub(/^.*\]\(/, "", file); sub(/\)$/, "", file)
            print "<figure>"
            while ((getline line < (dir "/" file)) > 0) print line
            print "</figure>"
        }
        BEGIN {
            print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
            print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            print "<title>" escaped(title) "</title>\n<style>"
            print "body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 0 auto; padding: 0 1em; color: #222 }"
            print "h2 { border-top: 2px solid #222; padding-top: .5em; margin-top: 2em }"
            print ".wide { overflow-x: auto }\ntable { border-collapse: collapse; font-size: .85em }"
            print "th, td { border: 1px solid #ccc; padding: .2em .5em; text-align: left; overflow-wrap: break-word;"
            print "         min-width: 4em }"
            print "th { background: #f3f3f3 }\n.good { background: #e3f4e6 }\n.bad { background: #fbe6e0 }"
            print "figure { margin: 1em 0; break-inside: avoid }\nsvg { max-width: 100%; height: auto }"
            print "code { overflow-wrap: anywhere }\ntd code { white-space: nowrap }\ntr { break-inside: avoid }\nh3, h4 { break-after: avoid }"
            print "@media print { .wide { overflow: visible } body { font-size: 10pt; max-width: none } }"
            print "</style>\n</head>\n<body>"
        }
        /^#/ { close_block(); match($0, /^#+/); heading(RLENGTH); next }
        /^\*\*.*\*\*$/ { close_block(); print "<h4>" inline(substr($0, 3, length($0) - 4)) "</h4>"; next }
        /^!\[/ { close_block(); figure(); next }
        /^[|]---/ { next }
        /^[|]/ { row(); next }
        /^- / { open_block("<ul>", "</ul>"); print "<li>" inline(substr($0, 3)) "</li>"; next }
        /^$/ { close_block(); next }
        { open_block("<p>", "</p>"); print inline($0) }
        END { close_block(); print "</body>\n</html>" }'
}
