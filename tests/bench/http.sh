#!/usr/bin/env bash
# What it costs to be watched (--http), while a learner works at full speed: SECONDS_EACH (10) of each, RUNS (3) in
# turns. Prints the processor time of the server's thread, with a scrape a second and with hostile clients (which begin
# requests and
# never end them, send nonsense, ask for what is not there, as fast as they can), as a share of the time; records for
# each second of processor time of all other threads, of each against none; and the median, 99th percentile and longest
# of /top and
# /predict in ms, one after the other over one connection; the same of each of LEARNERS. Needs curl.
set -eu
leat=${LEAT:-build/release/bin/leat} each=${SECONDS_EACH:-10} runs=${RUNS:-3} \
    learners=${LEARNERS-rfd_son sftrl s_adagrad full_on}
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$tmp"' EXIT
awk 'BEGIN { srand(3); print "y,a,b,n"; for (i = 0; i < 500000; i++) { a = int(rand() * 200); printf "%d,a%d,b%d,%d\n",
    rand() < a / 200, a, rand() * 300, rand() * 10 } }' >"$tmp/rows.csv"

begin() {
    : >"$tmp/said"
    "$leat" run tests/bench/pipelines/watching.lua --quiet --set data="$tmp/rows.csv" --set times=100000 --http :0 \
        "$@" 2>"$tmp/said" &
    pid=$!
    until url=$(sed -n 's/^leat: watch this run at //p' "$tmp/said") && [[ $url ]] && [[ $(curl -s "${url}ready") == \
        running ]]; do sleep 0.1; done
    port=${url##*:} port=${port%/}
    sleep 1
}
end() {
    kill -TERM "$pid"
    wait "$pid" || true
}
# "server others records": seconds of processor time of the server's thread and of all others, and records.
now() {
    local task
    for task in /proc/"$pid"/task/*; do echo "$(<"$task/comm") $(<"$task/schedstat")"; done |
        awk '/^MHD/ { server += $(NF - 2); next } { others += $(NF - 2) } END { printf "%.9f %.9f ", server / 1e9,
            others / 1e9 }'
    curl -s "${url}metrics" | awk '$1 == "leat_records_total" { print $2 }'
}
none() { sleep "$each"; }
scrapes() { for ((s = 0; s < each; s++)); do curl -s "${url}metrics" >/dev/null; sleep 1; done; }
hostile() {
    local until=$((SECONDS + each)) i
    while ((SECONDS < until)); do
        for ((i = 0; i < 20; i++)); do
            (exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HTTP/1.1\r\nX-a: ' >&3 && sleep 5) 2>/dev/null &
            (exec 3<>"/dev/tcp/127.0.0.1/$port" && head -c 100000 /dev/zero >&3) 2>/dev/null &
        done
        curl -s -o /dev/null "${url}nothing/[1-50]" || true
        curl -s -o /dev/null --data-binary $'no such record\n' "${url}predict/model?[1-20]" || true
    done
}
# Of /top and /predict: median, 99th percentile and longest, ms, to "$tmp/top.$1" and "$tmp/predict.$1".
wait_for_pages() {
    local path post
    for path in "top/model?n=20" "predict/model?i="; do
        post=()
        [[ $path == top* ]] || post=(--data-binary '1,a3,b4,5')
        curl -s -o /dev/null -w '%{time_total}\n' "${post[@]}" "$url$path&[1-2000]" | awk 'NF { print 1000 * $1 }' |
            sort -n |
            awk '{ t[NR] = $1 } END { print t[int(NR / 2)], t[int(NR * .99)], t[NR] }' >>"$tmp/${path%%/*}.$1"
    done
}
for ((run = 0; run < runs; run++)); do
    for way in none scrapes hostile; do
        begin
        before=$(now)
        from=${EPOCHREALTIME/./}
        $way
        took=$((${EPOCHREALTIME/./} - from))
        echo "$before $(now) $took" >>"$tmp/$way"
        end
    done
    begin
    wait_for_pages awm
    end
    for learner in $learners; do
        begin --set learner="$learner"
        wait_for_pages "$learner"
        end
    done
done
median() { sort -n | sed -n "$(((runs + 1) / 2))p"; }
base=$(awk '{ print ($6 - $3) / ($5 - $2) }' "$tmp/none" | median)
for way in scrapes hostile; do
    printf '%s: server thread %s %% of the time; records a processor second of the others: %s of those with none\n' \
        $way \
        "$(awk '{ printf "%.3f\n", 100 * ($4 - $1) / ($7 / 1e6) }' "$tmp/$way" | median)" \
        "$(awk -v base="$base" '{ printf "%.3f\n", ($6 - $3) / ($5 - $2) / base }' "$tmp/$way" | median)"
done
for learner in awm $learners; do
    for page in top predict; do
        printf '%s, %s: median, 99 %%, longest' "$learner" $page
        for column in 1 2 3; do printf ' %s' "$(cut -d' ' -f$column "$tmp/$page.$learner" | median)"; done
        echo ' ms'
    done
done
