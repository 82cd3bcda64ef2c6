#!/usr/bin/env bash
# polars-approx-n-unique-by-neighbour -- Polars 2: another column in the query changes the approximate count of users
#
# A log of 300 days, each with exactly 10,000 users. approx_n_unique() counts them, by HyperLogLog++ as its docs say.
#
# Guess: HyperLogLog++ errs by 1 percent or so, and hardly ever on a handful of users. Its state can be merged without
#        loss, so the count is the same however the rows are split, and whichever engine counts.
# Truth: lazy().group_by("day").agg(...).collect() errs by 7 percent, and at worst by 29. Of days that are all alike
#        one has 8078 users and another 12,930. Twenty users are miscounted on 6 days of 10.
#        Ask for the median time as well, and the same column errs by 0.6 percent, and twenty users are right.
#        The mean time changes nothing. Without lazy() the error is the small one, as it was in Polars 1 with lazy().
#        The counts are the same in each run, so that repeating a query does not show it. Nothing warns.
#
# Cause: two sketches have that name. The streaming engine's has 256 registers (1.04 / sqrt(256) is 6.5 percent) and
#        takes no bias of small counts away; the in-memory engine's has 16,384. Since 2.0 collect() takes the
#        streaming engine. It hands a group_by() to the other one if an aggregation has no streaming form: median,
#        quantile, rank and head are such.
# Cure:  collect(engine="in-memory"), or n_unique().
#
# Seen with: polars 2.1.0; 1.39.0 (tried by hand) errs as much with engine="streaming", which was not its default.
# Sources: Polars, polars-utils/src/cardinality_sketch.rs and polars-compute/src/hyperloglogplus.rs;
#          https://github.com/pola-rs/polars/pull/24821 (the small sketch: "expected accuracy of ~6.5%"),
#          /pull/27822 (the default). The reference of approx_n_unique and the upgrade guide to 2.0 name neither
#          the error nor the change. We found no issue of it.
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

versions polars==2.1.0 polars-runtime-32==2.1.0

cat >users.py <<'PY'
"""Prints, a line for each claim, how far approximate counts of users are from the true ones."""
import polars as pl

DAYS = 300
users = pl.col.user.approx_n_unique()
median = pl.col.ms.median()
mean = pl.col.ms.mean()


def log(each):
    """A log of some days, each with that many users of its own, one request each."""
    row = pl.int_range(DAYS * each)
    return pl.select(day=row // each, user=row, ms=row * 7919 % 1000)


def errors(counts, each):
    return [count / each - 1 for count in counts["user"]]


def show(claim, value):
    print(claim, value, sep="\t")


def between(claim, counts, each, low, high):
    """The typical error, in percent, is between two bounds."""
    rms = 100 * (sum(error * error for error in errors(counts, each)) / DAYS) ** 0.5
    print(f"# {claim}: {rms:.2f} percent, {counts['user'].min()} to {counts['user'].max()}")
    show(claim, low < rms < high)


many = log(10000)
lazy = many.lazy().group_by("day")
alone = lazy.agg(users).collect()
between("alone", alone, 10000, 5, 8)
show("worst", max(abs(error) for error in errors(alone, 10000)) > 0.15)
show("days", round(sum(abs(error) > 0.05 for error in errors(alone, 10000)) / DAYS, 1))
between("mean", lazy.agg(users, mean).collect(), 10000, 5, 8)
between("median", lazy.agg(users, median).collect(), 10000, 0.4, 1)
between("eager", many.group_by("day").agg(users), 10000, 0.4, 1)
between("memory", lazy.agg(users).collect(engine="in-memory"), 10000, 0.4, 1)
again = lazy.agg(users).collect()
show("again", again.sort("day").equals(alone.sort("day")))

few = log(20).lazy().group_by("day")


def wrong(counts):
    """The part of the days whose count is not 20."""
    return round(sum(error != 0 for error in errors(counts, 20)) / DAYS, 1)


show("few", wrong(few.agg(users).collect()))
show("few, median", wrong(few.agg(users, median).collect()))
PY
PYTHONPATH=packages python3 users.py >users.tsv
grep '^#' users.tsv

# of CLAIM: prints what users.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' users.tsv
}

expect "10,000 users a day: typical error 5 to 8 percent" "$(of alone)" True
expect "  the worst of 300 days is off by more than 15 percent" "$(of worst)" True
expect "  part of the days that are off by more than 5 percent" "$(of days)" 0.4
expect "  a second run gives the same counts" "$(of again)" True
expect "  with mean(): typical error 5 to 8 percent" "$(of mean)" True
expect "  with median(): typical error 0.4 to 1 percent" "$(of median)" True
expect "  without lazy(): the same" "$(of eager)" True
expect "  engine=\"in-memory\": the same" "$(of memory)" True
expect "20 users a day: part of the days miscounted" "$(of few)" 0.6
expect "  with median()" "$(of "few, median")" 0.0
exit $changed
