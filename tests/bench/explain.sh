#!/usr/bin/env bash
# How well do weights explain? Pearson's correlation with the log relative risk from exact counts, over all
# that 32 KB hold, for the ways to learn of bench_explain.c. Prints Markdown tables.
#   HFLIGHTS=hflights.csv[.zst]       flights that left Houston in 2011
#   KDD=kddcup.data_10_percent[.gz]   KDD Cup 1999: attacks other than denial of service against all else
#   ZEEK=zeek-flows.csv[.zst]         Zeek events: the log `weird` against all others
#   SENATE=…                          the bundled file
#   SEEDS=5                           of the hash functions; medians are printed
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
B=${B:-build/release} SEEDS=${SEEDS:-5} SENATE=${SENATE:-pipelines/data/senate-disbursements.csv.zst}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

text() {
    case $1 in
    *.zst) zstd -dc "$1" ;;
    *.gz) gzip -dc "$1" ;;
    *) cat "$1" ;;
    esac
}
table() { # WHAT FILE METRIC ATTRIBUTES CROSS [BUDGET]
    printf '\n### %s: %s by %s%s\n\n' "$1" "$3" "$4" "$([[ $5 == 2 ]] && echo ' and their pairs')"
    "$B/tests/bench/bench_explain" "$tmp/$2" "$3" "$4" "$5" "${6:-32768}" "$SEEDS"
}

text "$SENATE" >"$tmp/senate"
for cross in 1 2; do
    table "Senate" senate amount line_type,office,payee,description $cross
done
table "Senate" senate amount office,document,date_posted,start_date,end_date 1
table "Senate, 8 KB" senate amount line_type,office,payee,description 1 8192
if [[ -n ${HFLIGHTS:-} ]]; then
    text "$HFLIGHTS" >"$tmp/hflights"
    for cross in 1 2; do
        table "hflights" hflights ArrDelay UniqueCarrier,Dest,Origin,Month,DayOfWeek,TailNum,FlightNum $cross
    done
    table "hflights" hflights TaxiOut UniqueCarrier,Dest,TailNum,FlightNum,DayofMonth,DepTime 1
    table "hflights, 8 KB" hflights ArrDelay UniqueCarrier,Dest,Origin,Month,DayOfWeek,TailNum,FlightNum 1 8192
fi
if [[ -n ${KDD:-} ]]; then
    text "$KDD" | awk -F, \
        'BEGIN { print "duration,protocol,service,flag,src_bytes,dst_bytes,count,srv_count,dst_host_count,dst_host_srv_count,attack" }
        { print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $23 "," $24 "," $32 "," $33 "," ($42 !~ /^(normal|smurf|neptune|back|teardrop|pod|land)\.$/) }' >"$tmp/kdd"
    table "KDD'99" kdd attack \
        duration,protocol,service,flag,src_bytes,dst_bytes,count,srv_count,dst_host_count,dst_host_srv_count 1
fi
if [[ -n ${ZEEK:-} ]]; then
    text "$ZEEK" | awk -F, 'BEGIN { print "src,dst,sport,dport,proto,weird" } NR > 1 {
        print $3 "," $5 "," $4 "," $6 "," $7 "," ($8 == "weird") }' >"$tmp/zeek"
    for cross in 1 2; do
        table "Zeek" zeek weird src,dst,sport,dport,proto $cross
    done
fi
