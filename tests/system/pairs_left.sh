# feature.columns leaves pairs to learn.contrast if no other stage reads them: answers are those of written pairs.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >left.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local model = leat.learn.contrast {
  id = "model", budget = a.budget, half_life = a.half_life, amount = a.amount, panes = a.panes,
  panes_of = a.panes and "all", period = a.period,
}
local top = leat.sink.top { of = "model", k = 100000, format = "csv", path = a.out }
return leat.pipeline "left" {
  leat.source.file { "rows.csv" }, leat.parse.csv {}, leat.parse.time { "t", format = "unix" }, leat.label.where { "y == 1" },
  a.same and leat.feature.columns { "c", "d", "p", edges = { "z=3", "w=10 20 30 40" }, cross = 2, cross_edges = 2 } or leat.feature.columns {
    "c", "d", each = { "e" }, edges = { "x=1 2 3 5 7 8", "z=3", "w=10 20 30 40" }, levels = { "p=/ 2" }, cross = 2, cross_edges = 2,
    skip_missing = false,
  },
  leat.tee { { model, top }, a.whole and { leat.learn.logistic { id = "other" }, leat.sink.null {} } or { leat.sink.null {} } },
  threads = a.threads, batch_rows = a.rows, seed = 3,
}
LUA
awk 'BEGIN {
    srand(5)
    print "y,c,d,e,x,z,p,w,t"
    for (i = 0; i < 4000; i++) {
        e = ""
        for (k = int(rand() * 4); k > 0; k--) e = e (e ? " " : "") substr("uvwq", 1 + rand() * 4, 1)
        p = ""
        for (k = 1 + int(rand() * 3); k > 0; k--) p = p "/" substr("abc", 1 + rand() * 3, 1)
        printf "%d,%s,%d,%s,%s,%d,%s,%d,%d\n", rand() < .3, rand() < .1 ? "" : substr("abcd", 1 + rand() * 4, 1),
            rand() ^ -1.3, e, rand() < .1 ? "" : int(rand() * 9), rand() * 6, p, rand() * 50, i * 10
    }
}' >rows.csv
answer() { # FILE OPTION…: the whole answer
    leat_run run left.lua --quiet --set out="$1" "${@:2}"
    [ "$status" = 0 ]
}
"$LEAT" check left.lua --set out=- | grep 'at most [0-9]* features' >left.plan
"$LEAT" check left.lua --set out=- --set whole=true | grep -o 'at most [0-9]* features' >whole.plan
claim "pairs are left" grep -q 'at most 23 features, and their pairs' left.plan
claim "but not if another learner reads them" grep -q 'at most 331 features' whole.plan
for with in budget=8MB budget=20KB same=true "same=true budget=3KB" "same=true budget=20KB rows=50" half_life=500 amount=w rows=7 threads=1 "panes=1h period=1970-01-01T02:00..1970-01-01T06:00"; do
    set=()
    for one in $with; do set+=(--set "$one"); done
    claim "answers of pairs that are left ($with)" answer left.csv "${set[@]}"
    claim "answers of pairs that are written ($with)" answer whole.csv --set whole=true "${set[@]}"
    claim "are the same ($with)" cmp left.csv whole.csv
    claim "of many pairs ($with)" [ "$(grep -c ' & ' left.csv)" -gt 20 ]
done
leat_run trace left.lua --set out=- --records 1
claim "trace shows all features" grep -q 'c=.* & d=' "$out"
done_claims
