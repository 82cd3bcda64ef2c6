#!/usr/bin/env bash
# pyspark-pipe-takes-the-environment-away -- PySpark's RDD.pipe is not Spark's: no environment, and failure is success
#
# Each partition goes through a command: rdd.pipe("date -d @0 +%H%M"). TZ is set for the driver and for all executors.
#
# Guess: env, which is None by default, means what it means to Popen: the command inherits the worker's environment.
#        The same method in Scala and Java adds env to what is inherited. A command that fails fails its task, as there.
# Truth: the command's environment is empty. There is no PATH, HOME, TZ, LANG, nothing: date prints UTC, sort sorts as
#        in the C locale, a limit of threads (OMP_NUM_THREADS) is gone, and a tool in ~/bin is not found.
#        env={"TZ": ...} is all that the command gets, where Scala's has it in addition.
#        A command that ends with 3, or is killed, is a task that succeeds. What it has written so far is its result:
#        of 8 records in 4 partitions 4 are left. The JVM's pipe refuses this, and the task is tried again.
#
# Cause: pyspark/core/rdd.py: "if env is None: env = dict()", which then goes to Popen; and checkCode=False by default.
# Cure:  rdd.pipe(command, env=dict(os.environ), checkCode=True), whose environment is the driver's; or mapPartitions
#        with subprocess.run(..., check=True), which has the worker's.
#
# Seen with: pyspark 4.3.0 with Java 17.
# Sources: Spark 4, python/pyspark/core/rdd.py (pipe) against core/src/main/scala/org/apache/spark/rdd/PipedRDD.scala;
#          the reference says of env "environment variables to set". We found no issue of it.
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

versions pyspark==4.3.0

cat >pipe.py <<'PY'
"""Prints, a line for each claim, what a piped command sees, and what is left of its records."""
import os

from pyspark import SparkConf, SparkContext

settings = {"spark.ui.enabled": "false", "spark.driver.memory": "512m", "spark.executorEnv.TZ": "Asia/Tokyo"}
sc = SparkContext(conf=SparkConf().setMaster("local[2]").setAll(settings.items()))
sc.setLogLevel("OFF")
one = sc.parallelize(["a record"], 1)
date = "sh -c 'cat >/dev/null; date -d @0 +%H%M'"
count = "sh -c 'cat >/dev/null; env | grep -vcE \"^(PWD|OLDPWD|SHLVL|_)=\"'"
half = "sh -c 'head -n 1; exit 3'"


def show(claim, value):
    print(claim, value, sep="\t", flush=True)


def jvm(rdd, *command):
    """The same partitions through the pipe() of the JVM; it takes a list, as it knows no quotes."""
    java = sc._jvm.java.util.ArrayList()
    for word in command:
        java.add(word)
    return list(rdd._jrdd.pipe(java).collect())


show("worker", one.map(lambda _: os.environ["TZ"]).first())
show("date", one.pipe(date).first())
show("variables", one.pipe(count).first())
show("given", one.pipe(count, env={"TZ": "Asia/Tokyo"}).first())
show("copied", one.pipe(date, env=dict(os.environ)).first())
show("date, JVM", jvm(one, "sh", "-c", "cat >/dev/null; date -d @0 +%H%M")[0])
rows = sc.parallelize(range(8), 4)
show("half", rows.pipe(half).collect())
for name, run in (("checked", lambda: rows.pipe(half, checkCode=True).collect()),
                  ("half, JVM", lambda: jvm(rows, "sh", "-c", "head -n 1; exit 3"))):
    try:
        run()
        show(name, "a result")
    except Exception:
        show(name, "refused")
PY
export TZ=Asia/Tokyo PYTHONPATH=packages SPARK_LOCAL_IP=127.0.0.1
python3 pipe.py >said.tsv 2>spark.log || { cat spark.log; exit 1; }

# of CLAIM: prints what pipe.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' said.tsv
}

expect "time zone of the worker" "$(of worker)" "Asia/Tokyo"
expect "midnight UTC in a piped command" "$(of date)" 0000
expect "  through the JVM's pipe" "$(of "date, JVM")" 0900
expect "  with env=dict(os.environ)" "$(of copied)" 0900
expect "variables of a piped command" "$(of variables)" 0
expect "  with env={\"TZ\": ...}" "$(of given)" 1
expect "8 records through head -n 1; exit 3, 4 partitions" "$(of half)" "['0', '2', '4', '6']"
expect "  through the JVM's pipe" "$(of "half, JVM")" refused
expect "  with checkCode=True" "$(of checked)" refused
exit $changed
