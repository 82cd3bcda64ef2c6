#!/usr/bin/env bash
# Does any path cost more than before? OLD and NEW are the folders of two checkouts that are built (`make`).
# Instructions of whole runs in one thread, by valgrind's callgrind: of each case 24,576 records less 8,192, so that the
# start does not count. They hardly
# depend on what else the machine does: differences of 1 % are real but for 0.2 M, the start of Lua. CASES: only these.
# Prints, of each case, instructions a record in OLD and NEW, and their ratio.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
old=${OLD:?the folder of an earlier checkout, built} new=${NEW:-$here}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export OPENBLAS_NUM_THREADS=1
requests() { # requests N: made-up ones, as CSV, JSON, log and libsvm; and such that are all rejected
    awk -v n="$1" -v to="$tmp/$1" 'BEGIN {
        csv = to ".csv"; bad = to ".bad.csv"; json = to ".jsonl"; bad_json = to ".bad.jsonl"; log_file = to ".log";
        svm = to ".svm"; bad_svm = to ".bad.svm"
        print "time,host,path,status,bytes,ms" >csv; print "time,host,path,status,bytes,ms" >bad
        for (i = x = 1; i <= n; i++) {
            x = x * 16807 % 2147483647; host = "web-" x % 251 ".example.org"; path = "/p/" x % 1000 "/x.gif";
            status = x % 50 ? 200 : 503
            time = 1700000000 + i * 2 - x % 20; bytes = x % 90000; ms = x % 997 + 1
            printf "%d,%s,%s,%d,%d,%d\n", time, host, path, status, bytes, ms >csv
            printf "%d,%s,%s,%d,%d\n", time, host, path, status, bytes >bad
            object = sprintf("{\"time\":%d,\"host\":\"%s\",\"user\":null,\"path\":\"%s\",\"status\":%d,\"bytes\":%d,\"ms\":%d,\"area\":\"eu\"", time, host, path, status, bytes, ms)
            print object "}" >json; print object >bad_json
            printf "%s - - [10/Oct/2023:13:55:36 +0000] \"GET %s HTTP/1.1\" %d %d \"http://www.example.com/%d\" \"Mozilla/5.0 (X11; Linux x86_64)\"\n", host, path, status, bytes, x % 50 >log_file
            row = ""
            for (k = 1; k <= 20; k++) row = row " " k * 50 + (x % (k + 20)) ":0." x % 97 + k
            print (x % 3 ? "-1" : "+1") row >svm; print "x" row >bad_svm
        }
    }'
}
instructions() { # instructions FOLDER CASE N
    rm -f "$tmp"/profile* "$tmp/out"
    valgrind -q --tool=callgrind --callgrind-out-file="$tmp/profile.%p" "$1/build/release/bin/leat" run \
        "$here/tests/bench/pipelines/instructions.lua" --quiet \
        --set data="$tmp/$3" --set case="$2" --set out="$tmp/out" >"$tmp/said" 2>&1 || [[ $2 == bad* ]] ||
        { cat "$tmp/said" >&2; exit 1; }
    sed -n 's/^totals: //p' "$tmp"/profile.* | sort -n | tail -1
}
few=8192 many=24576
requests $few
requests $many
for case in ${CASES:-$(sed -n 's/^  \([a-z_]*\) = \(function.*\|csv,\|log,\)$/\1/p' \
    "$here/tests/bench/pipelines/instructions.lua")}; do
    counts=()
    for folder in "$old" "$new"; do
        counts+=("$(instructions "$folder" "$case" $few)" "$(instructions "$folder" "$case" $many)")
    done
    awk -v case="$case" -v n=$((many - few)) -v counts="${counts[*]}" 'BEGIN {
        split(counts, c, " "); before = (c[2] - c[1]) / n; after = (c[4] - c[3]) / n
        printf "%-14s %8.0f %8.0f %6.3f\n", case, before, after, after / before }'
done
