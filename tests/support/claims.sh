# claims.sh -- runs the built program for system scripts, and makes claims about its output.
#
#   leat_run ARGS…        runs it; sets $status, $out (file), $err (file). It leaves out a --set, --state, --every,
#                         --target or --attributes that a later one replaces, so that functions can have defaults
#   leat_start ARGS…      starts leat run ARGS in the background, with these two files. It empties them first, so no
#                         message of an earlier run counts. It returns when signals end the run cleanly, no longer the
#                         process. Sets $pid
#   leat_end [PID]        waits for its end; sets $status, $took (whole seconds)
#   leat_stop [PID]       ends it by SIGTERM
#   claim "words" CMD…    ok if CMD succeeds
#   claim_exit "words" N  ok if the last run ended with N
#   claim_says "words" TEXT…   ok if the last run's standard error has every TEXT
#   check_refuses_too     from here on, leat check must refuse each run that ends with 2, as it has read nothing:
#                         done_claims makes the claim
#   timeless FILE         JSON lines and the table of learners, without fields that depend on a clock
#   skip "words" "why"    says that this claim cannot be tried here
#   there_is TOOL "words" fails, and skips the claim, if the tool is not installed
#   skip_rest "why"       says that the rest of the script cannot be tried here, and ends it
#   rest_is_long          ends the script here in the short tier: the rest takes long
#   repeats SHORT LONG    prints SHORT in the short tier, else LONG: how often a claim is tried. The script needs
#                         rest_is_long, so that the long tier runs it, too
#   done_claims           the last line of each script: prints the plan "1..N". A script without it fails in
#                         tests/run.sh. A line whose claim was never made is a failure, too, for instance in an empty
#                         loop. It is none if the script has skipped something, or the line ends with "# elsewhere"
#   until_true CMD…       waits until CMD succeeds, at most five minutes ($patience seconds). CMD is evaluated anew each
#                         time, but its words are not: use no $(…) or <(…) of changing things
#   svm_examples SEED N ENTRIES IDS [ID]   prints N lines of libsvm, half of them "+1", whose ids are 9 larger. With
#                         ID, each line ends with its number: "ID:number"
set -u
script=$(realpath "$0")
LEAT=${LEAT:-$PWD/build/release/bin/leat}
tmp=$(mktemp -d)
trap clean_up EXIT
out=$tmp/stdout err=$tmp/stderr status=0
claimed=$tmp.claimed # a file, as subshells claim, too: lines of the script that have claimed; "skip"
refusals=            # a file after check_refuses_too: a line for each refused run, "refuses" or what check took
echo begin >"$claimed"

# Cleans up, but not in a child that a signal ends before its exec.
clean_up() {
    [[ $BASHPID == $$ ]] || return
    # shellcheck disable=SC2046
    kill -KILL $(jobs -rp) 2>/dev/null
    cd / && rm -rf "$tmp" "$claimed" "$refusals"
}

leat_run() {
    keep_last "$@"
    "$LEAT" "${words_kept[@]}" >"$out" 2>"$err"
    status=$?
    [[ ! $refusals ]] || check_refused_run "${words_kept[@]}"
}

# Sets `words_kept` to the words without those that later words replace.
keep_last() {
    local -A later=()
    local i key
    words_kept=("$@")
    for ((i = $# - 2; i >= 0; i--)); do
        case ${words_kept[i]} in
            --set) key=${words_kept[i + 1]%%=*} ;;
            --state | --every | --target | --attributes) key=${words_kept[i]} ;;
            *) continue ;;
        esac
        [[ $key ]] || continue
        if [[ ${later[$key]-} ]]; then unset "words_kept[i]" "words_kept[i+1]"; else later[$key]=yes; fi
    done
}

check_refuses_too() {
    refusals=$tmp.refused
    : >"$refusals"
}

# check compares no input with a snapshot, asks no broker, and reads no values of librdkafka from the environment.
only_runs_refuse="cannot be restored|has no entry for this partition|env:.*librdkafka refuses the value"

# Notes a run that was refused, and whether check refuses it, too.
check_refused_run() {
    [[ $1 == run && $status == 2 ]] || return 0
    local args=("${@:2}") i
    for i in "${!args[@]}"; do # options that check does not take
        case ${args[i]} in
            --quiet | --keep-open) unset "args[$i]" ;;
            --progress | --every | --stop-timeout | --http | --http-token) unset "args[$i]" "args[$((i + 1))]" ;;
        esac
    done
    if "$LEAT" check "${args[@]}" >/dev/null 2>&1 && ! grep -qE "$only_runs_refuse" "$err"; then
        echo "leat check ${args[*]}, though a run says: $(grep -m 1 error: "$err")" >>"$refusals"
    else
        echo refuses >>"$refusals"
    fi
}
all_are_refused() {
    [[ -s $refusals ]] && ! grep -vx refuses "$refusals"
}

# The shell empties the files before there is a child, as a test may empty standard error meanwhile.
leat_start() {
    : >"$out" 2>"$err"
    keep_last run "$@"
    { "$LEAT" "${words_kept[@]}" <&0 & } >"$out" 2>>"$err"
    pid=$!
    until_true takes_signals "$pid"
}

# True if signals are blocked (/proc has SIGTERM in the 15th bit): then a thread waits for them.
takes_signals() {
    has_ended "$1" || awk '/^Name:/ { name = $2 } /^SigBlk:/ { blocked = $2 }
        END { exit !(name == "leat" && blocked ~ /[4-7c-f]...$/) }' "/proc/$1/status"
}

leat_end() {
    local one=${1:-$pid} from=$SECONDS
    until_true has_ended "$one" || kill -KILL "$one"
    wait "$one"
    status=$? took=$((SECONDS - from))
}

leat_stop() {
    kill -TERM "${1:-$pid}"
    leat_end "$@"
}

# True if the process has ended. Its number may belong to another process by now.
has_ended() { ! grep -qs "^PPid:[[:space:]]*$BASHPID\$" "/proc/$1/status"; }

# Notes a claim in the present line of the script.
note_claim() {
    local i
    for ((i = 2; i < ${#BASH_SOURCE[@]}; i++)); do
        [[ ${BASH_SOURCE[i]} != "$0" ]] || { echo "${BASH_LINENO[i - 1]}" >>"$claimed" && return; }
    done
    echo elsewhere >>"$claimed"
}

# Prints the beginnings of files, indented; a bar of progress is one line.
why_not() { sed 's/^/    /' "$@" 2>/dev/null | head -40 | cut -c 1-400; }

claim() {
    local words=$1
    shift
    note_claim
    if "$@" >"$tmp/why" 2>&1; then
        echo "ok $words"
    else
        echo "not ok $words: $*"
        why_not "$tmp/why" "$err"
    fi
}

claim_exit() {
    note_claim
    if [[ $status == "$2" ]]; then
        echo "ok $1"
    else
        echo "not ok $1: exit $status, wanted $2"
        why_not "$err"
    fi
}

claim_says() {
    local words=$1 text
    shift
    note_claim
    for text in "$@"; do
        if ! grep -qF -- "$text" "$err"; then
            echo "not ok $words: standard error lacks: $text"
            why_not "$err"
            return
        fi
    done
    echo "ok $words"
}

skip() {
    echo skip >>"$claimed"
    echo "skipped $1: $2"
}

there_is() {
    command -v "$1" >/dev/null || { skip "$2" "there is no $1" && return 1; }
}

skip_rest() {
    skip "the rest" "$1"
    done_claims
    exit 0
}

rest_is_long() {
    [[ ${TIER:-all} == short ]] || return 0
    echo skip >>"$claimed"
    done_claims
    exit 0
}

repeats() { if [[ ${TIER:-all} == short ]]; then echo "$1"; else echo "$2"; fi; }

# Prints the lines of the script with a claim that were never reached.
unclaimed() {
    grep -qx skip "$claimed" || grep -nE '^[^#]*(^|[ ;&|({])(claim(_exit|_says)?|nothing) ["$]' "$script" |
        grep -v '# elsewhere$' | awk -F: '
        NR == FNR { made[$1]; next }
        !($1 in made) { print "line " $1 }' "$claimed" -
}

done_claims() {
    local line
    [[ ! $refusals ]] || claim "check refuses the $(wc -l <"$refusals") runs that are refused" all_are_refused
    while read -r line; do
        echo "not ok $line makes its claim"
        echo elsewhere >>"$claimed"
    done < <(unclaimed)
    echo "1..$(grep -cvxE 'begin|skip' "$claimed")"
}

# Prints jq's answer about the summary in $tmp/s.json: json '.records'
json() {
    jq -r "$1" "$tmp/s.json"
}

# Prints the output of a run without durations, memory of the system (it changes by some pages), and the event time
# (messages have one, lines of a file do not).
timeless() {
    eventless "$1" | sed -E 's/"seconds":[^,]*,//
        /predicted before it was learned/,${ s/ +([0-9,]+|ex\/s|-)$//; s/( [KMG]?B) +[0-9.]+ [KMG]?B /\1 /; }'
}
eventless() {
    sed -E 's/, until [0-9-]+ [0-9:]+ UTC//; s/"time":("[0-9TZ:.-]+"|null),//; s/^(learner,examples),time,/\1,/
        s/^([^,]*,[0-9]+),([0-9]+-[0-9]+-[0-9]+T[0-9:.]+Z|),/\1,/
        s/^( *examples) +time(  change)/\1\2/; s/^( *[0-9,]+)  [0-9-]+ [0-9:]+ UTC  /\1  /' "$1"
}

# Prints field or metric F of stage ID: stage parse rejected
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

until_true() {
    local until=$((SECONDS + ${patience:-300}))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < until)) || return 1
        sleep 0.05
    done
}
