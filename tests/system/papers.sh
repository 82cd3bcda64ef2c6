# The driver of the recovery figures, on a small stream, against another computation of the definition.
. "$(dirname "$0")/../support/claims.sh"
export LEAT SEEDS=2 BUDGETS="1KB 2KB" K="4 16" LEARNERS="wm awm truncation" LAMBDAS="1e-2 1e-6" LAMBDA_BUDGET=1KB
driver=pipelines/papers/wmsketch.sh
wms=$tmp/wms
lines() { wc -l <"$1"; }

# Feature n of 600 is the rarer and the weaker the larger n is.
awk 'BEGIN { srand(11); for (i = 0; i < 3000; i++) { s = 0; row = ""; n = 0
  for (j = 0; j < 8; j++) { n += 1 + int(rand() ^ 3 * 75); row = row " " n ":0.5";
  s += (n % 2 ? 3 : -3) / (1 + n / 20) }
  print (rand() < 1 / (1 + exp(-s)) ? "+1" : "-1") row } }' >"$tmp/a.libsvm"
zstd -q "$tmp/a.libsvm"

$driver "$tmp/a.libsvm.zst" "$wms" >"$out" 2>"$err"
status=$?
claim_exit "one command makes tables, figures and plots" 0
claim "each learner, budget, seed and K has a recovery error" equal "$(lines "$wms/recovery.csv")" 25
claim "each lambda, too" equal "$(lines "$wms/lambda.csv")" 9
claim "error and time also of the uncompressed model" equal "$(lines "$wms/error.csv") $(lines "$wms/time.csv")" "17 17"
claim "no learner recovers better than the uncompressed model does" awk -F, 'NR > 1 && $5 < 1 { bad = 1 } END {
    exit bad }' "$wms/recovery.csv"
claim "error rates are shares" awk -F, 'NR > 1 && !($4 > 0 && $4 < 1) { bad = 1 } END { exit bad }' "$wms/error.csv"
claim "run time is relative to logistic of the same run" \
    equal "$(awk -F, '$1 == "logistic" { print $5 }' "$wms/time.csv" | sort -u)" 1
claim "all tables are printed" equal "$(grep -c '^\*\*' "$out")" 6
claim "what the paper says of AWM has both forms and a verdict" \
    grep -qE '^\| online error of truncation \| at least 1 \| [0-9.]+ \| [0-9.]+ \| (holds|does not hold)' "$out"
claim "no cell of a table is empty" sh -c "! grep '–' '$out'"
claim "each table cell is a median of its seeds, in their range" equal \
    "$(awk '/^\*\*/ { on = /Online/ } on && /^\| truncation/ { print $4 }' "$out")" \
    "$(awk -F, '$1 == "truncation" && $2 == "1KB" && $3 == 1 { printf "%.3f", 100 * $4 }' "$wms/error.csv")"
for plot in recovery-1KB recovery-2KB lambda error time; do
    claim "$plot.svg draws every number" \
        sh -c "[ \$(grep -c 'circle' '$wms/$plot.svg') -ge 2 ] && ! grep -qiE 'nan|inf\b' '$wms/$plot.svg'"
done

# The definition, with whole vectors.
top() {
    leat_run run pipelines/papers/wmsketch.lua --set data="$tmp/a.libsvm" --set learners="$1" \
        --set budget=1KB --set lambda=1e-6 --set seed=2 --set k="$2" --quiet
    jq -c '[.top[] | {(.feature): .weight}] | add' "$out"
}
expected=$(jq -n --argjson truth "$(top logistic 1000)" --argjson kept "$(top awm 16)" '
    def distance(a; b): [a + b | keys[] | ((a[.] // 0) - (b[.] // 0)) | . * .] | add | sqrt;
    ($truth | to_entries | sort_by(-(.value | fabs))[:16] | from_entries) as $best
    | distance($kept; $truth) / distance($best; $truth)')
claim "the recovery error is the one of the definition" \
    below "$(awk -F, -v want="$expected" '$1 == "awm" && $2 == "1KB" && $3 == 2 && $4 == 16 { d = $5 - want; found = 1;
        print d < 0 ? -d : d }
        END { if (!found) print 1 }' "$wms/recovery.csv")" 1e-9

SEEDS=1 BUDGETS=1MB K="4 1000" LEARNERS=truncation LAMBDAS="" $driver "$tmp/a.libsvm" "$tmp/big" >"$out" 2>"$err"
status=$?
claim_exit "a budget for all features and more is no mistake" 0
claim "all of them kept, recovery is perfect; K beyond the model has no error" \
    equal "$(cut -d, -f1-4 "$tmp/big/recovery.csv" | tail -n +2) $(awk -F, 'NR == 2 { printf "%.5f", $5 }' \
    "$tmp/big/recovery.csv")" \
    "truncation,1MB,1,4 1.00000"

$driver "$tmp/a.libsvm" >"$out" 2>"$err"
status=$?
claim_exit "without OUT_DIR it says how it is used" 2
claim_says "and what it wants" "usage: wmsketch.sh"
$driver "$tmp/nonesuch" "$tmp/none" >"$out" 2>"$err"
status=$?
claim "a missing file ends it, and is named" sh -c "[ $status != 0 ] && grep -q nonesuch '$err'"
done_claims
