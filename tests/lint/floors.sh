#!/usr/bin/env bash
# The floors: which folder may include which. A line has a folder and the other folders that it may include.
source "$(dirname "$0")/../support/lint.sh"

floors='
include
core     include
host     include core
sdk      include core host
program  include core host sdk
kernels  core
common   include core kernels
family   include core kernels common
'

# Prints FLOOR TARGET FILE HEADER for each include. A family of stages is "family/NAME": one must not include another.
includes() {
    git ls-files 'runtime/*.[ch]' 'plugins/*.[ch]' 'plugins/*.cpp' | grep -v /templates/ |
        xargs grep -HoE '^#include ("[^"]*/[^"/]*"|<leat/[^>]*>)' | sed 's/:#include / /' | awk '
        {
            split($1, part, "/")
            floor = part[1] == "runtime" || part[2] == "kernels" || part[2] == "common" ? part[2] : "family/" part[2]
            header = substr($2, 2, length($2) - 2)
            split(header, to, "/")
            target = to[1] == "leat" ? "include" : to[1]
            print floor, target, $1, header
        }'
}

upward() {
    includes | awk -v floors="$floors" '
        BEGIN {
            n = split(floors, line, "\n")
            for (i = 1; i <= n; i++) {
                k = split(line[i], word, " ")
                for (j = 2; j <= k; j++) may[word[1], word[j]]
            }
        }
        { floor = $1; sub(/\/.*/, "", floor) }
        $1 == $2 || $1 == "family/" $2 || (floor, $2) in may || $4 ~ /docs\.h$|own_plugins\.h$/ { next }
        { print $3 " is of " floor ", which may not include " $4 }'
}
nothing "no floor includes one above it" upward

lua_elsewhere() { git grep -lE '#include *<(lua|lauxlib|lualib)\.h>' runtime plugins | grep -v '^runtime/host/lua/'; }
nothing "only runtime/host/lua sees lua.h" lua_elsewhere

# libm's exp, log and hypot depend on the processor. runtime/core/exp.h has the same bits everywhere. The files that are
# left out give sizes, bounds of errors and random numbers.
libm() {
    git ls-files 'plugins/kernels/*.[ch]' 'plugins/learners/*.[ch]' |
        grep -vE 'kernels/(base/random\.h|product/(product|shrink)\.c|summaries/tail_quantile\.c|text/time_text\.c)$' |
        grep -v 'learners/linear/slotted\.c$' |
        xargs grep -nE '(^|[^a-zA-Z0-9_>.])(exp|log|log2|log1p|expm1|pow|exp2|hypot)\(' |
        grep -vE ':[0-9]+: *(/\*|\*)|"[^"]*(log|exp)\([^"]*"|/\*.*(log|exp)\('
}
nothing "no other kernel or learner calls exp, log or hypot of libm" libm
done_claims
