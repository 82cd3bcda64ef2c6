# leat graph: files, parameters, threads, and the figures of a run.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >one.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "one" { threads = 3, max_reject_ratio = 1,
  leat.source.file { path = "in.csv" }, leat.parse.csv {}, leat.shape.set { "double = n * 2" },
  leat.label.is { column = "y", positive = "yes" }, leat.feature.columns { "k" },
  leat.tee { { leat.learn.awm { id = "model", budget = "8KB" }, leat.sink.null { id = "end" } },
    { leat.shape.where { id = "odd", "k == 'k1'" }, leat.sink.file { id = "written", path = "out\"\27[31m.csv" } } } }
LUA
awk 'BEGIN { print "y,k,n";
    for (i = 0; i < 900; i++) print (i % 2 ? "yes" : "no") ",k" i % 3 "," (i % 100 ? i : "none") }' >in.csv
leat_run run one.lua --quiet --summary run.json
claim_exit "a run" 0

leat_run graph one.lua
claim_exit "its graph" 0
claim "says what is read" grep -qF "file (source.file): in.csv" "$out"
claim "and written, escaped" grep -qF 'written (sink.file): out"\x1b[31m.csv' "$out"
claim "a parameter that is not the default" grep -qE '^ +budget = "8KB"$' "$out"
claim "and none that is" sh -c "! grep -q 'delimiter\|lambda' '$out'"
claim "no counts without a run" sh -c "! grep -q ' in, ' '$out'"
# The plan that check prints, another way: its segments.
"$LEAT" check one.lua --json >check.json 2>/dev/null
threads() { jq -c '[.plan.threads | to_entries[] | .key as $k | .value.stages[] | [., $k + 1]] | sort' check.json; }
claim "threads are those of the plan" equal "$(sed \
    -nE 's/^[^(]*[ >-]([a-z]+[0-9]*) \([^)]*\).*\[thread ([0-9]+)\]$/\1 \2/p; s/^([a-z]+) \(source.*\[thread ([0-9]+)\]$/\1 \2/p' "$out" | grep -v '^tee' | sort -u | jq -Rnc '[inputs | split(" ") | [.[0], (.[1] | tonumber)]] | sort')" "$(threads)"

leat_run graph one.lua --summary run.json
counts() { jq -r '.stages[] | select(.id ==
    "'"$1"'") | "\(.in) in, \(.out) out" + (if .filtered > 0 then ", \(.filtered) filtered" else "" end) + (if .rejected > 0 then ", \(.rejected) rejected" else "" end) + ", "' run.json; }
for stage in file csv set model odd written; do claim "counts of $stage" grep -qF -- "$(counts $stage)" <(grep -A 3 \
    -E "(^|[ >-])$stage \(" "$out"); done
claim "nine were rejected" grep -qF "900 in, 891 out, 9 rejected" "$out"
claim "the shares of the work add up" awk '/ % of the work/ { for (i = 1; i <= NF; i++) if ($i == "%") s += $(i - 1) }
    END { print s; exit !(s > 99 && s < 101) }' "$out"
leat_run graph one.lua --summary run.json --json
claim "so in JSON" jq -e '([.stages[].work | select(.)] | add) - 1 | fabs < 1e-9' "$out"
claim "and on edges" equal "$(jq -c '[.edges[] | select(.to == "odd" or .to == "is" or .to == "set" or .to ==
    "written") | [.to, .records]] | sort' "$out")" \
    "$(jq -c '[.stages[] | select(.id == "odd" or .id == "is" or .id == "set" or .id == "written") | [.id, .in]] |
        sort' run.json)"
claim "parameters and defaults" jq -e '.stages[] | select(.id == "model") | .parameters.budget == "\"8KB\"" and
    (.defaults | has("budget")) and .thread >= 1' "$out"
leat_run graph one.lua --summary run.json --format dot
claim "dot has counts of edges" grep -qE '"set" -> "[a-z]+" \[label="891"\];' "$out"
claim "and boxes of threads" test "$(grep -c 'subgraph cluster_' "$out")" = "$(jq '.plan.threads | length' check.json)"
claim "every stage once" equal "$(grep -cE '^ +"[a-z]+[0-9]*" \[label' "$out")" 10
! there_is dot "dot reads it" || claim "dot reads it" dot -Tsvg -o graph.svg "$out"
claim "nothing acts on a terminal" sh -c "! LC_ALL=C grep -q \"\$(printf '\\033')\" '$out'"

# ---- not of this pipeline, or of nobody ----
sed 's/id = "model"/id = "other"/' one.lua >other.lua
leat_run graph other.lua --summary run.json
claim_exit "a summary of another pipeline" 1
claim_says "is refused" "it has no stage other (learn.awm)"
echo '{"stages": 3' >broken.json
leat_run graph one.lua --summary broken.json
claim_exit "and what is no JSON" 1
jq '.stages[].in = "\u001b[2J" | .stages[].seconds = -1' run.json >forged.json
leat_run graph one.lua --summary forged.json
claim "numbers that are none count as 0" grep -q "0 in, " "$out"
rm in.csv
leat_run graph one.lua
claim_exit "without its input it is still shown" 0

# Long parameters take a few lines, and none is wider than a terminal.
cat >long.lua <<'LUA'
local leat = require "leat"
local columns = {}
for i = 1, 30 do columns[i] = "column_of_number_" .. i end
return leat.pipeline "long" { leat.source.file { path = "in.csv" }, leat.parse.csv { columns = columns, header = false },
  leat.shape.where { "column_of_number_1 == '" .. ("x"):rep(200) .. "'" }, leat.sink.null {} }
LUA
leat_run graph long.lua
# bytes: an ellipsis has three
claim "no line is wider than 80 columns" awk 'length > 82 { bad = 1 } END { exit bad }' "$out"
claim "a list is not cut in its middle where it fits five lines" grep -q '"column_of_number_6",' "$out"
claim "one that does not has its first and its last" grep -q 'column_of_number_30" }' "$out"
claim "a long text is cut" grep -q 'x…xxxxx' "$out"
done_claims
