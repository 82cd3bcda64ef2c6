# Applications as commands: a script's name, its data as operands, its arguments as options.
. "$(dirname "$0")/../support/claims.sh"
check_refuses_too
here=$PWD
export XDG_DATA_HOME=$tmp/home
folder=$XDG_DATA_HOME/leat/pipelines
cd "$tmp" || exit 1

# ---- data: late flights, by carrier ----
awk 'BEGIN { print "carrier,origin,delay"; x = 1
    for (i = 0; i < 4000; i++) {
        x = x * 16807 % 2147483647; c = x % 4; o = int(x / 7) % 3
        printf "%s,%s,%s\n", substr("ABCD", c + 1, 1), substr("XYZ", o + 1, 1), i % 50 == 49 ? "NA" : (c == 2 ? 90 : 5) + x % 60
    } }' >one.csv
{ head -1 one.csv; tail -2000 one.csv; } >'a,"b.csv'
late='delay > 60'
# rate FILE…: the share of late flights of carrier C, in percent
rate() { awk -F, '$1 == "C" && $3 != "NA" { n++; late += $3 > 60 } END { printf "%.1f", 100 * late / n }' "$@"; }
explain() { leat_run explain "$@" --quiet --cross 1 --attributes carrier,origin --out jsonl; }
shown() { jq -r '.top[] | select(.feature == "carrier=C") | .rate * 100' "$out" | awk '{ printf "%.1f", $1 }'; }

# ---- the data ----
explain one.csv --outlier "$late" --missing-texts NA
claim "a file is the data" equal "$status $(shown)" "0 $(rate one.csv)"
cp "$out" first
leat_run run "$here/pipelines/explain.lua" --set data=one.csv --set outlier="$late" --set missing_texts=NA --quiet \
    --set cross=1 --set attributes=carrier,origin --set out=jsonl
claim "the run of the script gives the same" cmp -s first "$out"
for missing in --missing-texts=NA "--missing_texts NA" --missing_texts=NA "--set missing_texts=NA"; do
    # shellcheck disable=SC2086
    explain --outlier "$late" $missing one.csv
    claim "so does $missing" cmp -s first "$out"
done
explain one.csv 'a,"b.csv' --outlier "$late" --missing-texts NA
claim "several files are the data, whatever their names" equal "$status $(shown)" "0 $(rate one.csv 'a,"b.csv')"
explain - --outlier "$late" --missing-texts NA <one.csv
claim "- is standard input" cmp -s first "$out"
leat_run explain --quiet --cross 1 --attributes carrier,origin --out jsonl --outlier "$late" --missing-texts NA -- one.csv
claim "-- ends the options" cmp -s first "$out"
"$LEAT" explain kafka://127.0.0.1:1,127.0.0.1:2/late --outlier "$late" --format json --attributes carrier \
    --until end 2>"$err" &
pid=$!
until_true grep -q "no broker of" "$err"
leat_stop
claim_says "a topic is read from its brokers" "no broker of 127.0.0.1:1,127.0.0.1:2 can be reached"
leat_run compare one.csv 'a,"b.csv' --attributes carrier --quiet --out jsonl --min-count 1
claim "an application of two streams takes two files" equal "$status $(jq '.top[0].count' "$out")" \
    "0 $(awk -F, -v f="$(jq -r '.top[0].feature' "$out")" '"carrier=" $1 == f' one.csv 'a,"b.csv' | wc -l)"
leat_run compare one.csv --attributes carrier --split 'origin == "X"' --quiet
claim_exit "and one to split" 0

# ---- options ----
leat_run explain one.csv --metric delay --missing-texts NA --attributes carrier --evaluate --report page.html \
    --summary sum.json --quiet
claim "a word for true needs no value" grep -q '^bounds_hold' "$out"
claim "options of a run are there" test -s page.html
claim "the summary has the command" equal "$(jq -r .command sum.json)" \
    "leat explain --metric delay --missing-texts NA --attributes carrier --evaluate true --data one.csv"
leat_run explain one.csv --metric delay --missing-texts NA --attributes carrier --quiet --evaluate no
claim "it may have one" equal "$status $(grep -c bounds_hold "$out")" "0 0"
leat_run explain --metric delay --missing-texts NA --attributes carrier --quiet --evaluate one.csv
claim "a file after it is a file" equal "$status $(grep -c bounds_hold "$out")" "0 1"
leat_run explain one.csv --metric delay --missing-texts NA --attributes carrier --quiet --every 1000 --out jsonl
claim "an argument comes before an option of its name" below 2 "$(wc -l <"$out")"
leat_run classify one.csv --label carrier --classes A,B,C,D --numbers delay --missing-texts NA --learner awm,logistic \
    --awm.lambda 0 --quiet --figures csv
claim_exit "a name with a dot is a learner's" 0

# ---- help ----
leat_run explain --help
claim "the arguments are listed" grep -qxE -- '  --metric A,B +… or columns of numbers: a record is an outlier if one of them is beyond its limit' "$out"
claim "with defaults" grep -q -- '--min-count N .*(default: 20)' "$out"
claim "and the options of a run" grep -q -- '^  --report FILE' "$out"
claim "in the order of the script" equal "$(grep -oE '^  --(outlier|metric|k|report) ' "$out" | xargs)" \
    "--outlier --metric --k --report"
cp "$out" help
leat_run help explain
claim "leat help NAME says the same" cmp -s help "$out"
leat_run help
for script in "$here"/pipelines/*.lua; do
    name=$(basename "$script" .lua)
    [[ $name != *_test ]] || continue
    claim "$name is in the list" grep -qE "^  $name +[A-Z].*\?$" "$out"
    "$LEAT" "$name" --help >help
    claim "$name tells what each argument is" equal "$(sed -n '/^arguments/,/^options/p' help |
        grep -cE '^  --[a-z0-9_.-]+( [^ ]+)? *$')" 0
done
claim "tests are not" equal "$(sed '1,/^applications/d' "$out" | grep -c _test)" 0

leat_run explain one.csv --metric delay --missing-texts NA --attributes carrier,origin --out jsonl --quiet
cp "$out" joined
leat_run explain one.csv --metric delay --missing-texts NA --attributes carrier --attributes=origin --out jsonl --quiet
claim "a list that is given twice is one list" cmp -s joined "$out"
leat_run explain --data one.csv --data one.csv --metric delay --missing-texts NA --attributes carrier --out jsonl --quiet \
    --summary twice.json
claim "so are files" equal "$(jq .records twice.json)" 8000
leat_run explain one.csv --metric delay --missing-texts NA --attributes carrier,origin --out jsonl --out jsonl --quiet
claim "the same value may be given twice" cmp -s joined "$out"

# Names that modules read from leat.args, against those that applications declare.
(cd "$here" && grep -ohE '\bargs\.[a-z_0-9]+' pipelines/*.lua lua/leat/{inputs,conditions,times,elements,examples,logs}.lua \
    lua/leat/{attributes,attribute_edges,attribute_ranks,attribute_times,learners,ratings,sampled}.lua) | sed 's/.*\.//' | sort -u >read
for name in classify compare correlate explain features pairs rate regress; do "$LEAT" $name --help; done |
    sed -n 's/^  --\([a-z0-9_-]*\).*/\1/p' | tr - _ | sort -u >declared
claim "all that a module reads is declared" equal "$(comm -23 read declared)" ""

# ---- mistakes ----
refused() { # WORDS MESSAGE ARGS…
    local words=$1 message=$2
    shift 2
    leat_run "$@"
    claim "$words" equal "$status $(grep -cF -- "$message" "$err")" "2 1"
}
refused "an option that nobody has" "leat explain: unknown option '--metrc': did you mean --metric?" explain one.csv --metrc x
refused "one of a run" "unknown option '--sumary': did you mean --summary?" explain one.csv --sumary x
refused "a parameter of a stage" "'--levels': a script sets it in its stage (feature.columns); " explain one.csv --levels x
refused "of many stages" "'--bias': a script sets it in its stage (learn.awm, learn.bear, learn." explain one.csv --bias 9
refused "as a setting, too" "--set levels: the script takes no argument 'levels': a script sets it in its stage (feature" \
    run "$here/pipelines/explain.lua" --set data=one.csv --set levels=x
refused "a short one" "unknown option '-k'" explain one.csv -k 3
refused "a missing value" "leat explain: a value must follow --metric" explain one.csv --metric
refused "an option in its place" "leat explain: a value must follow --metric" explain one.csv --metric --k 3
refused "two values of an argument that takes one" "leat explain: an argument has one value: remove one of --k 3 and --k 4" explain \
    one.csv --metric delay --k 3 --k 4
refused "and of one that is true or false" "remove one of --evaluate true and --evaluate no" explain one.csv \
    --metric delay --evaluate --evaluate no
refused "a wrong type" "leat explain: error: --cross x: cross takes a whole number" explain one.csv --metric delay --cross x
refused "a word that is neither true nor false" "--evaluate maybe: evaluate takes true or false" explain one.csv \
    --metric delay --evaluate maybe
refused "a wrong value" "leat explain: error: --k 0: top (sink.top): k must be 1 to" explain one.csv --metric delay \
    --attributes carrier --missing-texts NA --k 0
refused "a misspelt column" "leat explain: error: --attributes carier: columns" explain one.csv --metric delay --attributes carier
refused "no question" "give --metric COLUMN, or a condition such as --outlier 'status >= 500'" explain one.csv
refused "an argument that has no effect" "--schema: with these settings nothing uses 'schema'" explain one.csv \
    --metric delay --attributes carrier --schema x.avsc
refused "files in two ways" "remove --data" explain one.csv --data two.csv
refused "an empty name" "the name of a file must not be empty" explain ""
refused "a topic without a name" "write kafka://HOST:PORT/TOPIC, not kafka://h:1/" explain kafka://h:1/
refused "a topic and a file" "a topic is read alone: remove one.csv" explain one.csv kafka://h:1/t
refused "an earlier name" "unknown command 'deltoids': did you mean 'compare'?" deltoids one.csv
refused "a command that is nearly one" "unknown command 'expain': did you mean 'explain'?" expain one.csv
refused "a path is no command" "unknown command './explain'" ./explain one.csv
leat_run explain . --metric delay --attributes carrier
claim "a folder is not data" equal "$status $(grep -c 'cannot read .: it is a directory' "$err")" "1 1"

# ---- the user's own ----
leat_run new application sales
claim_exit "an application is made" 0
claim "in the user's folder" equal "$(cd "$folder" && echo *)" "sales.lua sales_test.lua"
leat_run test "$folder"
claim_exit "its test passes" 0
awk 'BEGIN { print "city,kind,amount"; for (i = 0; i < 300; i++) printf "%s,%s,%d\n", i % 2 ? "Bern" : "Rome", i % 3 ? "food" : "rent", i % 3 ? 40 : 900 }' >sales.csv
leat_run sales sales.csv --quiet
claim "and it runs" grep -qE ' 100\.0 % .* kind=rent$' "$out"
leat_run help
claim "it is listed" grep -q "^  sales  *Which records have large values?" "$out"
refused "a name that is taken" "there is an application of this name" new application sales
refused "one of leat's" "there is an application of this name" new application explain
refused "a command" "leat: run: leat has a command of this name: take another one" new application run
refused "an option of plugins" "only a plugin has a kind and a language: remove --lang" new application x --lang c
printf 'return (\n' >"$folder/broken.lua"
refused "a script that is not Lua" "broken.lua:" broken one.csv
printf 'error("never run")\n' >"$folder/version.lua"
leat_run version
claim_exit "a command comes before a script" 0
printf -- '--- Mine.\nlocal leat = require "leat"\nprint(leat.args.word, leat.args.data)\nreturn leat.pipeline "x" { leat.source.null { records = 1 }, leat.sink.null {} }\n' >"$folder/plain.lua"
leat_run plain one.csv --word hello --quiet
claim_says "a script that declares nothing takes what it reads" "hello  one.csv"
leat_run plain --wird hello --quiet
claim_says "and no other" "--wird: the script takes no argument 'wird': did you mean 'word'?"
cp "$folder/plain.lua" "$folder/explain.lua"
leat_run explain one.csv --word mine --quiet
claim_says "a script of the user comes before leat's" "mine  one.csv"
chmod o+w "$folder/explain.lua"
leat_run help explain
claim_says "one that everybody can write is not used" "$folder/explain.lua is not used: every user can write it"
rm "$folder/explain.lua"
printf 'local leat = require "leat"\nleat.arguments { { "n", default = 1 } }\nreturn leat.pipeline "x" { leat.source.null { records = 1 }, leat.sink.null {} }\n' >"$folder/none.lua"
refused "a file for one that reads none" "leat none: no file belongs here: remove one.csv" none one.csv

# ---- completion ----
PATH=$(dirname "$LEAT"):$PATH
"$LEAT" completion bash >completion
completes() {
    bash -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _leat; echo "${COMPREPLY[*]}"' bash leat "$@"
}
claim "names of applications are completed" equal "$(completes sal) $(completes ex)" "sales explain"
claim "and their options" equal "$(completes explain --ou) | $(completes sales --a)" "--outlier --out | --above"
done_claims
