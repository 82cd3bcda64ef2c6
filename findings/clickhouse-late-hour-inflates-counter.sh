#!/usr/bin/env bash
# clickhouse-late-hour-inflates-counter -- ClickHouse: deltaSumTimestamp counts too much once a part arrives late
#
# A counter of bytes rises by 1000 a minute, all day, and never falls: by 1,439,000 from first to last. A materialized
# view keeps deltaSumTimestampState(bytes, ts) of the day. The data comes in pieces, each of them in order of time.
#
# Guess: deltaSum depends on the order of rows. That is why there is deltaSumTimestamp, which keeps first and last time:
#        the docs say it is for such views, and is "correctly computed during merging of parts". So the order in which
#        pieces come does not matter. In no case is the sum above max() - min() of a counter that only rises.
# Truth: four pieces of six hours, the third before the second, give 1,799,000: a quarter too much. If one hour of 24
#        comes after the next one, the day has 1,499,000. Each late hour adds 60,000. Nothing warns.
#        Without a view, states of hours from a GROUP BY in a subquery give 3,719,000, since a GROUP BY has no order.
#        Three pieces are right in all six orders, and four in 20 of 24. A small test does not see it.
#
# Cause: a piece that lies within the time merged so far is taken for one of the same time. The last value then becomes
#        that of the late piece, and the rise after it is added a second time with the next piece.
# Cure:  keep a state for each piece of time (GROUP BY toStartOfHour(ts)), and merge it FROM (SELECT ... ORDER BY hour)
#        with max_threads = 1; or min() and max(), if the counter never resets.
#
# Seen with: chdb-core 26.9.0 from PyPI, which is ClickHouse 26.9.2.1.
# Sources: ClickHouse, src/AggregateFunctions/AggregateFunctionDeltaSumTimestamp.cpp (merge); its docs of the function;
#          https://github.com/ClickHouse/ClickHouse/issues/70610 (open since 2024) has rows in no order, within a query.
#          We found no issue of pieces that are in order, and none of a view.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions PACKAGE==VERSION...: installs them into packages/; prints the versions.
versions() {
    python3 -m pip install -q --disable-pip-version-check --no-deps --target packages "$@" 2>pip.log ||
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

versions chdb-core==26.9.0

cat >counter.py <<'PY'
"""Prints, a line for each claim, by how much the counter rose in the day."""
from itertools import permutations

from chdb import session

clickhouse = session.Session()


def ask(query):
    return str(clickhouse.query(query, "CSV")).strip()


def show(claim, value):
    print(claim, value, sep="\t")


def day(order):
    """The rise of the day, by the view, when its pieces come in that order and are merged once all are there."""
    ask("TRUNCATE TABLE days")
    ask("TRUNCATE TABLE counter")
    ask("SYSTEM STOP MERGES days")
    for piece in order:
        ask(f"INSERT INTO counter SELECT * FROM minutes WHERE intDiv(toHour(ts), {24 // len(order)}) = {piece}")
    ask("SYSTEM START MERGES days")
    ask("OPTIMIZE TABLE days FINAL")
    return int(ask("SELECT deltaSumTimestampMerge(rise) FROM days"))


def wrong(pieces):
    """How many orders of the pieces give something else than the rise."""
    return sum(day(order) != 1439000 for order in permutations(range(pieces)))


for name in "minutes", "counter":
    ask(f"CREATE TABLE {name} (ts DateTime('UTC'), bytes UInt64) ENGINE = MergeTree ORDER BY ts")
ask("""INSERT INTO minutes
    SELECT toDateTime('2026-11-30 00:00:00', 'UTC') + 60 * number, 1000 * number FROM numbers(1440)""")
ask("""CREATE TABLE days (day Date, rise AggregateFunction(deltaSumTimestamp, UInt64, DateTime('UTC')))
    ENGINE = AggregatingMergeTree ORDER BY day""")
ask("""CREATE MATERIALIZED VIEW fill TO days AS
    SELECT toDate(ts) AS day, deltaSumTimestampState(bytes, ts) AS rise FROM counter GROUP BY day""")

show("version", ask("SELECT version()"))
show("truth", ask("SELECT max(bytes) - min(bytes) FROM minutes"))
show("whole", ask("SELECT deltaSumTimestamp(bytes, ts) FROM minutes"))
show("0123", day([0, 1, 2, 3]))
show("0213", day([0, 2, 1, 3]))
show("hours", day(range(24)))
show("late", day([*range(12), 13, 12, *range(14, 24)]))
show("two late", day([*range(5), 6, 5, *range(7, 12), 13, 12, *range(14, 24)]))
show("three", wrong(3))
show("four", wrong(4))
hours = "SELECT toStartOfHour(ts) AS hour, deltaSumTimestampState(bytes, ts) AS rise FROM minutes GROUP BY hour"
show("group", ask(f"SELECT deltaSumTimestampMerge(rise) FROM ({hours})"))
show("sorted", ask(f"SELECT deltaSumTimestampMerge(rise) FROM ({hours} ORDER BY hour) SETTINGS max_threads = 1"))
PY
PYTHONPATH=packages python3 counter.py >counter.tsv

# of CLAIM: prints what counter.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' counter.tsv
}

echo "ClickHouse $(of version | tr -d '"')"
expect "max(bytes) - min(bytes)" "$(of truth)" 1439000
expect "deltaSumTimestamp of the rows in order" "$(of whole)" 1439000
expect "the view: four pieces in order" "$(of 0123)" 1439000
expect "  the third before the second" "$(of 0213)" 1799000
expect "  24 pieces in order" "$(of hours)" 1439000
expect "  one late by one" "$(of late)" 1499000
expect "  two late by one" "$(of "two late")" 1559000
expect "  wrong orders of three pieces, of 6" "$(of three)" 0
expect "  wrong orders of four pieces, of 24" "$(of four)" 4
expect "states of hours: FROM (SELECT ... GROUP BY hour)" "$(of group)" 3719000
expect "  FROM (SELECT ... GROUP BY hour ORDER BY hour)" "$(of sorted)" 1439000
exit $changed
