#!/usr/bin/env bash
# journald-a-host-that-catches-up-hides-another -- journalctl --since drops the entries of a host that was never late
#
# A collector writes the journals of two hosts into one file, as systemd-journal-remote does with SplitMode=none. Each
# logs once a second for an hour. From minute 20 to 50 host b has no network; at minute 50 it sends what it has kept.
#
# Guess: --since and --until look at the time of each entry. So 5 minutes have 300 entries of a and 300 of b, wherever
#        they are in the file; b's late ones may be shown out of order, at worst.
# Truth: minutes 25 to 30 have none of b, and minutes 40 to 45 none of a, the host that was there all the time. An
#        hour without limits has all 7200. --since minute 25 alone shows 4500, of which 4200 are right.
#        A condition finds what is lost: minutes 40 to 45 with _HOSTNAME=a have 300, so that fewer conditions give less.
#        journalctl --verify passes, and nothing warns. With one file for each host all is right; so a test that has
#        two hosts does not see it, unless one is late.
# Why it matters: who looks at an outage asks for exactly these minutes, and reads that a had nothing to say.
#
# Cause: journalctl looks for the first entry by bisection over the file's list of entries, which it takes to be in
#        order of time. journald starts a new file when time goes back; systemd-journal-remote does not. The entries of
#        one host have a list of their own, which is in order.
# Cure:  SplitMode=host, the default for what comes by network; one -o file for each host when files are joined.
#        Else journalctl -o json without limits, and a filter behind it.
#
# Seen with: systemd and systemd-journal-remote 252.39-1~deb12u2 (Debian 12).
# Sources: systemd-journal-remote(8), --split-mode; https://github.com/systemd/systemd/pull/26198 (2023: order is
#          enforced for journald, and not for journal-remote); /issues/43805 (open: one host whose clock is set back,
#          with several files). We found no issue of hosts in one file.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work LC_ALL=C TZ=UTC
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
    printf '%-52s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

of=252.39-1~deb12u2
versions systemd=$of libsystemd-shared=$of systemd-journal-remote=$of libmicrohttpd12=0.9.75-6 \
    libip4tc2=1.8.9-2 libkmod2=30+20221128-1
lib=packages/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$work/$lib:$work/$lib/systemd

cat >send.py <<'PY'
"""Prints the entries of both hosts in the order in which they arrive; "late": b's of minutes 20 to 50 come then."""
import sys

START = 1790000000
late = sys.argv[1] == "late"


def entry(host, i, half):
    boot = host * 32
    return """__REALTIME_TIMESTAMP=%d
__MONOTONIC_TIMESTAMP=%d
_BOOT_ID=%s
_MACHINE_ID=%s
_HOSTNAME=%s
PRIORITY=6
SYSLOG_IDENTIFIER=app
MESSAGE=%s %d

""" % ((START + i) * 1000000 + half, (i + 1) * 1000000, boot, boot, host, host, i)


arrivals = [(i, 0, entry("a", i, 0)) for i in range(3600)]
arrivals += [(3000 if late and 1200 <= i < 3000 else i, 1, entry("b", i, 500000)) for i in range(3600)]
arrivals.sort(key=lambda row: row[:2])
sys.stdout.writelines(row[2] for row in arrivals)
PY
for kind in late never; do
    python3 send.py $kind >$kind.export
    packages/lib/systemd/systemd-journal-remote -o $kind.journal $kind.export >remote.log 2>&1 &&
        grep -qx "Finishing after writing 7200 entries" remote.log || { cat remote.log; exit 1; }
done

# entries KIND OPTION...: counts those of each host.
entries() {
    kind=$1
    shift
    packages/bin/journalctl -q --file $kind.journal -o cat "$@" >found
    echo "$(grep -c ^a found) of a, $(grep -c ^b found) of b"
}

# minutes FROM TO: the options for them.
minutes() {
    echo "--since=@$((1790000000 + $1 * 60)) --until=@$((1790000000 + $2 * 60 - 1)).9"
}

# The options of minutes() are two words each.
# shellcheck disable=SC2046
{
    expect "b never late: minutes 25 to 30" "$(entries never $(minutes 25 30))" "300 of a, 300 of b"
    expect "              minutes 40 to 45" "$(entries never $(minutes 40 45))" "300 of a, 300 of b"
    expect "b late:       minutes 10 to 15" "$(entries late $(minutes 10 15))" "300 of a, 300 of b"
    expect "              minutes 25 to 30" "$(entries late $(minutes 25 30))" "300 of a, 0 of b"
    expect "              minutes 40 to 45" "$(entries late $(minutes 40 45))" "0 of a, 300 of b"
    expect "              minutes 40 to 45, _HOSTNAME=a" "$(entries late $(minutes 40 45) _HOSTNAME=a)" \
        "300 of a, 0 of b"
}
expect "              since minute 25" "$(entries late --since=@1790001500)" "2100 of a, 2400 of b"
expect "              without limits" "$(entries late)" "3600 of a, 3600 of b"
expect "              --verify" "$(packages/bin/journalctl --verify --file late.journal 2>&1 | tr -d '\r' | tail -1)" \
    "PASS: late.journal"
exit $changed
