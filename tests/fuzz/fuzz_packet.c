/* fuzz_packet.c -- any bytes as a packet of any link layer.
 *
 * No read is out of bounds, and faults are named. Bytes behind a packet with ports change nothing.
 * The first byte of the input chooses the link layer, the second the number of bytes behind.
 *
 * sources: plugins/kernels/text/packet.c
 */
#include "fuzz.h"
#include "kernels/text/packet.h"

static const uint32_t links[] = {PACKET_NULL, PACKET_ETHERNET, PACKET_RAW,  PACKET_LOOP, PACKET_SLL,
                                 PACKET_IPV4, PACKET_IPV6,     PACKET_SLL2, 147};
enum { LINKS = sizeof links / sizeof *links };

static enum packet_result parse(uint32_t link, const uint8_t *p, size_t n, struct packet *out)
{
    uint8_t *bytes = exactly(p, n);
    memset(out, 0, sizeof *out);
    enum packet_result r = packet_parse(link, bytes, n, out);
    free(bytes);
    must(r != PACKET_OK || out->version == 4 || out->version == 6);
    must((r != PACKET_SHORT && r != PACKET_WRONG) || out->what);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    uint32_t link = links[data[0] % LINKS];
    size_t n = size - 2, behind = data[1] % (n + 1);
    struct packet whole, longer;
    enum packet_result r = parse(link, data + 2, n - behind, &whole);
    enum packet_result s = parse(link, data + 2, n, &longer);
    if (r == PACKET_OK && whole.has_ports)
        must(s == PACKET_OK && longer.has_ports && whole.version == longer.version &&
             !memcmp(whole.src, longer.src, sizeof whole.src) &&
             !memcmp(whole.dst, longer.dst, sizeof whole.dst) &&
             whole.protocol == longer.protocol && whole.sport == longer.sport &&
             whole.dport == longer.dport);
    if (r == PACKET_WRONG) must(s == PACKET_WRONG && whole.what == longer.what);
    return 0;
}
