# shellcheck shell=bash
# figures.sh -- tables and plots; the drivers in this folder source it. Needs awk.
#
# Input: lines "series,x,value" on standard input, one or more (of several seeds) a point.

# Statistics over lines sorted by value: min, median and max of a series at x.
stats='
    { v[$1, $2, ++n[$1, $2]] = $3 }
    function least(s, x) { return v[s, x, 1] }
    function largest(s, x) { return v[s, x, n[s, x]] }
    function median(s, x,  m) { m = n[s, x]; return (v[s, x, int((m + 1) / 2)] + v[s, x, int((m + 2) / 2)]) / 2 }
'

# table TITLE HEAD SERIES XS [DIGITS]: prints medians; min and max, too, if a point has several values.
table() {
    printf '\n**%s**\n\n' "$1"
    sort -t, -k3,3g | awk -F, -v head="$2" -v series="$3" -v xs="$4" -v digits="${5:-3}" "$stats"'
        function cell(s, x,  f) {
            f = "%." digits "f"
            if (!n[s, x]) return "–"
            if (n[s, x] == 1) return sprintf(f, median(s, x))
            return sprintf(f " (" f " to " f ")", median(s, x), least(s, x), largest(s, x))
        }
        END {
            ns = split(series, s, " "); nx = split(xs, x, " ")
            line = "| " head " |"; rule = "|---|"
            for (j = 1; j <= nx; j++) { line = line " " x[j] " |"; rule = rule "---|" }
            print line "\n" rule
            for (i = 1; i <= ns; i++) {
                line = "| " s[i] " |"
                for (j = 1; j <= nx; j++) line = line " " cell(s[i], x[j]) " |"
                print line
            }
        }'
}

# plot FILE TITLE X_LABEL Y_LABEL SERIES XS [numbers]: draws medians as lines, min to max as a shade. Prints a Markdown
# link that shows FILE. The xs have equal distances, so doubled sizes make a logarithmic axis. The y axis is logarithmic
# if values have a wide range. With `numbers` the xs are positive, ascending, and on a logarithmic axis.
plot() {
    sort -t, -k3,3g | awk -F, -v title="$2" -v xlabel="$3" -v ylabel="$4" -v series="$5" -v xs="$6" \
        -v numbers="${7:-}" "$stats"'
        function along(j) { return numbers == "" ? j : log(x[j]) }
        function px(j) {
            return 70 + (along(nx) > along(1) ? (along(j) - along(1)) / (along(nx) - along(1)) : 0.5) * 420
        }
        # Labels only the first of each power of ten, and the last, if there are many numbers.
        function is_marked(j) {
            return numbers == "" || j == 1 || j == nx ||
                (int(log(x[j]) / log(10) + 100) > int(log(x[j - 1]) / log(10) + 100) &&
                 px(j) - px(1) > 30 && px(nx) - px(j) > 30)
        }
        function py(y) { return 340 - (scaled(y) - bottom) / (top - bottom) * 290 }
        function scaled(y) { return logarithmic ? log(y) : y }
        function text(x, y, anchor, words) {
            printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words
        }
        function tick(y) {
            if (scaled(y) < bottom - 1e-9 || scaled(y) > top + 1e-9) return
            printf "<path d=\"M70 %.1fH490\" stroke=\"#ddd\"/>\n", py(y)
            text(62, py(y) + 4, "end", sprintf("%.4g", y))
        }
        function scale(  range, step, e, m, most) { # ticks at 1, 2 and 5 times powers of ten
            logarithmic = lo > 0 && hi / lo > 8
            range = hi - lo
            most = hi > -lo ? hi : -lo # makes room around values that are equal but for rounding
            if (range <= 1e-6 * most || most == 0) { range = most ? most : 1; lo -= range / 2; hi += range / 2 }
            if (logarithmic) {
                bottom = log(lo / 1.1); top = log(hi * 1.1)
                for (e = -6; e < 9; e++) for (m = 1; m <= 5; m += m < 2 ? 1 : 3) tick(m * 10 ^ e)
                return
            }
            step = 10 ^ int(log(range / 4) / log(10) - (range < 4))
            if (range / step > 20) step *= 5; else if (range / step > 10) step *= 2
            bottom = step * int(lo / step); if (bottom > lo) bottom -= step
            top = step * int(hi / step); if (top < hi) top += step
            for (e = 0; e <= (top - bottom) / step + 0.5 && e < 50; e++) tick(bottom + e * step)
        }
        function draw(i,  j, line, up, down, dots) {
            for (j = 1; j <= nx; j++) if (n[s[i], x[j]]) {
                line = line (line == "" ? "M" : "L") sprintf("%.1f %.1f", px(j), py(median(s[i], x[j])))
                up = up (up == "" ? "M" : "L") sprintf("%.1f %.1f", px(j), py(largest(s[i], x[j])))
                down = sprintf("L%.1f %.1f", px(j), py(least(s[i], x[j]))) down
                dots = dots sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", px(j), py(median(s[i], x[j])))
            }
            if (line == "") return
            printf "<path d=\"%s%sZ\" fill=\"%s\" fill-opacity=\"0.15\"/>\n", up, down, color[i]
            printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", line, color[i]
            printf "<g fill=\"%s\">%s</g>\n", color[i], dots
            printf "<path d=\"M505 %dh22\" stroke=\"%s\" stroke-width=\"3\"/>\n", 60 + 20 * i, color[i]
            text(533, 64 + 20 * i, "start", s[i])
        }
        END {
            ns = split(series, s, " "); nx = split(xs, x, " ")
            nc = split("#0072b2 #d55e00 #009e73 #cc79a7 #8a6d00 #56b4e9 #555555 #e69f00", palette, " ")
            for (i = 1; i <= ns; i++) for (j = 1; j <= nx; j++) if (n[s[i], x[j]]) {
                if (!some++ || least(s[i], x[j]) < lo) lo = least(s[i], x[j])
                if (some == 1 || largest(s[i], x[j]) > hi) hi = largest(s[i], x[j])
            }
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"400\""
            print " viewBox=\"0 0 660 400\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">"
            print "<title>" title "</title>"
            print "<rect width=\"660\" height=\"400\" fill=\"white\"/>"
            scale()
            print "<path d=\"M70 50V340H490\" fill=\"none\" stroke=\"black\"/>"
            for (j = 1; j <= nx; j++) if (is_marked(j)) {
                printf "<path d=\"M%.1f 340v5\" stroke=\"black\"/>\n", px(j)
                text(px(j), 358, "middle", numbers == "" ? x[j] : sprintf("%.2g", x[j]))
            }
            for (i = 1; i <= ns; i++) { color[i] = palette[(i - 1) % nc + 1]; draw(i) }
            text(280, 30, "middle", title); text(280, 382, "middle", xlabel)
            printf "<g transform=\"translate(18 195) rotate(-90)\">"; text(0, 0, "middle", ylabel); print "</g>"
            print "</svg>"
        }' >"$1"
    printf '\n![%s](%s)\n' "$2" "${1##*/}"
}
