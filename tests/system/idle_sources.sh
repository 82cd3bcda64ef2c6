# Sources that wait for records do no work, and wake when somebody asks their threads.
# tier: short (waits)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >idle.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "idle" {
  a.listen and leat.source.socket { a.listen, id = "source" } or leat.source.file { a.data, follow = a.follow == "1", id = "source" },
  leat.parse.lines {}, leat.sink.null {},
}
LUA
has_url() {
    url=$(sed -n 's/^leat: watch this run at //p' "$err")
    [[ $url ]]
}
watch() {
    leat_start idle.lua --quiet --http 127.0.0.1:0 "$@"
    until_true has_url
}
get() { curl -gs --max-time 20 "$url$1"; }
has_read() { (($(get status | jq .records) >= $1)); }

# ---- what a source waits for records that come is not its work ----
touch grows
watch --set data=grows --set follow=1
for i in {1..40}; do
    echo "$i" >>grows
    sleep 0.05
done
until_true has_read 40
get metrics >metrics
seconds() { sed -n "s/^leat_stage_$1_seconds_total{stage=\"source\",.*} //p" metrics; }
# Of all threads, of which the source's is one.
worked=$(awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13 + 2) / hz }' "/proc/$pid/stat")
claim "a source is busy for no longer than the process has worked" below "$(seconds busy)" "$worked"
claim "the rest of the time it is starved" below "$(awk -v w="$worked" '/^leat_run_seconds / {
    print ($2 - w) * 0.8 - 0.2 }' metrics)" "$(seconds starved)"
leat_stop
claim_exit "the run ends well" 0

# ---- who asks does not wait for the end of the wait: it has none here ----
[[ $LEAT != *address* && $LEAT != *thread* ]] || skip_rest "sanitizers bear no preload"
patient=${LEAT%/bin/leat}/tests/preload/patient_poll.so
all_answer() { get status | jq -e '[.threads[].late] | any | not'; }
no_late() { get metrics | awk '/^leat_thread_late/ { n++; late += $NF } END { exit !n || late }'; }
mkfifo pipe
patience=30
for source in data=grows,follow=1 data=pipe "listen=unix://$tmp/socket"; do
    LD_PRELOAD=$patient watch --set "${source%,*}" --set "${source#*,}"
    exec 8<>pipe # somebody may write
    for _ in {1..3}; do
        claim "${source%%[:,]*}: all threads answer /status" until_true all_answer
        claim "${source%%[:,]*}: and /metrics" until_true no_late
    done
    echo line >&8
    leat_stop
    claim_exit "${source%%[:,]*}: it ends well" 0
    exec 8>&-
done
done_claims
