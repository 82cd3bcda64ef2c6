# What a command line gives twice: two values of an option or an argument are refused, with both in the message. A list
# gets all its values. The options come from the completion, so that a new one is tried, too.
. "$(dirname "$0")/../support/claims.sh"
here=$PWD
cd "$tmp" || exit 1
printf 'x,y\n1,2\n' >a.csv
printf 'x,y\n3,4\n' >b.csv
cat >p.lua <<'LUA'
local leat = require "leat"
local a = leat.arguments {
  { "data", value = "FILES", default = "a.csv" }, { "list", type = "list", default = {} },
  { "n", type = "integer", default = 1 }, { "text" },
}
local list = table.concat(a.list, "+")
return leat.pipeline "p" {
  leat.source.file { path = a.data }, leat.parse.csv {},
  leat.shape.where { ("x >= %d"):format(a.n) },
  leat.map(function(x) return x .. list end, { "x" }),
  leat.sink.file { path = "-", format = "csv" },
}
LUA

# Runs the program itself: leat_run would leave out the first of two values.
twice() {
    "$LEAT" "$@" >"$out" 2>"$err"
    status=$?
}
refused() { # COMMAND FIRST SECOND ARGS…
    twice "${@:1:1}" "${@:4}"
    claim "$1 ${*:4}" equal "$status $(grep -cF -- "remove one of $2 and $3" "$err")" "2 1"
}

# ---- every option of every command ----
values() {
    case $1 in
        --progress) echo auto never ;;
        --on-crash) echo stop bisect ;;
        --log-format) echo text json ;;
        --report) echo a.html b.md ;;
        *) echo 1 2 ;;
    esac
}
"$LEAT" completion bash | sed -n "s/^    '\(.*\)') options='\(.*\)' ;;$/\1|\2/p" >options
wrong=() tried=0 several=()
while IFS='|' read -r command options; do
    for option in $options; do
        # shellcheck disable=SC2086
        "$LEAT" $command "$option" 2>&1 >/dev/null </dev/null | grep -q "a value must follow $option" || continue
        read -r one two <<<"$(values "$option")"
        # shellcheck disable=SC2086
        twice $command "$option" "$one" "$option" "$two"
        shown="$option $one and $option $two"
        [[ $option != --http-token ]] || shown="--http-token '***' and --http-token '***'"
        tried=$((tried + 1))
        case $option in
            --set | --plugin-path | --reset | --weight | --log-level) several+=("$option") ;;
            *)
                [[ $status == 2 ]] && grep -qF -- "an option has one value: remove one of $shown" "$err" ||
                    wrong+=("$command $option: $(head -1 "$err")")
                ;;
        esac
    done
done <options
claim "two values of an option are refused, except where each counts ($tried)" equal "${wrong[*]-} $((tried > 60))" " 1"
claim "those are known" equal "$(printf '%s\n' "${several[@]}" | sort -u | tr '\n' ' ')" \
    "--log-level --plugin-path --reset --set --weight "
twice run p.lua --state s --state s --quiet --quiet
claim "the same value twice is one" equal "$status $(<"$out")" "0 x,y
1,2"
refused run "--state s" "--state t" p.lua --state s --state=t
twice run p.lua --log-level warn --log-level debug
claim_says "two levels are refused" "--log-level has two levels: remove one, such as debug"
twice run p.lua --quiet --log-level map=warn --log-level shape=info --log-level error
claim_exit "the levels of stages are none of them" 0

# ---- arguments ----
for command in run check graph trace; do
    refused $command "--set n=1" "--set n=2" p.lua --set n=1 --set n=2
done
refused run "--set text=a" "--set 'text=b c'" p.lua --set text=a --set 'text=b c'
refused run "--set shape.where=a" "--set shape.where=b" p.lua --set shape.where=a --set shape.where=b
twice run p.lua --quiet --set n=1 --set n=1
claim_exit "the same value twice is one" 0
twice run p.lua --quiet --set data=a.csv --set list=u --set data=b.csv --set list=v,w
claim "a list gets all" equal "$status $(tr '\n' ' ' <"$out")" "0 x,y 1u+v+w,2 3u+v+w,4 "
cat >plain.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" { leat.source.file { path = leat.args.data }, leat.parse.csv {}, leat.sink.null {} }
LUA
refused run "--set data=a.csv" "--set data=b.csv" plain.lua --set data=a.csv --set data=b.csv
refused explain "--k 3" "--k 4" a.csv --metric x --k 3 --k 4
refused explain "--top.k 3" "--top.k 4" a.csv --metric x --top.k 3 --top.k 4
twice explain a.csv --metric x --attributes x --attributes z
claim_says "a list of an application, too" "--attributes x,z: columns"
refused run "--set k=3" "--set k=4" "$here/pipelines/explain.lua" --set data=a.csv --set k=3 --set k=4
refused peek "--set format=csv" "--set format=json" a.csv --set format=csv --set format=json
refused peek "--set data=b.csv" "--set data=a.csv" a.csv --set data=b.csv
refused "group" "--set brokers=one:1" "--set brokers=two:1" status g --brokers one:1 --set brokers=two:1
refused model "--set budget=1" "--set budget=2" merge a b --set budget=1 --set budget=2
done_claims
