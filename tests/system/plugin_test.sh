# leat plugin test: a faulty stage breaks each law, and all stages of leat obey them.
# tier: long (40 s, waits)
. "$(dirname "$0")/../support/claims.sh"
root=$PWD B=$PWD/${B:-build/release}
families=$B/lib/leat/plugins broken=$B/tests/plugins

breaks() { # FILE STAGE LAW [TEXT]
    "$LEAT" plugin test "$broken/broken_$1.so" --stage "broken.$2" --law "$3" >"$tmp/said" 2>&1
    [[ $? == 1 ]] && grep -q "^not ok broken.$2 $3: " "$tmp/said" && grep -q "${4:-}" "$tmp/said"
}
# Sanitizers end a process that writes where it must not, and have an allocator of their own.
not_sanitized=" overflows unchecked unbounded leaks forgets leaks_little forgets_little "
while read -r file stage law text; do
    if [[ $LEAT != *release* && $not_sanitized == *" $stage "* ]]; then
        skip "$file: $stage is told by $law" "sanitizers tell it themselves"
    else
        claim "$file: $stage is told by $law" breaks "$file" "$stage" "$law" "$text"
    fi
done <<'BROKEN'
transforms exits            runs            it ended the process (exit status 0) in process, batch 3
transforms exits_open       runs            it ended the process (exit status 3) in open
transforms exits_at_once    runs            it ended the process (exit status 0) in process, batch 3
transforms aborts_with_words runs           stderr:   word 295
transforms crashes          runs            process crashed (SIGSEGV) in process, batch 3
transforms aborts           runs            process crashed (SIGABRT) in process, batch 3
transforms hangs            runs            it did not return in process, batch 3
transforms fails            hostile         an empty cell
transforms fails_quietly    hostile         process returned 0 after host->fail
transforms fails_always     returns         process returned 0 after host->fail
transforms overflows        hostile         crashed
transforms too_many         hostile         no room for entry
transforms returns_7        returns         process returned 7
transforms unfilled         columns-filled  did not fill its column 'length' for record 0
transforms beyond           inside          it wrote or read beyond the end of length
transforms beyond_self      inside          it wrote or read beyond the end of self
transforms beyond_block     inside          beyond the end of a block of 8 bytes
transforms changes_label    changes         process changed label without declaring LEAT_REWRITES
transforms changes_text     changes         process changed bytes
transforms changes_column   changes         a column that came without declaring LEAT_REWRITES
transforms drops            changes         n_sel
transforms wrong_status     whole-batch     left status\[3\] at 77
transforms wrong_reject     whole-batch     reject: record 400000
transforms nan_value        whole-batch     left value\[0\]
transforms wrong_start      whole-batch     left ex_start
transforms wrong_part       whole-batch     left name\[0\].part\[1\] at 999999
transforms reads_all        selected-only   crashed
transforms keeps            not-kept        a batch of an earlier call
transforms takes_first      empty           crashed
transforms rejects_again    empty           it rejected a record that was filtered or rejected already
transforms numbers          batch-sizes     in batches of 1 records
learners   counts_batches   batch-sizes     in batches of 1 records
learners   label_of_record  arrangement     records and texts lie elsewhere
ends       groups           arrangement     examples and texts lie elsewhere
ends       pairs            arrangement     examples and texts lie elsewhere
transforms counts_lanes     lanes           the output of three lanes
transforms counts           stateful        does not declare LEAT_STATEFUL
transforms counts_all       instances       together with another one
transforms large            planned         more than planned
transforms unchecked        runs-out        crashed (SIGSEGV) in open, when allocation 1 fails
transforms misnamed         runs-out        open returned -3 when allocation 1 failed
transforms allocates        steady          blocks are allocated in process
transforms leaks            steady          bytes more are in use
sources    holds            steady          blocks are allocated in produce
sources    borrows          steady          blocks are allocated in produce
sources    forgets          steady          bytes more are in use
transforms prints           process         to standard output
transforms walks            process         the working directory
transforms masks            process         umask
transforms speaks           process         locale
transforms listens          process         SIGUSR1
transforms opens            process         1 more descriptors are open
transforms exports          process         environment
transforms rounds           process         rounding
transforms spawns           process         1 more threads are there
transforms writes_cfg       pure            cfg is only read
transforms other_schema     pure            negotiate is not repeatable
checks     cuts_text        pure            has changed a text in the configuration
checks     other_field      pure            its fields
checks     grows            pure            the bounds or the contents differ
checks     scores_later     pure            the bounds or the contents differ
transforms undescribed      descriptor      it has no example
transforms misled           example         colum
learners   learns_first     predicts-first  depends on its label
learners   some_scores      scores          a finite number
learners   whole_batches    slices          learns each batch in slices
learners   takes_weightless weight-0        weight 0
learners   other_columns    query           'share' is promised
learners   counts_questions query           the second answer
learners   asks_memory      runs-out        in query, when allocation 1 fails
learners   save_less        restore         of the stage restored after batch 1
learners   restore_twice    restore         restored after batch 1
states     drops_sign       restore         restored after batch
states     drops_text       restore         restored after batch
states     drops_array      restore         restored after batch
states     unbounded        damaged-state   crashed
learners   save_count       snapshot        the snapshot of a restored state
numbers    takes_infinity   finite          field 'sum' of its state
learners   infinite_label   finite          field 'sum' of its state
learners   restore_anything damaged-state   crashed
learners   restore_at_once  damaged-state   but has changed what the stage
learners   refuse_silently  damaged-state   returns -4
learners   restore_newest   versions        version 0
learners   merge_once       merge-weight    against two
learners   merge_over       merge-commutes  weight of mean
learners   merge_more       merge-identity  a state merged with a fresh one
learners   merge_halves     merge-associates a + (b + c)
learners   merge_plain      merge-counts    weight of mean
learners   merge_even       merge-counts    against nine
learners   merge_leaks      runs-out        leaves 1 blocks more
ends       returns_5        returns         produce returned 5
ends       by_batch         source-sizes    in batches of
ends       wrong_extent     extents         hold 15 records
ends       blocks           idle            without records
sources    lines_anew       places          byte 192 line 17
sources    offsets_anew     places          byte 192 line 17
sources    named_once       places          numbers.txt byte 192 line 17
ends       waits            idle            expected: 100 ms at most
ends       by_clock         progress        moves without a produce
ends       not_after_stop   checkpoints     durable returned -3
ends       earlier          source-restore  after a restore
cuts       unplanned       planned         more than planned
cuts       takes_all       source-sizes    in batches of 1 records
cuts       saves_given     source-restore  after a restore
ends       flush_never      delivers        the content of its files after barrier
ends       not_cut          resumes         after a restore
commits    commit_nothing   fence           the last one committed
commits    commit_always    fenced          an earlier run commits checkpoint 2 after a later run has called fence
commits    commit_late      positions       of the last commit
commits    commit_each      vanish          differs
commits    commit_in_two    at-once         whose checkpoint is not seen
ends       show_some        show            the answer is empty
weights    all_alike        weights         weight 2 of every second example
weights    counts_weightless weight-0       its state after records of weight 0
weights    query_few        query           its state after a question
weights    query_unseen     query           asked before each batch
weights    restore_some     damaged-numbers as element 7 of 'label'
quietly    sleeps           runs            it did not return in process, batch 3
quietly    sets_cfg         config          cfg is only read
quietly    reads_behind     arrangement     examples and texts lie elsewhere
quietly    leaks_little     steady          bytes more are in use
files      forgets_little   steady          bytes more are in use
files      never_ends       ends            expected: LEAT_EOS
files      deaf             stops           produce waits for
files      header_waits     stops           in header, when the run is being stopped
files      elsewhere        writes          its files are empty
files      keeps_last       writes          files after stop and close, without a barrier, differs
BROKEN

keeps() {
    leat_run plugin test "$broken/broken_$1.so" --stage "whole.$2"
    [[ $status == 0 ]] && ! grep -E '^(not ok|skip)' "$out"
}
for stage in transforms:length transforms:word checks:checked learners:mean states:before numbers:sum ends:count \
    sources:numbered ends:lines ends:examples ends:show cuts:pieces commits:ledger weights:weighed quietly:digit \
    files:bytes files:raw; do
    claim "whole.${stage#*:} keeps all laws" keeps "${stage%:*}" "${stage#*:}"
done

family() {
    leat_run plugin test "$1" "${@:2}"
    [[ $status == 0 ]] || { grep -A4 '^not ok' "$out"; return 1; }
}
for file in "$families"/*.so; do
    claim "all stages of $(basename "$file" .so) keep the laws" family "$file"
done

# Those that need more than what is made: columns that expressions name, a table, a port, a command.
seq 200 | awk 'BEGIN { print "ip,host,ms,copies,office,age,income" }
    { printf "10.0.0.%d,h%d,%d.5,%d,office%d,%d,%d\n", $1 % 7, $1 % 5, $1 * 7 % 90, $1 % 3 + 1, $1 % 6, $1 % 60,
    $1 * 13 % 997 }' >"$tmp/d.csv"
seq 0 4 | awk 'BEGIN { print "ip,owner" } { printf "10.0.0.%d,o%d\n", $1, $1 }' >"$tmp/hosts.csv"
cat >"$tmp/shape.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "shape" {
  leat.source.file { path = leat.args.dir .. "/d.csv" },
  leat.parse.csv { numbers = { "age", "income", "ms" } },
  leat.shape.lookup { path = leat.args.dir .. "/hosts.csv", key = "ip", columns = { "owner" }, missing = "keep" },
  leat.shape.set { "host = lower(host)", "ratio = income / age" },
  leat.shape.where { "ms >= 30 and host != 'h1'" },
  leat.label.is { column = "office", positive = { "office1" } },
  leat.label.weight { column = "copies", classes = "balanced" },
  leat.feature.columns { "office", "host" },
  leat.feature.sides { left = { "office" } },
  leat.learn.product { method = "scod", size = 20 },
}
LUA
cat >"$tmp/ends.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "ends" {
  leat.source.socket { listen = "tcp://127.0.0.1:0" }, leat.parse.lines { column = "text" },
  leat.sink.command { "cat >/dev/null", format = "csv" },
}
LUA
for stage in parsers:parse.csv shape:shape.lookup shape:shape.set shape:shape.where labels:label.weight \
    featurizers:feature.sides learners_product:learn.product; do
    claim "${stage#*:} keeps the laws in a pipeline" family "$families/${stage%:*}.so" "$tmp/shape.lua" \
        --set dir="$tmp" --stage "${stage#*:}"
done
claim "source.socket keeps the laws in a pipeline" family "$families/sources_socket.so" "$tmp/ends.lua"
sed 's/source.socket/source.http/' "$tmp/ends.lua" >"$tmp/posts.lua"
claim "source.http keeps the laws in a pipeline" family "$families/sources_http.so" "$tmp/posts.lua"
claim "sink.command keeps the laws in a pipeline" family "$families/sinks.so" "$tmp/ends.lua" --stage sink.command

# Sources of what is not made here: text with a header that the host cuts, compressed text, packets.
source_of() { # FILE ARGUMENTS PARSER DATA
    printf 'return leat.pipeline "one" { leat.source.%s, leat.parse.%s, leat.sink.null {} }\n' "$2" "$3" |
        sed '1s/^/local leat = require "leat"\n/' >"$tmp/one.lua"
    family "$1" "$tmp/one.lua" --set data="$4" && [[ -z $(grep '^skip' "$out") ]]
}
{ printf '\xef\xbb\xbfname,text\n'; seq 200 | sed 's/.*/&,"a, b\r\n""c""",/'; printf 'last,"without an end'; } \
    >"$tmp/quoted.csv"
gzip -c "$tmp/quoted.csv" >"$tmp/quoted.csv.gz"
{ # 200 packets of 60 bytes
    printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\1\0\0\0'
    for i in $(seq 200); do
        # shellcheck disable=SC2059
        printf "\\x$(printf %02x "$i")\0\0\0\0\0\0\0\x3c\0\0\0\x3c\0\0\0"
        head -c 60 /dev/zero | tr '\0' "\\$(printf %o $((i % 100 + 1)))"
    done
} >"$tmp/packets.pcap"
claim "a source whose bytes the host cuts keeps the laws with a header" \
    source_of "$B/tests/plugins/bytes.so" 'bytes { leat.args.data, piece = 7 }' 'csv {}' "$tmp/quoted.csv"
claim "so does source.file" source_of "$families/sources_file.so" 'file { leat.args.data }' 'csv {}' "$tmp/quoted.csv"
claim "and with compressed text" source_of "$families/sources_file.so" 'file { leat.args.data }' 'csv {}' \
    "$tmp/quoted.csv.gz"
claim "source.null keeps the laws, though it does not end" source_of "$families/sources_null.so" \
    'null { text = leat.args.data }' 'lines {}' a
claim "source.pcap keeps the laws with packets" source_of "$families/sources_pcap.so" 'pcap { leat.args.data }' \
    'packet {}' "$tmp/packets.pcap"

# Sinks that commit into a database: into one of each instance where the script says so, else into the same.
commits_into() {
    printf 'local leat = require "leat"\nreturn leat.pipeline "rows" { leat.source.null { records = 9, text = "a" }, leat.sink.rows { path = "%s/%s" } }\n' "$tmp" "$1" >"$tmp/rows.lua"
    family "$B/tests/plugins/rows.so" "$tmp/rows.lua" --stage sink.rows
}
claim "a sink that commits into SQLite keeps the laws" commits_into rows.db
claim "and with {instance} in a text, each instance has a target of its own" commits_into 'own_{instance}.db'
claim "which are that many" test "$(ls "$tmp"/own_*.db | wc -l)" -gt 20

# ---- the command ----

mine="$families/labels.so"
leat_run plugin test "$mine" --stage label.is --law pure --json
claim "a result is an object" jq -es 'any(.law == "pure" and .result == "ok" and .stage == "label.is")' "$out"
claim "and so are the counts" jq -e 'select(.passed) | .passed == 1 and .failed == 0' "$out"
leat_run plugin test "$mine" --law purr
claim_exit "a law that does not exist is an error of the command line" 2
claim_says "with the nearest one" "there is no law 'purr': did you mean 'pure'?"
leat_run plugin test "$mine" --stage label.in
claim_exit "so is a stage" 2
leat_run plugin test "$tmp/none.so"
claim_exit "and a file that is not there" 2
leat_run plugin test
claim_says "the file is needed" "the file is missing: leat plugin test FILE.so"
leat_run plugin test "$broken/wrong_magic.so"
claim_exit "a plugin that the host refuses breaks a law" 1
claim "which says why" grep -q 'not ok .* load: the host takes it' "$out"
done_claims
