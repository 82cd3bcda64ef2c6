# The way to reach data is no part of a snapshot's identity. Secrets are never shown.
# tier: long (31 s, waits)
. "$(dirname "$0")/../support/claims.sh"
. "$(dirname "$0")/../support/mock.sh"
svm_examples 8 4000 5 300 >rows
head -2000 rows >half

# ---- files that were moved ----
cat >file.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "file" { leat.source.file { leat.args.from }, leat.parse.libsvm {}, leat.learn.awm { id = "model", budget = "2KB" } }
LUA
mkdir old new
cp half old/rows
leat_run run file.lua --set from=old/rows --state s --quiet --summary s.json
mv rows new/rows
leat_run run file.lua --set from="$tmp/new/rows" --state s --quiet --summary s.json
claim "a file that was moved is read on where it was" equal "$status $(json .records) $(stage model examples)" \
    "0 4000 4000"
mv new/rows new/other
leat_run run file.lua --set from=new/other --state s --quiet
claim_exit "one that was renamed is another file" 1
claim_says "which is said" "files may move, but do not rename or remove them"
mv new/other rows

# ---- brokers, properties, memory and names ----
mock topic four 4 >/dev/null
mock produce four -4 "$tmp/half" >/dev/null
cat >kafka.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "kafka" {
  leat.source.kafka { "four", brokers = a.brokers, start = "earliest", ["until"] = "end", group = a.group, instance = a.instance, prefetch = a.prefetch,
    properties = { "sasl.username=me", "sasl.password=" .. a.password, "session.timeout.ms=6000", a.property } },
  leat.parse.libsvm {}, leat.learn.awm { id = "model", budget = "2KB" },
  leat.sink.file { path = "out", format = "raw" },
}
LUA
run_it() { leat_run run kafka.lua --set brokers="$brokers" --set group=g --set password=hunter2 --state k \
    --quiet --summary s.json "$@"; }
run_it
claim_exit "a run with a password" 0
cp -r k before
run_it --set password=swordfish --set brokers="${brokers%,*}" --set instance=me --set prefetch=1MB \
    --set property=linger.ms=7
claim_exit "with another one, other brokers, another name and more memory it goes on" 0
claim "and reads nothing twice" equal "$(wc -l <out)" 2000
no_secret() { ! grep -aqr "hunter2\|swordfish" "$@"; }
claim "no password is in its snapshots" no_secret k before
for command in "check kafka.lua" "check kafka.lua --json" "graph kafka.lua" "graph kafka.lua --dot" "model info k" \
    "model info k --json" "model dump k" "model diff before k" "model verify k"; do
    leat_run $command $([[ $command == *kafka.lua* ]] && echo --set brokers="$brokers" --set group=g \
        --set password=hunter2)
    claim "nor in what is shown by: ${command%% kafka.lua*}" no_secret "$out" "$err"
done
for wrong in "no.such.property=hunter2" "ssl.key.password" "hunter2"; do
    run_it --set property="$wrong"
    claim "nor in a message about: ${wrong/hunter2/…}" no_secret "$out" "$err"
done
sed 's/properties = {.*}/properties = { { "hunter2" } }/' kafka.lua >odd.lua
leat_run check odd.lua --set brokers=a:1 --set password=x
claim "nor in one about a wrong list" no_secret "$out" "$err"

sed 's/properties = {.*} },/properties = a.properties },/' kafka.lua >list.lua
for rest in hunter2 hunter2=x acks=hunter2 "debug=hunter2" 'hunter2=${env:HOME}'; do
    leat_run check list.lua --set brokers=a:1 --set properties="sasl.password=swordfish,$rest"
    claim_exit "the rest of a secret with a comma is refused: ${rest//hunter2/…}" 2
    claim_says "in these words" "list.lua:" "properties: "
    claim "and not shown" no_secret "$out" "$err"
done
for hidden in me:hunter2@a:9092 sasl://me:hunter2@a:9092 a:1,sasl_ssl://me:hunter2@b:1 me:hunter2,x@a:1 hunter2@a; do
    for command in "check kafka.lua" "check kafka.lua --json" "graph kafka.lua" "run kafka.lua"; do
        leat_run $command --set password=x --set brokers="$hidden"
        claim_exit "brokers with a password are refused by: ${command%% kafka.lua*}: ${hidden//hunter2/…}" 2
        claim "in these words" grep -q "an address, which is not shown, has an @" "$out" "$err"
        claim "and not shown" no_secret "$out" "$err"
    done
done
leat_run check kafka.lua --set password=x --set brokers=sasl://a:1
claim_says "a protocol that is none is" "brokers: 'sasl://a:1' is not an address"

run_it --log-level debug --set property=debug=conf,security,broker
claim_says "librdkafka's own log is in the debug log" "kafka (source.kafka): librdkafka: "
claim "where a password is not shown, either" no_secret "$err"

# ---- in the environment, or in a file ----
secret() { run_it --state h --set group=h --set property="fetch.wait.max.ms=$1"; }
unset leat_wait
secret '${env:leat_wait}'
claim_exit "a secret that is not there ends the run" 2
claim_says "which is named" \
    'properties: fetch.wait.max.ms: ${env:leat_wait}: the environment has no variable with this name'
leat_run check kafka.lua --set brokers="$brokers" --set group=g --set password='${env:nowhere}'
claim_exit "and the check" 2
leat_run check kafka.lua --set brokers="$brokers" --set group=g --set password=x \
    --set property='sasl.usename=${env:leat_wait}'
claim_says "and knows what properties there are" "no property 'sasl.usename': did you mean 'sasl.username'?"
leat_wait=swordfish secret '${env:leat_wait}'
claim_says "a value from the environment that is refused" "librdkafka refuses the value of fetch.wait.max.ms"
claim "is not shown" no_secret "$err"
leat_wait=20 secret '${env:leat_wait}'
claim_exit "one that is right is taken" 0
echo 20 >wait
secret '${file:wait}'
claim_exit "so is one from a file" 0
secret '${file:nowhere}'
claim_says "a file that is not there is named" '${file:nowhere} cannot be read: No such file or directory'
exec 9>&-
done_claims
