# Captures: packets without a time, times after 2038, sections of both byte orders, interfaces of several link types.
# tier: long (25 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >pcap.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "pcap" { leat.source.pcap { path = a.data, filter = a.filter }, leat.parse.packet { prefixes = false },
  leat.parse.time { parts = { "iso8601" } },
  leat.sink.file { path = "all.csv", format = "csv", columns = { "src", "iso8601" } } }
LUA
read_it() {
    : >all.csv
    leat_run run pcap.lua --quiet --set data="$1" "${@:2}"
    tail -n +2 all.csv >got.csv
}
got() { tr '\n' ' ' <got.csv; }

order=little
# number VALUE SIZE: escapes of a number in $order
number() {
    local i shift text=
    for ((i = 0; i < $2; i++)); do
        [[ $order == little ]] && shift=$((8 * i)) || shift=$((8 * ($2 - 1 - i)))
        printf -v text '%s\\x%02x' "$text" $((($1 >> shift) & 255))
    done
    printf %s "$text"
}
# packet HOST: escapes of 40 bytes of IPv4 and TCP, from 10.0.0.HOST; ether HOST: the same below Ethernet
packet() { printf '\\x45\\0\\0\\x28\\0\\0\\0\\0\\x40\\x06\\0\\0\\x0a\\0\\0\\x%02x\\x0a\\x01\\0\\x01' "$1" &&
    printf '\\x03\\xe9\\0\\x50\\0\\0\\0\\0\\0\\0\\0\\0\\x50\\x02\\0\\0\\0\\0\\0\\0'; }
ether() { printf '\\0\\0\\0\\0\\0\\x01\\0\\0\\0\\0\\0\\x02\\x08\\0' && packet "$1"; }
# block TYPE BYTES BODY: a block whose body has so many bytes and these escapes
block() {
    local length=$((12 + ($2 + 3) / 4 * 4)) padding
    padding=$((length - 12 - $2))
    printf %s "$(number "$1" 4)$(number $length 4)$3" && printf '%*s' $padding '' | sed 's/ /\\0/g' && number $length 4
}
section() { printf '\\x0a\\x0d\\x0d\\x0a' && number 28 4 && number 0x1a2b3c4d 4 && number 1 2 && number 0 2 &&
    number -1 8 && number 28 4; }
interface() { block 1 8 "$(number "$1" 2)$(number 0 2)$(number 65535 4)"; }   # interface LINK
old_time=$(number 0x00060a24 4)$(number 0x181e4000 4)                        # 2023-11-14T22:13:20Z
# enhanced INTERFACE HOST BYTES KIND, simple HOST
enhanced() {
    [[ $order == little ]] || old_time=$(number 0x00060a24 4)$(number 0x181e4000 4)
    block 6 $((20 + $3)) "$(number "$1" 4)$old_time$(number "$3" 4)$(number "$3" 4)$("$4" "$2")"
}
simple() { block 3 58 "$(number 54 4)$(ether "$1")"; }
write() { printf %b "$@"; } # write ESCAPES…

at=2023-11-14T22:13:20Z
write "$(section)" "$(interface 1)" "$(enhanced 0 1 54 ether)" "$(simple 2)" "$(enhanced 0 3 54 ether)" >simple.pcapng
read_it simple.pcapng
claim "a packet of a simple block has no time" equal "$(got)" "10.0.0.1,$at 10.0.0.2, 10.0.0.3,$at "
read_it simple.pcapng --set filter='host 10.0.0.2'
claim "nor has it behind a filter" equal "$(got)" "10.0.0.2, "

# pcap MAGIC SECONDS…: a pcap file with a packet at each of these seconds, and 5 units behind
pcap() {
    write "$(number "$1" 4)$(number 2 2)$(number 4 2)$(number 0 8)$(number 65535 4)$(number 1 4)"
    for second in "${@:2}"; do
        write "$(number "$second" 4)$(number 5 4)$(number 54 4)$(number 54 4)$(ether 1)"
    done
}
for order in little big; do
    pcap 0xa1b2c3d4 0 0x7fffffff 0x80000000 2209032000 0xffffffff >late.pcap
    read_it late.pcap
    claim "seconds of pcap have no sign ($order)" equal "$(cut -d, -f2 got.csv | tr '\n' ' ')" \
        "1970-01-01T00:00:00.000005Z 2038-01-19T03:14:07.000005Z 2038-01-19T03:14:08.000005Z 2040-01-01T12:00:00.000005Z 2106-02-07T06:28:15.000005Z "
    pcap 0xa1b23c4d 0x80000000 >nanoseconds.pcap
    read_it nanoseconds.pcap
    claim "neither with nanoseconds ($order)" equal "$(got)" "10.0.0.1,2038-01-19T03:14:08.000000005Z "
done

order=little
first=$(section)$(interface 1)$(enhanced 0 1 54 ether)
order=big
second=$(section)$(interface 101)$(enhanced 0 2 40 packet)$(section) # the last section is empty
order=little old_time=$(number 0x00060a24 4)$(number 0x181e4000 4)
third=$(section)$(interface 1)$(enhanced 0 3 54 ether)
write "$first" "$second" "$third" >sections.pcapng
read_it sections.pcapng
claim "sections may have another byte order and link type, and no interface" equal "$(got)" \
    "10.0.0.1,$at 10.0.0.2,$at 10.0.0.3,$at "
read_it sections.pcapng --set filter='host 10.0.0.2 or host 10.0.0.3'
claim "a filter is made for each section" equal "$(got)" "10.0.0.2,$at 10.0.0.3,$at "
gzip -c sections.pcapng >packed
read_it packed
claim "compressed, too" equal "$(wc -l <got.csv)" 3
write "$(section)" >none.pcapng
read_it none.pcapng
claim_exit "a file without interfaces has no packets" 0
borders=" 28 48 136 164 184 256 284 312 332 420 " wrong=
for ((n = 25; n <= 420; n++)); do
    head -c "$n" sections.pcapng >cut.pcapng
    read_it cut.pcapng
    [[ $borders == *" $n "* ]] && expected=0 || expected=1
    [[ $status == "$expected" ]] || wrong+="$n($status) "
    lines=$(wc -l <got.csv)
    [[ $lines == $(((n >= 136) + (n >= 256) + (n >= 420))) ]] || wrong+="$n:$lines "
done
claim "a file that is cut within a block is refused, and its packets come" equal "$wrong" ""
claim "the last cut is none" equal "$(stat -c %s sections.pcapng)" 420

write "$(section)" "$(interface 1)" "$(interface 195)" "$(enhanced 0 1 54 ether)" >unused.pcapng
read_it unused.pcapng --set filter='host 10.0.0.1'
claim "an interface of another link type without packets does no harm" equal "$(got)" "10.0.0.1,$at "
write "$(section)" "$(interface 1)" "$(interface 101)" "$(enhanced 0 1 54 ether)" "$(enhanced 1 2 40 packet)" \
    "$(enhanced 0 3 54 ether)" >mixed.pcapng
read_it mixed.pcapng
claim "packets of several link types are read" equal "$(got)" "10.0.0.1,$at 10.0.0.2,$at 10.0.0.3,$at "
read_it mixed.pcapng --set filter='host 10.0.0.2'
claim_exit "but not with a filter, which is for one" 1
claim_says "which is told" "packets have the link types 1 and 101, and a filter is for one: leave out filter"
done_claims
