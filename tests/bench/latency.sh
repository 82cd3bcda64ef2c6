#!/usr/bin/env bash
# From a line that is written to the same line in the file of a sink: LINES (20,000) lines, EACH_SECOND (1,000) of them
# a second, RUNS (3) in turns, beside `tail -F` and `cat` that write such a file; rename and copy are of a followed file
# that is rotated each
# second. Prints the median, the 99th percentile and the longest in ms; of each the median of the runs. WAYS: only
# these.
set -eu
leat=${LEAT:-build/release/bin/leat} lines=${LINES:-20000} rate=${EACH_SECOND:-1000} runs=${RUNS:-3}
ways=${WAYS:-pipe cat follow tail rename copy tcp}
programs=${leat%/bin/leat}/tests/programs
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$tmp"' EXIT
port=47231
# write PATH [ROTATE_EVERY rename|copy]
write() { "$programs/log_writer" write "$1" 0 "$lines" "$rate" "${2:-0}" "${3:-rename}"; }
follow() { : >"$tmp/log"; run file --set path="$tmp/log" & sleep 1; write "$tmp/log" "$@" & }
run() { exec "$leat" run tests/bench/pipelines/latency.lua --quiet --set source="$1" --set out="$tmp/out" "${@:2}" \
    2>"$tmp/said"; }
measure() {
    rm -f "$tmp"/log* "$tmp"/out
    : >"$tmp/out"
    "$programs/log_writer" watch "$tmp/out" "$lines" >>"$tmp/$1.ms" & local watch=$!
    case $1 in
    pipe) write /dev/stdout | run pipe & ;;
    cat) write /dev/stdout | cat >"$tmp/out" & ;;
    follow) follow ;;
    rename | copy) follow "$rate" $1 ;;
    tail) : >"$tmp/log"; tail -F "$tmp/log" 2>/dev/null >"$tmp/out" & sleep 1; write "$tmp/log" & ;;
    tcp) run tcp --set port=$port & sleep 1; "$programs/socket_client" lines $port "$lines" "$rate" & ;;
    esac
    wait "$watch"
    kill $(jobs -p) 2>/dev/null || true
    wait 2>/dev/null || true
}
for ((i = 0; i < runs; i++)); do
    for way in $ways; do measure $way; done
done
for way in $ways; do
    printf '%-8s' $way
    for column in 1 2 3; do cut -d' ' -f$column "$tmp/$way.ms" | sort -n | sed -n "$(((runs + 1) / 2))p"; done |
        tr '\n' ' '
    echo
done
