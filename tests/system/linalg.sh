# The option `linalg` of a pipeline: OpenBLAS computes large products of matrices, and whoever reads a state is told.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(5); print "a,b,y"
    for (i = 0; i < 3000; i++) { a = int(400 * rand()); b = int(400 * rand()); print a "," b "," (a + b + 90 * rand() > 450) } }' >data.csv
cat >p.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "p" {
  leat.source.file { "data.csv" }, leat.parse.csv {}, leat.label.class { column = "y", classes = { "0", "1" } },
  leat.feature.columns { "a", "b" },
  leat.learn.rfd_son { id = "model", m = 60, max_features = 1024, names_budget = "64KB" },
  leat.sink.predictions { path = "scores.csv" }, linalg = leat.args.linalg,
}
LUA

leat_run check p.lua --set linalg=openblass
claim_exit "a wrong value is refused" 2
claim_says "with the likely one" 'linalg must be "own" or "openblas", not "openblass": did you mean "openblas"?'

leat_run run p.lua --quiet --state own
claim_exit "own products are the default" 0
cp scores.csv own.csv
leat_run check p.lua
claim "of which check says nothing" eval '! grep -qi openblas "$out"'
leat_run run p.lua --quiet --set linalg=own
claim "they may be named" cmp scores.csv own.csv
claim "and load no library" eval '! LD_DEBUG=files "$LEAT" run p.lua --quiet 2>&1 | grep -q libopenblas'

# A folder of an empty libopenblas.so.0 stands for a machine that has none.
mkdir none && : >none/libopenblas.so.0
LD_LIBRARY_PATH=$tmp/none leat_run run p.lua --quiet --set linalg=openblas
claim_exit "a library that cannot be loaded is refused" 2
claim_says "by the name of its package" "p.lua:2: error: pipeline: linalg: OpenBLAS cannot be loaded" "libopenblas0"

leat_run check p.lua --set linalg=openblas
((status == 0)) || skip_rest "OpenBLAS is not installed"
grep -qw fma /proc/cpuinfo && export OPENBLAS_CORETYPE=Haswell
rm scores.csv
leat_run run p.lua --quiet --set linalg=openblas --state blas
claim_exit "OpenBLAS computes them if the pipeline says so" 0
claim "its results are the same up to rounding" eval 'paste own.csv scores.csv |
    awk "NR > 1 { d = \$2 - \$5; if (d * d > 1e-10 * (1 + \$2 * \$2)) exit 1 } END { exit NR != 3001 }"'
"$LEAT" model diff own blas >difference
claim "as other digits of the state show" grep -qE 'coefficients: [0-9]+ of .* elements differ' difference
claim "a comparison of models lists it" grep -qE "^  linalg: own products and OpenBLAS [0-9.]+ [A-Za-z0-9]+$" difference
cp scores.csv blas.csv
leat_run run p.lua --quiet --set linalg=openblas
claim "on one machine they are the same bytes" cmp scores.csv blas.csv

library='OpenBLAS [0-9.]+ [A-Za-z0-9]+'
leat_run check p.lua --set linalg=openblas
claim "check says the library, its version and its kernels" grep -qE "^products of matrices: by $library$" "$out"
leat_run check p.lua --set linalg=openblas --json
claim "also in JSON" jq -e '.graph.linalg | startswith("OpenBLAS ")' "$out"
leat_run model info blas
claim "the model keeps them" grep -qE "^  products  by $library$" "$out"
leat_run model info own
claim "a model of own products has no such line" eval '! grep -q products "$out"'

mixed="results differ in their last digits"
cp -r own goes
leat_run run p.lua --quiet --set linalg=openblas --state goes
claim_exit "a run with OpenBLAS continues a model of own products" 0
claim_says "and says so" "the snapshot was learned with own products, and this run computes with OpenBLAS" "$mixed"
cp -r blas goes2
leat_run run p.lua --quiet --state goes2
claim_says "the other way, too" "the snapshot was learned with OpenBLAS" "this run computes with own products: $mixed"
leat_run model merge both own blas
claim_exit "models of both merge" 0
claim_says "with a warning" "snapshot was learned with OpenBLAS" "snapshot with own products: $mixed"

[[ $LEAT == *release* ]] || skip_rest "sanitizers need all address space"
said=0 hung=0 worked=0
for ((limit = 60000; limit < 900000; limit += 60000)); do
    (ulimit -v $limit && timeout 30 "$LEAT" run p.lua --quiet --set linalg=openblas >"$out" 2>"$err")
    status=$?
    hung=$((hung + (status == 124))) worked=$((worked + (status == 0)))
    grep -q "not enough memory for products of matrices by OpenBLAS, .* MB: raise the limit" "$err" && said=$((said + 1))
done
claim "nothing hangs where OpenBLAS finds no memory" equal $hung 0
claim "which is said" below 1 $said
claim "and with enough all works" below 1 $worked
done_claims
