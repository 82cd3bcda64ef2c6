# PySpark: mapPartitions and a tree of merges, and RDD.pipe; tasks that are killed are tried again.
# tier: long (200 s)
. "$(dirname "$0")/../support/engines.sh"
install_spark
flights

# Four attempts, as on a cluster; by default a local master makes one.
spark() { # SCRIPT SPLITS OUT
    rm -rf "$LEAT_ONCE"
    measured "PySpark, $1${KILLED:+, a task killed}" "$2" "$engines/bin/spark-submit" --master "local[2,4]" \
        --conf spark.ui.enabled=false "$root/pipelines/many/$1" rows "$2" "$3" "${ask[@]}"
}
for n in 8 64; do
    spark spark.py $n spark.$n
    claim_exit "Spark learns $n partitions, and merges them in a tree" 0
    claim "to the counts of one process" same_counts spark.$n
done
KILLED=3 spark spark.py 8 killed
claim_exit "a task that is killed is tried again" 0
claim "it was killed" [ -d "$LEAT_ONCE" ]
claim "and all counts are there" same_counts killed
claim "the state has the same bytes" cmp spark.8 killed
KILLED=any spark spark_pipe.py 8 piped
claim_exit "RDD.pipe, with a command that is killed" 0
claim "it was killed, too" [ -d "$LEAT_ONCE" ]
claim "all counts are there" same_counts piped
show_table
done_claims
