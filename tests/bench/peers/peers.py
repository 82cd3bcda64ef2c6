"""The works of peers.sh by its peers: python peers.py PEER WORK FILE ATTRIBUTES prints the answer.

The processor seconds of the work, without the start of Python and the import of the peer, go to
standard error, alone on the last line.
"""

import math
import os
import resource
import sys
from itertools import combinations

ATTRIBUTES = []  # of the command
LATE, LEAST = 60, 100
IS_LATE = "case when delay >= %d then 1 else 0 end" % LATE
ROWS_SHOWN = 20
OF_USERS = ["top", "quantile", "distinct"]

# One statement a work; {read} reads the file, {set} are columns of it, {quantile} and {distinct} the peer's fastest.
SQL = {
    "count": "select count(*) from {read}",
    "mean": "select origin, count(*), avg(delay) from {read} group by origin",
    "top": "select user, count(*) n from {read} group by user order by n desc limit 16",
    "quantile": "select {quantile} from {read}",
    "distinct": "select {distinct}(user) from {read}",
    "json": "select origin, count(*) from {read} group by origin",
    "explain": "select {set}, count(*), sum(%s) from {read} group by {set}" % IS_LATE,
}


def spent():
    """Returns the processor seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def show(rows):
    """Prints rows as CSV, with numbers that are not whole in ten digits."""
    for row in rows:
        print(",".join("%.10g" % cell if isinstance(cell, float) else str(cell) for cell in row))


def explained(groups, total, late):
    """Returns the rows of highest relative risk: feature, risk, count. groups(set) gives value, …, count, late."""
    found = []
    for names in [[a] for a in ATTRIBUTES] + [list(pair) for pair in combinations(ATTRIBUTES, 2)]:
        for *values, count, positive in groups(names):
            rest = total - count
            if count < LEAST or rest == 0 or late == positive:
                continue
            risk = (positive / count) / ((late - positive) / rest)
            found.append((" & ".join("%s=%s" % pair for pair in zip(names, values)), risk, count))
    return sorted(found, key=lambda row: (-row[1], row[0]))[:ROWS_SHOWN]


def informed(pairs, words, tokens, every_pair):
    """Returns the highest PMI values: of (u, v, count) in pairs, with the counts of words."""
    found = [math.log(n * tokens * tokens / (every_pair * words[u] * words[v])) for u, v, n in pairs]
    return [(pmi,) for pmi in sorted(found, reverse=True)[:ROWS_SHOWN]]


def sql_answer(run, read, work, **names):
    """Returns the answer to a work by a function that runs SQL, and the text that reads the file."""
    if work != "explain":
        return run(SQL[work].format(read=read, **names))
    total, late = run("select count(*), sum(%s) from %s" % (IS_LATE, read))[0]
    return explained(lambda names: run(SQL[work].format(read=read, set=", ".join(names))), total, int(late))


def duckdb_work(duckdb, work, path):
    """Does a work by DuckDB; a file that is read more than once becomes a table first."""
    connection = duckdb.connect(config={"threads": 1})
    run = lambda sql: connection.execute(sql).fetchall()
    if work == "pmi":
        lines = "read_csv('%s', columns={'line': 'varchar'}, header=false, delim='\t')" % path
        run("create table t as select string_split(line, ' ') w from " + lines)
        words = dict(run("select unnest(w) u, count(*) from t group by u"))
        pairs = "select p[1], p[2], count(*) n from (select unnest(list_zip(w[:-2], w[2:])) p from t)"
        every_pair = run("select sum(len(w) - 1) from t")[0][0]
        return informed(run(pairs + " group by p having n >= 5"), words, sum(words.values()), every_pair)
    read = "read_json_auto('%s')" % path if work == "json" else "read_csv('%s')" % path
    if work == "explain":
        run("create table t as select delay, %s from %s" % (", ".join(ATTRIBUTES), read))
        read = "t"
    return sql_answer(run, read, work, quantile="quantile_disc(ms, 0.99)", distinct="approx_count_distinct")


def chdb_work(chdb, work, path):
    """Does a work by chDB, which is ClickHouse within a process."""
    session = chdb.session.Session() if work == "explain" else chdb

    def run(sql):
        text = session.query(sql + " settings max_threads = 1", "TSV").data()
        return [[number(cell) for cell in line.split("\t")] for line in text.splitlines()]

    text = "LowCardinality(String)"
    columns = "time UInt32, delay Int32, distance Int32, origin %s, destination %s, hour UInt8" % (text, text)
    if "distance" in ATTRIBUTES:
        columns = columns[len("time UInt32, "):] + ", month UInt8, weekday UInt8, day UInt8"
    if work in OF_USERS:
        columns = "time UInt32, user String, ms Float64, page String, status UInt16"
    read = "file('%s', %s, '%s')" % (path, "JSONEachRow" if work == "json" else "CSVWithNames", columns)
    if work == "explain":
        session.query("create database d")
        select = "select delay, %s from %s" % (", ".join(ATTRIBUTES), read)
        session.query("create table d.t engine = Memory as %s settings max_threads = 1" % select)
        read = "d.t"
    return sql_answer(run, read, work, quantile="quantileTDigest(0.99)(ms)", distinct="uniqHLL12")


def number(text):
    """Returns a text as a number, if it is one."""
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def polars_work(pl, work, path):
    """Does a work by Polars: lazily, streaming."""
    rows = pl.scan_ndjson(path) if work == "json" else pl.scan_csv(path)
    if work == "count":
        return rows.select(pl.len()).collect(engine="streaming").rows()
    if work in OF_USERS:
        users = {
            "top": lambda: rows.group_by("user").agg(pl.len()).top_k(16, by="len"),
            "quantile": lambda: rows.select(pl.col("ms").quantile(0.99)),
            "distinct": lambda: rows.select(pl.col("user").approx_n_unique()),
        }
        return users[work]().collect(engine="streaming").rows()
    if work in ("mean", "json"):
        figures = [pl.len()] + [pl.col("delay").mean()] * (work == "mean")
        return rows.group_by("origin").agg(figures).collect(engine="streaming").rows()
    late = pl.col("delay") >= LATE
    keys = [pl.col(name).cast(pl.String).cast(pl.Categorical) for name in ATTRIBUTES]
    table = rows.select([late.alias("late")] + keys).collect(engine="streaming")
    groups = lambda names: table.lazy().group_by(names).agg(pl.len(), pl.col("late").sum()).collect().rows()
    return explained(groups, table.height, table["late"].sum())


def vw_work(vowpalwabbit, work, path):
    """Learns by Vowpal Wabbit, 2^18 weights; the answer is its progressive error."""
    model = vowpalwabbit.Workspace("-d %s --loss_function logistic --binary -b 18 --quiet" % path)
    return [(model.get_sum_loss() / model.get_weighted_examples(),)]


def main():
    peer, work, path, attributes = sys.argv[1:]
    ATTRIBUTES[:] = attributes.split(",")
    os.environ["POLARS_MAX_THREADS"] = "1"
    module = __import__({"vw": "vowpalwabbit"}.get(peer, peer))
    begun = spent()
    answer = globals()[peer + "_work"](module, work, path)
    used = spent() - begun
    show(answer)
    print("%.3f" % used, file=sys.stderr)


main()
