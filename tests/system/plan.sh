# A script that ends early, claims nothing, or leaves a claim out fails; one that names what it skips does not.
. "$(dirname "$0")/../support/claims.sh"
unset TIER LIMIT LOG SETS
run=$PWD/tests/run.sh
mkdir -p "$tmp/tests/trial" "$tmp/tests/support"
cp "$run" "$tmp/tests" && cp tests/support/claims.sh "$tmp/tests/support"

# trial PASSED FAILED: what tests/run.sh counts of the script on standard input, whose claims begin with CLAIM
trial() {
    { echo '. "$(dirname "$0")/../support/claims.sh"' && sed 's/CLAIM/claim/'; } >"$tmp/tests/trial/one.sh"
    SETS=trial LOG='' "$tmp/tests/run.sh" >"$tmp/said" 2>&1
    [[ $? == $(($2 > 0 || $1 == 0)) ]] && equal "$(tail -n 1 "$tmp/said")" "$1 passed, $2 failed"
}
says() { grep -qF -- "$1" "$tmp/said" || { cat "$tmp/said"; return 1; }; }

claim "a script that comes to its end passes" trial 2 0 <<'SH'
CLAIM "one" true
for i in 1 2; do [[ $i == 1 ]] || CLAIM "two" true; done
done_claims
SH
claim "an early exit is a failure" trial 1 1 <<'SH'
CLAIM "one" true
exit 0
CLAIM "two" true
done_claims
SH
claim "which is said" says "comes to its end: it claimed 1, planned nothing, ended with status 0"
claim "so is a script without a plan" trial 1 1 <<'SH'
CLAIM "one" true
SH
claim "a script that claims nothing is one" trial 0 1 <<'SH'
nobody() { CLAIM "one" true; }
done_claims
SH
claim "a loop over nothing leaves its claim out" trial 1 1 <<'SH'
CLAIM "one" true
for i in; do CLAIM "two" true; done
done_claims
SH
claim "the line is named" says "not ok line 3 makes its claim"
claim "a claim in a subshell counts" trial 2 0 <<'SH'
(CLAIM "one" true)
CLAIM "two" true | cat
done_claims
SH
claim "a claim that is lost does not pass" trial 1 1 <<'SH'
CLAIM "one" true >/dev/null
CLAIM "two" true
done_claims
SH
claim "a failure counts once" trial 1 1 <<'SH'
CLAIM "one" false
CLAIM "two" true
done_claims
SH
claim "what is skipped is said" trial 1 0 <<'SH'
CLAIM "one" true
! there_is no-such-tool "two" || CLAIM "two" true
done_claims
SH
claim "with its count" says "(1, 1 skipped)"
claim "the rest can be skipped" trial 1 0 <<'SH'
CLAIM "one" true
skip_rest "no reason"
CLAIM "two" true
done_claims
SH
claim "a claim of another machine need not be made" trial 1 0 <<'SH'
CLAIM "one" true || claim "two" true # elsewhere
done_claims
SH
claim "the rest of a script can be long" env "TIER=short" bash -c "$(declare -f trial equal); tmp=$tmp; trial 1 0" \
    <<'SH'
CLAIM "one" true
rest_is_long
CLAIM "two" false
done_claims
SH
claim "a script that hangs is ended" env LIMIT=1 bash -c "$(declare -f trial equal); tmp=$tmp; trial 1 1" <<'SH'
CLAIM "one" true
exec sleep 100
SH

# ---- what CI says ----
mkdir -p "$tmp/.ci" "$tmp/tests/lint" "$tmp/bin" && cp .ci/run "$tmp/.ci"
cat >"$tmp/bin/make" <<'SH'
#!/bin/sh
[ "$1" != "$BROKEN" ] || exit 2
[ "$1" = test ] && TIER=short SETS=trial || TIER=long SETS="trial lint"
export TIER SETS
tests/run.sh
SH
for tool in git clang clang-format cppcheck shellcheck; do ln -s /bin/true "$tmp/bin/$tool"; done
chmod +x "$tmp/bin/make"
script() { # script NAME LINES…
    printf '%s\n' '. "$(dirname "$0")/../support/claims.sh"' "${@:2}" done_claims |
        sed 's/CLAIM/claim/' >"$tmp/tests/$1.sh"
}
script trial/one 'CLAIM "one" true'
script trial/two '# tier: long (9 s)' 'CLAIM "two" true' 'CLAIM "three" true'
script lint/form 'CLAIM "four" true'
ci() { # ci STATUS "LINE": the end of what it says
    PATH=$tmp/bin:$PATH BROKEN=${3:-} "$tmp/.ci/run" >"$tmp/said" 2>&1
    equal "$? $(tail -n 1 "$tmp/said") $(grep -c '^[0-9]* passed' "$tmp/said")" "$1 $2 1" && return
    cat "$tmp/said" && return 1
}
claim "the sum of all tiers is the last line, and the only one" ci 0 "4 passed, 0 failed"
claim "a build that fails is a failure" ci 1 "1 passed, 1 failed" test-long
claim "and is named" says "FAIL test-long: no test was run"
script trial/one 'CLAIM "one" true' 'CLAIM "zero" false'
claim "what fails first fails the whole" ci 1 "4 passed, 1 failed"
claim "and is said once more at the end" equal "$(tail -n 2 "$tmp/said" | head -n 1)" "not ok zero: false"
done_claims
