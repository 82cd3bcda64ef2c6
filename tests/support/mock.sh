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
    until_true answered "$before"
    tail -n +$((before + 1)) answers
}
answered() { [[ $(wc -l <answers) -gt $1 ]] && tail -1 answers | grep -qE "^(ok|error)"; }
until_true test -s answers
brokers=$(head -1 answers)
