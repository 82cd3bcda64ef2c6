# Support of editors and shells: declared arguments of a script, annotations for Lua, completion, the manual page.
. "$(dirname "$0")/../support/claims.sh"
here=$PWD
cd "$tmp" || exit 1

# ---- arguments that a script declares ----
cat >args.lua <<'LUA'
--- Errors by minute.
---
---   leat run args.lua --set topic=t
local leat = require "leat"
local args = leat.arguments {
  { "data", default = "access.csv", help = "files to read" },
  { "minutes", default = 5, min = 1, max = 60, help = "length of a window" },
  { "share", type = "number", max = 1 },
  { "mode", type = { "counts", "awm" }, default = "counts" },
  { "hosts", default = { "a", "b" } },
  { "quiet", default = false },
  { "topic", required = true, help = "where to" },
}
print(args.data, args.minutes, args.share, args.mode, #args.hosts, args.quiet, args.topic)
return leat.pipeline "args" { leat.source.null { records = 1 }, leat.sink.null {} }
LUA
leat_run run args.lua --help
claim "a script says what it is and what its arguments are" diff - "$out" <<'TEXT'
Errors by minute.

  leat run args.lua --set topic=t

arguments (--set NAME=VALUE)
  data     text; default access.csv
           files to read
  minutes  integer from 1 to 60; default 5
           length of a window
  share    number of at most 1
  mode     counts, awm; default counts
  hosts    list; default a,b
  quiet    boolean; default false
  topic    text; required
           where to
TEXT
values() { leat_run run args.lua --quiet --set topic=t "$@"; }
values
claim_says "what is not given has its default" "access.csv  5  nil  counts  2  false  t"
values --set data=d --set minutes=7 --set share=0.5 --set mode=awm --set hosts=a,b,c --set quiet=yes
claim_says "what is given has its type" "d  7  0.5  awm  3  true  t"
refused() {
    values "$1" "$2"
    claim "$2 is refused" equal "$status $(grep -cF -- "args.lua:5: error: --set $2: $3" "$err")" "2 1"
}
refused --set minutes=1.5 "minutes takes a whole number from 1 to 60"
refused --set minutes=x "minutes takes a whole number from 1 to 60"
refused --set minutes=61 "minutes takes a whole number from 1 to 60"
refused --set share=nan "share takes a number of at most 1"
refused --set mode=cuonts "mode takes counts, awm"
refused --set quiet=maybe "quiet takes true or false"
values --set minuts=5
claim_says "a misspelt one is" "the script takes no argument 'minuts': did you mean 'minutes'?"
leat_run run args.lua
claim_says "and one that is missing" "args.lua:5: error: topic is missing: --set topic=VALUE (where to)"
declares() {
    printf 'local leat = require "leat"\nlocal args = leat.arguments { %s }\nprint(args.nothing)\nreturn leat.pipeline "x" { leat.source.null {}, leat.sink.null {} }\n' "$1" >wrong.lua
    leat_run run wrong.lua
}
declares '{ "n", defualt = 1 }'
claim_says "a declaration is checked" \
    "wrong.lua:2: error: leat.arguments: n must not have defualt: it may have default, help, max, min, operand, required, type, usual, value"
declares '{ "n", type = "float" }'
claim_says "and its type" "n: there is no type float: use text, number"
declares '{ "n" }'
claim_says "an argument that is not declared is no argument" \
    "wrong.lua:3: error: there is no argument nothing: declare it in leat.arguments"
printf 'local leat = require "leat"\nlocal x = leat.args.data, leat.args.b\nerror "no"\n' >reads.lua
leat_run run reads.lua --help
claim "a script that declares none says what it reads" equal "$(cat "$out")" \
    "arguments that the script reads (--set NAME=VALUE)
  b
  data"
for script in "$here"/pipelines/*.lua; do
    [[ $script == *_test.lua ]] && continue
    leat_run run "$script" --help
    claim "$(basename "$script") --help says what it answers" equal "$status $(head -1 "$out" |
        grep -c '?$\|\.$')" "0 1"
done

# ---- annotations ----
leat_run plugins --lua
cp "$out" annotations.lua
claim "every stage has its function" equal "$(grep -c '^function ' annotations.lua)" "$("$LEAT" plugins --json |
    jq length)"
claim "and every parameter its field" equal "$(grep -c '^---@field .* # ' annotations.lua)" \
    "$("$LEAT" plugins --json | jq '[.[] | (.params | length) + 2 + (if .parallel then 1 else 0 end)] | add')"
claim "with its type, its range and its text" grep -qF -- \
    "---@field q? number|string # number, 1e-06 to 0.999999; default 0.8: the quantile to use as threshold" \
    annotations.lua
printf 'local leat = require "leat"\nassert(loadfile(leat.dir .. "/annotations.lua"))\nreturn leat.pipeline "x" { leat.source.null { records = 1 }, leat.sink.null {} }\n' >loads.lua
leat_run run loads.lua --quiet
claim_exit "they are Lua" 0

# ---- completion ----
leat_run completion bash
cp "$out" completion
# completes WORDS…: what the last word becomes.
completes() {
    bash -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _leat; echo "${COMPREPLY[*]}"' bash leat "$@"
}
PATH=$(dirname "$LEAT"):$PATH
claim "commands are completed" equal "$(completes ch) $(completes compl)" "check completion"
claim "options" equal "$(completes run --st)" "--state --stop-timeout"
claim "of the command" equal "$(completes model diff --)" "--plugin-path --log-level --json --k --memory --help"
claim "actions" equal "$(completes model d)" "dump diff"
claim "stages" equal "$(completes plugins learn.aw)" "learn.awm"
claim "levels" equal "$(completes run --log-level w)" "warn"
claim "files" equal "$(completes run load)" "loads.lua"
leat_run completion fish
claim_says "another shell is refused" "leat completes for bash and zsh only, not for fish"
leat_run completion
claim_says "and none" "the shell is missing: leat completion bash|zsh"

# ---- the page of the manual ----
page=$here/docs/leat.1
missing=""
for word in $("$LEAT" help | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u); do
    grep -qE -- "(Fl -|, -)${word#--}( |\$)" "$page" || missing+=" $word"
done
for word in $("$LEAT" help | sed -n 's/^  leat \([a-z]*\).*/\1/p' | sort -u); do
    grep -qE -- "(Cm|,) .*\b$word\b" "$page" || missing+=" $word"
done
claim "the page of the manual has every command and option" equal "$missing" ""
claim "pages of commands and applications are made" "$here/docs/package/man.sh" "$LEAT" pages
claim "every application has one" equal "$(cd "$here/pipelines" && ls ./*.lua | sed '/_test/d; s|./||; s|.lua||')" \
    "$(cd pages && grep -l '^\.SH ARGUMENTS' ./*.1 | sed 's|./leat-||; s|.1$||')"
for app in classify compare explain rate; do
    leat_run "$app" --help
    claim "$app: the page begins with its question" grep -qxF \
        "leat\\-$app \\- $(sed 's/^--- *//; s/…/.../g; q' "$here/pipelines/$app.lua")" "pages/leat-$app.1"
    claim "$app: it has the arguments of --help, in their order" equal \
        "$(sed -n '/^options of every run/q; s/^  \(--[^ ]*\).*/\1/p' "$out")" \
        "$(grep -A 1 '^\.TP' "pages/leat-$app.1" | sed -n 's/\\-/-/g; s/^\(--[a-z][^ ]*\).*/\1/p')"
    claim "$app: it has their texts" equal "$(sed -n '/^options of every run/q; s/^  --[^ ].*[^ ]   *\([^ ].*\)/\1/p' "$out" |
        wc -l)" "$(grep -A 2 '^\.TP' "pages/leat-$app.1" | grep -c '^\\-\\-')"
done
if there_is mandoc "mandoc has nothing to say of them"; then
    claim "mandoc has nothing to say of them" equal "$(mandoc -T lint -W warning pages/*.1)" ""
fi
if there_is man "man shows them without a warning"; then
    claim "man shows them without a warning" equal "$(for p in pages/*.1; do man --warnings -E UTF-8 -l "$p" 2>&1 >/dev/null; done)" ""
fi
done_claims
