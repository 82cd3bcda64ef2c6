# A run that continues from a snapshot may raise max_features, names_budget and name_bytes of a learner that grows.
#
# It may do so by a restart or by SIGHUP, as `leat check --state` tells. Learned weights stay, bit for bit; later ones
# find room. A shell under nohup ignores SIGHUP, and so would all its children. A separate session has no terminal.
# tier: long (20 s)
[[ ${heeds_hup:-} ]] || heeds_hup=1 exec env --default-signal=HUP setsid -w bash "$0"
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
"$LEAT" plugins --json >plugins.json
mapfile -t learners < <(jq -r '.[] | select(.kind == "learner") | select([.params[].name] | index("max_features")) |
    .name | sub("learn[.]"; "")' plugins.json)
claim "there are learners that grow" below 14 "${#learners[@]}"

{
    echo 'local leat = require "leat"'
    echo 'local a = leat.args'
    echo 'return leat.pipeline "raise" { leat.source.file { a.data }, leat.parse.libsvm {}, leat.tee {'
    for l in "${learners[@]}"; do
        [[ $l != product ]] || echo '  leat.feature.sides { below = 1000 },' >sides
        echo "  { $(cat sides 2>/dev/null) leat.learn.$l { id = \"$l\", max_features = a.max }, leat.sink.null {} },"
        rm -f sides
    done
    echo '} }'
} >s.lua
run() { leat_run run s.lua --quiet "$@"; }

# Rows of ids on both sides of 1000 (learn.product takes a side from each); the second half has more.
rows() { # rows SEED N IDS
    awk -v seed="$1" -v n="$2" -v ids="$3" 'BEGIN { srand(seed); for (i = 0; i < n; i++) { y = rand() < .5; printf "%s",
        y ? "+1" : "-1"
        for (j = 0; j < 6; j++) printf " %d:%.2f", (j > 2) * 1000 + (j % 3) * 300 + 1 + int(rand() * ids) + 2 * y,
        .5 + rand(); print "" } }'
}
rows 3 400 30 >first
rows 4 400 60 >second
# The first N ids alone; learn.product counts each side for itself.
known() { awk -v n="$1" -v both="$2" '{ line = $1; for (i = 2; i <= NF; i++) { split($i, p, ":"); s = both &&
    p[1] >= 1000
    if (!(p[1] in at)) at[p[1]] = seen[s]++
    if (at[p[1]] < n) line = line " " $i }; print line }'; }
# What a learner's state is, but for how many entries it has ignored, and the room that its table has now.
state() { leat_run model dump "$1" --stage "$2"; jq -c 'select(.field and (.section | startswith("stage/")) and
    .field != "ignored" and .field != "capacity")' "$out"; }
field() { leat_run model dump "$1" --stage "$2"; jq -c "select(.field == \"$3\") | .values // .value" "$out"; }

# ---- what was learned stays ----

cp first data
run --set data=data --set max=64 --state small
claim "each says that it is full" equal "$(grep -c "max_features is reached at 64 features" "$err")" "${#learners[@]}"
cp -r small kept
leat_run check s.lua --set data=data --set max=1024 --state small
claim_exit "check says that larger ones are right" 0
claim_says "and names both" \
    "max_features is 1024 here and 64 in the snapshot; the stage keeps what it has learned, and has room for more"
claim "none that a limit is reached, which it cannot know" sh -c "! grep -q 'is reached' '$err'"
cp "$out" said
for l in "${learners[@]}"; do
    claim "$l resumes" grep -qE "^  $l +resumes: max_features is 1024 here and 64 in the snapshot" said
    state small "$l" >"$l.before"
done
run --set data=data --set max=1024 --state small
claim_exit "a run continues with larger ones" 0
claim "of which none is said to be reached" sh -c "! grep -q 'is reached' '$err'"
leat_run model top small --stage logistic
claim "nor when one asks later" sh -c "! grep -q 'is reached' '$err'"
for l in "${learners[@]}"; do
    state small "$l" >"$l.after"
    claim "$l: and its state is the one that was saved" cmp "$l.before" "$l.after"
done

# ---- what comes later finds room ----

cat second >>data
LEAT_FAULT=snapshot_durable:2 run --set data=data --set max=1024 --state small --every 100
claim "killed after 200 more" test "$status" != 0
run --set data=data --set max=1024 --state small --summary s.json
claim_exit "it continues again" 0
claim "no stage takes more memory than it has planned" equal "$(jq -c '[.stages[] |
    select(.memory.used > .memory.planned) | .id]' s.json)" "[]"
# By another road: one run over the records without what was ignored. Factorization machines have a feature of their
# own, the constant; slots of a sketch shrink early where the limit is small.
constant=11609170974886449381
for which in "64 0" "63 0" "64 1"; do
    # shellcheck disable=SC2086
    known $which <first >other
    cat second >>other
    run --set data=other --set max=1024 --state "whole $which"
done
for l in "${learners[@]}"; do
    state small "$l" >"$l.after"
    claim "$l: has more features" below 64 "$(jq -s '[.[] | select(.field | test("(^|[.])ids$")) | .values | length] |
        max' "$l.after")"
    [[ $l == product ]] && which="64 1" || which="64 0"
    ! grep -q $constant "$l.after" || which="63 0"
    ! grep -q '"slots"' "$l.after" || continue
    state "whole $which" "$l" >"$l.whole"
    claim "$l: its state is that of a run that had room from there on" cmp "$l.after" "$l.whole"
done

# ---- a limit that is not reached changes nothing ----

cp first data
run --set data=data --set max=256 --state more
cat second >>data
run --set data=data --set max=1024 --state more
run --set data=data --set max=1024 --state all
for l in "${learners[@]}"; do
    state more "$l" >"$l.more"
    state all "$l" >"$l.all"
    claim "$l: raised before it is reached, all is as if it had been larger from the start" cmp "$l.more" "$l.all"
done

# ---- names ----

cat >names.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "names" {
  leat.source.file { "names.csv" }, leat.parse.csv { header = false, columns = { "class", "text" } },
  leat.label.is { column = "class", positive = { "a" } }, leat.feature.tokens { column = "text" },
  leat.learn[a.learner] { id = "model", names_budget = a.budget, name_bytes = a.bytes, max_features = a.max }, leat.sink.null {},
}
LUA
word() { # word N FROM TO: lines with words of 30 letters, of numbers FROM to TO
    awk -v n="$1" -v from="$2" -v to="$3" 'BEGIN { for (i = 0; i < n; i++) printf "%s,word-%025d\n", i % 2 ? "a" : "b",
        from + i % (to - from + 1) }'
}
names() { leat_run run names.lua --quiet --set learner="$l" "$@"; }
shown() { leat_run model top state --stage model --k 100 --format jsonl; jq -r '.top[].feature' "$out" | sort; }
for l in logistic bias frequent rfd_son adagrad; do
    rm -rf state
    word 100 1 20 >names.csv
    names --state state --set budget=200B --set bytes=16
    claim_says "$l: a small budget is full" "the 200 bytes for names are full"
    claim "$l: a small budget has room for eleven names, which are cut" equal "$(shown | grep -c 'word-')" 11
    shown | grep word- >"$l.named"
    word 100 11 40 >>names.csv
    names --state state --set budget=4KB --set bytes=64
    claim_exit "$l: names_budget and name_bytes may be raised" 0
    claim_says "$l: which is told" 'names_budget is "4KB" here and "200B" in the snapshot' \
        "name_bytes is 64 here and 16 in the snapshot"
    shown | grep word- >"$l.more"
    claim "$l: the larger one is not said to be full" sh -c "! grep -q 'for names are full' '$err'"
    claim "$l: names are as they were" equal "$(comm -12 "$l.named" "$l.more" | wc -l)" 11
    claim "$l: new features have theirs, in full" equal "$(comm -13 "$l.named" "$l.more" |
        grep -cE '^word-0{23}[2-4][0-9]$')" 20
done

# ---- what is refused ----

cp data at_end
run --set data=at_end --set max=512 --state small
claim_exit "a smaller one is refused" 2
claim_says "with both numbers and what to do" \
    "max_features is 512 here and 1024 in the snapshot: it may be raised, but not lowered; set it to 1024 or more, or start the stage from nothing by --reset logistic"
leat_run check s.lua --set data=at_end --set max=512 --state small
claim_exit "as by check" 2
claim "in the same words" grep \
    -q "^  logistic  *is refused: max_features is 512 here and 1024 in the snapshot: it may be raised" "$out"
l=logistic
names --state new --set bytes=64
names --state new --set bytes=32
claim_says "so are shorter names" "name_bytes is 32 here and 64 in the snapshot: it may be raised, but not lowered"
sed 's/, names_budget.*a.max//; s/learn.a.learner. { /&budget = "4KB", name_bytes = a.bytes, /' names.lua >budget.lua
sed 's/learn.a.learner. {/learn.awm {/' budget.lua >awm.lua
leat_run run awm.lua --quiet --state awm --set bytes=32
leat_run run awm.lua --quiet --state awm --set bytes=64
claim_says "and other names of a learner with a budget" "name_bytes is 64 here and 32 in the snapshot"
claim_exit "which do not change" 2

# ---- while it runs ----

script() {
    cat >next.lua <<LUA
local leat = require "leat"
return leat.pipeline "r" {
  leat.source.file { path = "in", follow = true }, leat.parse.libsvm {}, leat.learn.sftrl { id = "sftrl", max_features = $1 },
  leat.sink.file { path = "rows", format = "raw" },
}
LUA
    mv next.lua r.lua
}
decided() { grep -cE ': reloaded$|is not reloaded|could not be started' "$err"; }
is_decided() { (($(decided) == $1)); }
has_rows() { (($(wc -l <rows) == $1)); }
script 64
cp first in
leat_start r.lua --state hup
until_true has_rows 400
script 512
kill -HUP "$pid"
until_true is_decided 1
claim_says "SIGHUP raises it at work" "max_features is 512 here and 64 in the snapshot" ": reloaded"
cat second >>in
until_true has_rows 800
script 128
kill -HUP "$pid"
until_true is_decided 2
claim_says "and a smaller one is refused there" "may be raised, but not lowered" \
    "r.lua is not reloaded: the run continues with the old script"
leat_stop
claim_exit "the run ends well" 0
state hup sftrl >hup.state
state small sftrl >small.state
claim "its model is that of the restarted run" cmp hup.state small.state
done_claims
