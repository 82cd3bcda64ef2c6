#!/usr/bin/env bash
# pmi.sh -- table 3 and figure 11 of Tai et al.: Sketching Linear Classifiers over Data Streams, SIGMOD 2018: pairs of
# words of high pointwise mutual information from an AWM-Sketch, by its width and penalty.
#
#   pipelines/papers/pmi.sh OUT_DIR
#
# Data: TEXT=FILE, a sentence a line, tokens between blanks; LINES of it. By default a text made from a seed, "TEXT~".
# (The paper has 77.7 million tokens of news.) The setting is the paper's: window of 6, 5 negatives, a reservoir of
# 4,000 tokens, 1,024 pairs stored by name. leat's default counts pairs, with bounds, in 1 MB.
#
# Markdown tables go to standard output; OUT_DIR gets pairs.csv (width,lambda,pair,estimate,exact,count) and
# pmi.svg, frequency.svg: figure 11.   Needs bash, awk, jq and leat.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$0")/driver.sh"

WIDTHS=${WIDTHS:-1024 4096 16384 65536}
LAMBDAS=${LAMBDAS:-1e-6 1e-7 1e-8} # descending
LINES_OF_TEXT=${LINES_OF_TEXT:-40000}
TOP=${TOP:-8} # pairs of table 3

[[ $# == 1 ]] || usage "OUT_DIR (data by TEXT=FILE)"
out=$1
mkdir -p "$out"

text=$tmp/text
if [[ -n ${TEXT:-} ]]; then
    name=$(basename "$TEXT")
    plain "$TEXT" | awk -v n="$LINES_OF_TEXT" 'NR <= n { print tolower($0) }' >"$text"
else
    name=TEXT~
    text_like "$LINES_OF_TEXT" 20000 >"$text"
    note_standin TEXT "$text"
fi

# pairs HEAD ARGUMENTS: prints "HEAD,pair,estimate,exact,count" of the pairs that a model retrieves, heaviest first.
pairs() {
    "$LEAT" run "$here/../pairs.lua" --quiet --set data="$text" --set rule=whitespace --set evaluate=true --set out=csv \
        --set min_count=1 --set seed=1 "${@:2}" 2>"$tmp/log" >"$tmp/report" || { cat "$tmp/log" >&2; return 1; }
    # A pair may contain commas and quotes: two columns come before it, and seven after it.
    awk -v head="$1" 'NR > 1 {
        k = split($0, c, ","); pair = c[3]
        for (i = 4; i <= k - 7; i++) pair = pair "," c[i]
        gsub(/[",|]/, "", pair)
        if (c[k - 3] != "") print head "," pair "," c[k - 6] "," c[k - 3] "," c[k - 2]
    }' "$tmp/report"
}
echo width,lambda,pair,estimate,exact,count >"$out/pairs.csv"
for lambda in $LAMBDAS; do
    for width in $WIDTHS; do
        pairs "$width,$lambda" --set mode=awm --set negatives=5 --set width="$width" --set lambda="$lambda" \
            >>"$out/pairs.csv"
    done
done
widest=${WIDTHS##* } best=${LAMBDAS##* } # the smallest penalty, so the estimate has no bias
awk -F, -v w="$widest" -v l="$best" '$1 == w && $2 == l' "$out/pairs.csv" >"$tmp/best"
pairs counts --set k=1024 >"$tmp/counts"

# ---- table 3 ----

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'; }
size() { awk '{ print $1 < 0 ? -$1 : $1 }'; }
# medians COLUMN: prints "lambda,width,median" for each width and lambda.
medians() {
    local width lambda
    for lambda in $LAMBDAS; do
        for width in $WIDTHS; do
            echo "$lambda,$width,$(awk -F, -v w="$width" -v l="$lambda" -v c="$1" '$1 == w && $2 == l { print $c }' \
                "$out/pairs.csv" | median)"
        done
    done
}
medians 5 >"$tmp/exact"
medians 6 >"$tmp/frequency"
at() { awk -F, -v w="$3" -v l="$2" '$1 == l && $2 == w { print $3 }' "$tmp/$1"; } # FILE LAMBDA WIDTH
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { print b ? a / b : 0 }'; }
error=$(head -n "$TOP" "$tmp/best" | awk -F, '{ print $4 - $5 }' | size | median)
default_error=$(head -n "$TOP" "$tmp/counts" | awk -F, '{ print $3 - $4 }' | size | median)
{
    echo "paper's error of an estimate / ours (medians of the top pairs),1 (0.455 there),$(ratio 0.455 "$error"),$(
        awk -v e="$default_error" 'BEGIN { print 0.455 / (e > 1e-3 ? e : 1e-3) }'),1"
    echo "PMI at the largest width / at the smallest,more than 1,$(ratio "$(at exact "$best" "$widest")" \
        "$(at exact "$best" "${WIDTHS%% *}")"),,1"
    echo "frequency at the smallest width / at the largest,more than 1,$(ratio "$(at frequency "$best" \
        "${WIDTHS%% *}")" \
        "$(at frequency "$best" "$widest")"),,1"
    echo "frequency at the largest penalty / at the smallest,more than 1,$(ratio "$(at frequency "${LAMBDAS%% *}" \
        "$widest")" \
        "$(at frequency "$best" "$widest")"),,1"
} | floors "What the paper says of PMI (table 3 and figure 11), $name"

printf '\n**Top pairs, width %s, lambda %s, %s (table 3)**\n\n' "$widest" "$best" "$name"
printf '| pair | exact PMI | estimate | times | the paper: exact PMI, estimate |\n|---|---|---|---|---|\n'
{
    head -n "$TOP" "$tmp/best"
    grep -E ',(prime & minister|los & angeles|human & rights),' "$tmp/best" || true
} | awk -F, '
    BEGIN { paper["prime & minister"] = "6.339, 7.609"; paper["los & angeles"] = "7.197, 7.047"
            paper["human & rights"] = "6.079, 6.721" }
    !seen[$3]++ { printf "| %s | %.3f | %.3f | %d | %s |\n", $3, $5, $4, $6, $3 in paper ? paper[$3] : "–" }'
printf '\n**Most common pairs (table 3; of the 50 most common tokens)**\n\n'
printf '| pair | exact PMI | times | the paper: exact PMI |\n|---|---|---|---|\n'
awk '
    function place(v, k,  best, t) { # returns the largest of v that is not taken, and takes it
        for (t in v) if (!(t in taken) && (best == "" || v[t] > v[best] || (v[t] == v[best] && t < best))) best = t
        taken[best]; return best
    }
    { rows[NR] = $0; for (i = 1; i <= NF; i++) n[$i]++; tokens += NF }
    END {
        for (k = 0; k < 50; k++) common[place(n, k)]
        delete taken
        for (r = 1; r <= NR; r++) {
            m = split(rows[r], w, " ")
            for (i = 1; i <= m; i++) for (j = i + 1; j <= m && j < i + 6; j++) {
                pairs++
                if ((w[i] in common) && (w[j] in common)) times[w[i] " & " w[j]]++
            }
        }
        paper[", & the"] = "0.044"; paper["the & ,"] = "-0.082"; paper["the & of"] = "0.611"; paper["the & ."] = "0.057"
        for (k = 0; k < 4; k++) {
            p = place(times, k); split(p, w, " & ")
            printf "| %s | %.3f | %d | %s |\n", p, log(times[p] / pairs / (n[w[1]] / tokens * n[w[2]] / tokens)),
            times[p], \
                p in paper ? paper[p] : "–"
        }
    }' "$text"

# ---- figure 11 ----

table "Median exact PMI of the retrieved pairs, by width, $name (figure 11)" lambda "$LAMBDAS" "$WIDTHS" 2 <"$tmp/exact"
plot "$out/pmi.svg" "Median exact PMI of the retrieved pairs, $name" width PMI "$LAMBDAS" "$WIDTHS" <"$tmp/exact"
table "Median frequency of the retrieved pairs, by width, $name (figure 11)" lambda "$LAMBDAS" "$WIDTHS" 0 \
    <"$tmp/frequency"
plot "$out/frequency.svg" "Median frequency of the retrieved pairs, $name" width times "$LAMBDAS" "$WIDTHS" \
    <"$tmp/frequency"
