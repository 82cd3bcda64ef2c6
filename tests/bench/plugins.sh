#!/usr/bin/env bash
# How long do plugins of others take? Loading PLUGINS of them (60), each a copy of docs/example-plugin/clip.c under a
# name of its own: `leat check` of a small script and `leat plugins`, in turns with the same without them; and from
# `leat new plugin` to the last line of a passing `leat plugin test`, for each kind and for each language of LANGS.
# Medians of RUNS (5): wall, and processor time of all processes. Prints Markdown tables.
#   PLUGINS=60 RUNS=5 LANGS="c"      also cpp, rust
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
leat=$PWD/${B:-build/release}/bin/leat PLUGINS=${PLUGINS:-60} RUNS=${RUNS:-5} LANGS=${LANGS:-c}
include=$PWD/runtime/include example=$PWD/docs/example-plugin/clip.c
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

# measured FILE COMMAND…: adds its seconds to a file: wall, user and system
measured() {
    local to=$1 TIMEFORMAT='%R %U %S'
    shift
    { time "$@" >"$tmp/said" 2>&1; } 2>>"$to"
}
# medians FILE: of wall and of processor time
medians() {
    for column in '$1' '$2 + $3'; do
        awk "{ print $column }" "$1" | sort -n | awk '{ v[NR] = $1 } END { printf " %.3f |", v[int((NR + 1) / 2)] }'
    done
    echo
}

mkdir many
for i in $(seq "$PLUGINS"); do
    sed "s/feature\.clip/feature.clip$i/g; s/feature_clip/feature_clip$i/g" "$example" >"many/clip$i.c"
    cc -std=c11 -O2 -shared -fPIC -fvisibility=hidden -I"$include" -o "many/clip$i.so" "many/clip$i.c"
done
printf 'return require("leat").pipeline "p" { leat.source.null { records = 1, text = "a" }, leat.sink.null {} }\n' |
    sed '1s/^/leat = require "leat"; /' >script.lua
[[ $("$leat" plugins --plugin-path many | grep -c 'feature\.clip') == "$PLUGINS" ]] # all of them
for _ in $(seq "$RUNS"); do
    measured check "$leat" check script.lua
    measured check_many "$leat" check script.lua --plugin-path many
    measured list "$leat" plugins
    measured list_many "$leat" plugins --plugin-path many
done
printf '| seconds | wall | processor |\n|---|---|---|\n'
printf '| `leat check` |'; medians check
printf '| … with %s plugins of others |' "$PLUGINS"; medians check_many
printf '| `leat plugins` |'; medians list
printf '| … with %s plugins of others |' "$PLUGINS"; medians list_many

# made KIND LANG: what somebody does who begins one
made() {
    rm -rf "mine_$1_$2"
    "$leat" new plugin "mine_$1_$2" --kind "$1" --lang "$2" && make -s -C "mine_$1_$2" && cd "mine_$1_$2" &&
        "$leat" plugin test "mine_$1_$2.so"
}
mkdir pc
printf 'Name: leat\nDescription: headers\nVersion: 0\nCflags: -I%s\n' "$include" >pc/leat.pc
export PKG_CONFIG_PATH=$tmp/pc
printf '\n| from `leat new plugin` to a passing `leat plugin test`, seconds | wall | processor | laws |\n|---|---|---|---|\n'
for lang in $LANGS; do
    for kind in source parser feature learner sink transaction; do
        for _ in $(seq "$RUNS"); do
            (measured "$tmp/$kind.$lang" made "$kind" "$lang")
            tail -1 said | grep -qE '^[0-9]+ passed, 0 failed$' # none is left out
        done
        printf '| %s, %s |%s %s |\n' "$kind" "$lang" "$(medians "$kind.$lang")" "$(tail -1 said | sed 's/ .*//')"
    done
done
