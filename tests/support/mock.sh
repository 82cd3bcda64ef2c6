# mock.sh -- a Kafka cluster for system scripts: a child of the script (mock_kafka.c), which ends with it.
#
# Scripts source it after claims.sh, in $tmp. The cluster has three brokers, or $mock_brokers.
#
#   $brokers        its addresses
#   mock COMMAND…   sends one command, and prints its answer
programs=$PWD/${B:-build/release}/tests/programs
cd "$tmp" || exit 1
mkfifo commands
"$programs/mock_kafka" "${mock_brokers:-3}" <commands >answers &
exec 9>commands
mock() {
    local before
    before=$(wc -l <answers)
    echo "$*" >&9
    until_true answered "$before"
    tail -n +$((before + 1)) answers
}
answered() { [[ $(wc -l <answers) -gt $1 ]] && tail -1 answers | grep -qE "^(ok|error)"; }
until_true test -s answers
brokers=$(head -1 answers)
