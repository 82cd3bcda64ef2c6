# claims.sh -- for system scripts: run the built program, claim things of what it did.
#
#   leat_run ARGS…        runs it; $status, $out (file), $err (file)
#   claim "words" CMD…    ok when CMD succeeds
#   claim_exit "words" N  ok when the last run ended with N
#   claim_says "words" TEXT…   ok when the last run's standard error holds every TEXT
#   timeless FILE         JSON lines and the table of learners, without what a clock is in
#   until_true CMD…       waits 20 s at most until CMD succeeds
#   svm_examples SEED N ENTRIES IDS [ID]   prints N lines of libsvm, half of them "+1"; the ids of
#                         those are 9 larger. With ID, each line ends with its number: "ID:number"
set -u
LEAT=${LEAT:-$PWD/build/release/bin/leat}
tmp=$(mktemp -d)
trap '[[ $BASHPID != $$ ]] || rm -rf "$tmp"' EXIT # not by a child that a signal ends before its exec
out=$tmp/stdout err=$tmp/stderr status=0

leat_run() {
    "$LEAT" "$@" >"$out" 2>"$err"
    status=$?
}

claim() {
    local words=$1
    shift
    if "$@" >"$tmp/why" 2>&1; then
        echo "ok $words"
    else
        echo "not ok $words: $*"
        sed 's/^/    /' "$tmp/why" "$err" | head -40
    fi
}

claim_exit() {
    if [[ $status == "$2" ]]; then
        echo "ok $1"
    else
        echo "not ok $1: exit $status, wanted $2"
        sed 's/^/    /' "$err" | head -40
    fi
}

claim_says() {
    local words=$1 text
    shift
    for text in "$@"; do
        if ! grep -qF -- "$text" "$err"; then
            echo "not ok $words: standard error lacks: $text"
            sed 's/^/    /' "$err" | head -40
            return
        fi
    done
    echo "ok $words"
}

# What jq says of the summary in $tmp/s.json: json '.records'
json() {
    jq -r "$1" "$tmp/s.json"
}

timeless() { sed -E 's/"seconds":[^,]*,//; /predicted before it was learned/,$s/ +([0-9,]+|ex\/s)$//' "$1"; }

# Field or metric F of stage ID: stage parse rejected
stage() {
    jq -r ".stages[] | select(.id == \"$1\") | .$2 // .metrics.$2" "$tmp/s.json"
}

equal() {
    [[ $1 == "$2" ]] || { echo "found $1, wanted $2"; return 1; }
}

below() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }' || { echo "$1 is not below $2"; return 1; }
}

svm_examples() {
    awk -v seed="$1" -v n="$2" -v entries="$3" -v ids="$4" -v id="${5:-}" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            y = rand() < .5
            printf "%s", y ? "+1" : "-1"
            for (j = 0; j < entries; j++) printf " %d:1", rand() * ids + (y ? 9 : 0)
            print id == "" ? "" : " " id ":" i
        }
    }'
}

# Waits until a command succeeds, for at most 20 s.
until_true() {
    local i
    for ((i = 0; i < 400; i++)); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.05
    done
    return 1
}
