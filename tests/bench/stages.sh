#!/usr/bin/env bash
# The cost of a record in each stage, and how far it is from what this machine can do. Prints a Markdown page.
#
#   tests/bench/stages.sh              all stages: tests/bench/STAGES.md
#   tests/bench/stages.sh 'parse|lua'  those whose row matches
#   OLD=DIR tests/bench/stages.sh …    instead, the instructions beside those of another checkout, built by make
#
# The cost is that of a pipeline with the stage less that of the same without it (pipelines/stages.lua), as whole
# programs in one thread on the processor CORE (1). Each is a difference of two sizes, so that no start counts.
# Instructions come from valgrind's callgrind; differences of 1 % are real. Nanoseconds are user and system time of
# RECORDS (400000), the median of RUNS (5) in turns; trust them to 3 ns. The limits come from bench_limits.c.
# Exit code 1: a stage has no row.
set -eu -o pipefail
shopt -s inherit_errexit
export LC_ALL=C OPENBLAS_NUM_THREADS=1
cd "$(dirname "$0")/../.."
build=${B:-build/release} core=${CORE:-1} records=${RECORDS:-400000} runs=${RUNS:-5} only=${1:-.}
cases=tests/bench/pipelines/stages.lua
# Stages that need a peer, with the script that measures them; sink.null is in all rows.
elsewhere="sink.null source.kafka sink.kafka sink.dead_letters source.models source.http source.socket sink.http"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# make_data N: N records in each format below $tmp/N
make_data() {
    local to=$tmp/$1
    [[ ! -e $to.csv ]] || return 0
    awk -v n="$1" -v to="$to" -f tests/bench/stages.awk
    "$build/bin/leat" run $cases --quiet --set case=rows.refused --set data="$to" --set records="$1" \
        --set out="$to.dead" 2>"$tmp/said" || [[ -s $to.dead ]] # exit code 1, as all are rejected
}
# leat_run FOLDER NAME N COMMAND…: runs the pipeline of a row, by a command before that of FOLDER
leat_run() {
    local folder=$1 name=$2 n=$3
    shift 3
    "$@" "$folder/$build/bin/leat" run $cases --quiet --set data="$tmp/$n" --set records="$n" --set case="$name" \
        --set out="$tmp/out" >"$tmp/said" 2>&1 || { cat "$tmp/said" >&2 && exit 1; }
}
# kept FILE COMMAND…: what the command prints, which is run once
kept() {
    local file=$tmp/kept.${1//\//+}
    [[ -e $file ]] || "${@:2}" >"$file"
    cat "$file"
}
# instructions FOLDER NAME N
instructions() {
    rm -f "$tmp"/profile*
    leat_run "$@" valgrind -q --tool=callgrind --callgrind-out-file="$tmp/profile.%p"
    sed -n 's/^totals: //p' "$tmp"/profile.* | sort -n | tail -1
}
# seconds NAME N: of processor time
seconds() {
    local TIMEFORMAT='%U %S'
    { time leat_run . "$@" taskset -c "$core"; } 2>&1 | awk '{ print $1 + $2 }'
}
here() { kept "here.$1.$2" instructions . "$@"; }
before() { kept "before.$1.$2" instructions "$OLD" "$@"; }
timed() { kept "$round.$1.$2" seconds "$@"; }
# own MEASURE NAME AFTER FEW MANY: what a record costs beyond the row before
own() {
    local measure=$1 name=$2 after=$3 few=$4 many=$5 counts before
    counts=$($measure "$name" "$many" && $measure "$name" "$few")
    before="0 0"
    [[ -z $after ]] || before=$($measure "$after" "$many" && $measure "$after" "$few")
    awk '{ printf "%.9f\n", ($1 - $2 - ($3 - $4)) / ($5 - $6) }' <<<"${counts//$'\n'/ } ${before//$'\n'/ } $many $few"
}
# middle: the median and half the range, as fields
middle() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] "|" (v[NR] - v[1]) / 2 }'; }
rows() { sed -n 's/^row("\([^"]*\)", "\([^"]*\)", "\([^"]*\)", \([0-9]*\), .*/\1|\2|\3|\4/p' $cases; }

missing=0
for stage in $("$build/bin/leat" plugins --json | jq -r '.[].name'); do
    [[ " $elsewhere " == *" $stage "* ]] || rows | grep -q "^$stage|" ||
        { echo "no row of $cases measures $stage" >&2 && missing=1; }
done

# chosen: the rows to measure
chosen() { rows | grep -vE '^(file|rows)\.' | awk -F'|' -v only="$only" '$1 ~ only'; }
compare() {
    local name after share few many
    chosen | while IFS='|' read -r name after _ share; do
        few=$((8192 / share)) many=$((24576 / share))
        make_data $few && make_data $many
        echo "$name $(own before "$name" "$after" $few $many) $(own here "$name" "$after" $few $many)"
    done | awk '{ printf "%-24s %9.0f %9.0f %6.3f\n", $1, $2, $3, $2 > 0 ? $3 / $2 : 1 }'
}
[[ -z ${OLD:-} ]] || { compare && exit $missing; }

# bytes NAME: of the input a record, from the file that the first row names
bytes() {
    local first=$1
    while [[ ! $first =~ ^(file|source)\. ]]; do first=$(rows | awk -F'|' -v of="$first" '$1 == of { print $2 }'); done
    case $first in
        source.null) echo 1 ;;
        source.file) size .csv ;;
        source.pcap) size .pcap ;;
        *) size "${first#file}" ;;
    esac
}
size() { awk "BEGIN { print $(stat -c %s "$tmp/24576$1") / 24576 }"; }

[[ -x $build/tests/bench/bench_limits ]] || make -s "$build/tests/bench/bench_limits" >&2
taskset -c "$core" "$build/tests/bench/bench_limits" >"$tmp/limits"
make_data 24576
# Rows take turns: all of a round, then the next one.
for ((round = 0; round < runs; round++)); do
    chosen | while IFS='|' read -r name after _ share; do
        few=$((records / 8 / share)) many=$((records / share))
        make_data $few && make_data $many
        own timed "$name" "$after" $few $many >>"$tmp/$name.seconds"
    done
done
chosen | while IFS='|' read -r name after limit share; do
    few=$((8192 / share)) many=$((24576 / share))
    make_data $few && make_data $many
    count=$(own here "$name" "$after" $few $many)
    echo "$name|$after|$(bytes "$name")|$(middle <"$tmp/$name.seconds")|$count|$limit"
done >"$tmp/costs"

cat <<PAGE
# Stages

What a record costs in each stage, and how far that is from a limit of the machine: the stage at the head has most to
gain. \`make bench-stages\` writes this page; [stages.sh](stages.sh) says how it measures, and the rows of
[pipelines/stages.lua](pipelines/stages.lua) are the pipelines.

- The cost is that of the pipeline less that of the row *after* which the stage comes. Work that a column leaves to
  its first user, such as reading a number, is a cost of this user.
- *bytes* are those of the input a record, *limit* is what the stage cannot avoid: \`memchr\` over its bytes, a \`copy\`
  of them, \`hash\`es of names, increments at random places in tables of a size. *±* is half the range of the runs:
  where it is large, trust the instructions.
- $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(date +%F), $records records, $runs runs. Limits in
  nanoseconds: $(awk -F'\t' '{ printf "%s%s %s%s", sep, $1, $2, NR < 3 ? " a byte" : ""; sep = ", " }' "$tmp/limits").
- Not here: $(sed 's/ /, /g' <<<"$elsewhere").

| stage | after | bytes | ns | ± | instructions | limit | ns | times the limit |
|---|---|---|---|---|---|---|---|---|
PAGE
awk -F'[|\t]' '
    NR == FNR { ns[$1] = $2; next }
    {
        limit = 0; terms = split($7, term, " [+] ")
        for (i = 1; i <= terms; i++) {
            words = split(term[i], word, " "); name = word[words]
            limit += (words > 1 ? word[1] : 1) * ns[name] * (name == "copy" || name == "memchr" ? $3 : 1)
        }
        cost = $4 > 0 ? $4 * 1e9 : 0
        printf "| %s | %s | %.0f | %.0f | %.0f | %.0f | %s | %.1f | %.1f |\n", $1, $2, $3, cost, $5 * 1e9, $6, $7,
            limit, cost / limit
    }' "$tmp/limits" "$tmp/costs" | sort -t'|' -k10,10gr
exit $missing
