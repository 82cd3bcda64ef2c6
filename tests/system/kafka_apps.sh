# The applications on librdkafka's mock cluster, by --set alone: topics filled by produce.lua give the same answers as
# the files.
# tier: long (11 s)
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
root=$OLDPWD
svm_examples 8 3000 5 300 >some
zstd -dcq "$root/pipelines/data/senate-disbursements.csv.zst" | tr -d '\r' | head -4001 >senate
awk 'BEGIN { srand(2); for (i = 0; i < 1000; i++) printf "%d\t%d\t%d\t0\n", rand() * 50, rand() * 80,
    1 + rand() * 5 }' >stars
printf 'the cat sat on the mat\nthe dog sat on the log\n%.0s' {1..100} >text
fill() { # fill TOPIC FILE [ARGS…]
    mock topic "$1" 1 >/dev/null
    "$LEAT" run "$root/pipelines/kafka/produce.lua" --set brokers="$brokers" --set topic="$1" --set data="$2" \
        --quiet "${@:3}"
}
fill examples some && fill lines senate --set format=csv && fill stars stars && fill text text
topic=(--set brokers="$brokers" --set until=end --quiet)
same() { # same NAME FILE TOPIC [ARGS…]: of both, with what only one needs in $of_file, $of_topic
    leat_run run "$root/pipelines/$1.lua" --set data="$2" --quiet "${@:4}" "${of_file[@]}"
    timeless "$out" >from-file
    leat_run run "$root/pipelines/$1.lua" "${topic[@]}" --set topic="$3" "${@:4}" "${of_topic[@]}"
    claim "$1 says of a topic what it says of the file" [ "$status" = 0 -a -s from-file ]
    claim "byte for byte" cmp <(timeless "$out") from-file
}
of_file=() of_topic=(--set group=apps)
same classify some examples --set budget=2KB
claim "as a member of a group, too" grep -q '^3000 ' <<<"$(mock committed apps examples 1)"
of_topic=()
same features some examples --set k=10
same rate stars stars
same pairs text text --set seed=1
leat_run run "$root/pipelines/explain.lua" "${topic[@]}" --set topic=lines --quiet
claim "explain knows the columns of the sample in a topic" grep -q ' line_type=three data line' "$out"
of_file=(--set left=office --set right=payee)
same correlate senate lines
columns=$(head -1 senate) of_file=() of_topic=(--set columns="$columns")
same explain senate lines --set outlier='amount > 3000' --set attributes=office,payee
split=(--set attributes=payee --set "split=amount > 1000" --set out=jsonl)
leat_run run "$root/pipelines/compare.lua" --set data=senate "${split[@]}" --quiet
cp "$out" from-file
leat_run run "$root/pipelines/compare.lua" "${topic[@]}" --set topic=lines --set columns="$columns" "${split[@]}"
claim "compare splits a topic as it does the file" cmp <(timeless "$out") from-file
for name in classify correlate compare explain features pairs rate; do
    leat_run check "$root/pipelines/$name.lua" --set brokers=embedded --set topic=try --set group=try \
        $([[ $name == compare ]] && echo --set attributes=a --set columns=a,b --set split=b==1)
    claim_exit "$name takes a broker that is embedded" 0
done
leat_start "$root/pipelines/explain.lua" --set brokers=embedded --set topic=try --set min_count=5
until_true grep -q "is at" "$err"
embedded=$(sed -n 's/.* is at \([0-9.:]*\), with topic try;.*/\1/p' "$err")
"$LEAT" run "$root/pipelines/kafka/produce.lua" --set brokers="$embedded" --set topic=try --set data=senate \
    --set format=csv --quiet
has_read() {
    kill -USR1 "$pid"
    grep -q "(source.kafka): $1 records in" "$err"
}
until_true has_read 4000
leat_stop
claim_exit "explain tries itself on one" 0
claim "with the sample that is sent to it" grep -q "leat: 4000 records" "$err"
leat_run check "$root/pipelines/explain.lua" --set brokers=localhost:1 --set topic=lines --set metric=amount \
    --set attributes=office
claim_says "messages have no heading" "--set columns=a,b,c"
leat_run check "$root/pipelines/features.lua" --set brokers=localhost:1
claim_says "a topic is needed" "--set topic=NAME"
exec 9>&-
done_claims
