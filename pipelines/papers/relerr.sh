# shellcheck shell=bash
# relerr.sh -- runs of wmsketch.lua on $data and their recovery error for $K; wmsketch.sh and shapes.sh source it.

# run LEARNERS BUDGET LAMBDA SEED K [ARGUMENTS]: writes the summary to $tmp/s.json. Prints "learner feature weight", the
# heaviest of each learner first.
run() {
    "$LEAT" run "$here/wmsketch.lua" --set data="$data" --set learners="${1// /,}" --set budget="$2" \
        --set lambda="$3" --set seed="$4" --set k="$5" "${@:6}" --summary "$tmp/s.json" --quiet |
        jq -r '.learner as $l | .top[] | [$l, .feature, .weight] | @tsv'
}

# reference LAMBDA: writes the whole uncompressed model to $tmp/reference-LAMBDA, once.
most=1000000
reference() {
    local file=$tmp/reference-$1
    [[ ! -e $file ]] || return 0
    run logistic 1KB "$1" 1 $most >"$file"
    if (($(wc -l <"$file") >= most)); then
        echo "${0##*/}: the model has $most features or more; lighter weights count as 0" >&2
    fi
}

# relerr REFERENCE: reads tops on standard input; prints "learner,budget,seed,k,relerr", with -v head=,budget,seed. A
# retrieved feature turns its share w*^2 of the squared error into (w - w*)^2.
relerr() {
    awk -F'\t' -v ks="$K" -v tail="$2" '
        function flush() { while (next_k <= nk && learner != "") put() }
        function put() {
            # A reference of at most K features leaves no error to compare with.
            if (beyond[k[next_k]] > 0) print learner tail "," k[next_k] "," sqrt(err / beyond[k[next_k]])
            next_k++
        }
        BEGIN { nk = split(ks, k, " "); CONVFMT = "%.12g" }
        NR == FNR { truth[$2] = $3; sorted[n = FNR] = $3; next }
        !added { # adds from the lightest up, so that rounding loses none
            for (i = n; i > 0; i--) { beyond[i] = total; total += sorted[i] ^ 2 }
            added = 1
        }
        $1 != learner { flush(); learner = $1; rank = 0; next_k = 1; err = total }
        {
            err += ($3 - truth[$2]) ^ 2 - truth[$2] ^ 2
            if (++rank == k[next_k]) put()
        }
        END { flush() }' "$1" -
}
