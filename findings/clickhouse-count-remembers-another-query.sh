#!/usr/bin/env bash
# clickhouse-count-remembers-another-query -- the same count() of the same file: 100,000, and later 95,000
#
# A CSV file has 100,000 rows; in 5,000 of them a column of integers says "n/a". ClickHouse reads files where they lie
# (file(), s3(), url()), and may be told how many rows with errors to leave out (input_format_allow_errors_num).
#
# Guess: count() of a file that does not change gives one number. With settings that allow errors it may be another
#        one; a query without these settings does not see it.
# Truth: count() says 100,000, as it looks at no column. Then another query sums the integers, with errors allowed.
#        From then on count(), without any setting, says 95,000, and so does count(user), a column of texts without
#        errors. The sum itself, asked without the setting, still fails. So what a dashboard counts depends on whether
#        somebody else has asked for something else. After a restart it is 100,000 again.
#
# Cause: the number of rows of a file is kept for later counts (use_cache_for_count_from_files, on by default). Its key
#        has the format and many of its settings (a query that skips first lines has a number of its own), but not how
#        many errors are allowed. A query with a condition keeps nothing.
# Cure:  use_cache_for_count_from_files = 0 wherever errors are allowed, or where counts must be right.
#
# Seen with: chdb 4.4.0 (ClickHouse 26.9.2).
# Sources: ClickHouse, src/Storages/Cache/SchemaCache.h (num_rows), src/Storages/StorageFile.cpp (addNumRowsToCache);
#          its pull request 53692.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --target packages chdb==4.4.0 2>pip.log ||
    { cat pip.log; exit 1; }
echo "chdb 4.4.0"
awk 'BEGIN {
    print "user,score"
    for (i = 0; i < 100000; i++) printf "u%d,%s\n", i % 10, (i > 50000 && i % 10 == 3 ? "n/a" : i % 7)
}' >scores.csv
cat >counts.py <<'PYTHON'
from chdb import session

FILE = "file('scores.csv', 'CSVWithNames', 'user String, score Int64')"
ALLOWED = "settings input_format_allow_errors_num = 1000000, input_format_allow_errors_ratio = 1"
connection = session.Session()
changed = False


def expect(what, query, wanted):
    global changed
    try:
        seen = str(connection.query(query, "CSV")).strip()
    except Exception:
        seen = "an error"
    print("%-48s %s" % (what, seen))
    if seen != wanted:
        print("    changed: it was %s" % wanted)
        changed = True


expect("count()", "select count() from " + FILE, "100000")
expect("count(user)", "select count(user) from " + FILE, "100000")
expect("sum(score) of some, with errors allowed", "select sum(score) from %s where score < 3 %s" % (FILE, ALLOWED), "40714")
expect("count()", "select count() from " + FILE, "100000")
expect("sum(score), with errors allowed", "select sum(score) from %s %s" % (FILE, ALLOWED), "284994")
expect("count(), as before", "select count() from " + FILE, "95000")
expect("count(user), as before", "select count(user) from " + FILE, "95000")
expect("count() without the cache", "select count() from %s settings use_cache_for_count_from_files = 0" % FILE, "100000")
expect("sum(score)", "select sum(score) from " + FILE, "an error")
raise SystemExit(changed)
PYTHON
PYTHONPATH=packages python3 counts.py
