#!/usr/bin/env bash
# Does a run at full speed stay as it is? A log that is written and rotated as fast as it is read goes for SECONDS_MAX
# (1200) through parsers, a Lua filter, windows, dedup and learners, with --state and an answer of every page of --http
# each second.
# Prints the records, and of each tenth of the time the resident memory (its median), open files and threads; ends with
# 1 if memory in the last tenth is over 1 % above that in the third, or if threads have become more, or files by more
# than a snapshot and a page need.
set -eu
export LC_ALL=C
leat=${LEAT:-build/release/bin/leat} max=${SECONDS_MAX:-1200}
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$tmp"' EXIT
log=$tmp/log.json part=200000

part() { # records of the K-th part
    awk -v k="$1" -v n=$part 'BEGIN { srand(k + 1)
        for (i = k * n; i < (k + 1) * n; i++)
            printf "{\"at\":%d,\"host\":\"h%d\",\"path\":\"/p%d/%d\",\"ms\":%d,\"failed\":%s}\n", 1700000000 + i / 1000,
                rand() * 250, rand() * rand() * 500, i, rand() * 1000, rand() < .1 ? "true" : "false" }'
}
part 0 >"$log"
"$leat" run tests/bench/pipelines/soak.lua --set data="$log" --state "$tmp/state" --every 5s --http :0 \
    --progress never 2>"$tmp/said" &
pid=$!
until url=$(sed -n 's/^leat: watch this run at //p' "$tmp/said") && [[ $url ]] && [[ $(curl -s "${url}ready") == \
    running ]]; do sleep 0.1; done
records() { curl -s "${url}metrics" | awk '$1 == "leat_records_total" { print $2 }'; }

write_on() {
    local k=1
    while :; do
        part "$k" >>"$log"
        k=$((k + 1))
        until (($(records) >= (k - 1) * part)); do sleep 0.05; done
        mv "$log" "$log.1"
        : >"$log"
    done
}
write_on &
writer=$!
begun=$SECONDS
while ((SECONDS - begun < max)); do
    for page in metrics status 'top/model?n=20' '' report; do curl -s -o /dev/null "$url$page"; done
    echo "$((SECONDS - begun)) $(awk '/^VmRSS/ { print $2 }' /proc/$pid/status) $(ls /proc/$pid/fd |
        wc -l) $(ls /proc/$pid/task | wc -l)"
    sleep 1
done >"$tmp/samples"
records=$(records)
kill $writer
kill -TERM $pid
wait $pid || { cat "$tmp/said" >&2; exit 1; }
echo "$records records, $((records / max)) a second; $(ls "$tmp/state" | wc -l) files of --state"
sort -s -k1,1n "$tmp/samples" | awk -v max="$max" '{ print int($1 * 10 / max) + 1, $2, $3, $4 }' |
    sort -s -k1,1n -k2,2n | awk '
    function done() {
        if (!n) return
        kb = memory[int((n + 1) / 2)]
        printf "tenth %d: %.1f MB, %d files, %d threads at most\n", tenth, kb / 1024, files, threads
        if (tenth == 3) { kb3 = kb; files3 = files; threads3 = threads }
        n = files = threads = 0
    }
    $1 != tenth { done(); tenth = $1 }
    { memory[++n] = $2; if ($3 > files) files = $3; if ($4 > threads) threads = $4 }
    END { done(); printf "memory: %+.2f %% from the third to the last\n", 100 * (kb / kb3 - 1); exit kb > 1.01 * kb3 ||
    files > files3 + 2 || threads > threads3 }'
