#!/usr/bin/env bash
# xargs-stops-at-a-killed-task -- xargs starts no more tasks after one was killed; not so in dash -c, but in bash -c
#
# Eight tasks, two at a time: seq 8 | xargs -n 1 -P 2 ./task. The second one is killed, by the OOM killer or by hand.
#
# Guess: a task that fails is counted, the others run, and xargs ends with 123. Only exit code 255 stops it, as its
#        manual says, and all who have met that know.
# Truth: a task that dies by a signal stops xargs too, with 125: tasks 1 and 2 were all that ever ran. The manual gives
#        the code in its table, and says of 255 only that it stops.
#        A shell between them changes this if it stays. dash -c './task "$1"' runs all eight, with 123. bash executes a
#        lone command in its own place, so bash -c './task "$1"' stops, and with "; exit" after it runs all eight.
#        So a line with sh -c runs on where sh is dash (Debian), and stops where it is bash (Red Hat).
#        BusyBox does as GNU does. GNU parallel runs all eight.
#
# Cause: xargs.c, wait_for_proc: both 255 and a signal are fatal, and what runs is waited for. 137, which is what a
#        shell makes of SIGKILL, is a failure like any other.
# Cure:  xargs sh -c './task "$1" || exit 1' sh; or start the same xargs again, with tasks that skip what is done.
#
# Seen with: findutils 4.9.0, dash 0.5.12, bash 5.2.15, BusyBox 1.35.0 and parallel 20221122 from Debian 12.
# Sources: GNU findutils, xargs/xargs.c (wait_for_proc); xargs(1), EXIT STATUS.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work LC_ALL=C
changed=0

# versions PACKAGE=VERSION...: unpacks them into packages/; prints the versions.
versions() {
    apt-get -qq download "$@" 2>apt.log || { cat apt.log; exit 1; }
    for package in *.deb; do
        dpkg -x "$package" packages
    done
    printf '%s\n' "$@" | tr '=' ' '
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-58s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions findutils=4.9.0-4 dash=0.5.12-2 bash=5.2.15-2+b13 busybox=1:1.35.0-4+deb12u1+b1 parallel=20221122+ds-2
xargs=packages/usr/bin/xargs bin=packages/bin

# Task 2 ends as ENDS says; the others wait until it has ended, so that the order is certain.
cat >task <<'SH'
#!/bin/sh
echo "$1" >>ran
if [ "$1" = 2 ]; then
    touch ended
    eval "$ENDS"
fi
while [ ! -e ended ]; do sleep 0.05; done
sleep 0.3
SH
chmod +x task

# ran COMMAND...: gives it the numbers 1 to 8; prints the tasks that ran, and its exit code.
ran() {
    rm -f ran ended
    code=0
    seq 8 | "$@" 2>errors || code=$?
    echo "$(sort ran | tr -d '\n') exit $code"
}

export ENDS='exit 1'
expect "exit 1" "$(ran $xargs -n 1 -P 2 ./task)" "12345678 exit 123"
ENDS='exit 137'
expect "exit 137" "$(ran $xargs -n 1 -P 2 ./task)" "12345678 exit 123"
# shellcheck disable=SC2016
ENDS='kill -9 $$'
expect "SIGKILL" "$(ran $xargs -n 1 -P 2 ./task)" "12 exit 125"
# shellcheck disable=SC2016
expect "  in dash -c './task \"\$1\"'" "$(ran $xargs -n 1 -P 2 "$bin/dash" -c './task "$1"' sh)" "12345678 exit 123"
# shellcheck disable=SC2016
expect "  in bash -c './task \"\$1\"'" "$(ran $xargs -n 1 -P 2 "$bin/bash" -c './task "$1"' sh)" "12 exit 125"
# shellcheck disable=SC2016
expect "  in bash -c './task \"\$1\"; exit'" "$(ran $xargs -n 1 -P 2 "$bin/bash" -c './task "$1"; exit' sh)" "12345678 exit 123"
expect "  BusyBox" "$(ran packages/bin/busybox xargs -n 1 -P 2 ./task)" "12 exit 125"
expect "  GNU parallel" "$(ran packages/usr/bin/parallel -j 2 ./task)" "12345678 exit 1"
exit $changed
