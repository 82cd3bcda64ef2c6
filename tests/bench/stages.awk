# Writes n made-up requests, examples, texts and packets, in the formats of stages.sh, to files that begin with `to`.
function le(value, bytes,   i) {
    for (i = 0; i < bytes; i++) { printf "%c", value % 256 >pcap; value = int(value / 256) }
}
function hex(digits,   i) {
    for (i = 1; i < length(digits); i += 2) le(16 * (index(HEX, substr(digits, i, 1)) - 1) + index(HEX, substr(digits, i + 1, 1)) - 1, 1)
}
BEGIN {
    HEX = "0123456789abcdef"; pcap = to ".pcap"
    hex("d4c3b2a1"); le(2, 2); le(4, 2); le(0, 8); le(65535, 4); le(1, 4)
    print "time,host,path,status,bytes,ms" >(to ".csv")
    print "time\thost\tpath\tstatus\tbytes\tms" >(to ".tsv")
    for (i = x = 1; i <= n; i++) {
        x = x * 16807 % 2147483647
        time = 1700000000 + int(i * 172800 / n) - x % 20; host = "web-" x % 251 ".example.org"
        path = "/p/" x % 1000 "/x.gif"; status = x % 50 ? 200 : 503; bytes = x % 90000; ms = x % 997 + 1
        printf "%d,%s,%s,%d,%d,%d\n", time, host, path, status, bytes, ms >(to ".csv")
        printf "%d\t%s\t%s\t%d\t%d\t%d\n", time, host, path, status, bytes, ms >(to ".tsv")
        printf "{\"time\":%d,\"host\":\"%s\",\"user\":null,\"path\":\"%s\",\"status\":%d,\"bytes\":%d,\"ms\":%d,\"area\":\"eu\"}\n",
            time, host, path, status, bytes, ms >(to ".jsonl")
        printf "time=%d host=%s path=\"%s\" status=%d bytes=%d ms=%d\n", time, host, path, status, bytes, ms >(to ".logfmt")
        printf "%s - - [10/Oct/2023:13:55:%02d +0000] \"GET %s HTTP/1.1\" %d %d \"http://www.example.com/%d\" \"Mozilla/5.0 (X11; Linux x86_64)\"\n",
            host, i % 60, path, status, bytes, x % 50 >(to ".log")
        svm = vw = ffm = few = text = ""
        for (k = 1; k <= 20; k++) {
            id = k * 50 + x % (k + 20); value = "0." (x % 97 + k)
            svm = svm " " id ":" value; vw = vw " f" id ":" value; ffm = ffm " " k ":" id ":" value
            if (k <= 8) few = few " " k * 6 + x % (k + 3) ":" value
            if (k <= 10) text = text (k > 1 ? " " : "") "word" x % (k * 97)
        }
        y = x % 3 ? "-1" : "+1"
        print y svm >(to ".svm"); print y " |" vw >(to ".vw"); print y ffm >(to ".ffm"); print y few >(to ".few.svm")
        print text >(to ".txt")
        # Avro: lengths and numbers are zigzag varints. No byte is a line end.
        printf "%c%s%c%s%c%d\n", 2 * length(host), host, 2 * length(path), path, 6, status >(to ".avro")
        # Protocol Buffers: fields 2, 3 and 4. No text has ten bytes.
        printf "%c%c%s%c%c/%s%c%c%d\n", 18, length(host), host, 26, length(path) + 1, path, 34, 3, status >(to ".pb")
        le(1700000000 + i, 4); le(0, 4); le(54, 4); le(54, 4)
        hex("0200000000010200000000020800450000280001000040060000")
        hex("0a0000"); le(x % 251, 1); hex("c0a80001c00000500000000000000000500000000000"); hex("0000")
    }
    print "host,owner" >(to ".hosts")
    for (i = 0; i < 251; i++) printf "web-%d.example.org,owner-%d\n", i, i % 7 >(to ".hosts")
    print "syntax = \"proto3\"; message R { string host = 2; string path = 3; string status = 4; }" >(to ".proto")
    print "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"host\",\"type\":\"string\"},{\"name\":\"path\",\"type\":\"string\"},{\"name\":\"status\",\"type\":\"string\"}]}" >(to ".avsc")
}
