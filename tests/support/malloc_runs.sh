# malloc_runs.sh -- pipelines of all kinds of stages on small inputs, and the checks of a run with one failed call.
#
# Scripts source it after claims.sh, in $tmp. All pipelines write into the folder `out`.
#
#   malloc_inputs             makes inputs and scripts: linear.lua, columns.lua, …
#   malloc_places ARGS…       prints the k that need malloc_judge. It tries those before the first thread in forked
#                             children. The file `count` has the number of all
#   malloc_whole ARGS…        runs the command without a failure, and stores its `out` and `state` in `whole`
#   malloc_judge K ARGS…      runs the command with a failure of call K. Returns 0, or prints the faults of the result.
#                             A crash whose instruction is in libpcap or OpenBLAS, which do not check malloc, is not
#                             leat's: 0, and a line in the file `excused`
# MALLOC_FIRST: the first allocation to fail (1). EACH: of those with runs of their own, each n-th only (1).
# MALLOC_ALONE: not empty: a separate run for each allocation, of a command that must not overwrite existing output.
# MALLOC_FROM: a folder whose contents (out, state, …) are there before each command. MALLOC_WORDS: pattern of the
# message of a failure.
malloc_preload=${MALLOC_PRELOAD:-$PWD/${B:-build/release}/tests/preload/count_malloc.so}
MALLOC_WORDS=${MALLOC_WORDS:-memory|gives no|cannot be loaded}

# malloc_le N BYTES: prints a number, lowest byte first
malloc_le() { local n=$1 i; for ((i = 0; i < $2; i++)); do printf '\\x%02x' $((n >> 8 * i & 255)); done; }
# malloc_capture HOST…: prints a packet of TCP from each 10.0.0.HOST
malloc_capture() {
    local host
    printf "$(malloc_le $((0xa1b2c3d4)) 4)$(malloc_le 2 2)$(malloc_le 4 2)$(malloc_le 0 8)$(malloc_le 65535 \
        4)$(malloc_le 1 4)"
    for host in "$@"; do
        printf "$(malloc_le 1700000000 4)$(malloc_le 0 4)$(malloc_le 54 4)$(malloc_le 54 4)"
        printf "$(sed 's/../\\x&/g' <<<"020000000001020000000002080045000028000100004006""00000a0000$(printf %02x \
            "$host")c0a80001c00000500000000000000000500000000000""0000")"
    done
}

malloc_inputs() {
    awk 'BEGIN { srand(5); for (i = 0; i < 300; i++) { y = rand() < .4; if (i % 3 == 1) print "bad\xff"; else {
        printf "%s", y ? "+1" : "-1"; for (j = 0; j < 4; j++) printf " %d:1",
        1 + int(rand() * 20) + (y ? 5 : 0) + 100 * j; print "" } } }' >rows.svm
    # 1,207 features: tables double
    awk 'BEGIN { srand(6); for (i = 0; i < 400; i++) printf "%s %d:1 %d:1 %d:1 %d:.5\n", rand() < .5 ? "+1" : "-1",
        5 * i, 5 * i + 1, 5 * i + 2, i % 7 + 9000 }' >wide.svm
    head -60 wide.svm >some.svm
    sed 's/ / |f /' rows.svm >rows.vw
    awk 'BEGIN { srand(7); print "k,a,b,n"; for (i = 0; i < 300; i++) printf "%c,%d,b%d b%d,%.2f\n",
        97 + int(rand() * 3), rand() * 9, rand() * 20, rand() * 20, rand() }' >rows.csv
    tr , '\t' <rows.csv | zstd -q >rows.tsv.zst
    gzip -k rows.csv && bzip2 -k rows.csv && xz -k rows.csv && lz4 -q rows.csv rows.csv.lz4
    malloc_capture 1 1 2 3 1 2 1 4 5 1 >a.pcap
    malloc_capture 2 1 2 3 2 2 3 4 5 2 | gzip >b.pcap.gz

    # One folder for all: it has only what a test needs.
    cat >linear.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "linear" {
  leat.source.file { path = "rows.svm" }, leat.parse.libsvm { lanes = 2 },
  leat.tee {
    { leat.learn.space_saving { budget = "2KB" }, leat.sink.predictions { path = "out/predictions" } },
    { leat.learn.wm { id = "wm", budget = "2KB" }, leat.learn.logistic {} },
    { leat.learn.hash { budget = "2KB" }, leat.learn.truncation { budget = "2KB" }, leat.learn.prob_truncation { budget = "2KB" } },
  },
  leat.merge(), leat.learn.awm { id = "awm", budget = "2KB" },
  leat.sink.top { of = "awm", path = "out/top", format = "csv", every = 50 },
  leat.sink.changes { of = "wm", path = "out/changes", every = 50 },
  leat.sink.metrics { of = "awm", path = "out/metrics", every = 50 },
  dead_letters = "out/dead", max_reject_ratio = 1, batch_rows = 32,
}
LUA
    cat >letters.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "letters" {
  leat.source.file { path = "dead" }, leat.parse.dead_letters {}, leat.parse.lines { column = "text" },
  leat.label.constant { value = 1 }, leat.feature.tokens { column = "text" }, leat.learn.frequent {}, leat.sink.file { path = "out/text", format = "jsonl" },
  leat.sink.top { path = "out/top", format = "jsonl" },
}
LUA
    cat >columns.lua <<'LUA'
local leat = require "leat"
local mean = { sum = 0, n = 0 }
return leat.pipeline "columns" {
  leat.source.file { path = "rows.csv.gz" }, leat.parse.csv {},
  leat.filter(function(a) return a % 4 ~= 0 end, { "a:number" }),
  leat.map(function(b, n) mean.sum, mean.n = mean.sum + n, mean.n + 1; return b .. "+", mean.sum / mean.n end, { "b", "n:number" }, { "sum", "mean" }, { state = "mean" }),
  leat.batch(function(b) for i in b:rows() do if b:get(i, "k") == "c" and i % 5 == 0 then b:reject(i, "a c") end end end),
  leat.label.is { column = "k", positive = { "a" } }, leat.label.holdout { period = 7 },
  leat.feature.columns { columns = { "a", "b" }, cross = 2 }, leat.feature.normalize {}, leat.feature.hash { bits = 10 },
  leat.learn.awm { id = "awm", budget = "2KB", counts = true }, leat.sink.top { path = "out/top", format = "jsonl", min_count = 2 },
  leat.sink.file { path = "out/rows", format = "csv" },
  dead_letters = "out/dead", max_reject_ratio = 1, batch_rows = 32,
}
LUA
    cat >forks.lua <<'LUA'
local leat = require "leat"
local function rows(path) return { leat.source.file { path }, leat.parse.csv {} } end
return leat.pipeline "forks" {
  leat.merge { rows "rows.csv.bz2", rows "rows.csv.xz", rows "rows.csv.lz4" },
  leat.route("k", { a = leat.map(function(b) return b .. "a" end, { "b" }), ["*"] = { leat.tee { {}, {} }, leat.merge() } }),
  leat.merge(),
  leat.label.is { column = "k", positive = { "a" } }, leat.feature.columns { "a", "b" }, leat.learn.count_min { budget = "8KB" },
  leat.sink.file { path = "out/rows", format = "csv" }, leat.sink.top { path = "out/top", format = "csv" },
  batch_rows = 64, threads = 4,
}
LUA
    cat >words.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "words" {
  leat.source.file { path = "rows.tsv.zst" }, leat.parse.tsv {}, leat.label.quantile { column = "n", q = .8, warmup = 20 },
  leat.feature.tokens { column = "b" },
  leat.tee {
    { leat.learn.paired_count_min { id = "pairs", budget = "8KB" }, leat.learn.space_saving { budget = "2KB" } },
    { leat.feature.pairs { window = 2, negatives = 2, reservoir = 100 }, leat.learn.awm { id = "pmi", bias = "none", budget = "4KB" }, leat.sink.top { of = "pmi", path = "out/top", format = "csv" } },
  },
  batch_rows = 32,
}
LUA
    cat >packets.lua <<'LUA'
local leat = require "leat"
local function capture(path, label) return { leat.source.pcap { path = path, filter = "tcp" }, leat.parse.packet {}, leat.label.constant { value = label } } end
return leat.pipeline "packets" {
  leat.merge { capture("a.pcap", 1), capture("b.pcap.gz", -1) }, leat.feature.columns { columns = "src,dport", explode = true },
  leat.learn.logistic { rates = "newton", counts = true }, leat.sink.top { path = "out/top", format = "csv" },
}
LUA
    cat >vw.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "vw" {
  leat.source.file { path = "rows.vw" }, leat.parse.vw { ignore = { "g" }, lanes = 2 }, leat.learn.mission { budget = "2KB" },
  leat.eval.drift { path = "out/adwin", delta = 0.5, changes = "all" },
  leat.eval.drift { id = "sums", detector = "page_hinkley", threshold = 1, path = "out/sums", format = "jsonl" },
  leat.sink.top { path = "out/top", format = "csv" }, leat.sink.predictions { path = "out/predictions" },
  leat.tee {
    { leat.result.predictions {}, leat.sink.file { path = "out/results", format = "csv" } },
    { leat.result.top { every = 50 }, leat.sink.file { path = "out/result_top", format = "csv" } },
    { leat.result.changes { every = 50 }, leat.sink.file { path = "out/result_changes", format = "csv" } },
    { leat.result.metrics { every = 50 }, leat.sink.file { path = "out/result_metrics", format = "csv" } },
  },
  dead_letters = "out/dead", max_reject_ratio = 1, batch_rows = 32,
}
LUA
    cat >newton.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "newton" {
  leat.source.file { path = "wide.svm" }, leat.parse.libsvm {}, leat.learn.rfd_son { m = 5 }, leat.learn.fd_son { m = 5 }, leat.learn.adagrad {}, leat.learn.ftrl_proximal { l1 = 0.1 },
  leat.tee { leat.learn.oja_son { m = 5 }, leat.learn.rp_son { m = 5 }, leat.learn.s_adagrad { m = 5 } }, leat.merge(),
  leat.sink.top { of = "rfd_son", path = "out/top", format = "csv" }, leat.sink.predictions { path = "out/predictions" }, batch_rows = 64,
}
LUA
    cat >machines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "machines" {
  leat.source.file { path = leat.args.data or "wide.svm" }, leat.parse.libsvm {}, leat.learn.sftrl { m = 5 }, leat.learn.fm { factors = 4 }, leat.learn.bias {},
  leat.sink.top { of = "sftrl", path = "out/top", format = "csv" }, leat.sink.top { of = "fm", path = "out/factors", format = "csv" },
  leat.sink.predictions { path = "out/predictions" }, batch_rows = 64,
}
LUA
    cat >square.lua <<'LUA'
local leat = require "leat"
local few = { max_features = 256 }
return leat.pipeline "square" {
  leat.source.file { path = "some.svm" }, leat.parse.libsvm {}, leat.learn.fm_ftrl(few), leat.learn.ogd(few), leat.learn.ocg(few), leat.learn.full_on(few),
  leat.sink.top { of = "full_on", path = "out/top", format = "csv" }, leat.sink.predictions { path = "out/predictions" }, batch_rows = 16,
}
LUA
    cat >judges.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "judges" {
  leat.source.file { path = "rows.csv" }, leat.parse.csv {}, leat.label.is { column = "k", positive = { "a" } },
  leat.feature.tokens { column = "b" }, leat.learn.awm { id = "awm", budget = "2KB" },
  leat.tee {
    { leat.eval.risk { of = "awm", path = "out/risk", k = 20 }, leat.eval.deltoids { of = "awm", path = "out/deltoids", min_count = 1 } },
    { leat.eval.directions { m = { "5" }, features = 256, path = "out/directions" } },
    { leat.feature.sides { halves = true }, leat.learn.product { size = 10 }, leat.eval.product { sizes = { "10" }, path = "out/errors", seed = 1 } },
    { leat.feature.pairs { window = 2, negatives = 2, reservoir = 100 }, leat.learn.awm { id = "pmi", bias = "none", budget = "4KB" }, leat.eval.pmi { of = "pmi", column = "b", path = "out/pmi", format = "csv" } },
  },
  batch_rows = 32,
}
LUA
    cat >product.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "product" {
  leat.source.file { path = "wide.svm" }, leat.parse.libsvm {}, leat.feature.sides { below = 1000 }, leat.learn.product { size = 10 },
  leat.sink.top { path = "out/top", format = "csv" }, batch_rows = 64,
}
LUA
}

malloc_fresh() {
    rm -rf out state
    mkdir out
    [[ -z ${MALLOC_FROM:-} ]] || cp -r "$MALLOC_FROM/." .
}

# Prints the k that need their own run: those whose forked children did not end properly, and those with threads.
malloc_places() {
    malloc_fresh
    rm -f each
    if [[ -n ${MALLOC_ALONE:-} ]]; then
        COUNT_MALLOC=count LD_PRELOAD=$malloc_preload "$LEAT" "$@" >out/stdout 2>"$err" && seq 1 "${EACH:-1}" "$(cat count)"
        return
    fi
    COUNT_MALLOC=count COUNT_MALLOC_BEFORE=before FAIL_MALLOC_EACH=$PWD/each FAIL_MALLOC=${MALLOC_FIRST:-1} \
        LD_PRELOAD=$malloc_preload \
        "$LEAT" "$@" >out/stdout 2>"$err" || return 1
    [[ ! -e each ]] || cat each
    seq $(($(cat before) + 1)) "${EACH:-1}" "$(cat count)"
}

# Compares all files, without seconds in figures; of the state, the learned part.
malloc_same() { # malloc_same A B
    local name
    for name in $(cd "$1" && ls); do
        if [[ $name == metrics ]]; then
            cmp -s <(jq -c 'del(.seconds)' "$1/$name") <(jq -c 'del(.seconds)' "$2/$name") ||
                { echo "$name differs"; return 1; }
        elif [[ $name == stdout ]]; then # of learners has their speed
            cmp -s <(timeless "$1/$name") <(timeless "$2/$name") || { echo "$name differs"; return 1; }
        elif [[ $name == *.snapshot ]]; then # has the time of its making
            cmp -s <(malloc_models "$1/$name") <(malloc_models "$2/$name") || { echo "$name differs"; return 1; }
        else
            cmp -s "$1/$name" "$2/$name" || { echo "$name differs"; return 1; }
        fi
    done
}
# has seconds
malloc_models() { "$LEAT" model dump "$1" | sed 1d | grep '"section":"stage/' |
    grep -v 'stage/metrics/0","field":"length"'; }

malloc_whole() {
    malloc_fresh
    "$LEAT" "$@" >out/stdout 2>"$err" || return 1
    rm -rf whole whole.models
    cp -r out whole
    [[ ! -d state ]] || malloc_models state >whole.models
}

malloc_judge() {
    local k=$1 status
    shift
    malloc_fresh
    rm -f crash_in
    timeout -s KILL 60 env FAIL_MALLOC="$k" CRASH_IN="$PWD/crash_in" LD_PRELOAD="$malloc_preload" "$LEAT" "$@" \
        >out/stdout 2>"$err"
    status=$?
    if grep -qsE '/lib(pcap|openblas)[^/]*\.so' crash_in; then
        echo "$k of $*: $(tail -1 "$err")" >>excused
        return 0
    fi
    ! grep -q '^Operating system error' "$err" || return 0 # libgfortran ends the process while BLAS is loaded
    ((status <= 2)) || { echo "status $status: $(tail -1 "$err")"; return 1; }
    if ((status == 0)); then
        ! grep -q 'not enough memory for more than' "$err" || return 0 # a table that cannot grow
        malloc_same whole out || return 1
        [[ ! -d state ]] || cmp -s <(malloc_models state) whole.models || { echo "another model"; return 1; }
        return 0
    fi
    # check --json prints problems
    grep -qiE "$MALLOC_WORDS" "$err" out/stdout || { echo "status $status, no reason: $(head -1 "$err")"; return 1; }
    [[ " $* " == *" --state "* ]] || return 0
    "$LEAT" "$@" >out/stdout 2>"$err" || { echo "cannot continue: $(head -1 "$err")"; return 1; }
    malloc_same whole out || { echo "after it had continued"; return 1; }
    cmp -s <(malloc_models state) whole.models || { echo "another model, after it had continued"; return 1; }
}
