"""spark.py: learns the partitions of a text file on Spark, and merges their states in a tree.

    spark-submit spark.py flights.csv 64 flights.snapshot explain - --columns date,delay --outlier 'delay >= 60'

The file has no heading; each worker needs leat in its PATH. Spark may try a partition again, or twice at a time:
the number of the partition is the name of the split, and the state of a split is always the same.
"""
import sys
from subprocess import PIPE, CalledProcessError, Popen, run

from pyspark import SparkContext

path, splits, out, *command = sys.argv[1:]


def learn(split, lines):
    """Gives the state of one partition. leat writes it when its input has ended, so neither waits for the other."""
    arguments = ["leat", *command, "--quiet", "--split", str(split), "--state", "-"]
    with Popen(arguments, stdin=PIPE, stdout=PIPE) as leat:
        with leat.stdin as to:
            to.writelines(line + b"\n" for line in lines)
        state = leat.stdout.read()
    if leat.returncode:
        raise CalledProcessError(leat.returncode, arguments)
    yield state


def merge(state, other):
    return run(["leat", "model", "merge", "-", "-"], input=state + other, stdout=PIPE, check=True).stdout


lines = SparkContext(appName="leat").textFile(path, int(splits), use_unicode=False)
with open(out, "wb") as file:
    file.write(lines.mapPartitionsWithIndex(learn).treeReduce(merge))
