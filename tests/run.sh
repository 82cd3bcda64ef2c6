#!/usr/bin/env bash
# Runs every test program and every system script, as many at once as there are processors (JOBS=n:
# n), and beside them n + 1 of those scripts that mostly wait. Says of each how many seconds it took; ends with one line
# "N passed, N failed". B is the build to test (build/release); SETS are the folders of tests that it runs; an argument
# runs only those whose path matches it (an extended regular expression).
set -u
export OPENBLAS_NUM_THREADS=1 # as leat itself does: parallelism is the runtime's
cd "$(dirname "$0")/.."
export B=${B:-build/release} LEAT=${LEAT:-$PWD/${B:-build/release}/bin/leat} LC_ALL=C
SETS=${SETS:-system kernel unit stage}
only=${1:-} jobs=${JOBS:-$(nproc)}
case $B in
    *address*) export CK_FORK=no ASAN_OPTIONS=detect_leaks=1:verify_asan_link_order=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 ;;
    *thread*) export TSAN_OPTIONS=suppressions=$PWD/tests/support/tsan/suppressions:allocator_may_return_null=1:report_thread_leaks=0 ;;
esac
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# report NAME PASSED FAILED OUTPUT: in one write, as others report at the same time.
report()
{
    local tenths=$(((${EPOCHREALTIME//[!0-9]/} - began) / 100000))
    echo "$2 $3" >"$4.counts"
    if (($3)); then
        printf 'FAIL %3d.%d s %s\n%s\n' $((tenths / 10)) $((tenths % 10)) "$1" "$(<"$4")"
        printf 'FAIL %s\n%s\n' "$1" "$(grep -E '^not ok |:[FE]:|ended with status' "$4" | head -20)" >"$4.failures"
    else
        printf 'ok   %3d.%d s %s (%s)\n' $((tenths / 10)) $((tenths % 10)) "$1" "$2"
    fi
}

# libcheck prints "100%: Checks: 12, Failures: 0, Errors: 0".
run_program()
{
    local out=$log/$2 status counts checks failures errors bad
    "$1" >"$out" 2>&1
    status=$?
    counts=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$out")
    [[ -n $counts ]] || { echo "ended with status $status before it could count" >>"$out" && counts="1 1 0"; }
    read -r checks failures errors <<<"$counts"
    bad=$((failures + errors))
    ((bad == 0 && status != 0)) && bad=1
    report "${1#"$B"/tests/}" $((checks - bad)) "$bad" "$out"
}

# A system script prints "ok NAME" or "not ok NAME: why" for each claim.
run_script()
{
    local out=$log/$2 status ok bad
    bash "$1" >"$out" 2>&1
    status=$?
    ok=$(grep -c '^ok ' "$out") bad=$(grep -c '^not ok ' "$out")
    ((status != 0 && bad == 0)) && bad=1
    ((ok + bad == 0)) && bad=1
    report "$1" "$ok" "$bad" "$out"
}

# Those named first take longest: none of them is left when all others are done. Scripts come before programs.
list()
{
    local set first='exactly_once|one_broker|states_once|lost|lanes|papers_all|no_memory|pmi|model|forged|test_state'
    for set in $SETS; do
        echo "tests/$set"/*.sh | tr ' ' '\n'
        find "$B/tests/$set" -name "test_*" -type f -perm -u+x 2>/dev/null | sort
    done | awk -v first="/($first)[^/]*$" '$0 ~ first { print; next } { rest = rest $0 "\n" } END { printf "%s", rest }'
}

# run_all NAME N TEST…: N at once; the output of each has NAME and a number
run_all()
{
    local name=$1 jobs=$2 n=0 test began
    shift 2
    for test in "$@"; do
        (($(jobs -rp | wc -l) < jobs)) || wait -n
        n=$((n + 1)) began=${EPOCHREALTIME//[!0-9]/}
        case $test in
            *.sh) run_script "$test" "$name$n" & ;;
            *) run_program "$test" "$name$n" & ;;
        esac
    done
    wait
}

# What a script of these does is mostly waiting, for a broker or for time to pass.
waiting='tests/kafka/|system/(idle_sources|kafka|operational|scale_out|shards|dead_letters|exactly_once|late|signals|top|checkpoints|follow|positions|plugin_test)'
works=() waits=()
for test in $(list); do
    [[ -e $test && $test =~ $only && $test != *.o && $test != *.d ]] || continue
    # what a source that is gone has left in the build does not count
    [[ $test == *.sh || -e tests/${test#"$B"/tests/}.c ]] || continue
    if [[ $test =~ $waiting ]]; then waits+=("$test"); else works+=("$test"); fi
done
n=$((${#works[@]} + ${#waits[@]}))
run_all waits $((jobs + 1)) "${waits[@]}" &
run_all works "$jobs" "${works[@]}"
wait
cat "$log"/*.failures 2>/dev/null # once more, where the end of a long output is all that is left
ended=$(cat "$log"/*.counts 2>/dev/null | wc -l)
((ended == n)) || echo "FAIL $((n - ended)) tests were not run to their end"
cat "$log"/*.counts 2>/dev/null | awk -v lost=$((n - ended)) '
    { passed += $1; failed += $2 }
    END { failed += lost; printf "%d passed, %d failed\n", passed, failed; exit !(failed == 0 && passed > 0) }'
