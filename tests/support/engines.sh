# engines.sh -- for the scripts of tests/engines: flights, in as many splits as engines have, and a table of runs.
#
#   flights              makes the folder $work, with rows (CSV without a heading, from $FLIGHTS, or 3 million that are
#                        made up), and one.snapshot of one process; makes $work the working directory
#   install_spark        installs PySpark once into build/engines; sets $python
#   measured NAME SPLITS CMD…   runs it: $status, $out, $err, $row
#   note yes|NO          adds that row to the table, if the run has succeeded: are its counts those of one process?
#   noted_if CMD…        runs CMD, and notes whether it succeeds
#   same_counts FILE     notes whether the counts of FILE, and all that is made of them, are those of one process
#   show_table           adds the rows to build/engines.tsv
root=$PWD
declare -F claim >/dev/null || . "$root/tests/support/claims.sh"
. "$root/tests/support/many.sh"
engines=$root/build/engines table=$root/build/engines.tsv
ask=(explain - --columns date,delay,distance,origin,destination --outlier 'delay >= 60'
    --attributes origin,destination --budget 1MB)

# Flights of four years, whose delay depends on where they come from.
make_up() {
    awk 'BEGIN {
        x = 1
        for (i = 0; i < 3000000; i++) {
            x = x * 16807 % 2147483647
            from = x % 230
            x = x * 16807 % 2147483647
            to = (from + x % 17) % 230
            x = x * 16807 % 2147483647
            printf "2001-01-01T00:01:00,%d,%d,A%d,B%d\n", x % (60 + int(from / 4)), 50 * (to + 1), from, to
        }
    }'
}

flights() {
    work=$tmp/work
    mkdir "$work" && cd "$work" || exit 1
    put_leat_into "$tmp/bin"
    export USED=$tmp/used
    if [[ ${FLIGHTS:-} ]]; then tail -n +2 "$FLIGHTS" >rows; else make_up >rows; fi
    for n in 8 64; do
        mkdir splits.$n && (cd splits.$n && split -n l/$n -d -a 2 ../rows "")
    done
    measured "one process" 1 leat "${ask[@]}" --quiet --split all --state one.snapshot <rows
    claim_exit "one process learns all" 0
    claim "and has many rows" [ "$(counts one.snapshot | wc -l)" -gt 50 ]
    note yes
}

install_spark() {
    local pip=("$engines/bin/python3" -m pip install -q --disable-pip-version-check)
    python=$engines/bin/python3
    if ! "$python" -c 'import pyspark' 2>/dev/null; then
        python3 -m venv "$engines" && "${pip[@]}" pyspark==4.3.0 || skip_rest "PySpark cannot be installed"
    fi
    export PYSPARK_PYTHON=$python SPARK_LOCAL_IP=127.0.0.1
}

measured() {
    local name=$1 splits=$2 from=${EPOCHREALTIME//[!0-9]/}
    shift 2
    : >"$USED"
    "$@" >"$out" 2>"$err"
    status=$?
    local took=$(((${EPOCHREALTIME//[!0-9]/} - from) / 100000))
    row="$name	$splits	$(awk '{ s += $1 + $2 } END { printf "%.2f", s }' "$USED")	$((took / 10)).$((took % 10))"
}
note() {
    [[ $status != 0 ]] || echo "$row	$1" >>"$tmp/table"
}

# Prints all columns of a CSV answer but those that stand on a sample of records (covered, left, twins, luck).
counted() {
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) use[i] = $i !~ /^(covered|left|twins|luck)/ }
        { for (i = 1; i <= NF; i++) if (use[i]) printf "%s,", $i; print "" }' "$@"
}
counts() { "$LEAT" model top "$1" --format csv --k 1000 --set order=support | counted; }
noted_if() { if "$@"; then note yes; else note NO && return 1; fi; }
same_counts() { noted_if cmp <(counts one.snapshot) <(counts "$1"); }
show_table() {
    [[ -e $table ]] || printf 'engine\tsplits\tprocessor s of leat\twall s\tcounts as of one process\n' >"$table"
    cat "$tmp/table" >>"$table"
}
