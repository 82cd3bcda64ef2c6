# random_runs.sh -- runs a random pipeline (random.lua) with 1, 2 and 8 threads, and with kills and stops under --state.
#
# Scripts source it.
#   random_inputs          makes the inputs and stages.tsv in the working directory
#   random_judge SEED      returns 0 if each run writes the same bytes, or each fails with the same refusal; otherwise
#                          prints the differences. $first is the exit code with one thread; $kept tells whether it has
#                          run with --state
random_lua=${BASH_SOURCE%/*}/random.lua
[[ $random_lua == /* ]] || random_lua=$PWD/$random_lua

random_stages() { # prints the choices as lines: a stage, then its parameters
    "$LEAT" plugins --json | jq -r '.[] |
        (["stage", .name, .kind, (.needs | join(",")), (.makes | join(",")), .parallel] | @tsv),
        (.params[] | ["param", .name, .type, .required, .min, .max, (.choices // [] | join(","))] | @tsv)'
}

random_text() { # random_text KIND SEED: prints some hundred records
    awk -v kind="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        sep = kind == "tsv" ? "\t" : ","
        if (kind == "csv" || kind == "tsv") print "k" sep "a" sep "b" sep "text"
        for (i = 0; i < 250 * seed; i++) {
            k = sprintf("%c", 97 + int(rand() * 3)); n = int(rand() * 9); b = "b" int(rand() * 20)
            text = ""
            for (j = int(rand() * 6); j >= 0; j--) text = text " w" int(rand() * rand() * 30)
            text = substr(text, 2)
            if (kind == "libsvm") {
                line = rand() < .5 ? "+1" : "-1"
                for (j = 0; j < n; j++) line = line " " int(rand() * rand() * 90) ":" (rand() < .5 ? 1 : rand())
                print line
            } else if (kind == "vw") {
                line = (rand() < .5 ? "1" : "-1") " |f"
                for (j = 0; j < n; j++) line = line " w" int(rand() * 30) (rand() < .5 ? "" : ":" rand())
                print line
            } else if (kind == "libffm") {
                line = rand() < .5
                for (j = 0; j < n; j++) line = line " " j % 3 ":" int(rand() * rand() * 90) ":1"
                print line
            } else if (kind == "lines") print k " " text
            else if (kind == "regex") print k " " n " " text
            else if (kind == "json") printf "{\"k\":\"%s\",\"a\":%d,\"b\":\"%s\",\"text\":\"%s\"}\n", k, n, b, text
            else if (kind == "logfmt") printf "k=%s a=%d b=%s text=\"%s\"\n", k, n, b, text
            else if (kind == "dead_letters")
                printf "{\"input\":\"x\",\"line\":%d,\"offset\":%d,\"stage\":\"s\",\"reason\":\"%s\"," \
                    "\"message\":\"m\",\"record\":\"%s,%d,%s,%s\"}\n", i, 9 * i, k, k, n, b, text
            else print k sep (rand() < .02 ? "" : n) sep b sep (rand() < .1 ? "\"" text "\"" : text)
            if (rand() < .01) print "too" sep "few"
            if (rand() < .005) { line = ""; for (j = 0; j < 300; j++) line = line "long,"; print line }
            if (rand() < .005) print "nan:inf \"quoted 1:1e999 " sep sep sep "\377"
        }
    }'
}

random_packets() { # random_packets SEED: prints a capture of TCP segments; some have damaged lengths
    printf "$(awk -v seed="$1" '
        function hex(text, i) { for (i = 1; i < length(text); i += 2) printf "\\x%s", substr(text, i, 2) }
        function le(n, bytes) { for (; bytes; bytes--) { hex(sprintf("%02x", n % 256)); n = int(n / 256) } }
        BEGIN {
            srand(seed)
            hex("d4c3b2a102000400"); le(0, 8); le(65535, 4); le(1, 4)
            for (i = 0; i < 120 * seed; i++) {
                le(1700000000 + i, 4); le(0, 4); le(54, 4); le(54, 4)
                hex("0200000000010200000000020800" (rand() < .02 ? "4f" : "45") "0000280001000040060000")
                hex(sprintf("0a0000%02x0a0001%02x%04x%04x", rand() * 9, rand() * 4, rand() * 5, rand() * 3 + 22))
                hex("00000000000000005000000000000000")
            }
        }')"
}

random_inputs() {
    local kind i
    random_stages >stages.tsv
    for i in 1 2 3; do
        for kind in csv tsv lines libsvm dead_letters json logfmt regex vw libffm; do
            random_text $kind $i >$i.$kind
        done
        random_packets $i >$i.packet
    done
    for i in [123].*; do
        gzip -kf "$i" && bzip2 -kf "$i" && xz -kf "$i" && zstd -qf "$i" && lz4 -qf "$i" "$i.lz4"
    done
    for i in 3.*.gz; do head -c 700 "$i" >"cut.${i#3.}"; done
}

# random_leat COMMAND DIR THREADS [OPTION…]: writes its messages to DIR.err
random_leat() {
    local command=$1 dir=$2 threads=$3
    shift 3
    mkdir -p "$dir"
    ${random_within:-} "$LEAT" "$command" "$random_lua" --set "seed=$seed" --set "to=$dir" --set "threads=$threads" \
        "$@" \
        >"$dir.out" 2>"$dir.err"
}
random_run() { # random_run DIR THREADS [OPTION…]: returns 137 if it was stuck, and killed after five minutes
    random_within='timeout -s KILL 300' random_leat run "$@" --quiet
}
random_check() {
    random_within='timeout -s KILL 120' random_leat check "$@"
}

random_said() { sed "s,\b$1/,DIR/,g; s,to=$1:,to=DIR:," "$1.err"; }

# Leaves out what differs in each run: times (seconds), and which of several sources writes its dead letters first.
random_settled() { # random_settled DIR…
    local dir
    for dir; do
        sed -Ei 's/"seconds":[0-9.e+-]*//; s/, [0-9.]+ s([,)])/\1/' "$dir"/* || return 1
        ((sources < 2)) || sort -o "$dir/dead" "$dir/dead" || return 1
    done
}

# random_same DIR STATUS WORDS: compares with the run of one thread. The output of a failed run depends on when it
# failed.
random_same() {
    [[ $2 == "$first" ]] || { echo "seed $seed, $3: exit $2, with 1 thread $first"; tail -3 "$1.err"; return 1; }
    case $first in
        0) random_settled one "$1" &&
            diff -rq one "$1" || { echo "seed $seed, $3: other bytes than with 1 thread"; return 1; } ;;
        2) # no process substitution: bash 5.2 may give its status to a later command with the same process id
            random_said one >one.said && random_said "$1" >"$1.said"
            diff one.said "$1.said" || { echo "seed $seed, $3: another refusal"; return 1; } ;;
    esac
}

random_broken_off() { # with --state, killed or asked to stop up to three times
    local i ended signal every
    for i in 1 2 3; do
        ((RANDOM % 2)) && signal=KILL || signal=TERM
        ((RANDOM % 2)) && every=$((RANDOM % 500 + 1)) || every=0
        random_within="timeout --foreground --preserve-status -s $signal 0.$((RANDOM % 2))$((RANDOM % 10))" \
            random_leat run killed $((RANDOM % 8 + 1)) --quiet --state state --every $every
        ended=$?
        case $ended in
            0 | 137 | 143 | "$first") ;; # 143: stopped before it could handle signals
            *) echo "seed $seed: exit $ended when broken off"; tail -3 killed.err; return 1 ;;
        esac
    done
}

random_judge() {
    seed=$1 RANDOM=$1 kept=0
    rm -rf one two eight killed state
    random_check eight 8
    local checked=$?
    ! grep -q 'memory' eight.err || { first=2; return 0; } # more threads take more memory
    random_leat graph one 1
    sources=$(grep -cE '\(source\.' one.out)
    random_run one 1
    first=$?
    ((first <= 2)) || { echo "seed $seed, 1 thread: exit $first"; tail -3 one.err; return 1; }
    ((checked != 1 || first != 2)) || return 0 # a faulty file ends check, and something else the run
    if (((checked == 2) != (first == 2))); then
        echo "seed $seed: check ends with $checked, run with $first" && tail -3 one.err
        return 1
    fi
    random_run two 2
    random_same two $? "2 threads" || return 1
    random_run eight 8
    random_same eight $? "8 threads" || return 1
    ((first != 2)) || return 0
    random_check killed 3 --state state || return 0 # a stage that cannot save its state
    kept=1
    random_broken_off || return 1
    random_run killed $((RANDOM % 8 + 1)) --state state --every 2ms
    random_same killed $? "broken off and continued"
}
