#!/usr/bin/env bash
# What `make lint` checks: who may include whom, formatting, cppcheck, shell scripts. Tools that are
# missing are named and passed over, except in CI (CI=true).
set -u
cd "$(dirname "$0")/.."
bad=0
complain() { echo "lint: $*"; bad=1; }
missing() { if [[ ${CI:-} == true ]]; then complain "$1 is not installed"; else echo "lint: $1 is not installed: passed over"; fi; }

# ---- rooms ----

# A room, and the rooms it may include; itself always. A room is a folder of runtime/ or plugins/; a
# star takes the rooms below it; with :c the room's sources may, its headers not. Every plugin family
# that is not listed may include the last line's.
arrows='
base
base/text     base base/memory:c
base/time     base
base/log      base base/text base/time base/memory
base/memory   base base/log:c
base/calls    base
report        base/*
store         base/*
plugin        base/* report
metrics       base/*
graph         base/* report plugin metrics
graph/negotiate    base/* report plugin metrics graph
graph/fingerprint  base/* report plugin metrics graph
graph/outside      base/* report plugin metrics graph
lua           base/* report plugin graph
lua/script    base/* report plugin graph lua graph/outside
flow          base/* report graph
exec/answers  base/* report store plugin metrics graph lua flow exec/instance:c exec/worker:c exec:c
exec/instance base/* report store plugin metrics graph lua flow exec:c
exec/plan     base/* report store plugin metrics graph lua flow exec/answers:c
exec/rejects  base/* report store plugin metrics graph lua flow exec/instance:c exec:c
exec          base/* report store plugin metrics graph lua flow exec/answers exec/instance exec/plan exec/rejects exec/worker:c graph/*
exec/worker   base/* report store plugin metrics graph lua flow exec exec/answers exec/instance
exec/beside   base/* report store plugin metrics graph lua flow exec/* graph/*
checkpoint    base/* report store metrics graph flow exec exec/instance exec/worker exec/beside:c graph/*
page          base/* report
harness       base/* store plugin graph flow
conform       base/* store plugin graph lua lua/script flow harness exec/* graph/negotiate
watch         base/* report plugin page store metrics graph flow exec/* checkpoint
cli/command_line  base/* page plugin graph lua/script checkpoint
cli           base/* report plugin graph lua lua/script exec/* checkpoint conform cli/command_line graph/*
cli/ending    base/* report plugin metrics exec/* cli/command_line cli
cli/summary   base/* page plugin metrics graph lua/script exec/* checkpoint cli/command_line cli/ending
cli/pipeline  base/* report plugin graph flow exec/* checkpoint cli/command_line cli cli/summary graph/negotiate
cli/run       base/* report graph exec/* checkpoint watch cli/command_line cli cli/ending cli/summary graph/outside
cli/model     base/* report page store plugin metrics graph exec/* checkpoint cli/command_line cli cli/summary graph/fingerprint
cli/top       base/* report page store cli/command_line cli cli/model
cli/trace     base/* report store graph flow exec/* checkpoint watch cli/command_line cli graph/*

kernels/base    base/*
kernels/text    base/* kernels/base
kernels/sketch  base/* kernels/base
kernels/dense   base/* kernels/base
kernels/fd      base/* kernels/base kernels/dense
kernels/linear  base/* kernels/base kernels/sketch
kernels/linear/*  base/* kernels/base kernels/sketch kernels/linear
kernels/cooccurrence  base/* kernels/base kernels/sketch
kernels/son     base/* kernels/base kernels/fd
kernels/fm      base/* kernels/base kernels/fd
kernels/product base/* kernels/base kernels/dense
kernels/drift   base/* kernels/base
kernels/avro    base/* kernels/base kernels/text
kernels/window  base/* kernels/base
support/paths   base/* report support/cells kernels/*
support/answers base/* report support/output support/state kernels/*
support/*       base/* report kernels/*

shape/expression  base/* report support/* kernels/*
shape         base/* report support/* kernels/* shape/*
kafka/client  base/* report support/* kernels/*
kafka/states  base/* report support/* kernels/* kafka/client
kafka/source  base/* report support/* kernels/* kafka/client kafka/states
kafka/sink    base/* report support/* kernels/* kafka/client kafka/states
kafka         base/* report support/* kernels/* kafka/*
parsers/*     base/* report support/* kernels/* parsers
learners/*    base/* report support/* kernels/* learners
family        base/* report support/* kernels/*
'
# What plugins and kernels may include of base: what includes nothing but these (framing, number_cure, number_text, secret_text and utc have a source, the others are headers).
primitives=' bits exp heap le log_gamma mix64 pow10 secret wide text/byte_order_mark text/framing text/grouped text/name_look text/nearest text/number_cure text/number_text text/secret_text text/stream_name text/utf8 time/civil time/clock time/steady_cond time/utc '

# ROOM TARGET FILE HEADER of every include of another room.
includes()
{
    local file room
    git ls-files 'runtime/*.[ch]' 'plugins/*.[ch]' 'plugins/*.cpp' | while read -r file; do
        [[ -e $file ]] || continue
        room=${file%/*} room=${room#*/}
        sed -nE "s|^#include \"([^\"]*)/([^\"/]+)\\.h\".*|$room \\1 $file \\2|p" "$file"
    done
}

includes | awk -v arrows="$arrows" -v primitives="$primitives" '
    function matches(room, pattern) {
        if (pattern ~ /\*$/) return index(room "/", substr(pattern, 1, length(pattern) - 1)) == 1
        return room == pattern
    }
    BEGIN {
        n = split(arrows, line, "\n")
        for (i = 1; i <= n; i++) {
            if (split(line[i], word, " ") == 0) continue
            from[++rules] = word[1]
            to[rules] = line[i]
        }
    }
    {
        if ($1 == $2) next
        rule = rules
        for (i = rules - 1; i >= 1; i--) if (matches($1, from[i])) rule = i
        k = split(to[rule], word, " ")
        allowed = 0
        for (i = 2; i <= k; i++) {
            if (sub(/:c$/, "", word[i]) && $3 ~ /\.h$/) continue
            if (matches($2, word[i])) allowed = 1
        }
        if (!allowed) print "lint: " $3 ": room " $1 " may not include " $2 "/" $4 ".h"
        if ($3 ~ /^plugins/ && $2 ~ /^base(\/|$)/ && !index(primitives, " " substr($2 "/" $4, 6) " "))
            print "lint: " $3 ": of base, room " $1 " may include only" primitives
    }' | { ! grep .; } || bad=1
for primitive in $primitives; do
    header=runtime/base/$primitive.h
    [[ -e $header ]] || continue
    for other in $(sed -nE 's/^#include "(.*)\.h".*/\1/p' "$header"); do
        [[ $other == */* ]] || other=${header%/*}/$other
        other=${other#runtime/} other=${other#base/}
        [[ $primitives == *" $other "* ]] || complain "$header includes $other.h, which is no primitive"
    done
done
grep -rnE '#include *<leat/' plugins/kernels && complain "a kernel knows the runtime"
grep -rlE '#include *<(lua|lauxlib|lualib)\.h>' runtime plugins | grep -v '^runtime/lua/' && complain "only runtime/lua may see lua.h"
grep -rnIE 'TO[D]O|FIX[M]E|(^|[^X])X[X]X([^X]|$)' runtime plugins lua pipelines docs && complain "something is left undone"

# ---- form ----

if command -v clang-format >/dev/null; then
    git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run -Werror 2>&1 | head -20
    [[ ${PIPESTATUS[1]} == 0 ]] || complain "clang-format differs (make fmt)"
else
    missing clang-format
fi

# clang-format leaves comments as they were drawn. A string of a message may be longer.
git ls-files '*.c' '*.h' '*.cpp' | LC_ALL=C.UTF-8 xargs grep -nE '^ *(/\*|\*[ /]).{98}' | LC_ALL=C.UTF-8 grep -E '^[^:]*:[^:]*:.{101}' &&
    complain "a comment is wider than 100 columns"

if command -v cppcheck >/dev/null; then
    cppcheck --quiet --std=c11 --std=c++17 --enable=warning,performance,portability --inline-suppr \
        --suppress=missingInclude --suppress=missingIncludeSystem --error-exitcode=1 \
        -Iruntime/include -Iruntime -Iplugins runtime plugins || complain "cppcheck"
else
    missing cppcheck
fi

if command -v shellcheck >/dev/null; then
    git ls-files '*.sh' .ci/run | xargs shellcheck --shell=bash --severity=error --exclude=SC2218 || complain "shellcheck"
else
    missing shellcheck
fi

((bad == 0)) && echo "lint: clean"
exit $bad
