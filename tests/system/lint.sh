#!/usr/bin/env bash
# Faults that lint refuses, each in a small repository with one fault. CI fails on them.
# tier: long (8 s)
source "$(dirname "$0")/../support/claims.sh"
root=$PWD
export GIT_AUTHOR_NAME=leat GIT_AUTHOR_EMAIL=leat@localhost GIT_COMMITTER_NAME=leat GIT_COMMITTER_EMAIL=leat@localhost

# A repository without a fault: a file of each floor, and a release.
sound() {
    rm -rf "$tmp/tree" && mkdir -p "$tmp/tree" && cd "$tmp/tree" || exit 1
    mkdir -p runtime/core runtime/host/flow runtime/host/lua plugins/kernels/fd plugins/sinks tests
    printf '#define LEAT_VERSION "1.0.0"\n' >runtime/core/version.h
    printf '#include "core/version.h"\n' >runtime/host/flow/ring.h
    printf 'int fd;\n' >plugins/kernels/fd/fd.h
    printf '#include <leat/plugin.h>\n#include "kernels/fd/fd.h"\n' >plugins/sinks/top.c
    printf '#include <lua.h>\n' >runtime/host/lua/run.c
    printf 'true\n' >tests/run.sh
    touch Makefile README.md .gitignore
    git init -q . && git add -A && git commit -qm "release: 1.0.0"
}

# lint SCRIPT: what it says of the tree; fails if it has refused something.
lint() {
    git add -A
    LINT_ROOT=$tmp/tree B=${B:-build/release} bash "$root/tests/lint/$1.sh" >"$tmp/said" 2>&1
    ! grep -q '^not ok' "$tmp/said" && grep -q '^1\.\.' "$tmp/said"
}

refuses() {
    ! lint "$1" && grep -q "^not ok $2" "$tmp/said" && grep -qF -- "$3" "$tmp/said" || { cat "$tmp/said"; return 1; }
}

sound
claim "a sound tree has a sound door" lint door
claim "a sound tree has its floors" lint floors

touch q7
claim "a file in the root that nobody knows is refused" refuses door "the root holds" q7
sound && mkdir scratch && touch scratch/a.c
claim "a folder in the root that nobody knows is refused" refuses door "the root holds" scratch
sound && touch tests/core.1234
claim "a file of unknown type is refused" refuses door "each tracked file" tests/core.1234
sound && touch tests/notes
claim "a file without a type is refused" refuses door "each tracked file" tests/notes
sound && printf '/* Of the last example. */\n' >runtime/core/bits.h
claim "a comment without its subject is refused" refuses words "a comment begins" runtime/core/bits.h:1
sound && printf '/* Returns the last example. */\n' >runtime/core/bits.h
claim "a comment with a verb is not" lint words
sound && printf 'static int step(int x)\n{\n}\n' | tee runtime/core/a.c >runtime/core/b.c
claim "a function of the same name in two files is refused" refuses names "no two files" step:
sound && printf 'static int a_step(int x)\n{\n}\n' >runtime/core/a.c
claim "a function of one file is not" lint names
sound && seq 601 | sed 's/.*/int v&;/' >runtime/core/bits.c
claim "a file of over 600 lines is refused" refuses sizes "no file of the product" "runtime/core/bits.c: 601 lines"
sound && { echo 'int f(void)' && echo '{' && yes '    f();' | head -48 && echo '}'; } >runtime/core/bits.c
claim "a function of over 50 lines is refused" refuses sizes "no function" "runtime/core/bits.c:1: 51 lines"
sed -i 3d runtime/core/bits.c
claim "one of 50 lines is not" lint sizes
sound && printf '/* %0100d */\n' 0 >runtime/core/bits.h
claim "a line of C over 100 columns is refused" refuses door "no line of C" runtime/core/bits.h:1
sound && printf '/* %094d */\n' 0 >runtime/core/bits.h
claim "a line of C of 100 columns is not" lint door
sound && printf '# é%0119d\n' 0 >tests/run.sh
claim "a line of shell over 120 columns is refused" refuses door "no line of shell" tests/run.sh:1
sound && printf 'true %0117d\n' 0 >tests/run.sh
claim "so is one of a command" refuses door "no line of shell" tests/run.sh:1
sound && printf 'echo "%0117d"\ncat <<END\n%0121d\nEND\n' 0 0 >tests/run.sh
claim "a text may be longer" lint door
sound && printf '# é%0117d\n' 0 >tests/run.sh
claim "a line of 120 columns is not; a column is a character" lint door
sound && git commit -q --allow-empty -m "flow: $(printf '%055d' 0)"
claim "a subject of over 60 characters since the release is refused" refuses door "no subject" "flow: 000"
sound && git commit -q --allow-empty -m "flow: $(printf '%054d' 0)"
claim "a subject of 60 characters is not" lint door
sound && git commit -q --allow-empty -m "flow: $(printf '%055d' 0)" &&
    printf '#define LEAT_VERSION "1.1.0"\n' >runtime/core/version.h && git add -A && git commit -qm "release: 1.1.0"
claim "nor is a long subject before the release" lint door
sound && printf '/* TO%s: more */\n' DO >runtime/core/bits.h
claim "something left undone is refused" refuses door "nothing is left undone" runtime/core/bits.h

sound && printf '#include "host/flow/ring.h"\n' >runtime/core/bits.h
claim "core that includes host is refused" refuses floors "no floor includes" \
    "core, which may not include host/flow/ring.h"
sound && printf '#include <leat/plugin.h>\n' >plugins/kernels/fd/fd.h
claim "a kernel that includes the ABI is refused" refuses floors "no floor includes" \
    "kernels, which may not include leat"
sound && printf '#include "host/flow/ring.h"\n' >plugins/sinks/top.c
claim "a stage that includes the host is refused" refuses floors "no floor includes" plugins/sinks/top.c
sound && mkdir plugins/labels && touch plugins/labels/is.h && printf '#include "labels/is.h"\n' >plugins/sinks/top.c
claim "a family that includes another is refused" refuses floors "no floor includes" labels/is.h
sound && printf '#include <lua.h>\n' >runtime/host/flow/ring.c
claim "lua.h outside of its room is refused" refuses floors "only runtime/host/lua" runtime/host/flow/ring.c

# Three files that call each other in a circle, compiled; and two.
circle() {
    sound
    local i
    for i in 1 2 3; do
        printf 'int f%d(void);\nint f%d(void) { return f%d(); }\n' $((i % 3 + 1)) $i $((i % 3 + 1)) \
            >runtime/host/flow/f$i.c
    done
    "$@"
    for i in 1 2 3; do
        mkdir -p "$tmp/build/runtime/host/flow" && cc -c -o "$tmp/build/runtime/host/flow/f$i.o" runtime/host/flow/f$i.c
    done
}
straight() { printf 'int f3(void);\nint f3(void) { return 3; }\n' >runtime/host/flow/f3.c; }
circle true
B=$tmp/build claim "three files that call each other in a circle are refused" refuses circles "no more than two" \
    "circle of 3"
circle straight
B=$tmp/build claim "a line of calls is not" lint circles

# results COLUMN TEXT: a table of two results, the second of which has another text there; and its page.
results() {
    sound && mkdir -p tests/bench && cp "$root/tests/bench/results.sh" tests/bench
    printf 'id\tsection\tclaim\tfigure\tunit\ttarget\tverdict\tcommand\tdate\tmachine\n' >tests/bench/results.tsv
    printf '%s\tRuntime\tit is fast\t9.5\tms\t< 10\tmet\tmake bench\t2026-11-28\tzen5\n' a b |
        awk -F'\t' -v OFS='\t' -v column="$1" -v text="$2" 'NR == 2 { $column = text } 1' >>tests/bench/results.tsv
    tests/bench/results.sh >tests/bench/RESULTS.md
}
results 1 b
claim "a sound table of results is taken" lint results
echo "| it is slow |" >>tests/bench/RESULTS.md
claim "a page that the results do not give is refused" refuses results "the page of results" "it is slow"
results 1 a
claim "an id of two results is refused" refuses results "an id stands" "it is fast"
results 3 "it is as fast as ten words and more than two say"
claim "a claim of 12 words is taken" lint results
results 3 "it is as fast as ten words and more than three words say"
claim "a claim of 13 words is not" refuses results "a claim has" "three words"
results 4 "9.5 to 12"
claim "two figures in a cell are refused" refuses results "a figure is one number" "9.5 to 12"
results 4 10
claim "a verdict that the figure contradicts is refused" refuses results "a verdict is that of" 10
results 6 ">= 10"
claim "a verdict that the target contradicts is refused" refuses results "a verdict is that of" ">= 10"
results 6 ""
claim "a verdict without a target is refused" refuses results "a verdict judges" met
results 7 "nearly"
claim "a verdict in other words is refused" refuses results "a verdict is met" nearly
results 10 "$(printf 'zen5\tmore')"
claim "an eleventh field is refused" refuses results "a result has ten fields" more
results 9 today
claim "a date in words is refused" refuses results "a date is a day" today
results 1 b && seq 80 | sed 's/$/\tRuntime\tit is fast\t1\tms\t\t\tmake bench\t2026-11-28\tzen5/' \
    >>tests/bench/results.tsv
claim "an 81st result is refused" refuses results "the page has at most" 80

sound && printf 'int  fd ;\n' >plugins/kernels/fd/fd.h && cp "$root/.clang-format" .
! there_is clang-format "C that clang-format would change is refused" ||
    claim "C that clang-format would change is refused" refuses form "clang-format" plugins/kernels/fd/fd.h

sound && mkdir -p tests/support tests/lint && cp "$root"/tests/support/{claims,commit_msg,lint}.sh tests/support &&
    cp "$root/tests/lint/door.sh" tests/lint && cp tests/support/commit_msg.sh .git/hooks/commit-msg && git add -A
claim "the hook takes a subject of 60 characters" git commit -qm "flow: $(printf '%054d' 0)"
claim "the hook refuses a subject of over 60" eval '! git commit -q --allow-empty -m "flow: $(printf %055d 0)"'
touch q7 && git add q7
claim "the hook refuses a file in the root that nobody knows" eval '! git commit -qm "flow: a file"'
done_claims
