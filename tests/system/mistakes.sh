# Common mistakes in scripts and command lines are errors that name the cure.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
printf 'a,b\n1,2\n' >d.csv

# script "words" TEXT… with the lines of a script on standard input: check ends with 2 and says TEXT.
script() {
    local words=$1
    shift
    cat >s.lua
    leat_run check s.lua
    claim_exit "$words is refused" 2
    claim_says "$words: and the message helps" "$@"
}
stages='leat.parse.csv {}, leat.label.is { column = "a", positive = { "1" } }, leat.feature.columns { "b", explode = EXPLODE }, leat.learn.awm {}, leat.sink.top {}'
whole() {
    printf 'local leat = require "leat"\n%s\nreturn leat.pipeline "p" { leat.source.file { "d.csv" },\n%s }\n' \
        "${2:-}" "${stages/EXPLODE/$1}"
}

whole true | cat >good.lua
leat_run check good.lua
claim_exit "the script without mistakes is in order" 0
for pair in True:true False:false None:nil null:nil; do
    whole "${pair%:*}" | script "${pair%:*}" "s.lua:4: error: '${pair%:*}' is not defined: did you mean ${pair#*:}?"
done
whole colums 'local columns = true' |
    script "a misspelt local" "s.lua:4: error: 'colums' is not defined: did you mean 'columns'?"
whole wombat | script "a word without quotes" "s.lua:4: error: 'wombat' is not defined: write texts in quotes"
script "a forgotten require" "s.lua:1: error: 'leat' is not defined: begin the script with local leat = require" \
    <<<'return leat.pipeline "p" { leat.source.null {}, leat.sink.null {} }'
whole true | sed 's/source.file/sources.file/' |
    script "a misspelt group" "s.lua:3: error: there is no stage 'sources.file': did you mean 'source.file'?"
script "a script with many misspelt names" "s.lua:2: error: there is no leat.verison" \
    "s.lua:3: error: there is no stage 'parse.cvs': did you mean 'parse.csv'?" \
    "s.lua:4: error: there is no leat.fliter: did you mean leat.filter?" \
    "s.lua:5: error: there is no stage 'lern.awm': did you mean 'learn.awm'?" \
    "s.lua:6: error: there is no stage 'sinks.null': did you mean 'sink.null'?" "pipeline: unknown parameter 'memroy'" \
    "leat: 6 errors" <<'LUA'
local leat = require "leat"
local v = leat.verison
return leat.pipeline "p" { leat.source.file { "d.csv" }, leat.parse.cvs {},
  leat.fliter(function(a) return a end, { "a" }),
  leat.lern.awm {},
  leat.sinks.null {}, memroy = "1MB" }
LUA
script "a script that fails after a misspelt name" "s.lua:2: error: there is no leat.lsit: did you mean leat.list?" \
    "s.lua:3: error: attempt to concatenate a nil value" \
    "leat: 2 errors" <<'LUA'
local leat = require "leat"
local x = leat.lsit
local y = nil .. ""
LUA

for sink in file command predictions; do
    script "a column that sink.$sink writes twice" "(sink.$sink): columns: column 'a' is listed twice: leave one out" <<LUA
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "d.csv" }, leat.parse.csv {}, leat.label.is { column = "a", positive = { "1" } },
  leat.feature.columns { "b" }, leat.learn.awm {}, leat.sink.$sink { $([[ $sink == command ]] && echo 'command = "cat"' || echo 'path = "o"'),
  $([[ $sink == predictions ]] || echo 'format = "csv",') columns = { "a", "b", "a" } } }
LUA
done

whole true 'if leat == 1 { leat = 2 }' |
    script "braces for then" \
    "s.lua:2: error: 'then' expected near '{' (Lua has no braces here: it writes if … then … end, and for … do … end)"
whole true 'local json = require "cjson"' | script "a module that is not there" \
    "s.lua:2: error: there is no module 'cjson': require finds only Lua files in the script's folder (cjson.lua) and modules of leat, such as leat.inputs"
window() {
    printf 'local leat = require "leat"\nreturn leat.pipeline "p" { leat.source.file { "d.csv" }, leat.parse.csv {}, leat.parse.time { "a", format = "unix" },\n leat.window { "count", every = %s }, leat.sink.null {} }\n' "$1" >w.lua
    leat_run check w.lua
}
window 5
claim_exit "a window of 5 is one" 0
claim_says "of seconds, which is said" \
    'w.lua:3: warning: window (shape.window): every = 5 means seconds: write the unit, "5s", or "5min" for minutes'
for every in '"5s"' '"5"' 300; do
    window "$every"
    claim "one of $every is not told" test ! -s "$err"
done

whole true | sed 's/leat.feature.columns.*leat.learn/leat.reservoir {}, leat.learn/' |
    script "a stage without its group" "there is no leat.reservoir: did you mean leat.shape.reservoir?" "leat: 1 error"
whole true | sed 's/leat.label.is/leat.filter("a == 1"), leat.label.is/; s/parse.csv/parse.json/' |
    script "an expression for leat.filter" \
    's.lua:4: error: leat.filter takes a Lua function; for an expression use leat.shape.where { "…" }, not a string' "leat: 1 error"

# ---- a list with keys ----

whole true | sed 's/positive = { "1" }/positive = { one = "1" }/' | script "a list with a key" \
    's.lua:4: error: is (label.is): positive must be a list such as { "a", "b" } or "a,b", without keys such as "one": write { "1" }'
whole true | sed 's/{ "b", explode/{ { b = true }, explode/' | script "a list with a key among unnamed values" \
    's.lua:4: error: columns (feature.columns): columns must be a list such as { "a", "b" } or "a,b"; value 1 is a table with the key "b"'
whole true | sed 's/{ "d.csv" }/{ { path = "d.csv" } }/' | script "a table around parameters" \
    's.lua:3: error: file (source.file): path must be a list such as { "a", "b" } or "a,b"; value 1 is a table with the key "path"'

# ---- arguments that were not given ----

ask() { printf 'local leat = require "leat"\n%s\nreturn leat.pipeline "p" { leat.source.file { %s }, leat.sink.null {} }\n' "$1" "$2"; }
hint='leat.args.data is not set (--set data=VALUE)'
ask '' 'leat.args.data .. "/d.csv"' | script "a missing argument in a concatenation" \
    "s.lua:3: error: attempt to concatenate a nil value (field 'data'); $hint"
ask 'local d = leat.args.data' 'd .. "/d.csv"' | script "a missing argument in a variable" \
    "s.lua:3: error: attempt to concatenate a nil value (local 'd'); $hint"
ask 'local n = leat.args.data + 1' '"d.csv"' | script "a missing argument in a sum" \
    "s.lua:2: error: attempt to perform arithmetic on a nil value (field 'data'); $hint"
ask 'local n = leat.args.data:upper()' '"d.csv"' | script "a missing argument that is indexed" \
    "s.lua:2: error: attempt to index a nil value (field 'data'); $hint"
ask 'local k = leat.args.k or 5' 'leat.args.data' | script "a missing argument as a parameter" "path is missing" "$hint"
claim "and not those that have a default" sh -c "! grep -q leat.args.k '$err'"
ask 'local d = leat.args.data' 'd' | script "a missing argument as a parameter, by a variable" "path is missing" "$hint"
ask 'local d = leat.args.data or "x"' 'y' | script "an error of another kind" "'y' is not defined"
claim "does not speak of arguments" sh -c "! grep -q leat.args '$err'"
whole true | sed 's/source.file/source:file/' |
    script "a colon for a dot" "s.lua:3: error: write leat.source.file with a dot"
whole true 'if 1 != 2 then end' | script "!=" "s.lua:2: error:" "Lua has ~= for 'is not equal'"
whole true 'if leat = 2 then end' | script "= for ==" "s.lua:2: error:" "Lua compares with =="
whole true | sed 's/^return //' | script "a forgotten return" \
    "s.lua: error: the script must end with: return leat.pipeline"
script "two sources in a row" "join several sources with leat.merge" <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.null {}, leat.source.null {}, leat.sink.null {} }
LUA
script "a route that leaves nothing" "leave a branch of a fork open" '["*"] = {}' <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "d.csv" }, leat.parse.csv {},
  leat.route("a", { x = { leat.sink.null {} } }), leat.sink.null {} }
LUA
script "an unknown stage" "there is no stage 'parse.xyzzyplugh' ('leat plugins' lists all; --plugin-path DIR adds" \
    <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.null {}, leat.parse.xyzzyplugh {}, leat.sink.null {} }
LUA
# ---- what is declared ----

cat >declared.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "p" {
  leat.source.file { "d.csv" },
  leat.parse.csv { numbers = { "b" } },
  leat.filter(function(b) return b > 1 end, { "b" }),
  leat.label.quantile { column = "b", q = 0.8 },
  leat.feature.columns { "a" },
  leat.learn.awm { id = "model", budget = "32KB" },
  leat.sink.top { of = "model", k = 5, every = "10s" },
}
LUA
leat_run check declared.lua
claim_exit "what is declared well is in order" 0
changed() { # "words" EDITS TEXT…: of declared.lua
    sed -e "$2" declared.lua | script "$1" "${@:3}"
}
changed "a misspelt stage" 's/learn.awm/learn.amw/' \
    "s.lua:9: error: there is no stage 'learn.amw': did you mean 'learn.awm'?"
changed "a misspelt parameter" 's/budget/buget/' \
    "s.lua:9: error: model (learn.awm): unknown parameter 'buget': did you mean 'budget'?"
changed "a word for a number" 's/k = 5/k = "five"/' \
    "s.lua:10: error: top (sink.top): k must be a whole number such as 3" 'not "five"'
changed "a size in words" 's/32KB/32 kilobytes/' \
    "s.lua:9: error: model (learn.awm): budget must be a size such as \"32KB\"" 'not "32 kilobytes"'
changed "an interval in words" 's/10s/10 seconds/' \
    "s.lua:10: error: top (sink.top): every must be an interval such as \"10s\"" 'not "10 seconds"'
changed "a number out of its range" 's/0.8/80/' \
    "s.lua:7: error: quantile (label.quantile): q must be 1e-06 to 0.999999, not 80: for 80 %, write 0.8"
changed "a label after its learner" '/label.quantile/{h;d};/learn.awm/G' \
    "s.lua:8: error: model (learn.awm): the stage needs labels, but columns (feature.columns) (line 7) gives only" \
    "put a label.* stage, or a parser that makes labels before it"
changed "a forgotten parser" '/parse.csv/d' \
    "s.lua:5: error: filter (lua.filter): columns: column 'b' does not exist, because no columns arrive here: put a parser such as parse.csv before this stage"
changed "a forgotten source" '/source.file/d' \
    "s.lua:4: error: csv (parse.csv): no records reach this stage: put a source before it"
changed "an id that is there twice" 's/{ "a" }/{ "a", id = "model" }/' \
    "s.lua:9: error: learn.awm: id 'model' belongs to the stage in line 8 already; ids must differ"
changed "a misspelt id" 's/of = "model"/of = "modell"/' \
    "s.lua:10: error: top (sink.top): of = \"modell\": no stage has this id; did you mean 'model'?"
changed "a function with a file" 's/^local a.*/local f = io.open("d.csv")/; s/b > 1/f/' \
    "s.lua:6: error: fn: the function uses 'f', an open file: read the file in the script, into a local text or table, and use that"
sed 's/k = 5/k = a.kay/' declared.lua >arguments.lua
leat_run check arguments.lua --set kya=3
claim_says "a misspelt argument" "--set kya: the script takes no argument 'kya': did you mean 'kay'?"
leat_run rnu declared.lua
claim_says "a misspelt command" "unknown command 'rnu': did you mean 'run'?"

# ---- what is no Lua: where to look ----

changed "a missing comma at the end of a line" 's/{ "d.csv" },/{ "d.csv" }/' \
    "s.lua:5: error: '}' expected (to close '{' at line 3) near 'leat' (is a comma missing at the end of line 4?)"
changed "a missing comma in a line" 's/"model", budget/"model" budget/' \
    "s.lua:9: error: '}' expected near 'budget' (is a comma missing before 'budget'?)"
changed "a missing brace in a line" 's/{ "a" },/{ "a" ,/' "the '{' of line 8 is not closed at its indentation"
changed "a missing brace at the end" '$d' "(the '{' of line 3 is not closed)"
changed "a missing bracket" 's/{ "b" }),/{ "b" },/' \
    "s.lua:11: error: unexpected symbol near '}' (the '(' of line 6 is not closed)"
changed "a missing end" 's/> 1 end/> 1/' \
    "s.lua:6: error: 'end' expected near ')' (the 'function' of line 6 has no 'end')"
changed "a missing quote" 's/{ "a" }/{ "a }/' \
    "s.lua:8: error: unfinished string near '\"a },' (a text in quotes must end in the same line: close this one)"
changed "= for == after return" 's/b > 1/b = 1/' "s.lua:6: error: 'end' expected near '=' (Lua compares with ==)"
changed "!= in a function" 's/b > 1/b != 1/' "s.lua:6: error: 'end' expected near '!' (Lua has ~= for 'is not equal'"
changed "&&" 's/b > 1/b > 1 \&\& b < 5/' "unexpected symbol near '&' (Lua has \`and\` and \`or\` for && and ||)"
changed "a key with a dot" 's/k = 5/k.of = 5/' \
    "s.lua:10: error: '}' expected near '=' (write a key that is not a plain name as [\"a.b\"] = …"
changed "//" '1s/^/\/\/ arguments\n/' "s.lua:1: error: unexpected symbol near '//' (a comment begins with --)"
changed "a loop without an end" 's/^local a.*/for i = 1, 3 do/' "(the 'do' of line 2 has no 'end')"
changed "an error of another kind" 's/^local a.*/goto nowhere/' "no visible label 'nowhere' for <goto> at line 2"
claim "is left as it is" equal "$(grep -c '(' "$err")" 0

whole true 'x = 1; local y = x; z = rawget(_G, "z") or 2' >globals.lua
leat_run check globals.lua
claim_exit "globals that the script defines are its own" 0

cat >stream.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { "d.csv" }, leat.parse.csv {},
  leat.filter(function(a) return a ~= null end, { "a" }), leat.sink.null {} }
LUA
leat_run run stream.lua
claim_exit "a word of another language in the stream ends the run" 1
claim_says "and is named" "stream.lua:3: 'null' is not defined: did you mean nil?"

# ---- applications: what their users type ----

printf 'y,a,b\n' >app.csv
for i in 1 2 3 4 5 6; do printf '1,a%s,b\n0,a2,c\n' "$i" >>app.csv; done
app() { # app NAME "words" TEXT ARGUMENT…: check says TEXT, in a line of its own
    local name=$1 words=$2 text=$3 argument args=()
    shift 3
    for argument in "$@"; do args+=(--set "$argument"); done
    leat_run check "$OLDPWD/pipelines/$name.lua" --set data=app.csv "${args[@]}"
    claim_says "$name: $words" "$text"
}
y="outlier=y == 1"
app explain "a count in letters" 'error: --set min_count=x: min_count takes a whole number' "$y" \
    min_count=x
app explain "a quantile out of its range" \
    "error: --set quantile=80: quantile takes a number from 0 to 1" metric=y quantile=80
app explain "a misspelt metric" \
    "error: --set metric=yy: quantile (label.quantile): column: there is no column 'yy' (columns: y, a, b)" metric=yy
app explain "a misspelt attribute" \
    "error: --set attributes=aa,b: columns (feature.columns): columns: there is no column 'aa'" "$y" attributes=aa,b
app explain "a column of the condition" \
    "error: --set outlier='z == 1': outlier (label.where): condition: 'z == 1' is wrong at character 1: there is no column 'z'" "outlier=z == 1"
app explain "a misspelt order" \
    'error: --set order=risky: top (sink.top): order must be "weight", "risk", "support", "share", "gain" or "change", not "risky": did you mean "risk"?' "$y" order=risky
app explain "no rows" "error: --set k=0: top (sink.top): k must be 1 to 1000000 features" "$y" k=0 seed=10
app explain "an argument that the script needs" \
    "error: --set metrc: the script takes no argument 'metrc': did you mean 'metric'?" metrc=y
app explain "another language's =" "'y = 1' is wrong at character 3: '=' has no meaning here: write == for equality" \
    "outlier=y = 1"
claim "is told once" equal "$(grep -o 'write == for equality' "$err" | wc -l)" 1
app compare "a misspelt attribute" \
    "error: --set attributes=aa: columns (feature.columns): columns: there is no column 'aa'" "split=y == 1" \
    attributes=aa
app pairs "a window of one token" "error: --set window=1: model (learn.cooccurrence): window must be 2 to 64 tokens" \
    column=a window=1
app correlate "a column of the right side" \
    "error: --set right=bb: columns (feature.columns): columns: there is no column 'bb'" left=a right=bb
app classify "a misspelt learner" \
    "error: --set learner=awmm: there is no stage 'learn.awmm': did you mean 'learn.awm'?" label=y attributes=a \
    positive=1 learner=awmm
sed 's/,/;/g' app.csv >app.scsv
leat_run run "$OLDPWD/pipelines/classify.lua" --set data=app.scsv --set format=csv --set label=y --set attributes=a \
    --quiet
claim_says "a delimiter that the heading shows is said" "delimiter = ';', found in the heading"
leat_run run "$OLDPWD/pipelines/classify.lua" --set data=app.scsv --set format=csv --set label=y --set attributes=a \
    --set delimiter=, --quiet
claim_says "what a stage would have set is given by --set" "if ';' separates the names, --set delimiter=';'"
leat_run check "$OLDPWD/pipelines/explain.lua" --set data=app.csv --set metric=yy --json
claim "an editor is told of the argument, too" equal "$(jq -r '.problems[0].argument' "$out")" "--set metric=yy"
leat_run check "$OLDPWD/pipelines/explain.lua" --set data=app.csv --set "$y" --set budget=12 --set k=12 --set every=12
claim_says "where two arguments may be meant it is that of the parameter's name" \
    "error: --set budget=12: model (learn.contrast): budget must be 64B"

# ---- arguments that have nothing to do with a mistake ----

innocent() { # innocent "words" TEXT ARGUMENT… <SCRIPT: check says TEXT, and speaks of no argument
    local words=$1 text=$2 argument args=()
    shift 2
    for argument in "$@"; do args+=(--set "$argument"); done
    cat >innocent.lua
    leat_run check innocent.lua "${args[@]}"
    claim "$words" equal "$(grep -cF -- "$text" "$err") $(grep -c -- '--set\|leat.args' "$err")" "1 0"
}
innocent "a word of another argument's value" "fn: the function uses 'a'" data=a.csv <<'LUA'
local leat = require "leat"
local a = setmetatable({ data = leat.args.data }, {})
return leat.pipeline "p" { leat.source.file { path = a.data }, leat.parse.csv { columns = { "x" } },
  leat.map(function(x) return x .. a.data end, { "x" }), leat.sink.null {} }
LUA
innocent "the value of an argument that another stage has" "there is no column 'x'" data=x out=x <<'LUA'
local leat = require "leat"
return leat.pipeline(leat.args.data) { leat.source.file { path = "app.csv" }, leat.parse.csv {},
  leat.shape.where { "x == 1" }, leat.sink.file { path = leat.args.out } }
LUA
innocent "a variable that no argument is in" "attempt to concatenate a nil value (local 'naem')" <<'LUA'
local leat = require "leat"
local data = leat.args.data or "app.csv"
local naem
local other = "x" .. naem
return leat.pipeline "p" { leat.source.file { path = data }, leat.sink.null {} }
LUA
innocent "a field that no argument is in" "attempt to index a nil value (field 'rows')" <<'LUA'
local leat = require "leat"
local data, t = leat.args.data or "app.csv", {}
local other = t.rows.n
return leat.pipeline "p" { leat.source.file { path = data }, leat.sink.null {} }
LUA

# ---- runs without a result ----

whole true | sed 's/, leat.sink.top {}//' >lost.lua
lost='warning: pipeline: the model is neither shown nor saved, so it is lost at the end of the run: add a sink, such as leat.sink.top {}, or give --state DIR'
leat_run check lost.lua
claim_exit "what is learned may be lost" 0
claim_says "but check says so" "lost.lua:3: $lost"
leat_run run lost.lua --quiet --summary lost.json
claim_exit "and so may a run" 0
claim_says "which says so, with --summary, too" "$lost"
leat_run run lost.lua --quiet --state lost
claim "but not where a snapshot keeps it" test ! -s "$err"
leat_run run good.lua --quiet
claim "nor where a sink shows it" test ! -s "$err"
printf 'a,b\n' >header.csv
sed 's/d.csv/header.csv/' good.lua >header.lua
leat_run run header.lua --progress never
claim_says "an input that is a header alone is said to have no records" "leat: 0 records in " \
    "the input has no records (a header is not a record)"
leat_run run good.lua
claim "one with records is not" sh -c "grep -q 'leat: 1 record in' '$err' && ! grep -q 'no records' '$err'"

# ---- options ----

refused() {
    leat_run "$@"
    claim_exit "leat $* is refused" 2
}
refused run good.lua --k 5
claim_says "with the commands that have the option" \
    "--k is not an option of this command; it belongs to leat model top, leat model diff"
refused run good.lua --stage model
refused run good.lua --weight 3
refused check good.lua --quiet
refused model top x --summary f
refused model top x --json
refused model verify x --json
refused plugins --state x
leat_run graph good.lua --json
claim "graph --json is JSON" jq -e '.stages | length == 6' "$out"
refused run good.lua --metric=amount
claim_says "an argument of the script is called one" \
    "unknown option '--metric=amount': did you mean --set metric=amount?"
refused run good.lua -set metric=amount
claim_says "one '-' is one too few" "unknown option '-set': did you mean --set?"
refused run good.lua --sumary x
claim_says "a misspelt option is corrected" "unknown option '--sumary': did you mean --summary?"
refused run good.lua --summary
claim_says "an option without its value is named" "a value must follow --summary"
claim "one message and not two" equal "$(wc -l <"$err")" 1
refused run good.lua --sumary=x
claim_says "a misspelt option with a value is no argument of the script" "did you mean --summary?"
claim_says "the options of the command are listed" "the options are --set, --plugin-path, --summary"
claim "and not those of others" sh -c "! grep -qE -- '--(k|weight|stage)\b' '$err'"
refused model top x --stge model
claim_says "so are those of an action of model" "did you mean --stage?" "--format, --stage, --k"
refused run good.lua --quiet=3
claim_says "a flag takes no value" "this option takes no value: --quiet=3"
for option in set plugin-path summary progress log-level state every reset stop-timeout; do
    refused run good.lua --$option ""
    claim_says "--$option: the empty value is named" "an empty value is not allowed for --$option"
done
refused run ""
claim_says "a pipeline without a name is no pipeline" "an argument must not be empty: leat run"
refused model top ""

leat_run run --help
claim "run --help is about run" grep -q -- "--stop-timeout" "$out"
claim "and not about others" sh -c "! grep -qE 'leat (model|plugins)|--weight|--memory' '$out'"
leat_run plugins --help
claim "plugins --help is about plugins" sh -c "grep -q 'leat plugins' '$out' && ! grep -q 'leat run' '$out'"
leat_run model --help
claim "model --help has all that model does" equal "$(grep -c 'leat model' "$out")" 7
if [[ -w /dev/full ]]; then
    for command in "check good.lua" "check good.lua --json" "graph good.lua" plugins "plugins learn.awm" help \
        version; do
        "$LEAT" $command >/dev/full 2>"$err"
        status=$?
        claim_exit "$command to a full disk ends with 1" 1
        claim_says "$command: and says so" "No space left"
    done
fi

leat_run classfy d.csv
claim_says "what is no command is unknown" "unknown command 'classfy': did you mean 'classify'?"

# Data in place of a script.
gzip -kf d.csv
for data in d.csv d.csv.gz; do
    leat_run run $data
    claim_exit "data in place of a script is refused: $data" 2
    claim_says "with the command for data" "(a script is in Lua; if this is data, \`leat peek $data\` shows what it holds)"
done
done_claims
