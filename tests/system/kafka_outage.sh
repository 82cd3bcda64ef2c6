# While no broker can be reached, all who ask a run why it waits get the outage as the reason.
# tier: long (15 s, waits)
. "$(dirname "$0")/../support/claims.sh"
mock_brokers=1
. "$(dirname "$0")/../support/mock.sh"
patience=40
exec 2>noise # the shell's words on what is stopped
seq 100000 >rows
for topic in from into; do mock topic $topic 1 >/dev/null; done
mock produce from 0 "$tmp/rows" >/dev/null
cat >copy.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "copy" {
  leat.source.kafka { "from", brokers = a.brokers, group = a.group, start = "earliest",
    properties = { "reconnect.backoff.max.ms=300", "session.timeout.ms=6000", "heartbeat.interval.ms=500" } },
  leat.parse.lines {},
  leat.filter(function() for _ = 1, 20000 do end return true end, {}),
  a.into and leat.sink.kafka { a.into, brokers = a.brokers } or leat.sink.file { path = "got", format = "raw" },
  batch_rows = 100,
}
LUA
begin() { # begin ARGS…: $url
    leat_start copy.lua --set brokers="$brokers" --every 300ms --progress never --http :0 "$@"
    until_true grep -q "watch this run" "$err"
    url=$(sed -n 's/^leat: watch this run at //p' "$err")
}
ready() { curl -gs --max-time 20 -o body -w '%{http_code}' "${url}ready"; }
is_ready() { equal "$(ready)" "$1"; }
reads() { [ "$(curl -gs "${url}status" | jq '.records > 500')" = true ]; }
says() { grep -q "$@" "$err"; }

begin --set group=g --set into=into --state state
claim "a run is ready" until_true is_ready 200
until_true reads
mock down 1 >/dev/null
claim "it is not, while no broker can be reached" until_true is_ready 503
claim "and says why" grep -q "^kafka.* waits: no broker .*can be reached: ." body
claim "with the reason of the connection" until_true sh \
    -c "curl -gs '${url}ready' | grep -qi 'refused\|disconnected\|brokers are down'"
claim "the figures agree" equal "$(curl -gs "${url}metrics" | sed -n 's/^leat_ready //p')" 0
claim "no warning ends with a colon" sh -c '! grep -q "waiting for one: *$" "$0"' "$err"
claim "a snapshot that waits gives the outage as its reason" until_true says \
    "a snapshot has waited 10 s for the records under way.*; kafka.* waits: no broker .*can be reached: ."
claim "and does not speak of batch_rows" sh -c '! grep -q batch_rows "$0"' "$err"
mock up 1 >/dev/null
claim "it is ready again, when a broker answers" until_true is_ready 200
leat_stop
claim_exit "and ends well" 0
exec 9>&-
done_claims
