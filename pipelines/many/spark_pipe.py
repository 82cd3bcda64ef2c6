"""spark_pipe.py: the same as spark.py by RDD.pipe, in which a state is a line of text.

    spark-submit spark_pipe.py flights.csv 64 flights.snapshot explain - --columns date,delay --outlier 'delay >= 60'

pipe() does not tell a command which partition it has, so each split gets a name by chance. Its defaults do not suit:
without env the command has no PATH, and without checkCode what a killed command leaves out is missing unnoticed.
"""
import os
import shlex
import sys
from subprocess import run

from pyspark import SparkContext

path, splits, out, *command = sys.argv[1:]
learn = shlex.join(["leat", *command, "--quiet", "--state", "-", "--base64"])
learn = shlex.join(["sh", "-c", learn + " --split $(cat /proc/sys/kernel/random/uuid)"])
states = SparkContext(appName="leat").textFile(path, int(splits)).pipe(learn, env=dict(os.environ), checkCode=True)
run(["leat", "model", "merge", out, "-"], input="\n".join(states.collect()), text=True, check=True)
