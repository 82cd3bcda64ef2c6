# TLS and SASL against a real cluster: working settings, and the reason of others within seconds. Secrets are never
# shown.
# tier: long (60 s, waits)
. "$(dirname "$0")/../support/claims.sh"
command -v openssl >/dev/null || skip_rest "TLS is tried with keys that openssl makes (apt-get install openssl)"
keys=$tmp/keys
mkdir "$keys"
# authority NAME; signed NAME BY: a key, its certificate, and both in one file
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -keyout "$keys/$1.key" \
        -out "$keys/$1.pem" 2>/dev/null
}
signed() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$keys/$1.key" \
        -out "$keys/$1.csr" 2>/dev/null
    openssl x509 -req -in "$keys/$1.csr" -CA "$keys/$2.pem" -CAkey "$keys/$2.key" -CAcreateserial -days 2 \
        -out "$keys/$1.pem" \
        -extfile <(echo "subjectAltName=IP:127.0.0.1") 2>/dev/null
    cat "$keys/$1.key" "$keys/$1.pem" >"$keys/$1.both"
}
authority ours && authority theirs && signed server ours && signed client ours && signed stranger theirs
openssl ec -in "$keys/client.key" -aes128 -passout pass:k3y -out "$keys/locked.key" 2>/dev/null
export KAFKA_LISTENERS="SSL SASL_SSL SASL_PLAINTEXT" KAFKA_CONFIG="ssl.keystore.type=PEM
ssl.keystore.location=$keys/server.both
ssl.truststore.type=PEM
ssl.truststore.location=$keys/ours.pem
listener.name.ssl.ssl.client.auth=required
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_leat=\"s3cr3t\";
listener.name.sasl_plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_leat=\"s3cr3t\";"
made=$tmp
. "$(dirname "$0")/../support/kafka/cluster.sh"
keys=$made/keys
trap '[[ $BASHPID != $$ ]] || broker stop; clean_up; rm -rf "$made"' EXIT
begin_cluster 1
exec 2>noise # the shell's words on what is stopped
for name in $KAFKA_LISTENERS; do declare "$name=$(<"$KAFKA_DATA/$name")"; done
seq 10 >ten
kafka topic one 1 1 && kafka produce one 0 ten
cat >read.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "read" {
  leat.source.kafka { "one", brokers = a.brokers, start = "earliest", ["until"] = "end", properties = a.properties },
  leat.parse.lines {}, leat.sink.file { path = "got", format = "raw" },
}
LUA
with() { # with BROKERS PROPERTIES COMMAND ARGS…
    local from=$SECONDS
    leat_run "$3" read.lua --set brokers="$1" --set properties="$2" "${@:4}"
    took=$((SECONDS - from))
}
works() { # works WORDS BROKERS PROPERTIES: checked, read, looked at
    with "$2" "$3" check --online
    claim_exit "$1: the check finds all" 0
    with "$2" "$3" run --state state --summary s.json --log-level debug
    claim "and all is read" cmp got ten
    cat "$err" "$out" s.json >>said
    leat_run peek one --brokers "$2" --set properties="$3" --json
    claim "also by peek" equal "$(jq .records "$out")" 10
    cat "$err" "$out" >>said
    leat_run check read.lua --json --set brokers="$2" --set properties="$3"
    cat "$err" "$out" >>said
    cat state/* >>said
    rm -rf state got
}
fails() { # fails WORDS BROKERS PROPERTIES TEXT…: the check says so
    with "$2" "$3" check --online
    claim_exit "$1: the check fails" 1
    claim_says "and tells the reason" "${@:4}"
    claim "within seconds" below $took 15
    cat "$err" "$out" >>said
}
export LEAT_TEST_PASSWORD=s3cr3t
echo s3cr3t >password
tls=security.protocol=ssl,ssl.ca.location=$keys/ours.pem
mutual=$tls,ssl.certificate.location=$keys/client.pem
sasl=sasl.mechanism=PLAIN,sasl.username=leat
works "mutual TLS" "$SSL" "$mutual,ssl.key.location=$keys/client.key"
works "a key with a password" "$SSL" "$mutual,ssl.key.location=$keys/locked.key,ssl.key.password=k3y"
works "SASL" "$SASL_PLAINTEXT" "security.protocol=sasl_plaintext,$sasl,sasl.password=s3cr3t"
works "SASL over TLS, with a password of the environment" "$SASL_SSL" \
    "security.protocol=sasl_ssl,ssl.ca.location=$keys/ours.pem,$sasl,sasl.password=\${env:LEAT_TEST_PASSWORD}"
works "and of a file" "$SASL_SSL" \
    "security.protocol=sasl_ssl,ssl.ca.location=$keys/ours.pem,$sasl,sasl.password=\${file:$PWD/password}"
fails "a client without a certificate" "$SSL" "$tls" "no broker of $SSL answers" "certificate"
fails "one of a stranger" "$SSL" \
    "$tls,ssl.certificate.location=$keys/stranger.pem,ssl.key.location=$keys/stranger.key" \
    "no broker of $SSL answers: ssl://"
fails "an authority that did not sign the broker's" "$SASL_SSL" \
    "security.protocol=sasl_ssl,ssl.ca.location=$keys/theirs.pem,$sasl,sasl.password=s3cr3t" "certificate verify failed"
fails "plain text to a TLS port" "$SSL" "security.protocol=plaintext" "no broker of $SSL answers" "security.protocol"
fails "TLS to a port of plain text" "$brokers" "$tls" "ssl://" "the port may not speak TLS"
fails "a wrong password" "$SASL_PLAINTEXT" "security.protocol=sasl_plaintext,$sasl,sasl.password=wr0ng" \
    "Authentication failed"
fails "a mechanism that the broker lacks" "$SASL_PLAINTEXT" \
    "security.protocol=sasl_plaintext,sasl.mechanism=SCRAM-SHA-256,sasl.username=leat,sasl.password=s3cr3t" "mechanism"
fails "a file that is not there" "$SSL" "security.protocol=ssl,ssl.ca.location=$keys/nothing.pem" \
    "ssl.ca.location=$keys/nothing.pem cannot be read: No such file"
fails "a key with another password" "$SSL" "$mutual,ssl.key.location=$keys/locked.key,ssl.key.password=wr0ng" \
    "librdkafka cannot start a client: ssl.key.location"
# Runs tell the same at once, and end when they have waited for brokers that may only be about to begin: both together.
begin() { # begin K BROKERS PROPERTIES
    err=$1.err leat_start read.lua --set brokers="$2" --set properties="$3" --progress never
}
begin 1 "$SASL_PLAINTEXT" "security.protocol=sasl_plaintext,$sasl,sasl.password=wr0ng" && first=$pid
begin 2 "$SSL" "$tls"
claim "a run with a wrong password says so while it waits" until_true grep \
    -q "waiting for one: .*Authentication failed" 1.err
err=2.err leat_end
err=2.err claim_exit "a run without a certificate ends" 1
err=2.err claim_says "with the reason" "refuse this client" "certificate"
leat_end $first
err=1.err claim_exit "so does the one with the password" 1
err=1.err claim_says "with its reason" "refuse this client" "Authentication failed"
cat 1.err 2.err >>said
claim "no password is told or kept anywhere" sh -c 'test -s said && ! grep -aq "s3cr3t\|k3y\|wr0ng" said'
done_claims
