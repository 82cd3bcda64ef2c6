# One page of all the papers' tables and figures, on small data and stand-ins.
# tier: long (90 s)
. "$(dirname "$0")/../support/claims.sh"
export LEAT
. pipelines/papers/standins.sh
all=pipelines/papers/all.sh page=$tmp/out/page

# Every element of a page is closed, in order.
well_formed() {
    awk 'BEGIN { RS = "<" }
        NR == 1 || /^!DOCTYPE|^meta / { next }
        { tag = $0; sub(/>.*/, "", tag); name = tag; sub(/[ \n].*/, "", name) }
        name ~ /^\// {
            if ("/" open[depth] != name) { print name " closes " open[depth]; bad = 1; exit 1 }
            depth--; next
        }
        tag !~ /\/$/ { open[++depth] = name }
        END { if (depth) { print open[depth] " is open"; exit 1 } exit bad }' "$1"
}
row_of() { grep -F "| $1 |" "$page.md"; } # of the table of data
sum_of() { sha256sum <"$1" | cut -d' ' -f1; }

mkdir -p "$tmp/data/ml-100k"
ratings_like 4000 60 40 >"$tmp/data/ml-100k/u.data"
classes_like 1500 12 12 | zstd -q >"$tmp/data/a9a.libsvm.zst"
QUICK=1 $all "$tmp/out" "$tmp/data" >"$out" 2>"$err"
status=$?
claim_exit "one command makes the page" 0
claim "as one file, which takes nothing from outside" \
    sh -c "! grep -qE 'src=|<link|<script|url\(|href=\"[^#]|@import' '$page.html'"
claim "every element is closed, in order" well_formed "$page.html"
claim "it has a width of its own on a phone, and rules for print" \
    sh -c "grep -q 'name=\"viewport\"' '$page.html' && grep -q '@media print' '$page.html'"
for part in $(cd "$tmp/out" && ls -d */); do
    part=${part%/}
    claim "$part: the page has each of its tables" equal \
        "$(grep -c '^\*\*' "$tmp/out/$part/tables.md")" \
        "$(grep '^\*\*' "$tmp/out/$part/tables.md" |
        sed 's/^\*\*//; s/\*\*$//; s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' |
            while IFS= read -r title; do grep -cF -m1 "<h4>$title</h4>" "$page.html"; done | grep -c 1)"
    claim "$part: it draws each of its plots" equal "$(cat "$tmp/out/$part"/*.svg 2>/dev/null | grep -c '<title>')" \
        "$(cat "$tmp/out/$part"/*.svg 2>/dev/null | grep '<title>' | while IFS= read -r title; do grep \
        -cF -m1 "$title" "$page.html"; done | grep -c 1)"
    claim "$part: Markdown shows each of them" equal "$(cd "$tmp/out" && ls "$part"/*.svg 2>/dev/null)" \
        "$(grep -oE "\\($part/[^)]*\\.svg\\)" "$page.md" | tr -d '()' | sort)"
done
claim "the summary has each part, whose link leads to it" equal \
    "$(grep -oE '^\| \[[^]]*\]\(#[^)]*' "$page.md" | sed 's/.*#//' | sort | paste -sd' ')" \
    "$(grep -oE '<h3 id="[^"]*"' "$page.html" | sed 's/.*="//; s/"//' | sort | paste -sd' ')"
claim "data in a folder is found, with its checksum" sh -c "echo '$(row_of ML100K)' | grep -q 'u.data | .$(sum_of \
    "$tmp/data/ml-100k/u.data")'"
claim "so is compressed data" sh -c "echo '$(row_of A9A)' | grep -q 'a9a.libsvm.zst | .$(sum_of \
    "$tmp/data/a9a.libsvm.zst")'"
claim "a stand-in is named as one, with the lines and the checksum of what was made" sh -c "echo '$(row_of IJCNN)' |
    grep -q 'missing: stand-in .IJCNN~. of 10000 lines | .$(. pipelines/papers/standins.sh; classes_like 10000 22 22 |
        sha256sum | cut -d' ' -f1)'"
claim "what was left out is named" sh -c "echo '$(row_of EPSILON)' | grep -q 'missing: left out'"
claim "figures of found data stand beside the paper's, those of a stand-in do not" sh -c "
    grep -q '^| ML100K sftrl | 0.9624 |' '$page.md' && grep -q '^| IJCNN~ sftrl | – |' '$page.md'"
claim "a row that is not reached has a reason" equal "$(awk -F' *[|] *' \
    '/^[|]/ && $(NF - 1) ~ /^not reached|does not hold/' "$page.md" | wc -l)" \
    "$(grep -cE '^- \*.*\*: [^ ].*\.$' "$page.md")"
claim "also where it holds, but not of the default" equal \
    "$(here=pipelines/papers && . pipelines/papers/page.sh && printf '| %s |\n' "claim | verdict" "a | holds" \
    "b | does not hold" \
        "c | holds; of the default it does not hold" "d | does not hold; of the default it holds" | with_reasons none |
        grep -c '^- ')" 3
claim "the summary counts the verdicts" equal \
    "$(awk -F' *[|] *' '/^\| \[/ { print $3 + $4 + $5 + $6 + $7; exit }' "$page.md")" \
    "$(awk -F' *[|] *' '/^[|]/ && $(NF - 1) ~ /^(met|better|not |holds|does not|no figure)/' \
    "$tmp/out/wmsketch/tables.md" | wc -l)"

# What the drivers of the WM-Sketch paper's applications have, by another road.
claim "each method's features are in one bin of risk each" equal \
    "$(awk -F, 'NR > 1 { n[$1] += $3 } END { print n["heavy_outliers"], n["heavy_all"], n["paper.lr"], n["lr"] }' \
    "$tmp/out/explain/risks.csv")" "2048 2048 2048 2048"
claim "and a point each beside its weight" equal "$(grep -c '<circle' "$tmp/out/explain/correlation-lr.svg")" 2048
claim "the uncompressed model finds every deltoid that comes often" \
    awk -F, '$1 == "uncompressed" { n++; low += $5 < 1 } END { exit !n || low }' "$tmp/out/deltoids/recall.csv"
claim "each method has a recall" equal "$(tail -n +2 "$tmp/out/deltoids/recall.csv" | cut -d, -f1 | sort -u |
    paste -sd' ')" \
    "awm count_min count_min_x8 counts uncompressed"
text_like 3000 20000 >"$tmp/text"
claim "the exact PMI of a pair is the one that awk counts" equal \
    "$(awk -F, '$1 == 16384 && $3 == "w17 & c17" { printf "%.6f %d", $5, $6; exit }' "$tmp/out/pmi/pairs.csv")" \
    "$(awk '{ for (i = 1; i <= NF; i++) { N++; n[$i]++; for (j = i + 1; j <= NF && j < i + 6; j++) { M++;
        if ($i == "w17" && $j == "c17") c++ } } }
        END { printf "%.6f %d", log(c / M / (n["w17"] / N * n["c17"] / N)), c }' "$tmp/text")"
claim "every shape of a sketch fits its budget" awk -F, 'NR > 1 { split($3, s, "/"); n++;
    over += 8 * s[1] + 4 * s[2] * s[3] > 2048 }
    END { exit !n || over }' "$tmp/out/shapes/shapes.csv"
claim "the shapes of the paper are among them, with a verdict" equal \
    "$(grep -cE '^\| a?wm 2KB \| 128/[0-9/]+ \| [0-9.]+ \| [0-9/]+ \| [0-9.]+ \| (holds|does not hold) \|' \
    "$page.md")" 2
. pipelines/papers/fit.sh
printf '%s 1:1\n' 1 1 1 -1 >"$tmp/ones"
claim "the best fixed model of a constant is the log odds" equal "$(fit logistic 0 <"$tmp/ones" |
    awk '{ printf "%s %.4f", $1, $2 }')" "1 1.0986"
printf '%s\n' "1 a:2" "-1 a:1" "1 b:4" "1 b:2" >"$tmp/apart"
claim "that of features which do not meet is Σ xy / (Σ x² + n lambda / 2)" equal \
    "$(fit squared 0.5 <"$tmp/apart" | awk '{ printf "%s %.4f ", $1, $2 }')" "a 0.1667 b 0.2857 "
claim "no learner loses less than the best fixed model" \
    awk -F, '$3 == 300 { n++; less += $4 <= 0 } END { exit n != 3 || less }' "$tmp/out/regret-SFTRL/regret.csv"
claim "a larger sketch has fewer weights that are far off" awk -F, '$1 == "64x4" { small += $4 } $1 == "1024x8" {
    large += $4 }
    END { exit !(small > 2 * large) }' "$tmp/out/recovery/errors.csv"
claim "and the share of each is of all features" equal \
    "$(awk -F, 'NR > 1 { print $5 }' "$tmp/out/recovery/errors.csv" | sort -u)" \
    "$(documents_like 2000 47236 60 | awk 'NR <= 400 { for (i = 2; i <= NF; i++) { sub(/:.*/, "", $i); print $i } }' |
    sort -u | wc -l)"
FLOWS=$tmp/nonesuch pipelines/papers/deltoids.sh "$tmp/none" >"$out" 2>"$err"
status=$?
claim "flows that are not there end it, and are named" sh -c "[ $status != 0 ] && grep -q nonesuch '$err'"
claim "of one pass, too: the mean of all sketches, the last one, and the model without a sketch" equal \
    "$(awk -F, 'NR > 1 && $5 > 0 { print $1 }' "$tmp/out/recovery/one_pass.csv" | sort -u |
    tr '\n' ' ')" "last mean uncompressed "
for driver in explain deltoids pmi regret recovery shapes; do
    pipelines/papers/$driver.sh >"$out" 2>"$err"
    status=$?
    claim_exit "$driver.sh without OUT_DIR says how it is used" 2
done

$all >"$out" 2>"$err"
status=$?
claim_exit "without OUT_DIR it says how it is used" 2
claim_says "and what it wants" "usage: all.sh OUT_DIR [DATA_DIR]"
$all --help >"$out" 2>"$err"
status=$?
claim_exit "so for a flag" 2
ML100K=$tmp/nonesuch $all "$tmp/none" >"$out" 2>"$err"
status=$?
claim_exit "a named file that is not there is a mistake" 2
claim_says "which it names" "ML100K=$tmp/nonesuch cannot be read"
$all "$tmp/none" "$tmp/nonesuch" >"$out" 2>"$err"
status=$?
claim_exit "a folder of data that is not there is a mistake" 2
claim_says "which it names" "DATA_DIR $tmp/nonesuch is not a folder"
PARTS="scod tables" $all "$tmp/none" >"$out" 2>"$err"
status=$?
claim_exit "so is a part that it does not have" 2
claim_says "which it names, with those that it has" "PARTS names tables: give some of wmsketch"
echo "not a rating" >"$tmp/damaged"
ML100K=$tmp/damaged PARTS=scod QUICK=1 $all "$tmp/failed" >"$out" 2>"$err"
status=$?
claim_exit "a part that fails makes it fail" 1
claim_says "and is named" "these parts failed: scod" "damaged has no ratings"
claim "the page says so, too" grep -q '^This part failed: ' "$tmp/failed/page.md"
done_claims
