# Every message about a mistake, of stages and host, is a sentence. It names the parameter or the wrong thing, has a
# verb, and no forbidden word. The test reads the sources.
. "$(dirname "$0")/../support/claims.sh"
cd "$(dirname "$0")/../.." || exit 1
: >"$err" # nothing is run here

# FILE:LINE <tab> call <tab> parameter <tab> text of every call of error, warn, fail, reject, refuse,
# diag_add, node_error, run_fail and model_fail: the call from its name to its semicolon, its string literals joined.
sources()
{
    find plugins runtime -name '*.[ch]'
}
sources | xargs awk '
    function report(  call, args, param, text, best, rest) {
        match(held, /(node_error|error|warn|fail|reject|refuse|diag_add)\(/)
        call = substr(held, RSTART, RLENGTH - 1)
        args = substr(held, RSTART + RLENGTH)
        param = "-"
        if (call == "error" || call == "warn") {
            rest = args
            sub(/^[^,]*, */, "", rest)
            param = rest
            sub(/,.*/, "", param)
            args = substr(rest, length(param) + 1)
        }
        text = best = ""
        while (match(args, /"([^"\\]|\\.)*"/)) {
            text = text substr(args, RSTART + 1, RLENGTH - 2)
            args = substr(args, RSTART + RLENGTH)
            if (args ~ /^[ \t]*(PRI[a-zA-Z0-9]+[ \t]*)?"/) continue
            if (call != "diag_add" && call != "node_error") break # there, names of stage and parameter come first
            if (length(text) > length(best)) best = text
            text = ""
        }
        if (length(best) > length(text)) text = best
        if (text != "") printf "%s:%d\t%s\t%s\t%s\n", file, line, call, param, text
    }
    FNR == 1 { held = "" }
    held == "" && /(->|\.)(error|warn|fail|reject|refuse)\(|(diag_add|node_error|run_fail|model_fail)\(/ &&
    !/^ *\*|\/\*/ {
        held = substr($0, match($0,
        /(->|\.)(error|warn|fail|reject|refuse)\(|(diag_add|node_error|run_fail|model_fail)\(/))
        file = FILENAME; line = FNR
        if (held ~ /;[ \t]*$/) { report(); held = "" }
        next
    }
    held != "" { held = held " " $0; if (/;[ \t]*(\/\*.*)?$/) { report(); held = "" } }
' >"$tmp/messages"

verbs='is|are|matches|check|was|were|be|been|has|have|had|must|may|can|cannot|could|should|does|do|did|gives?|takes?|takes|needs?|
keeps?|holds?|wants?|makes?|names?|makes|lacks?|ends?|ended|begins?|starts?|comes?|came|put|use|raise|lower|leave|give|write|wrote|read|reads|
refers?|exceeds?|allows?|allowed|fits?|fit|differs?|differ|belongs?|learns?|counts?|counted|reads?|expects?|expected|found|finds?|means?|
failed|fails?|changed|follows?|occurs?|applies|apply|stands?|became|becomes?|adds?|add|shows?|remove|choose|set|
contains?|depends?|works?|knows?|returns?|returned|refuses?|refused|rejects?|rejected|answers?|answered|closed?|opens?|broke|stopped|stores?|supports?|
commits?|committed|deleted|lost|loses?|ran|runs?|lies|lie|sends?|sent|asks?|belong|meets?|reaches?|reached|replaced|say|says|cuts?|tells?|tell|repeats?|appears?|ignored?|uses|used|missing'
verbs=$(tr -d '\n' <<<"$verbs")
words='anew|goes on|go on|gone on|no less than|so-manieth|worked off|epoch|yardstick|letters? of the dead|all the same'

count=$(wc -l <"$tmp/messages")
claim "the sources have messages to look at ($count)" test "$count" -gt 200
# A text that only holds other texts ("'%s' %s", "byte %u: %s") is looked at where those are made.
awk -F'\t' '{ text = $4; gsub(/byte %u:|^%s before|%[-0-9.*]*(l*|z)[a-z]|, at byte/, "", text);
    sub(/^([a-z_]+( = [^:]*)?:|section( pipeline)?)/, "", text)
    sub(/\(all  records of the batch\)/, "", text) } text ~ /[a-z]/ && ($2 !~ /^(diag_add|node_error)$/ || $4 ~ / /)' \
    "$tmp/messages" >"$tmp/whole"
nothing() { [[ ! -s $1 ]] || { cat "$1"; return 1; }; }
# The text alone is searched: names of files hold words, too.
cut -f4 "$tmp/whole" | grep -nvwiE "$verbs" | cut -d: -f1 >"$tmp/numbers"
awk -F'\t' 'NR == FNR { bad[$1]; next } FNR in bad { print $1 "\t" $4 }' "$tmp/numbers" "$tmp/whole" >"$tmp/no_verb"
claim "every message has a verb" nothing "$tmp/no_verb"
# (The stage is printed before each: "file (source.file): cannot open x: no such file".)
awk -F'\t' -v v="^(is|are|was|were|has|have|had|must|can|does|did|gives|takes|needs|holds|makes) " \
    '($2 != "error" && $2 != "warn" || $3 == "NULL") && $4 ~ v { print $1 "\t" $4 }' "$tmp/whole" >"$tmp/no_subject"
claim "every message has a subject: its parameter, or a word of its own" nothing "$tmp/no_subject"
grep -wiE "$words" <(cut -f1,4 "$tmp/whole") >"$tmp/foreign"
claim "no message has words that the house does not use" nothing "$tmp/foreign"

# ---- what a message says to do ----
cd "$tmp" || exit 1
printf 'a,b\n1,2\n' >a.csv
mistake() { # mistake WORDS STAGES TEXT…: check says the texts of these stages
    printf 'local leat = require "leat"\nreturn leat.pipeline "m" { leat.source.file { "a.csv" }, %s, leat.sink.null {} }\n' "$2" >m.lua
    leat_run check m.lua
    claim_says "$1" "${@:3}"
}
mistake "a parameter of another stage is sent there" 'leat.parse.csv { encoding = "latin-1" }' \
    "csv (parse.csv): unknown parameter 'encoding': set it in file (source.file), which takes it"
mistake "unless a slip of its own is nearer" 'leat.parse.csv { column = { "a" } }, leat.label.number { "a" }' \
    "unknown parameter 'column': did you mean 'columns'?"
mistake "a stage is found by a word of its documentation" 'leat.parse.csv {}, leat.shape.join { "a.csv" }' \
    "there is no stage 'shape.join': did you mean 'shape.lookup'?"
mistake "unless a slip is nearer" 'leat.parse.csv {}, leat.shape.lokup { "a.csv" }' \
    "there is no stage 'shape.lokup': did you mean 'shape.lookup'?"
mistake "who writes access logs names their format" 'leat.parse.regex { format = "nginx" }' \
    'not "nginx": did you mean "combined"?'
mistake "Apache, too" 'leat.parse.regex { format = "apache" }' 'did you mean "combined"?'
leat_run plugins join
claim "stages are listed by a word of their documentation" grep -q '^  shape.lookup ' "$out"
claim_says "and it is said that no stage has that name" "there is no stage 'join'; these stages mention it"
leat_run plugins percentile
claim "so that a percentile is found" grep -q '^  shape.window ' "$out"
leat_run plugins qqq
claim_says "of a word that none has nothing is listed" "there is no stage 'qqq' ('leat plugins' lists all"
printf '{"x":"%s,50","k":"a"}\n' 11 12 13 >de.jsonl
leat_run run "$OLDPWD/pipelines/explain.lua" --quiet --set data=de.jsonl --set metric=x --set attributes=k \
    --set dead_letters=dead
claim "what to do is said once" equal "$(grep -c 'for parse.csv give numbers' "$err") $(grep \
    -c "'1[23],50' is not a number: as above" "$err")" "2 2"
claim_says "and not of CSV alone" "for other formats convert it with shape.set, by replace and number"
claim "dead letters are kept where the applications are told so" equal "$(wc -l <dead)" 3
{ echo a,n && for i in {1..40}; do echo "x,bad"; done && echo x && echo 'y,"1"2' &&
    for i in {1..200}; do echo "y,$i"; done; } >rejects.csv
printf 'local leat = require "leat"\nreturn leat.pipeline "m" { leat.source.file { "rejects.csv" }, leat.parse.csv { numbers = { "n" } }, leat.sink.null {}, dead_letters = leat.args.dead }\n' >rejects.lua
leat_run run rejects.lua --progress never
claim "of many rejected records ten are shown, and the first of each reason" equal "$(grep -c 'rejects.csv:' "$err")" 12
claim_says "those, too, that come late" "rejects.csv:42 " "the row has 1 fields and must have 2" "rejects.csv:43 "
claim "that there are more is said once" equal "$(grep \
    -c 'further rejected records are counted, and shown only for a new reason (dead_letters = "FILE" keeps them)' \
    "$err")" 1
claim "and at the end how many there were, by reason, and how many were shown" grep \
    -qE '^leat: 242 records in .*, 42 rejected: number 40, (fields 1, quote 1|quote 1, fields 1) \(12 are shown, dead_letters = "FILE" keeps all\)$' "$err"
leat_run run rejects.lua --progress never --set dead=kept.jsonl
claim_says "where they are kept their file is named" "shown only for a new reason; all are in kept.jsonl" \
    "(12 are shown, all are in kept.jsonl)"
claim "which has all" equal "$(wc -l <kept.jsonl)" 42
leat_run run rejects.lua --quiet --set dead=kept.jsonl
claim_says "a quiet run says so, too" \
    "42 of 242 records were rejected, mostly for number (40 of them): 12 are shown, all are in kept.jsonl"
head -5 rejects.csv >few.csv && sed -i 's/rejects.csv/few.csv/' rejects.lua && seq 1 20 | sed 's/^/y,/' >>few.csv
leat_run run rejects.lua --progress never
claim "where all are shown nothing is said of others" grep -qE ', 4 rejected$' "$err"
leat_run run "$OLDPWD/pipelines/explain.lua" --quiet --set data=de.jsonl --set metric=x --set format=nginx
claim_says "the applications know the names, too" "format is nginx: give csv, json," "did you mean combined?"
printf 'when\n10/Oct/2000:13:55:36 -0700\n' >a.csv
printf 'local leat = require "leat"\nreturn leat.pipeline "m" { leat.source.file { "a.csv" }, leat.parse.csv {}, leat.parse.time { "when" }, leat.sink.null {} }\n' >m.lua
leat_run check m.lua
claim_says "a time of an access log is known" 'format = "clf" reads it'
done_claims
