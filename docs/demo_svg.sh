#!/usr/bin/env bash
# Draws docs/demo.svg: the first rows of the table that `make demo` prints. From the repository's root:
#   docs/demo_svg.sh >docs/demo.svg
set -eu
rows=12 width=108
"${LEAT:-build/leat}" explain --quiet | head -n $((rows + 2)) | awk -v rows=$rows -v width=$width '
    function text(class, s) {
        gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
        printf "<text class=\"%s\" x=\"16\" y=\"%d\">%s</text>\n", class, y, s
        y += 19
    }
    BEGIN {
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 %d\" ", 19 * (rows + 3) + 28
        print "width=\"920\" role=\"img\" xml:space=\"preserve\">"
        print "<title>What leat explain prints</title>"
        print "<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;" \
              "white-space:pre;fill:#d8dee9}.prompt{fill:#8fbcbb}.title{fill:#ebcb8b}.head{fill:#81a1c1}</style>"
        print "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1f2430\"/>"
        y = 28
        text("prompt", "$ leat explain")
    }
    { line = $0; sub(/…$/, "", line); if (length(line) > width) line = substr(line, 1, width - 1) "…"
      text(NR == 1 ? "title" : NR == 2 ? "head" : "row", line) }
    END { print "</svg>" }'
