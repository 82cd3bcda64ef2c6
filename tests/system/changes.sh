# A changed script: leat check --state, a restarted run and a reload report the same, and do it.
#
# A shell under nohup ignores SIGHUP, and so would all its children. A separate session has no terminal.
[[ ${heeds_hup:-} ]] || heeds_hup=1 exec env --default-signal=HUP setsid -w bash "$0"
. "$(dirname "$0")/../support/claims.sh"
root=$PWD
cd "$tmp" || exit 1
exec 2>noise # the shell's words on ended children
records() { awk -v a="$1" -v b="$2" \
    'BEGIN { for (n = a; n <= b; n++) print n "," (n % 2 ? "a" : "b") ",W" n % 7 " v" n % 2 * (n % 5) " u" n % 31 }'; }
{ echo n,class,text && records 1 1000; } >in.csv
cat >base.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "c" {
  leat.source.file { path = "in.csv", follow = leat.args.follow == "1" },
  leat.parse.csv { numbers = { "n" } },
  leat.shape.where { "n % 3 > 0", id = "some" },
  leat.shape.set { "m = n + 1", id = "sums" },
  leat.shape.dedup { "n", id = "once" },
  leat.label.is { column = "class", positive = { "a" }, id = "is" },
  leat.feature.tokens { column = "text", id = "words" },
  leat.feature.hash { bits = 16, id = "fold" },
  leat.learn.awm { id = "model", budget = "2KB" },
  leat.sink.file { path = "out", format = "raw", id = "copy" },
}
LUA
cp base.lua c.lua
leat_run run c.lua --state base --quiet --progress never
claim_exit "a pipeline keeps its state" 0

decided() { grep -c -e ': reloaded$' -e 'is not reloaded' "$err"; }
is_decided() { (($(decided) == $1)); }
reload() {
    local before
    before=$(decided)
    kill -HUP "$pid"
    until_true is_decided $((before + 1))
}
# What a command found to be wrong or worth a warning, in whichever order it printed.
found() { grep -E '^(reloading: )?c\.lua:[0-9]+: (error|warning): ' "$1" |
    sed 's/^reloading: //; s/snapshot in [^,]*,/snapshot,/' | sort; }

# same NAME CHANGE TAKEN: a sed command makes another script. TAKEN 1: all three take it, 0: all refuse it.
same() {
    local name=$1 taken=$3 exit=$((2 - 2 * $3))
    sed "$2" base.lua >next.lua && mv next.lua c.lua
    claim "$name: is another script" eval '! cmp -s c.lua base.lua'
    leat_run check c.lua --state base
    claim_exit "$name: check" $exit
    found "$err" >checked
    claim "$name: check says something" test -s checked
    rm -rf again && cp -r base again && cp out out.kept
    leat_run run c.lua --state again --quiet --progress never
    claim_exit "$name: a run that is started again" $exit
    found "$err" >restarted
    claim "$name: it says what check says" cmp checked restarted
    cp out.kept out
}
# The same by SIGHUP, of a run at work on base.lua, which comes back after it.
same_by_reload() {
    local name=$1 taken=$3
    sed "$2" base.lua >next.lua && mv next.lua c.lua
    err=$tmp/stderr
    leat_run check c.lua --state live --set follow=1
    found "$err" >checked
    err=$tmp/live.err
    : >"$err"
    reload
    found "$err" >reloaded
    claim "$name: a reload does what check says" equal "$(grep -c ': reloaded$' "$err")" "$taken"
    claim "$name: in its words" cmp checked reloaded
    claim "$name: all of them marked" equal "$(grep -cE '^c\.lua:' "$err")" 0
    cp base.lua c.lua
    ((taken)) && reload
}
each() { # COMMAND
    "$1" "another condition" 's/n % 3 > 0/n % 2 > 0/' 1
    "$1" "a filter that is gone" '/id = "some"/d' 1
    "$1" "a filter that is new" \
        's/leat.shape.set/leat.filter(function(n) return n > 5 end, { "n" }, { id = "new" }),\n  &/' 1
    "$1" "filters in another place" '/id = "some"/{h;d};/id = "sums"/{G}' 1
    "$1" "another stage under the id of one" \
        's/leat.shape.set { "m = n + 1", id = "sums" }/leat.shape.where { "n > 7", id = "sums" }/' 1
    "$1" "other features with names" 's/column = "text", id/column = "text", lower = true, id/; /id = "fold"/d' 0
    "$1" "another learner's size" 's/2KB/4KB/' 0
    "$1" "a stage that keeps something and is gone" '/id = "once"/d' 0
    "$1" "other labels" 's/positive = { "a" }/positive = { "b" }/' 0
    "$1" "ids folded otherwise" 's/bits = 16/bits = 12/' 0
    "$1" "values scaled that were not" 's/leat.learn.awm/leat.feature.normalize { id = "scale" },\n  &/' 0
    "$1" "another seed" 's/^}$/  seed = 7,\n}/' 0
}
each same

# ---- why, and what helps ----
sed 's/positive = { "a" }/positive = { "b" }/' base.lua >c.lua
leat_run check c.lua --state base
claim_says "a stage that may not change although it keeps nothing says why" \
    'is (label.is): positive is { "b" } here and { "a" } in the snapshot, and model has learned from the old labels; the change is accepted by --reset is'
leat_run check c.lua --state base --reset is
claim_exit "--reset accepts the change" 0
claim "and what was learned resumes" grep -qE '^  model +resumes$' "$out"
leat_run check c.lua --state base --reset model
claim_exit "where the learner restarts, the labels may be others" 0
sed '/id = "fold"/d' base.lua >c.lua
leat_run check c.lua --state base
claim_says "so does one that is gone" \
    "the snapshot has a stage fold (feature.hash) that the pipeline lacks, and model has learned from the old features; --reset fold drops it"
sed 's/n % 3 > 0/n > 1/; /id = "sums"/d; s/leat.label/leat.shape.where { "n > 0", id = "more" },\n  &/' base.lua >c.lua
leat_run check c.lua --state base
line() { grep -qE "^  $1 +$2\$" "$out"; }
claim "the forecast says what has changed" line some \
    'keeps nothing: condition is "n > 1" here and "n % 3 > 0" in the snapshot'
claim "what is new" line more "keeps nothing: the snapshot was made without it"
claim "and what is gone" line sums "is dropped: the stage had no state"
leat_run check c.lua --state base --json
claim "also in JSON" equal "$(jq -r '.state.stages[] | select(.id == "some", .id == "sums") | .outcome' "$out" |
    paste -sd ' ')" "nothing drop"
leat_run trace c.lua --state base --records 1
claim_exit "a trace continues with them, too" 0

# ---- what was learned with the change is what one run with both would have learned ----
learned() { "$LEAT" model dump "$1" --stage model | grep '"stage/model/0"'; }
cp base.lua c.lua && rm -rf live out
leat_run run c.lua --state live --quiet --progress never
cp in.csv first.csv && records 1001 2000 >>in.csv
sed 's/n % 3 > 0/n % 2 > 0/' base.lua >c.lua
leat_run run c.lua --state live --quiet --progress never
claim_exit "a run continues with another condition" 0
sed 's/"n % 3 > 0"/"n <= 1000 and n % 3 > 0 or n > 1000 and n % 2 > 0"/; s/"out"/"once"/' base.lua >c.lua
leat_run run c.lua --state whole --quiet --progress never
claim "and its model is that of one run with both" cmp <(learned live) <(learned whole)
claim "which has learned" test "$(learned live | wc -c)" -gt 1000
claim "so are the records that have passed" cmp out once
cp first.csv in.csv

rest_is_long

# ---- a run at work ----
cp base.lua c.lua && rm -rf live out
err=$tmp/live.err
leat_start c.lua --state live --set follow=1 --progress never
until_true compgen -G 'live/*.snapshot'
each same_by_reload
err=$tmp/live.err
leat_stop
claim_exit "the run ends well" 0

# ---- labels that a condition makes, or columns of one ----
awk 'BEGIN { srand(4); print "n,a"; for (i = 0; i < 400; i++) print int(rand() * 9) ",a" int(rand() * 5) }' >labels.csv
refused() { # WORDS APPLICATION, its arguments, and those of one that continues with another condition
    rm -rf labels
    # shellcheck disable=SC2086
    leat_run run "$root/pipelines/$2.lua" --quiet --set data=labels.csv --state labels $3
    claim_exit "$1: a first run" 0
    # shellcheck disable=SC2086
    leat_run run "$root/pipelines/$2.lua" --quiet --set data=labels.csv --state labels $4
    claim_exit "$1: another condition is refused" 2
    claim_says "$1: as the learner has learned from the labels" \
        "has learned from the old labels; the change is accepted by --reset"
}
refused "outliers" explain "--set attributes=a --set outlier=n>5" "--set attributes=a --set outlier=n>4"
refused "sides of a comparison" compare "--set attributes=a --set split=n>5" "--set attributes=a --set split=n>4"
refused "a derived label" classify "--set label=late --set positive=true --set attributes=a --set derive=late=n>5" \
    "--set label=late --set positive=true --set attributes=a --set derive=late=n>4"
done_claims
