#!/usr/bin/env bash
# rsyslog-3-gigabytes-are-fewer-than-500-megabytes -- rsyslog: "bytes > 500000000" is false of 3 GB, true of 5, not of 8
#
# A log of downloads in JSON, one line each, as web servers write it: path, bytes, and start and end in nanoseconds.
# mmjsonparse reads it, and "if $!bytes > 500000000 then" sends what is large to a file of its own.
#
# Guess: RainerScript computes in 64 bits, as its reference says of numbers, and $!bytes * 1000 is right indeed. So all
#        downloads above 500 MB are found, and a span ends after it starts.
# Truth: 2 GB is found, 3 GB is not, 5 GB is, 8 GB is not, and -3000000000 is found. A span of 2 s has end > start, one
#        of 3 s has end < start. 500000000 + 2^32 is both >= and <= 500000000. == and != are right. Nothing warns.
#        A text is compared as a number if it is a whole number, else as a text: "1200.5" > 500 is false, "90.5" > 500
#        is true. The JSON number 1200.5 is cut to 1200 first.
#        A test with small numbers does not see it: all is right while two numbers are less than 2^31 apart.
# Why it matters: such filters are alarms, and they miss what is largest.
#
# Cause: eval_strcmp_like() of rainerscript.c keeps the difference of two 64-bit numbers in an int; its sign decides.
#        It came with 8.2202, which mended the comparison of literal numbers.
# Cure:  divide first: $!bytes / 1000 > 500000; of times, ($!end - $!start) / 1000000 > 0.
#
# Seen with: rsyslog 8.2302.0-1+deb12u2 (Debian 12), libfastjson4 1.2304.0-1.
# Sources: rsyslog, grammar/rainerscript.c (eval_strcmp_like; the same on its main branch in August 2026);
#          https://github.com/rsyslog/rsyslog/pull/4789 (the change of 8.2202). We found no issue of it.
set -eu
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || { kill -KILL $pid; wait $pid || true; } 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
export HOME=$work LC_ALL=C
changed=0

# versions PACKAGE=VERSION...: unpacks them into packages/; prints the versions.
versions() {
    apt-get -qq download "$@" 2>apt.log || { apt-get -qq update && apt-get -qq download "$@"; } >apt.log 2>&1 ||
        { cat apt.log; exit 1; }
    for package in *.deb; do
        dpkg -x "$package" packages
    done
    printf '%s\n' "$@" | tr '=' ' '
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-42s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions rsyslog=8.2302.0-1+deb12u2 libestr0=0.1.11-1 libfastjson4=1.2304.0-1 liblognorm5=2.0.6-4
libraries=$work/packages/usr/lib/x86_64-linux-gnu
limit=500000000
for bytes in 400000000 2000000000 3000000000 5000000000 8000000000 -3000000000 $((limit + (1 << 32))); do
    echo "{\"bytes\": $bytes, \"start\": 0, \"end\": 0, \"ms\": \"0\"}"
done >downloads.log
start=1790000000000000000
for seconds in 2 3; do
    echo "{\"bytes\": 0, \"start\": $start, \"end\": $((start + seconds * 1000000000)), \"ms\": \"0\"}"
done >>downloads.log
for ms in 1200 1200.5 90.5; do
    echo "{\"bytes\": 0, \"start\": 0, \"end\": 0, \"ms\": \"$ms\"}"
done >>downloads.log

cat >look.conf <<CONF
global(workDirectory="$work")
module(load="imfile")
module(load="mmjsonparse")
template(name="seen" type="string"
         string="%\$.above%%\$.from%%\$.to%%\$.equal%%\$.later%%\$.earlier%%\$.slow% %\$.thousands%\n")
input(type="imfile" file="$work/downloads.log" tag="downloads" ruleset="look")
ruleset(name="look") {
    action(type="mmjsonparse" cookie="")
    if \$!bytes > $limit then set \$.above = ">"; else set \$.above = "-";
    if \$!bytes >= $limit then set \$.from = "g"; else set \$.from = "-";
    if \$!bytes <= $limit then set \$.to = "l"; else set \$.to = "-";
    if \$!bytes == $limit then set \$.equal = "="; else set \$.equal = "-";
    if \$!end > \$!start then set \$.later = "E"; else set \$.later = "-";
    if \$!end < \$!start then set \$.earlier = "S"; else set \$.earlier = "-";
    if \$!ms > 500 then set \$.slow = "M"; else set \$.slow = "-";
    set \$.thousands = \$!bytes * 1000;
    action(type="omfile" file="$work/seen" template="seen")
}
CONF
LD_LIBRARY_PATH=$libraries packages/usr/sbin/rsyslogd -n -f look.conf -i "$work/pid" -M "$libraries/rsyslog" >log 2>&1 &
pid=$!
waits=0
until [ -e seen ] && [ "$(wc -l <seen)" -ge 12 ]; do
    waits=$((waits + 1))
    [ $waits -le 300 ] && kill -0 $pid 2>/dev/null || { cat log; exit 1; }
    sleep 0.2
done

# line N: what was seen of the Nth record.
line() {
    sed -n "${1}p" seen
}

echo "of bytes: > above 500 MB, g >=, l <=, = ==; E end > start, S end < start; M ms > 500; then bytes * 1000"
expect "400 MB" "$(line 1)" "--l---- 400000000000"
expect "2 GB" "$(line 2)" ">g----- 2000000000000"
expect "3 GB" "$(line 3)" "--l---- 3000000000000"
expect "5 GB" "$(line 4)" ">g----- 5000000000000"
expect "8 GB" "$(line 5)" "--l---- 8000000000000"
expect "-3000000000" "$(line 6)" ">g----- -3000000000000"
expect "500 MB and 2^32 bytes" "$(line 7)" "-gl---- 4794967296000"
expect "a span of 2 s" "$(line 8)" "--l-E-- 0"
expect "a span of 3 s" "$(line 9)" "--l--S- 0"
expect '"1200"' "$(line 10)" "--l---M 0"
expect '"1200.5"' "$(line 11)" "--l---- 0"
expect '"90.5"' "$(line 12)" "--l---M 0"
exit $changed
