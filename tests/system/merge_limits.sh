# Models that together exceed one model's limit of features: some learners keep the heaviest, others refuse. It tests
# their messages, and a merge with larger limits.
# tier: long (8 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1

cat >m.lua <<'LUA'
local leat = require "leat"
local a = leat.args
local learner = { id = "model", max_features = a.max, names_budget = a.names }
return leat.pipeline "m" {
  leat.source.file { a.data }, leat.parse.csv { header = false, columns = { "class", "text" } },
  leat.label.is { column = "class", positive = { "a" } }, leat.feature.tokens { column = "text" },
  a.learner == "product" and leat.feature.sides { halves = true } or {},
  leat.learn[a.learner](learner), leat.sink.null {},
}
LUA
# Words FROM to TO, each with three neighbours; the later one, the more often it is with class a.
rows() { awk -v from="$1" -v to="$2" 'BEGIN { srand(from); for (i = 0; i < 1500; i++) {
    w = from + int(rand() * (to - from + 1))
    printf "%s,w%04d w%04d w%04d\n", rand() * (to + 20) < w ? "a" : "b", w, from + (w * 7 + i % 3) % (to - from + 1),
    from + (w * 3) % (to - from + 1) } }'; }
rows 1 100 >first.csv
rows 61 160 >second.csv # 160 together
learn() { # learn NAME DATA MAX…
    rm -rf "$1"
    leat_run run m.lua --quiet --set learner=$l --set data="$2" --set max="$3" --state "$1" "${@:4}"
}
merge() { rm -rf both; leat_run model merge both/ "$@"; }
same_states() { for d in "$@"; do leat_run model dump "$d" --stage model &&
    jq -c 'select(.field and .field != "capacity")' "$out" >"$d.state"; done; cmp "$1.state" "$2.state"; }
features() { leat_run model dump "$1" --stage model; jq -s '[.[] | select(.field == "ids") | .values | length] | add' \
    "$out"; }
parameter() { leat_run model dump "$1"; jq \
    -r "select(.section == \"pipeline\") | .text | fromjson | .stages[] | select(.id == \"model\") | .parameters.$2" \
    "$out"; }

for l in bias frequent sftrl fd_son ftrl_proximal rfd_son s_adagrad; do
    learn first first.csv 128
    learn second second.csv 128
    merge first second
    claim_exit "$l refuses what does not fit" 1
    claim_says "$l: with both numbers and what to do" \
        "the two states together have 16" " features and max_features allows 128: raise it, for example with leat model merge --set model.max_features=16"
    more=$(grep -o 'model.max_features=[0-9]*' "$err")
    merge first second --set "$more"
    claim_exit "$l: what it says works" 0
    claim "$l: and all are there" below 159 "$(features both)"
    mv both said
    learn whole first.csv "${more#*=}"
    learn large second.csv "${more#*=}"
    merge whole large
    claim "$l: as of models that had been larger from the start" same_states said both
    rm -rf said
    merge first large
    claim_exit "$l: one that is larger is enough" 0
    merge large first
    claim_exit "$l: in either order" 0
done
for l in adagrad fm fm_ftrl full_on ocg ogd oja_son rp_son; do
    learn one first.csv 128
    merge one one
    claim_says "$l is not merged at all" "cannot be merged: "
done
l=bias
for part in first second; do learn $part $part.csv 128; done
merge first second --set model.max_features=161
claim "the merged model has the larger one" equal "$(parameter both max_features)" 161
leat_run run m.lua --quiet --set learner=$l --set data=second.csv --set max=64 --state both --reset file
claim_says "with which a run continues" \
    "max_features is 64 here and 161 in the snapshot: it may be raised, but not lowered"

# ---- --set ----

merge first second --set model.max_features=64
claim_exit "a smaller limit is refused" 2
claim_says "in these words" "--set model.max_features=64: this limit is 128 in one of the merged snapshots: give that value or a higher one"
merge first second --set model.max_features=many
claim_says "and what is no number" "--set model.max_features=many: max_features must be"
merge first second --set max_features=300
claim_says "what names no stage" "--set max_features=300: model merge takes STAGE.LIMIT=N, such as learner.max_features=100000"
merge first second --set other.max_features=300
claim_says "what names another stage" "the snapshot has no stage other; its stages are"
merge first second --set model.m=3
claim_says "another parameter" \
    "--set model.m=3: model merge takes only max_features, names_budget and name_bytes, of a learner that has them"

# ---- the heaviest stay ----

l=logistic
learn first first.csv 64 --set names=450B # names for 64 of "w0001" at 7 bytes
learn second second.csv 64 --set names=450B
merge first second
claim_exit "logistic keeps the heaviest" 0
claim "as many as there may be" equal "$(features both)" 64
named() { leat_run model top "$1" --stage model --k 200 --format jsonl; jq -r '.top[].feature' "$out" | grep -c '^w'; }
claim "which have their names, as the others left the pool" equal "$(named both)" "$(named first)"

l=product
for part in first second; do learn $part $part.csv 64; done
ids() { leat_run model dump "$1" --stage model && jq -c 'select(.field == "left.ids") | .values' "$out"; }
merge first second
claim_exit "product keeps those of the first, and counts entries of others" 0
claim "which are as many as there may be" equal "$(ids both)" "$(ids first)"

l=logistic
for part in first second; do learn $part $part.csv 256 --set names=1MB; done
merge first second --set model.names_budget=2MB
claim "names_budget may be larger, too" equal "$(parameter both names_budget)" '"2MB"'
done_claims
