#!/usr/bin/env bash
# What records of each format cost to become columns, on one core: RECORDS (default 2,000,000) made-up requests as an
# access log, as CSV and as JSON of 12 keys, into sink.null; lines that are not parsed, and JSON in Lua (of a fortieth
# of them),
# beside. RUNS (5) in turns: the median of the processor time, and what that is in MB a second.
set -eu
leat=${LEAT:-build/leat} records=${RECORDS:-2000000} runs=${RUNS:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v n="$records" -v to="$tmp" 'BEGIN {
    log_file = to "/combined"; csv = to "/csv"; json = to "/json";
    agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"
    print "time,host,user,method,path,status,bytes,ms,referer,agent,area,shard" >csv
    for (i = x = 1; i <= n; i++) {
        x = x * 16807 % 2147483647; host = "10.0." x % 4 "." x % 251; path = "/p/" x % 1000 "/x.gif";
        status = x % 50 ? 200 : 503
        time = sprintf("%02d:%02d:%02d", i / 3600 % 24, i / 60 % 60, i % 60); bytes = x % 90000; ms = x % 997;
        ref = "http://www.example.com/" x % 50
        printf "%s - - [10/Oct/2023:%s +0000] \"GET %s HTTP/1.1\" %d %d \"%s\" \"%s\"\n", host, time, path, status,
        bytes, ref, agent >log_file
        printf "%s,%s,,GET,%s,%d,%d,%d,%s,%s,eu,%d\n", time, host, path, status, bytes, ms, ref, agent, x % 8 >csv
        printf "{\"time\":\"2023-10-10T%sZ\",\"host\":\"%s\",\"user\":null,\"method\":\"GET\",\"path\":\"%s\",\"status\":%d,\"bytes\":%d,\"ms\":%d,\"referer\":\"%s\",\"agent\":\"%s\",\"area\":\"eu\",\"shard\":%d}\n", \
            time, host, path, status, bytes, ms, ref, agent, x % 8 >json
    }
}'
ln -s "$tmp/json" "$tmp/lines"
head -n $((records / 40)) "$tmp/json" >"$tmp/lua"
TIMEFORMAT='%U %S'
for ((run = 0; run < runs; run++)); do
    for format in lines csv combined json lua; do
        { time "$leat" run tests/bench/pipelines/formats.lua --quiet --set data="$tmp/$format" --set format=$format \
            2>"$tmp/said"; } 2>>"$tmp/$format.seconds"
    done
done
for format in lines csv combined json lua; do
    awk '{ print $1 + $2 }' "$tmp/$format.seconds" | sort -n | awk -v format=$format -v bytes="$(stat -Lc %s \
        "$tmp/$format")" '
        { t[NR] = $1 } END { s = t[int((NR + 1) / 2)]; printf "%-9s %7.1f MB %6.2f s %7.0f MB/s\n", format, bytes / 1e6, s, (s > 0 ? bytes / 1e6 / s : 0) }'
done
