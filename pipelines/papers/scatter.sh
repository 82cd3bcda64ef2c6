# shellcheck shell=bash
# scatter.sh -- plots of points; explain.sh sources it. Needs awk.

# scatter FILE TITLE X_LABEL Y_LABEL: plots lines "x,y", with y above 0 on a logarithmic axis. Prints a Markdown link
# that shows FILE.
scatter() {
    awk -F, -v title="$2" -v xlabel="$3" -v ylabel="$4" '
        function px(x) { return 70 + (x - left) / (right - left) * 420 }
        function py(y) { return 340 - (log(y) - bottom) / (top - bottom) * 290 }
        function text(x, y, anchor, words) {
            printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words
        }
        $2 > 0 {
            n++; x[n] = $1; y[n] = $2
            if (n == 1 || $1 < left) left = $1
            if (n == 1 || $1 > right) right = $1
            if (n == 1 || $2 < low) low = $2
            if (n == 1 || $2 > high) high = $2
        }
        END {
            left = int(left) - 1; right = int(right) + 1
            bottom = log(low / 1.5); top = log(high * 1.5)
            print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" height=\"400\" viewBox=\"0 0 560 400\"" \
                " role=\"img\" font-family=\"sans-serif\" font-size=\"12\">"
            print "<title>" title "</title>\n<rect width=\"560\" height=\"400\" fill=\"white\"/>"
            for (e = -6; e < 9; e++) if (log(10 ^ e) >= bottom && log(10 ^ e) <= top) {
                printf "<path d=\"M70 %.1fH490\" stroke=\"#ddd\"/>\n", py(10 ^ e)
                text(62, py(10 ^ e) + 4, "end", 10 ^ e)
            }
            step = int((right - left) / 8) + 1
            for (i = left; i <= right; i += step) {
                printf "<path d=\"M%.1f 340v5\" stroke=\"black\"/>\n", px(i)
                text(px(i), 358, "middle", i)
            }
            print "<path d=\"M70 50V340H490\" fill=\"none\" stroke=\"black\"/>\n<g fill=\"#0072b2\" fill-opacity=\"0.35\">"
            for (i = 1; i <= n; i++) printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", px(x[i]), py(y[i])
            print "</g>"
            text(280, 30, "middle", title); text(280, 382, "middle", xlabel)
            printf "<g transform=\"translate(18 195) rotate(-90)\">"; text(0, 0, "middle", ylabel); print "</g>"
            print "</svg>"
        }' >"$1"
    printf '\n![%s](%s)\n' "$2" "${1##*/}"
}
