# Shown texts of data, scripts, plugins and the command line move no cursor, have no colours, and begin no line.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
bad=$'\e[31mred\a\xff\e]0;title\x07'
newline=$'x\nleat: error: forged'

# Nothing but text, line feeds and UTF-8 on either output; no line of ours begun by others.
is_plain() {
    ! LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]' "$@" && iconv -f UTF-8 -t UTF-8 "$@" >/dev/null &&
        ! grep -n '^leat: error: forged' "$@"
}
plain() { # WORDS [TEXT that standard error has]
    claim "$1: what is printed is plain" is_plain "$err" "$out"
    [[ -z ${2:-} ]] || claim_says "$1: the bytes are shown" "$2"
}
lua_pipeline() { # STAGES
    printf 'local leat = require "leat"\nreturn leat.pipeline "x" { leat.source.file { path = leat.args.data or "in.csv" }, leat.parse.csv {}, %s }\n' "$1" >x.lua
}

printf 'a,b\n1,"%s"\n2,"%s"\n' "$bad" "$newline" >in.csv
lua_pipeline 'leat.filter(function(b) return b > 1 end, { "b:number" }), leat.sink.null {}'
leat_run run x.lua
plain "cells" '\x1b[31mred\x07\xff'
lua_pipeline 'leat.filter(function(b) error(b, 0) end, { "b" }), leat.sink.null {}, max_reject_ratio = 1'
leat_run run x.lua --log-level debug
plain "Lua errors with data" '\x1b[31mred\x07\xff'
lua_pipeline 'leat.filter(function(b) error("a\n leat: error: forged\nleat: error: forged") end, { "b" }), leat.sink.null {}, on_error = "fail"'
leat_run run x.lua
plain "Lua errors that end the run" 'a\n leat'

printf '"%s","%s",k\n1,2,3\n' "$bad" "$newline" >columns.csv
lua_pipeline 'leat.label.number { column = "nosuch" }, leat.sink.null {}'
leat_run run x.lua --set data=columns.csv
plain "column names"
lua_pipeline 'leat.sink.file { path = "-", format = "csv" }'
leat_run check x.lua --set data=columns.csv
plain "columns that are checked"
claim "columns that are checked: the bytes are shown" grep -qF '\x1b[31mred\x07\xff' "$out"
leat_run check x.lua --set data=columns.csv --json
claim "columns that are checked: JSON has each" \
    jq -e '.graph.stages[] | select(.plugin == "parse.csv").out.columns | length == 3' "$out"

cp in.csv "$bad$newline"
lua_pipeline 'leat.label.number { column = "b" }, leat.sink.null {}'
leat_run run x.lua --set data="$bad$newline"
plain "file names" '\x1b[31mred\x07\xff'
leat_run run x.lua --set data="no$bad$newline"
plain "names of files that are missing" '\x1b[31mred\x07\xff'
leat_run run "no$bad$newline.lua"
plain "names of scripts" '\x1b[31mred\x07\xff'
printf 'error("%s\\nleat: error: forged")' "$bad" >bad.lua
leat_run run bad.lua
plain "errors of scripts" '\x1b[31mred\x07\xff'
lua_pipeline "leat.sink.null { id = leat.args.data }, leat.stage(leat.args.data, {})"
leat_run check x.lua --set data="$bad$newline"
plain "ids and names of stages"
leat_run graph x.lua --set data="$bad$newline"
plain "graphs"

tried=0
for arguments in "$bad$newline" "plugins $bad" "model $bad" "model top $bad" "run --set $bad" \
    "graph x.lua --format $bad" "run --every $bad"; do
    IFS=' ' read -r -d '' -a words <<<"$arguments"
    leat_run "${words[@]}"
    plain "the command line, $((++tried))"
done

printf 'k,y\n"%s",1\nb,0\n"%s",1\n' "$bad" "$newline" >top.csv
printf 'local leat = require "leat"\nreturn leat.pipeline "x" { leat.source.file { path = "top.csv" }, leat.parse.csv {}, leat.label.is { column = "y", positive = { "1" } }, leat.feature.columns { columns = { "k" } }, leat.learn.awm { budget = "2KB" }, leat.sink.top {} }\n' >top.lua
leat_run run top.lua --state top
plain "tables"
leat_run model top top
plain "tables of models"
leat_run model info top
plain "snapshots"
mkdir -p plugins && echo "no plugin" >"plugins/$bad.so"
leat_run plugins --plugin-path plugins
plain "plugins that cannot be loaded"
done_claims
