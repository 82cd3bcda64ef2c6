# mock.sh -- for system scripts, after claims.sh: a Kafka cluster that is a child of the script
# (mock_kafka.c) and ends with it. It has three brokers, or $mock_brokers. In $tmp.
#
#   $brokers        where it is
#   mock COMMAND…   one command, and its answer
programs=$PWD/${B:-build/release}/tests/programs
cd "$tmp" || exit 1
mkfifo commands
"$programs/mock_kafka" "${mock_brokers:-3}" <commands >answers &
exec 9>commands
mock() {
    local before
    before=$(wc -l <answers)
    echo "$*" >&9
    for _ in $(seq 750); do
        [[ $(wc -l <answers) -gt $before ]] && tail -1 answers | grep -qE "^(ok|error)" && break
        sleep 0.02
    done
    tail -n +$((before + 1)) answers
}
for _ in $(seq 100); do [[ -s answers ]] && break; sleep 0.1; done
brokers=$(head -1 answers)
