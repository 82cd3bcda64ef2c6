# Plugins built with the headers of an earlier build, in C, C++ and Rust, work with this one.
#
# tests/abi/VERSION has the headers of each version of the plugin ABI, and plugins that use them. tests/abi/refresh.sh
# copies the headers.
. "$(dirname "$0")/../support/claims.sh"
root=$PWD
version=$(awk '/define LEAT_ABI_M(AJOR|INOR)/ { printf "%s%s", dot, $3; dot = "." }' runtime/include/leat/plugin.h)

# What a compiler sees of the headers in folder $1: without comments.
declarations() {
    local header
    for header in "$1"/*.h; do
        [[ $header == */harness.h || $header == */helpers.h ]] || cc -w -fpreprocessed -dD -E -P "$header"
    done
}

claim "the headers declare what their copy in tests/abi/$version does (tests/abi/refresh.sh, or a new LEAT_ABI_MINOR)" \
    cmp <(declarations runtime/include/leat) <(declarations "tests/abi/$version/include/leat")

cat >"$tmp/all.lua" <<'LUA'
local leat = require "leat"
local stages = { leat.source.numbers { n = 1000 } }
if leat.args.rust then stages[2] = leat.keep.multiples { of = 2, lanes = 2 } end
for _, stage in ipairs {
  leat.feature.digits { lanes = 2 }, leat.learn.mean_label { id = "model", plus = leat.args.plus },
  leat.sink.top { k = 1 }, leat.sink.rows { id = "rows" },
} do stages[#stages + 1] = stage end
return leat.pipeline "all"(stages)
LUA

# build FROM TO COMMAND…: compiles one plugin; the command is without its source and output
build() {
    local from=$1 to=$2
    shift 2
    claim "$from builds with its own headers" "$@" -o "$to" "$from"
}

of_version() {
    local at=$1 to=$tmp/${1##*/} flags="-O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -I$root/$1/include"
    mkdir "$to"
    if [[ -e $at/frozen ]]; then claim "the files of ABI ${at##*/} are those that were released" sh \
        -c "cd '$at' && sha256sum --quiet -c frozen"; fi
    # shellcheck disable=SC2086
    build "$at/plugins/numbers.c" "$to/numbers.so" cc -std=c11 $flags
    # shellcheck disable=SC2086
    build "$at/plugins/mean.cpp" "$to/mean.so" c++ -std=c++17 $flags
    if there_is rustc "plugins in Rust"; then
        build "$at/plugins/multiples.rs" "$to/multiples.so" rustc --edition 2021 -O -C panic=abort --crate-type cdylib \
            -A non_upper_case_globals
    fi
}

# works VERSION ROWS MEAN ARGS…: a run, another one that continues its state, and what reads that
works() {
    local version=$1 rows=$2 mean=$3 state=$tmp/$1-state-$2
    shift 3
    leat_run run "$tmp/all.lua" --plugin-path "$tmp/$version" --state "$state" --summary "$tmp/s.json" "$@"
    claim_exit "plugins of ABI $version run" 0
    claim "the records of its source come to its sink" equal "$(stage rows rows)" "$rows"
    claim "its learner answers" grep -qE "^1 +$mean +mean\$" "$out"
    leat_run run "$tmp/all.lua" --plugin-path "$tmp/$version" --state "$state" "$@"
    claim "its source and its learner continue where they ended" grep -qE "^1 +$mean +mean\$" "$out"
    leat_run model verify "$state" --plugin-path "$tmp/$version"
    claim_exit "its states are verified" 0
    leat_run model merge "$state-merged" "$state" --plugin-path "$tmp/$version"
    leat_run model top "$state-merged" --plugin-path "$tmp/$version"
    claim "and merged" grep -qE " $mean +mean" "$out"
    grep -q LEAT_QUESTION "tests/abi/$version/plugins/mean.cpp" || return 0
    leat_run model top "$state" --plugin-path "$tmp/$version" --set plus=1
    claim "its learner is asked otherwise" grep -qE " $((mean + 1)) +mean" "$out"
    leat_run run "$tmp/all.lua" --plugin-path "$tmp/$version" --state "$state" --set plus=1 "$@"
    claim_exit "also by a run that continues" 0
    claim "which answers so" grep -qE " $((mean + 1)) +mean" "$out"
}

for at in tests/abi/[0-9]*; do
    of_version "$at"
    works "${at##*/}" 1000 0
    if [[ -e $tmp/${at##*/}/multiples.so ]]; then works "${at##*/}" 500 -1 --set rust=yes; fi
done
done_claims
