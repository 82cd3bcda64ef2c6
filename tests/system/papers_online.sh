# The drivers of the SFTRL, RFD and SCOD papers, on small streams.
# tier: long (40 s)
. "$(dirname "$0")/../support/claims.sh"
export LEAT
. pipelines/papers/standins.sh
lines() { wc -l <"$1"; }
drawn() { # every plot in the folder draws points, and no number that is none
    local f
    for f in "$1"/*.svg; do
        grep -q '<circle' "$f" && ! grep -qiE 'nan|inf\b' "$f" || { echo "$f"; return 1; }
    done
}

ratings_like 3000 60 40 >"$tmp/u.data"
classes_like 1500 12 12 >"$tmp/c.libsvm"
claim "stand-ins have the shape asked for" equal "$(awk '{ u[$1]; i[$2]; r[$3] } END { print NR, length(u), length(i),
    length(r) }' "$tmp/u.data")" "3000 60 40 5"
claim "and are the same each time" equal "$(ratings_like 3000 60 40 | cksum)" "$(cksum <"$tmp/u.data")"
claim "rows of classes have length 1" awk '{ s = 0; for (i = 2; i <= NF; i++) { split($i, v, ":"); s += v[2] ^ 2 }
    if (s < 0.99 || s > 1.01) exit 1 }' "$tmp/c.libsvm"
claim "sparse ones about the entries asked for" sh -c "test $(classes_like 300 100 10 |
    awk '{ n += NF - 1 } END { print (n > 4 * NR && n < 20 * NR) }') = 1"

ML100K=$tmp/u.data IJCNN=$tmp/c.libsvm LEARNERS=sftrl EXACT= RATINGS=ML100K CLASSES=IJCNN pipelines/papers/sftrl.sh \
    "$tmp/sftrl" >"$out" 2>"$err"
status=$?
claim_exit "one command makes the tables of the SFTRL paper" 0
claim "a row each of ratings and classes, in leat's form and in the paper's" equal \
    "$(cut -d, -f1-3,7 "$tmp/sftrl/runs.csv" | tail -n +2 | paste -sd' ')" \
    "ML100K,sftrl,10,leat ML100K,sftrl,10,paper IJCNN,sftrl,50,leat IJCNN,sftrl,50,paper"
claim "and each size of table 4" equal "$(grep ',paper$' "$tmp/sftrl/sizes.csv" | cut -d, -f2 |
    paste -sd' ')" "10 20 30 40 50"
claim "a row of a table has the paper's figure, both of ours and a verdict" \
    grep -qE '^\| ML100K sftrl \| 0\.9624 \| [0-9.]+ \| [0-9.]+ \| (met|better|not reached)(; the default is (better|worse))? \|$' "$out"
claim "the plots are drawn" drawn "$tmp/sftrl"
# The protocol, written out: 80 % learned from, RMSE of the rest.
leat_run run pipelines/papers/sftrl.lua --set data="$tmp/u.data" --set m=10 --set eta=0.02 --set sftrl.linear=inside \
    --set holdout=2400 --summary "$tmp/s.json" --quiet
claim "the figures are those of the runs" equal "$(grep -m1 ',paper$' "$tmp/sftrl/runs.csv" |
    cut -d, -f4,5)" "$(stage sftrl squared_loss),$(stage sftrl rmse_held_out)"
claim "the others were learned from" equal "$(stage sftrl examples) $(stage sftrl examples_held_out)" "2400 600"

A9A=$tmp/c.libsvm SETS=A9A M="5 10" ALPHA0="1e-2 1" SKETCHES="3 6" pipelines/papers/rfd.sh "$tmp/rfd" >"$out" 2>"$err"
status=$?
claim_exit "one command makes the tables of the RFD paper" 0
claim "every learner with every m and alpha0" equal "$(tail -n +2 "$tmp/rfd/accuracy.csv" | cut -d, -f2 | sort |
    uniq -c | awk '{ print $2 $1 }' | paste -sd' ')" \
    "adagrad3 fd_son6 full_on3 oja_son6 paper.fd_son6 paper.rfd_son8 rfd_son8 rp_son6 s_adagrad6"
claim "a table has the paper's figure, its method, leat's default and a verdict" \
    grep -qE '^\| A9A rfd_son m=5 \| 83\.6319 \| [0-9.]+ \| [0-9.]+ \| (met|better|not reached)' "$out"
claim "RFD-SON and the full matrix are better than chance at each alpha0" \
    awk -F, '$2 == "rfd_son" || $2 == "full_on" { n++; low += $5 < 60 } END { exit n != 11 || low }' \
    "$tmp/rfd/accuracy.csv"
claim "RFD lacks less than FD" awk -F, '$2 == "fd" { fd[$3] = $4 } $2 == "rfd" { n++; more += !($4 < fd[$3]) } END {
    exit n != 2 || more }' "$tmp/rfd/sketch.csv"
claim "tables of accuracy, time, robustness and of the sketch" equal "$(grep -c '^\*\*' "$out")" 6
claim "the plots are drawn" drawn "$tmp/rfd"

RATINGS=$tmp/u.data SETS=ratings SIZES="4 8" SEEDS=2 METHODS="scod cod" RANDOM_METHODS=scod pipelines/papers/scod.sh \
    "$tmp/scod" >"$out" 2>"$err"
status=$?
claim_exit "one command makes the figures of the SCOD paper" 0
claim "scod in both forms, each size and seed" equal "$(tail -n +2 "$tmp/scod/figures.csv" | cut -d, -f2 | sort |
    uniq -c | awk '{ print $2 $1 }' | paste -sd' ')" "cod2 paper.scod4 scod4"
claim "a claim of the paper has both forms and a verdict" \
    grep -qE '^\| error of cod \| at least 1 \| [0-9.]+ \| [0-9.]+ \| (holds|does not hold)' "$out"
claim "the plots are drawn" drawn "$tmp/scod"

pipelines/papers/sftrl.sh >"$out" 2>"$err"
status=$?
claim_exit "without OUT_DIR it says how it is used" 2
claim_says "and what it wants" "usage: sftrl.sh"
pipelines/papers/rfd.sh >"$out" 2>"$err"
status=$?
claim_exit "so does the other" 2
done_claims
