#!/usr/bin/env bash
# run.sh -- runs test programs and scripts, names those that fail, and ends with one line "N passed, N failed".
#
#   tests/run.sh [-n] [PATTERN]   runs the tests whose path matches, an extended regular expression; -n only prints them
#
#   B      the build to test (build/release)
#   SETS   the folders of tests
#   TIER   short leaves out tests marked as long, long runs only these, all (the default) runs both
#   JOBS   number of tests to run at once (processors + 1, as most wait now and then); JOBS + 1 waiting tests run in
#          addition
#   LIMIT  seconds after which a test is ended, and has failed (1200)
#   AGAIN  runs failed tests once more, alone, if there are at most so many (0). Each is named, and counts as it ends.
#   RUN    a command that runs programs of B, such as "qemu-aarch64 -L /usr/aarch64-linux-gnu" for another machine's
#   LOG    a folder: the last line and the failures include those of earlier runs with the same folder
#
# A test may have a line "tier: long (90 s)", "tier: long (90 s, waits)" or "tier: short (waits)" in its first lines.
# Scripts in tests/lint are long. The longest tests begin first. "waits" marks a test that mostly waits, for a broker or
# for time to pass. A program with LEAT_TIERS (suite.h) is in both tiers, with different tests in each. A script with
# the line rest_is_long is, too: its beginning is short. The report of a test has its seconds and number of claims.
set -u
export OPENBLAS_NUM_THREADS=1 # like leat itself: the runtime makes the parallelism
cd "$(dirname "$0")/.."
export B=${B:-build/release} LEAT=${LEAT:-$PWD/${B:-build/release}/bin/leat} LC_ALL=C
SETS=${SETS:-system kernel unit stage}
dry=
[[ ${1:-} != -n ]] || { dry=yes && shift; }
only=${1:-} jobs=${JOBS:-$(($(nproc) + 1))} tier=${TIER:-all}
export TIER=$tier
[[ -z ${RUN:-} ]] || export CK_TIMEOUT_MULTIPLIER=10 # an emulator is slow
case $B in
    *address*)
        export CK_FORK=no UBSAN_OPTIONS=print_stacktrace=1
        export ASAN_OPTIONS=detect_leaks=1:verify_asan_link_order=0:allocator_may_return_null=1
        ;;
    *thread*)
        TSAN_OPTIONS=suppressions=$PWD/tests/support/tsan/suppressions:allocator_may_return_null=1
        export TSAN_OPTIONS=$TSAN_OPTIONS:report_thread_leaks=0
        ;;
esac

# report NAME PASSED FAILED OUTPUT [SKIPPED]: in one write, as other tests report at the same time.
report()
{
    local tenths=$(((${EPOCHREALTIME//[!0-9]/} - began) / 100000)) skips=
    echo "$2 $3" >"$4.$tier.counts"
    ((${5:-0} == 0)) || skips=", $5 skipped"
    if (($3)); then
        printf 'FAIL %3d.%d s %s\n%s\n' $((tenths / 10)) $((tenths % 10)) "$1" "$(<"$4")"
        { echo "FAIL $1" && grep -E '^not ok |:[FE]:|ended with status' "$4" | head -20; } >"$4.$tier.failures"
    else
        printf 'ok   %3d.%d s %s (%s%s)\n' $((tenths / 10)) $((tenths % 10)) "$1" "$2" "$skips"
    fi
}

# Ends a test that hangs. A script's trap ends what it has started.
limited() { timeout --foreground -k 20 "${LIMIT:-1200}" "$@"; }

[[ $tier != short ]] || export CK_EXCLUDE_TAGS=long

# libcheck prints "100%: Checks: 12, Failures: 0, Errors: 0".
run_program()
{
    local out=$log/${1//\//+} status counts checks failures errors bad with=()
    [[ $tier != long ]] || ! grep -q '^LEAT_TIERS(' "tests/${1#"$B"/tests/}.c" || with=(env CK_INCLUDE_TAGS=long)
    # shellcheck disable=SC2086
    limited "${with[@]}" ${RUN:-} "$1" >"$out" 2>&1
    status=$?
    counts=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$out")
    [[ -n $counts ]] || { echo "ended with status $status before it could count" >>"$out" && counts="1 1 0"; }
    read -r checks failures errors <<<"$counts"
    bad=$((failures + errors))
    ((bad == 0 && status != 0)) && bad=1
    report "${1#"$B"/tests/}" $((checks - bad)) "$bad" "$out"
}

# A script prints "ok NAME", "not ok NAME: why" or "skipped NAME: why" for each claim, and at its end "1..N".
run_script()
{
    local out=$log/${1//\//+} status ok bad plan
    limited bash "$1" >"$out" 2>&1
    status=$?
    sed -i 's/\x1b\[[0-9;]*m//g' "$out" # colours that other programs write before a claim
    ok=$(grep -c '^ok ' "$out") bad=$(grep -c '^not ok ' "$out")
    plan=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$out")
    if [[ $plan != $((ok + bad)) ]]; then
        printf 'not ok %s comes to its end: it claimed %d, planned %s, ended with status %d\n' \
            "$1" $((ok + bad)) "${plan:-nothing}" "$status" >>"$out"
        bad=$((bad + 1))
    fi
    ((status != 0 && bad == 0)) && bad=1
    report "$1" "$ok" "$bad" "$out" "$(grep -c '^skipped ' "$out")"
}

# Prints the sources of all matching tests: scripts before programs.
sources()
{
    local set source
    for set in $SETS; do
        printf '%s\n' "tests/$set"/*.sh
        find "tests/$set" -name 'test_*.c' | sort
    done | while read -r source; do
        [[ -e $source && ${source%.c} =~ $only ]] && echo "$source"
    done
}

# Prints "works TEST" or "waits TEST" for each test of the tier, the longest first.
list()
{
    sources | xargs -r awk -v B="$B" -v tier="$tier" '
        FNR == 1 { n++; path[n] = FILENAME; kind[n] = FILENAME ~ /\/lint\// ? "long" : "short"; does[n] = "works" }
        FNR <= 20 && /^(#|\/\*) tier: / {
            kind[n] = $3
            if (match($0, /[0-9]+ s/)) seconds[n] = substr($0, RSTART) + 0
            if (/waits/) does[n] = "waits"
        }
        /^LEAT_TIERS\(|^rest_is_long$/ { kind[n] = "both" }
        END {
            for (i = 1; i <= n; i++) {
                if (tier != "all" && kind[i] != "both" && tier != kind[i]) continue
                if (sub(/\.c$/, "", path[i])) sub(/^tests/, B "/tests", path[i])
                print seconds[i] + 0, i, does[i], path[i]
            }
        }' | sort -k1,1nr -k2,2n | cut -d' ' -f3-
}

# run_all N TEST…: runs N at once
run_all()
{
    local jobs=$1 test began
    shift
    for test in "$@"; do
        (($(jobs -rp | wc -l) < jobs)) || wait -n
        began=${EPOCHREALTIME//[!0-9]/}
        case $test in
            *.sh) run_script "$test" & ;;
            *) run_program "$test" & ;;
        esac
    done
    wait
}

works=() waits=()
while read -r does test; do
    if [[ $does == waits ]]; then waits+=("$test"); else works+=("$test"); fi
done < <(list)
[[ -z $dry ]] || { printf '%s\n' "${works[@]}" "${waits[@]}" && exit; }

log=${LOG:-$(mktemp -d)}
[[ -n ${LOG:-} ]] || trap 'rm -rf "$log"' EXIT
before=$(find "$log" -name '*.counts' | wc -l)
n=$((${#works[@]} + ${#waits[@]}))
run_all $((jobs + 1)) "${waits[@]}" &
run_all "$jobs" "${works[@]}"
wait
# Other tests at the same time may be the reason why one has waited in vain.
failed=()
for test in "${works[@]}" "${waits[@]}"; do
    [[ ! -e $log/${test//\//+}.$tier.failures ]] || failed+=("$test")
done
if ((${#failed[@]} <= ${AGAIN:-0})); then
    for test in "${failed[@]}"; do
        echo "unsteady: $test failed beside others, and runs once more, alone"
        rm "$log/${test//\//+}.$tier".*
        run_all 1 "$test"
    done
fi
lost=$((n + before - $(find "$log" -name '*.counts' | wc -l)))
((lost == 0)) || {
    echo "FAIL $lost tests were not run to their end" >"$log/$tier.failures"
    echo "0 $lost" >"$log/$tier.counts"
}
cat "$log"/*.failures 2>/dev/null # once more, for readers who see only the end of a long output
cat "$log"/*.counts 2>/dev/null | awk '
    { passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed; exit !(failed == 0 && passed > 0) }'
