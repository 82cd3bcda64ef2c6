#!/usr/bin/env bash
# pandas-window-in-whole-seconds -- pandas: rolling("1500ms") of times in seconds sees one second, and half-lives shrink
#
# Eight events, one a second, with times of type datetime64[s]. NumPy, DuckDB's TIMESTAMP_S, ClickHouse's DateTime and
# timestamp("s") of Arrow give that type. Counts in a window, and means that fade with a half-life, are asked of them.
#
# Guess: a time in seconds is a number without a fraction, and a window is a length of its own. So 1500 ms before an
#        event lies one other event. Or pandas refuses, as resample("1500ms") and floor("1500ms") do with this type.
# Truth: rolling("1500ms") sees 1 event, rolling("1999ms") too, and rolling("2500ms") 2 where there are 3.
#        ewm(halflife="1999ms", times=...) fades twice as fast as it should: it takes 1 s. A time constant of 2 s, which
#        is a half-life of 1.386 s, leaves 25 percent after 2 s, not 37. Below 1 s all but the last row weighs nothing.
#        With the same times as datetime64[ns], or [us], all is right. rolling() does not warn; ewm() only says
#        "divide by zero" below 1 s. merge_asof() with a tolerance of 1999 ms is right in either type.
#
# Cause: both turn the window into the unit of the times, with Timedelta.as_unit(), which cuts the rest off.
#        In milliseconds it is the microseconds that go. Up to pandas 1.5 all times were in nanoseconds.
# Cure:  frame.index.as_unit("ns"), or times=t.dt.as_unit("ns"), before the window.
#
# Seen with: pandas 3.1.1 (2.3.3 is the same), numpy 2.4.6, duckdb 2.0.1; the types of chdb-core 26.9.0 and pyarrow
#            26.0.1 tried by hand.
# Sources: pandas, core/window/rolling.py (_validate) and core/window/ewm.py (_calculate_deltas);
#          https://github.com/pandas-dev/pandas/pull/67978 (September 2026: the same of floor and round, now refused);
#          /issues/55106 (2023: the window was taken in nanoseconds whatever the times); /issues/65608 (open: Timedelta
#          itself cuts off when it is multiplied). We found no issue of rolling() or ewm().
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions PACKAGE==VERSION...: installs them into packages/; prints the versions.
versions() {
    python3 -m pip install -q --disable-pip-version-check --target packages "$@" 2>pip.log ||
        { cat pip.log; exit 1; }
    for package in "$@"; do
        echo "${package%==*} ${package#*==}"
    done
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-58s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions pandas==3.1.1 numpy==2.4.6 duckdb==2.0.1

cat >windows.py <<'PY'
"""Prints, a line for each claim, what windows see of times in seconds and of the same in nanoseconds."""
import math
import warnings

import duckdb
import pandas as pd

frame = duckdb.connect().execute("""
    SELECT ('2026-11-30 12:00:00'::TIMESTAMP + i * INTERVAL 1 SECOND)::TIMESTAMP_S AS t FROM range(8) AS r(i)""").df()
seconds = pd.DatetimeIndex(frame.t)
nanoseconds = seconds.as_unit("ns")


def show(claim, ask):
    """What ask gives of the times in seconds, and of those in nanoseconds."""
    print(claim, ask(seconds), ask(nanoseconds), sep="\t")


def refused(times):
    try:
        return len(pd.Series(1, index=times).resample("1500ms").sum())
    except ValueError as error:
        return "refused" if "incompatible with unit" in str(error) else error


def count(window):
    return lambda times: int(pd.Series(1, index=times).rolling(window).count().iloc[-1])


def left(halflife):
    """How much, in percent, an event weighs two seconds later, from the mean of 1 and then 0: w / (1 + w)."""
    def ask(times):
        mean = pd.Series([1.0, 0.0]).ewm(halflife=halflife, times=times[[0, 2]]).mean().iloc[-1]
        return round(100 * mean / (1 - mean))
    return ask


def near(times):
    """How many of the times have the first one at most 1999 ms before them."""
    first = pd.DataFrame({"t": times[:1], "found": 1})
    joined = pd.merge_asof(pd.DataFrame({"t": times}), first, on="t", tolerance=pd.Timedelta("1999ms"))
    return int(joined.found.sum())


print("type", seconds.dtype, nanoseconds.dtype, sep="\t")
for window in "1500ms", "1999ms", "2s", "2500ms":
    show(window, count(window))
show("half 1s", left("1s"))
show("half 1999ms", left("1999ms"))
constant = pd.Timedelta("2s") * math.log(2)
show("constant", left(constant))
with warnings.catch_warnings():
    warnings.simplefilter("error")
    show("silent", lambda times: left(constant)(times) and "silent")
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    show("half 900ms", left("900ms"))
print("warning", said[0].message, sep="\t")
show("resample", refused)
show("asof", near)
milliseconds = seconds.as_unit("ms")
fine = pd.DatetimeIndex(milliseconds[:1].append(milliseconds[:1] + pd.Timedelta("1ms"))).as_unit("ms")
print("milliseconds", count("1900us")(fine), count("1900us")(fine.as_unit("ns")), sep="\t")
PY
PYTHONPATH=packages python3 windows.py >windows.tsv

# of CLAIM: prints what windows.py said of it, of seconds and then of nanoseconds.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2, $3 }' windows.tsv
}

expect "types" "$(of type)" "datetime64[s] datetime64[ns]"
expect "events in rolling(\"1500ms\")" "$(of 1500ms)" "1 2"
expect "  rolling(\"1999ms\")" "$(of 1999ms)" "1 2"
expect "  rolling(\"2s\")" "$(of 2s)" "2 2"
expect "  rolling(\"2500ms\")" "$(of 2500ms)" "2 3"
expect "percent left after 2 s, half-life 1 s" "$(of "half 1s")" "25 25"
expect "  half-life 1999 ms" "$(of "half 1999ms")" "25 50"
expect "  time constant 2 s, as half-life" "$(of constant)" "25 37"
expect "  warnings" "$(of silent)" "silent silent"
expect "  half-life 900 ms" "$(of "half 900ms")" "0 21"
expect "  its warning" "$(of warning | sed 's/ encountered.*//')" "divide by zero"
expect "resample(\"1500ms\")" "$(of resample)" "refused 5"
expect "merge_asof, tolerance 1999 ms: matches" "$(of asof)" "2 2"
expect "times in ms and in ns, 1 ms apart: rolling(\"1900us\")" "$(of milliseconds)" "1 2"
exit $changed
