# Ratings predicted as they arrive, from tab, comma and libFM files, by --set alone.
. "$(dirname "$0")/../support/claims.sh"
# learn.average and learn.fixed: what they must say is easily worked out.
plugins=$tmp/plugins
mkdir "$plugins" && cp "${B:-build/release}/tests/plugins/guess.so" "$plugins/"
ratings() { leat_run run pipelines/rate.lua --plugin-path "$plugins" --quiet --summary "$tmp/s.json" "$@"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) < 1e-5) }' ||
    { echo "$1 is not near $2"; return 1; }; }

awk 'BEGIN { srand(3); for (i = 0; i < 20000; i++) printf "%d\t%d\t%d\t%d\n", 1 + rand() * 300, 1 + rand() * 500,
    1 + int(rand() * 5 - 0.2 * (i > 15000)), 880000000 + i }' | sed 's/\t0\t/\t1\t/' >"$tmp/u.data"
# figures FROM: RMSE and MAE of the running average and of 3.5 over rows from FROM on.
figures() {
    awk -F'\t' -v from="$1" '{ if (NR >= from) { d = n ? s / n - $3 : -$3; a += d * d; b += d < 0 ? -d : d
        d = 3.5 - $3; f += d * d; g += d < 0 ? -d : d; m++ } s += $3; n++ }
        END { printf "%.9f %.9f %.9f %.9f\n", sqrt(a / m), b / m, sqrt(f / m), g / m }' "$tmp/u.data"
}

ratings --set data="$tmp/u.data" --set learner=average,fixed --set fixed.value=3.5 --set seed=1 \
    --set predictions="$tmp/p.csv" --set every=6000
claim_exit "two learners run on one parse of a file without header" 0
claim "every row is an example" equal "$(stage average examples) $(stage fixed examples)" "20000 20000"
read -r rmse mae fixed_rmse fixed_mae < <(figures 1)
claim "RMSE is that of awk" near "$(stage average rmse)" "$rmse"
claim "MAE is that of awk" near "$(stage average mae)" "$mae"
claim "a parameter given to one learner reaches it" near "$(stage fixed rmse)" "$fixed_rmse"
read -r rmse mae fixed_rmse fixed_mae < <(figures 16001)
claim "RMSE of the last fifth is that of awk" near "$(stage average rmse_last)" "$rmse"
claim "and so is its MAE" near "$(stage fixed mae_last)" "$fixed_mae"
claim "which is of a fifth of the rows" equal "$(stage average examples_last)" 4000
claim "a JSON line every so many rows, and one at the end" \
    equal "$(jq -r 'select(.learner == "fixed").examples >= 6000' "$out" | sort | uniq -c | tr -s ' \n' ' ')" " 4 true "
claim "the last one says what the summary says" \
    equal "$(jq -r 'select(.learner == "average").rmse' "$out" | tail -1 | cut -c1-12)" "$(stage average rmse |
    cut -c1-12)"
claim "predictions are written by learner, with user and item" \
    equal "$(sed -n '1p;3p' "$tmp/p-fixed.csv") $(wc -l <"$tmp/p-average.csv")" \
    "tag,score,label,user,item
$(awk -F'\t' 'NR == 2 { print "2,3.5," $3 "," $1 "," $2 }' "$tmp/u.data") 20001"
claim "the two are compared by RMSE and by MAE" equal "$(json '[.comparisons[] | .a, .b, .measure] | join(" ")')" \
    "average fixed rmse average fixed mae"
claim "the difference is the difference" near "$(json '.comparisons[0].difference')" "$(stage average rmse |
    awk -v f="$(stage fixed rmse)" '{ printf "%.9f", $1 - f }')"
claim "the interval holds it, and the better one is named" \
    equal "$(json '.comparisons[0] | .low < .difference and .difference < .high and .high < 0 and .better ==
        "average"')" true
cp "$tmp/s.json" "$tmp/first.json"

rest_is_long

# Ratings sorted by user, each of whom has a level of their own.
sort -n -k1,1 -k3,3 "$tmp/u.data" >"$tmp/sorted.data"
ratings --set data="$tmp/sorted.data" --set learner=bias
claim_says "ratings in an order are said to be, with the remedy" "the records are in an order: " "--set shuffle=true"
claim "the mean of the recent ratings is a row, as awk has it" grep -Eq "^recent mean +- +- +$(awk -F'\t' \
    '{ s += (m - $3) ^ 2; w = 0.95 * w + 1; m += ($3 - m) / w } END { printf "%.4f", sqrt(s / NR) }' "$tmp/sorted.data") " \
    "$out"
ratings --set data="$tmp/sorted.data" --set learner=bias --set shuffle=true
claim "in a random order they are not" sh -c "! grep -q 'in an order\|recent mean' '$err' '$out'"

for sep in :: '|' ' -> '; do
    sed "s/\t/$sep/g" "$tmp/u.data" >"$tmp/u.dat"
    ratings --set data="$tmp/u.dat" --set separator="$sep" --set learner=average
    claim "'$sep' between columns gives the same" equal "$(stage average rmse)" "$(jq '.stages[] | select(.id ==
        "average").metrics.rmse' "$tmp/first.json")"
done
(echo "movieId,userId,mood,rating" &&
    awk -F'\t' '{ print $2 ",\"" $1 "\"," (NR % 2 ? "good" : "bad, \"very\"") "," $3 }' "$tmp/u.data" |
    sed 's/bad, "very"/"bad, ""very"""/') >"$tmp/r.csv"
ratings --set data="$tmp/r.csv" --set format=csv --set user=userId --set item=movieId --set context=mood \
    --set learner=average --set predictions="$tmp/p.csv"
claim_exit "CSV has its columns by name, and contexts" 0
claim "with the same result" equal "$(stage average rmse)" "$(jq '.stages[] | select(.id == "average").metrics.rmse' \
    "$tmp/first.json")"
claim "contexts go into the examples and the predictions" equal "$(sed -n 3p "$tmp/p.csv" |
    cut -d, -f6-)" '"bad, ""very"""'
ratings --set data="$tmp/r.csv" --set context=mood --set learner=average --set predictions="$tmp/q.csv" --log-level info
claim_exit "a name that ends in .csv is CSV" 0
claim_says "and its columns are found by their names" "format = csv, because the name of the data ends in .csv" \
    "user = userId, item = movieId, rating = rating, found by the names of the columns"
claim "with the same predictions" cmp "$tmp/p.csv" "$tmp/q.csv"
ratings --set data="$tmp/u.csv" --set learner=average
claim_exit "a file that is missing is no riddle" 1
sed 's/\t/;/g' "$tmp/u.data" >"$tmp/u.csv"
ratings --set data="$tmp/u.csv" --set delimiter=';' --set columns=a,b,c,at --set user=a --set item=b --set rating=c \
    --set learner=average
claim "CSV without a heading has the names of columns=, and loses no row" equal "$(stage average examples) $(stage average \
    rmse)" "20000 $(jq '.stages[] | select(.id == "average").metrics.rmse' "$tmp/first.json")"
ratings --set data="$tmp/u.csv" --set learner=average
claim_exit "CSV with another delimiter is refused" 2
claim_says "with what to give" "the first line has no ',' between its columns: '"
sed 's/mood,rating/mood,mark/' "$tmp/r.csv" >"$tmp/mark.csv"
ratings --set data="$tmp/mark.csv" --set learner=average
claim_exit "so are columns that no name gives away" 2
claim_says "with those that there are" \
    "no column is named like a rating: name it, --set rating=COLUMN (columns: movieId, userId, mood, mark)"
(printf 'user\titem\tstars\n' && cut -f1-3 "$tmp/u.data") >"$tmp/h.tsv"
ratings --set data="$tmp/h.tsv" --set learner=average
claim "a first line of names between tabs is a heading" equal "$(stage average examples) $(json .rejected)" "20000 0"
ratings --set data="$tmp/r.csv" --set format=tsv --set learner=average
claim_says "a file without tabs is no tsv" "the first line has no tab between its columns: 'movieId,userId,mood,rating'"
awk -F'\t' '{ print $3 + 0.5, $1 ":1", 1000 + $2 ":1" }' "$tmp/u.data" >"$tmp/u.libfm"
ratings --set data="$tmp/u.libfm" --set format=libfm --set learner=fixed --set fixed.value=4
claim_exit "libFM has any number for a label" 0
claim "which is taken as it stands" near "$(stage fixed rmse)" "$(jq '.stages[] | select(.id == "fixed").metrics.rmse' \
    "$tmp/first.json")"

ratings --set data="$tmp/u.data" --set learner=average,fixed --set fixed.value=3.5 --set holdout=16000
claim "rows held out are predicted by what was learned before them" near "$(stage average rmse_held_out)" \
    "$(awk -F'\t' 'NR <= 16000 { s += $3; next } { d = s / 16000 - $3; a += d * d } END { printf "%.9f",
        sqrt(a / 4000) }' "$tmp/u.data")"
claim "and counted apart" equal "$(stage fixed examples) $(stage fixed examples_held_out)" "16000 4000"

# Bad rows
(head -50 "$tmp/u.data" && printf '7\t8\t\t9\n7\t8\tfive\t9\n7\t8\t5\n7\t8\tinf\t9\n7\t8\t1e99\t9\n') >"$tmp/bad.data"
ratings --set data="$tmp/bad.data" --set learner=average --set dead_letters="$tmp/bad.jsonl" --set max_reject_ratio=1
claim_exit "rows that cannot be used do not stop a run" 0
claim "they are not learned from" equal "$(stage average examples)" 50
claim "each is a dead letter with its line and reason" equal "$(jq -r '"\(.line) \(.reason)"' "$tmp/bad.jsonl" |
    paste -sd' ')" \
    "52 number 53 fields 54 nonfinite 55 label"
claim_says "one without a rating is left out" "1 of 54 records have no value in column 'rating' and were left out"
claim "and words that say what is wrong" sh -c "jq -r .message '$tmp/bad.jsonl' | grep -q \"'five' is not a number\""

ratings --set data="$tmp/u.data" --set format=xml
claim_exit "a format that is none is a configuration error" 2
claim_says "and says which there are" "tsv, csv, json or libfm"
ratings --set data="$tmp/u.data" --set learner=nonesuch
claim_exit "so is a learner that does not exist" 2
ratings --set data="$tmp/u.data" --set learner=average --set fixd.value=1
claim_exit "and a parameter of no learner" 2

# The closing lines of a run that is not quiet
leat_run run pipelines/rate.lua --plugin-path "$plugins" --set learner=fixed,average --set fixed.value=1 \
    --set data="$tmp/u.data"
claim "the end says which is better, and by how much" grep -q "average is better than fixed by .* of RMSE (95 %" "$out"
claim_says "and what the last fifth was like" "rmse = " "(last fifth "
leat_run run pipelines/rate.lua --plugin-path "$plugins" --set learner=fixed --set data="$tmp/u.data"
claim "one learner is compared with none" sh -c "! grep -q 'better than' '$err' '$out'"

# The learners of ratings. Users and items of like parity please each other: that takes pairs.
awk 'BEGIN { srand(4); for (i = 0; i < 4000; i++) { u = int(rand() * 8); v = int(rand() * 6)
    printf "%d\t%d\t%d\t%d\n", u, v, 3 + (u % 2 == v % 2 ? 1 : -1) + int(rand() * 3) - 1, i } }' >"$tmp/pairs.data"
ratings --set data="$tmp/pairs.data"
claim_exit "without a choice of learners it runs" 0
claim "bias, fm and sftrl, on every row" equal "$(stage bias examples) $(stage fm examples) $(stage sftrl examples)" \
    "4000 4000 4000"
claim "the table has the best first" equal "$(awk '/B  /{ print $1 }' "$out" | paste -sd' ')" \
    "$(json '[.stages[] | select(.metrics.rmse)] | sort_by(.metrics.rmse) | map(.id) | join(" ")')"
claim "sftrl is shown to be better where pairs matter" equal "$(json '[.comparisons[] | select(.a + .b == "biassftrl") |
    .better] | unique | join(" ")')" sftrl
claim "it comes near to what is chance, which without pairs nobody does" \
    equal "$(below "$(stage sftrl rmse_last)" 1 && below 1.25 "$(stage bias rmse_last)" && echo yes)" yes
"$LEAT" check pipelines/rate.lua --set data="$tmp/pairs.data" --set m=7 --json >"$tmp/plan.json"
claim "a feature is planned with its 2 m doubles, 5 of the linear part and scratch, id and index" below \
    $((8 * (2 * 7 + 4) + 20)) "$(jq '.graph.stages[] | select(.id == "sftrl") | .state_bytes / 524288' \
    "$tmp/plan.json")"
claim "and where it stops growing is said" sh \
    -c "'$LEAT' check pipelines/rate.lua --set data='$tmp/pairs.data' | grep -q 'stops growing at 524288 features'"
ratings --set data="$tmp/pairs.data" --set learner=sftrl,fm,fm_ftrl,ogd,ocg,bias --set m=4 --set ocg.every=20 \
    --set min=1 --set max=5 --set predictions="$tmp/p.csv"
claim_exit "all of them run on one parse" 0
claim "each learns from all and predicts within min and max" equal \
    "$(for l in sftrl fm fm_ftrl ogd ocg bias; do awk -F, -v l=$l 'NR > 1 { bad += !($2 >= 1 && $2 <= 5) } END {
        printf "%s %d %d\n", l, NR, bad }' "$tmp/p-$l.csv"; done | grep -c ' 4001 0$')" 6
claim "m is also the number of factors of fm" equal "$(stage fm model_bytes)" $((1024 * (8 * (3 + 2 * 4) + 20)))

# m of the rank or more: nothing is lost, and the sketch is the exact form.
ratings --set data="$tmp/pairs.data" --set learner=sftrl,fm_ftrl --set m=16 --set eta=0.02 --set sftrl.linear=inside
claim "with room for all directions sftrl is fm_ftrl" near "$(stage sftrl rmse)" "$(stage fm_ftrl rmse)"
ratings --set data="$tmp/pairs.data" --set learner=sftrl,fm_ftrl --set m=1000 --set eta=0.02 --set sftrl.linear=inside
claim "also with an m beyond all features" near "$(stage sftrl rmse)" "$(stage fm_ftrl rmse)"

# AdaGrad on ratings, recomputed in awk: scales of gradients in units of the clip, projection onto the clip.
ratings --set data="$tmp/pairs.data" --set learner=adagrad,s_adagrad,rfd_son,full_on,oja_son,rp_son,fd_son \
    --set clip=8 --set adagrad.alpha0=2 --set predictions="$tmp/p.csv"
claim_exit "the online Newton family takes ratings" 0
awk -F'\t' -v C=8 -v alpha=2 '{ n = split("u" $1 " v" $2, x, " "); s = 0; for (i = 1; i <= n; i++) s += w[x[i]]
    z = s > C ? C : s < -C ? -C : s; printf "%d,%.6g\n", NR, z
    if (s != z) { rho = 0; for (i = 1; i <= n; i++) rho += 1 / (alpha + sqrt(q[x[i]]))
        for (i = 1; i <= n; i++) w[x[i]] -= (s - z) / rho / (alpha + sqrt(q[x[i]])) }
    g = 2 * (z - $3); for (i = 1; i <= n; i++) { q[x[i]] += (g / C) ^ 2; w[x[i]] -= g / (alpha + sqrt(q[x[i]])) } }' \
        "$tmp/pairs.data" >"$tmp/naive"
claim "adagrad predicts what its formulas say" awk -F, 'NR == FNR { z[$1] = $2; next } FNR > 1 { d = $2 - z[$1]; n++
    if (d > 1e-4 || d < -1e-4) bad++ } END { print n, bad + 0; exit !(n == 4000 && !bad) }' "$tmp/naive" \
        "$tmp/p-adagrad.csv"
for l in adagrad s_adagrad rfd_son full_on oja_son rp_son fd_son; do
    claim "$l has learned what users and items have in common" below "$(stage $l rmse_last)" 1.5
done
ratings --set data="$tmp/pairs.data" --set learner=rfd_son --set clip=2
claim_exit "ratings beyond the clip are too many rejections" 1
claim_says "which say what to do" "mostly for label (" " is not within -clip to clip = 2: raise clip"

# Odd input
real=sftrl,fm,fm_ftrl,ogd,ocg,bias
head -1 "$tmp/pairs.data" >"$tmp/one.data"
ratings --set data="$tmp/one.data" --set learner=$real --set m=1
claim_exit "a stream of one row, with m = 1, is no error" 0
claim "all learn from it" equal "$(json '[.stages[].metrics.examples | values] | join(" ")')" "1 1 1 1 1 1"
printf '5 7:1 7:1 9:0.5\n4 7:2 9:0.5\nx 7:1\nnan 7:1\n1e11 7:1\n3 7:1e30\n3 7:3e38 8:3e38\n-2 9:1e9\n4 7:2 9:0.5\n' \
    >"$tmp/odd.libfm"
ratings --set data="$tmp/odd.libfm" --set format=libfm --set learner=$real --set dead_letters="$tmp/odd.jsonl" \
    --set max_reject_ratio=1
claim_exit "rows that overflow or are no ratings do not end a run" 0
claim "the others are learned from" equal "$(json '[.stages[].metrics.examples | values] | join(" ")')" "4 4 4 4 4 4"
claim "each is a dead letter that says why" equal "$(jq -r '"\(.line) \(.reason)"' "$tmp/odd.jsonl" | sort -un |
    paste -sd' ')" \
    "3 label 4 nonfinite 5 label 6 number 7 number"
claim "and every figure is a number" equal "$(json '[.stages[].metrics.rmse | select(. != null) | . < 1e30] | all')" \
    true

# ---- pairs that say nothing ----
awk 'BEGIN { srand(8);
    for (i = 0; i < 4000; i++) print int(rand() * 60) "\t" int(rand() * 60) "\t" 1 + int(rand() * 5) "\t0" }' \
        >"$tmp/noise.data"
ratings --set data="$tmp/noise.data" --set learner=sftrl --set m=4 --log-level warn
claim_says "pairs that improve nothing are told, and what to use" \
    "sftrl (learn.sftrl): pair_share is 0: after 4000 examples pairs improve no prediction" "learn.bias"
ratings --set data="$tmp/pairs.data" --set learner=sftrl --set m=4 --log-level warn
claim "pairs that help are not" sh -c "! grep -q pair_share '$err'"
done_claims
