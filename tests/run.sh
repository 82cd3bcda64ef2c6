#!/usr/bin/env bash
# Runs every test program and every system script; ends with one line "N passed, N failed".
# B is the build to test (build/release); an argument runs only what has it in its name.
set -u
export OPENBLAS_NUM_THREADS=1 # as leat itself does: parallelism is the runtime's
cd "$(dirname "$0")/.."
export B=${B:-build/release} LEAT=${LEAT:-$PWD/${B:-build/release}/bin/leat} LC_ALL=C
only=${1:-}
passed=0 failed=0
case $B in *address*) export CK_FORK=no ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 ;; esac
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# libcheck prints "100%: Checks: 12, Failures: 0, Errors: 0".
for program in "$B"/tests/kernel/test_* "$B"/tests/unit/test_* "$B"/tests/stage/test_*; do
    [[ -x $program && $program == *$only* && $program != *.o && $program != *.d ]] || continue
    name=${program#"$B"/tests/}
    "$program" >"$log/out" 2>&1
    status=$?
    counts=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$log/out")
    if [[ -z $counts ]]; then
        failed=$((failed + 1))
        echo "FAIL $name: ended with status $status before it could count"
        cat "$log/out"
        continue
    fi
    read -r checks failures errors <<<"$counts"
    bad=$((failures + errors))
    ((bad == 0 && status != 0)) && bad=1
    passed=$((passed + checks - bad)) failed=$((failed + bad))
    ((bad)) && { echo "FAIL $name"; cat "$log/out"; } || echo "ok   $name ($checks)"
done

# A system script prints "ok NAME" or "not ok NAME: why" for each claim.
for script in tests/system/*.sh; do
    [[ $script == *$only* ]] || continue
    bash "$script" >"$log/out" 2>&1
    status=$?
    ok=$(grep -c '^ok ' "$log/out") bad=$(grep -c '^not ok ' "$log/out")
    ((status != 0 && bad == 0)) && bad=1
    ((ok + bad == 0)) && bad=1
    passed=$((passed + ok)) failed=$((failed + bad))
    ((bad)) && { echo "FAIL $script"; cat "$log/out"; } || echo "ok   $script ($ok)"
done

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
