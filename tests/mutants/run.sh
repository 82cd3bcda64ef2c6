#!/usr/bin/env bash
# run.sh -- changes one token of a kernel at a time, and names the changes that no test of its room notices.
#
#   make mutants [MUTANTS=100] [SEED=1] [T=PATTERN]      T: the kernels whose path matches
#
# A mutant is a copy of one file of plugins/kernels with one token changed (sites.awk). It is compiled and linked, in
# build/mutants, with the programs of tests/kernel/ROOM that use the file; it is killed if one of them fails, crashes or
# takes LIMIT times as much of the processor as without it (4). The same SEED chooses the same mutants of the same
# files.
#
# A mutant that does not compile, has the same object code or stands in the file `equivalent` does not count. A line of
# that file is "FILE<tab>the line as it is mutated<tab>why no test can tell". The last line printed is "N killed, N
# survived, N equivalent". COMPILE, LINK and LIBS are the commands of the Makefile.
set -u
cd "$(dirname "$0")/../.."
export LC_ALL=C OPENBLAS_NUM_THREADS=1 CK_FORK=no
B=${B:-build/release} count=${MUTANTS:-100} seed=${SEED:-1} jobs=${JOBS:-$(nproc)}
home=$PWD/build/mutants listed=tests/mutants/equivalent
rm -rf "$home" && mkdir -p "$home"

kernels() { git ls-files 'plugins/kernels/*.c' | while read -r f; do [[ -e $f && $f =~ ${1:-} ]] && echo "$f"; done; }

# Prints "FILE LINE COLUMN LENGTH TOKEN" of all places, in the order that the seed gives them.
places() {
    local file
    kernels "$1" | while read -r file; do
        awk -f tests/mutants/sites.awk "$file" | sed "s|^|$file |"
    done | awk -v x="$seed" '
        { x = (x + 12345) % 2147483647; for (i = 0; i < 4; i++) x = (x * 16807) % 2147483647; print x, $0 }' |
        sort -k1,1n | cut -d' ' -f2-
}

# Prints the test programs of the file's room that hold a function of the file, its namesakes first.
programs() {
    local room=${1#plugins/kernels/} stem=${1##*/} source program own
    room=${room%%/*} stem=${stem%.c}
    nm --defined-only "$B/${1%.c}.o" | awk '$2 == "T" { print $3 }' | sort >"$home/defined"
    find "tests/kernel/$room" -name 'test_*.c' 2>/dev/null | sort | while read -r source; do
        program=$B/${source%.c}
        nm --defined-only "$program" 2>/dev/null | awk '{ print $3 }' | sort >"$home/held"
        [[ -n $(comm -12 "$home/held" "$home/defined") ]] || continue
        own=2
        [[ ${source##*/} != "test_$stem"* ]] || own=1
        [[ ${source##*/} != "test_$stem.c" ]] || own=0
        echo "$own $program"
    done | sort | cut -d' ' -f2
}

# compile FILE SOURCE OBJECT: from standard input, so that no object has the name of its source
compile() { $COMPILE -g0 -w -iquote "${1%/*}" -x c -c -o "$3" - <"$2" 2>/dev/null; }

# The seconds of the processor that a program takes as it is, and one more.
seconds_of() {
    local known=$home/${1//\//+}.seconds TIMEFORMAT=%U
    [[ -e $known ]] || {
        { time "$1" >/dev/null 2>&1 || echo "fails without a mutant: $1" >&2; } 2>"$known.all"
        awk '/^[0-9]/ { print int($1) + 1; next } { print >"/dev/stderr" }' "$known.all" >"$known"
    }
    cat "$known"
}

# Once for each file: its programs, how long they take, and its object as it is.
prepare() {
    local at=$home/${1//\//+} program
    [[ ! -e $at.programs ]] || return 0
    mkdir "$at"
    compile "$1" "$1" "$at/original.o"
    for program in $(programs "$1"); do seconds_of "$program" >/dev/null && echo "$program"; done >"$at.programs"
}

# Writes FILE with the token at a place changed.
mutate() { # mutate FILE LINE COLUMN LENGTH TOKEN
    awk -v line="$2" -v column="$3" -v n="$4" -v token="${5:-}" '
        NR == line { $0 = substr($0, 1, column - 1) token substr($0, column + n) }
        { print }' "$1"
}

# try NUMBER FILE LINE COLUMN LENGTH TOKEN: one line of the result
try() {
    local number=$1 file=$2 line=$3 at=$home/${2//\//+} dir=$home/$1 was is program what
    mkdir "$dir"
    mutate "${@:2}" >"$dir/mutant.c"
    was=$(sed -n "${line}s/^ *//p" "$file") is=$(sed -n "${line}s/^ *//p" "$dir/mutant.c")
    what="$file:$line: $was  ->  $is"
    if ! compile "$file" "$dir/mutant.c" "$dir/mutant.o"; then
        echo "uncompiled $what"
    elif cmp -s "$dir/mutant.o" "$at/original.o"; then
        echo "same $what"
    elif cut -f 1,2 "$listed" | grep -qxF -- "$file"$'\t'"$is"; then
        echo "equivalent $what"
    elif [[ ! -s $at.programs ]]; then
        echo "untested $what"
    else
        while read -r program; do
            $LINK -o "$dir/program" "$program.o" "$dir/mutant.o" "$B"/lib{tests,common,kernels,runtime}.a $LIBS \
                2>"$dir/linked" || { echo "unlinked $what" && break; }
            (ulimit -v 8000000 -c 0 -t $(($(seconds_of "$program") * ${LIMIT:-4})) && timeout -k 5 600 "$dir/program") \
                >"$dir/said" 2>&1 </dev/null || { echo "killed $what  (${program##*/})" && break; }
        done <"$at.programs" | grep . || echo "survived $what"
    fi
    rm -rf "$dir"
}

# Both say what they do as they go; a mutant that does not count is replaced by the next.
n=0
while read -r file line column length token; do
    (($(grep -cE '^(killed|survived)' "$home/results" 2>/dev/null || true) + $(jobs -rp | wc -l) < count)) || {
        wait
        (($(grep -cE '^(killed|survived)' "$home/results") < count)) || break
    }
    prepare "$file"
    (($(jobs -rp | wc -l) < jobs)) || wait -n
    n=$((n + 1))
    try $n "$file" "$line" "$column" "$length" "$token" >>"$home/results" 2>>"$home/noise" &
done < <(places "${1:-}")
wait
sort -t: -k1,1 -k2,2n "$home/results" | grep -E '^(survived|untested|unlinked)'
awk '{ n[$1]++ } END {
    printf "%d killed, %d survived, %d equivalent\n", n["killed"], n["survived"], n["equivalent"] + n["same"]
    exit n["survived"] > 0
}' "$home/results"
