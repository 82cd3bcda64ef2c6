/* packet.c -- implementation of packet.h
 *
 * The function of each layer gets the rest of the packet (struct packet_rest), and passes a smaller
 * rest to the next layer.
 */
#include "packet.h"

#include <string.h>

enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, MAX_EXTENSIONS = 16 };
enum { NEXT_HOPS = 0, NEXT_ROUTING = 43, NEXT_FRAGMENT = 44, NEXT_AH = 51, NEXT_OPTIONS = 60 };

struct packet_rest {
    const uint8_t *p;
    size_t n;
};

static uint16_t be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

static uint32_t be32(const uint8_t *p) { return (uint32_t)be16(p) << 16 | be16(p + 2); }

static void packet_skip(struct packet_rest *r, size_t bytes)
{
    r->p += bytes;
    r->n -= bytes;
}

static enum packet_result packet_fail(struct packet *out, enum packet_result why, const char *what)
{
    out->what = what;
    return why;
}

/* ---- ports ---- */

/* True for protocols with ports: TCP, UDP, DCCP, SCTP, UDP-Lite. */
static const bool has_ports[UINT8_MAX + 1] = {
    [6] = true, [17] = true, [33] = true, [132] = true, [136] = true};

static enum packet_result parse_ports(struct packet_rest r, struct packet *out)
{
    if (!has_ports[out->protocol]) return PACKET_OK;
    if (r.n < 4) return packet_fail(out, PACKET_SHORT, "ports");
    out->has_ports = true;
    out->sport = be16(r.p);
    out->dport = be16(r.p + 2);
    return PACKET_OK;
}

/* ---- IP ---- */

static enum packet_result parse_ipv4(struct packet_rest r, struct packet *out)
{
    const uint8_t *p = r.p;
    if (r.n < 20) return packet_fail(out, PACKET_SHORT, "IPv4 header");
    size_t header = (size_t)(p[0] & 15) * 4, total = be16(p + 2);
    if (p[0] >> 4 != 4 || header < 20) return packet_fail(out, PACKET_WRONG, "IPv4 header");
    /* `total` is 0 if the packet was captured before the network card cut it into segments. */
    if (total && total < header) return packet_fail(out, PACKET_WRONG, "IPv4 header");
    if (header > r.n) return packet_fail(out, PACKET_SHORT, "IPv4 header");
    out->version = 4;
    memcpy(out->src, p + 12, 4);
    memcpy(out->dst, p + 16, 4);
    out->protocol = p[9];
    if (be16(p + 6) & 0x1fff) return PACKET_OK; /* a fragment other than the first has no ports */
    if (total && total < r.n) r.n = total;      /* cuts off the padding of the frame            */
    packet_skip(&r, header);
    return parse_ports(r, out);
}

/* Skips an extension header of kind *next, and sets *next to the kind of the header after it.
 * Returns PACKET_OTHER if *next is not an extension header. */
static enum packet_result skip_extension(struct packet_rest *r, uint8_t *next, bool *later_fragment,
                                         struct packet *out)
{
    bool fragment = *next == NEXT_FRAGMENT;
    if (*next != NEXT_HOPS && *next != NEXT_ROUTING && *next != NEXT_OPTIONS && *next != NEXT_AH &&
        !fragment)
        return PACKET_OTHER;
    if (r->n < 8) return packet_fail(out, PACKET_SHORT, "IPv6 extension header");
    size_t size = fragment           ? 8
                  : *next == NEXT_AH ? ((size_t)r->p[1] + 2) * 4
                                     : ((size_t)r->p[1] + 1) * 8;
    if (fragment) *later_fragment |= (be16(r->p + 2) & 0xfff8) != 0;
    *next = r->p[0];
    if (size > r->n) return packet_fail(out, PACKET_SHORT, "IPv6 extension header");
    packet_skip(r, size);
    return PACKET_OK;
}

static enum packet_result parse_ipv6(struct packet_rest r, struct packet *out)
{
    const uint8_t *p = r.p;
    if (r.n < 40) return packet_fail(out, PACKET_SHORT, "IPv6 header");
    if (p[0] >> 4 != 6) return packet_fail(out, PACKET_WRONG, "IPv6 header");
    out->version = 6;
    memcpy(out->src, p + 8, 16);
    memcpy(out->dst, p + 24, 16);
    uint8_t next = p[6];
    size_t payload = be16(p + 4); /* 0: a jumbogram, or captured before it was cut into segments */
    packet_skip(&r, 40);
    if (payload && payload < r.n) r.n = payload;
    bool later_fragment = false;
    int extensions = 0;
    enum packet_result result = PACKET_OK;
    while (!later_fragment &&
           (result = skip_extension(&r, &next, &later_fragment, out)) == PACKET_OK)
        if (++extensions > MAX_EXTENSIONS)
            return packet_fail(out, PACKET_WRONG, "IPv6 extension header");
    if (result == PACKET_SHORT) return result;
    out->protocol = next;
    return later_fragment ? PACKET_OK : parse_ports(r, out);
}

static enum packet_result parse_ip(struct packet_rest r, struct packet *out)
{
    if (!r.n) return packet_fail(out, PACKET_SHORT, "IP header");
    if (r.p[0] >> 4 == 4) return parse_ipv4(r, out);
    if (r.p[0] >> 4 == 6) return parse_ipv6(r, out);
    return packet_fail(out, PACKET_WRONG, "IP header");
}

/* ---- the link layer ---- */

/* Parses r according to the EtherType `type`. VLAN tags may come first. */
static enum packet_result parse_typed(uint16_t type, struct packet_rest r, struct packet *out)
{
    while (type == 0x8100 || type == 0x88a8 || type == 0x9100) {
        if (r.n < 4) return packet_fail(out, PACKET_SHORT, "VLAN tag");
        type = be16(r.p + 2);
        packet_skip(&r, 4);
    }
    if (type == TYPE_IPV4) return parse_ipv4(r, out);
    if (type == TYPE_IPV6) return parse_ipv6(r, out);
    return PACKET_OTHER;
}

/* Parses a frame whose header has `size` bytes, with the EtherType at offset `at`. */
static enum packet_result parse_frame(struct packet_rest r, size_t size, size_t at,
                                      const char *what, struct packet *out)
{
    if (r.n < size) return packet_fail(out, PACKET_SHORT, what);
    uint16_t type = be16(r.p + at);
    packet_skip(&r, size);
    return parse_typed(type, r, out);
}

/* Parses a packet that begins with the address family, four bytes in the byte order of the
 * capturing machine (null) or of networks (loop). Each operating system has its own number
 * for IPv6. */
static enum packet_result parse_family(struct packet_rest r, bool any_order, struct packet *out)
{
    if (r.n < 4) return packet_fail(out, PACKET_SHORT, "loopback header");
    uint32_t family = be32(r.p);
    if (any_order && family > 0xffff) family = family >> 24 | (family >> 8 & 0xff00);
    packet_skip(&r, 4);
    if (family == 2) return parse_ipv4(r, out);
    if (family == 10 || family == 24 || family == 28 || family == 30) return parse_ipv6(r, out);
    return PACKET_OTHER;
}

enum packet_result packet_parse(uint32_t link, const uint8_t *p, size_t n, struct packet *out)
{
    struct packet_rest r = {p, n};
    *out = (struct packet){0};
    switch (link) {
    case PACKET_ETHERNET:
        return parse_frame(r, 14, 12, "Ethernet header", out);
    case PACKET_SLL:
        return parse_frame(r, 16, 14, "Linux cooked header", out);
    case PACKET_SLL2:
        return parse_frame(r, 20, 0, "Linux cooked header", out);
    case PACKET_NULL:
    case PACKET_LOOP:
        return parse_family(r, link == PACKET_NULL, out);
    case PACKET_RAW:
        return parse_ip(r, out);
    case PACKET_IPV4:
        return parse_ipv4(r, out);
    case PACKET_IPV6:
        return parse_ipv6(r, out);
    default:
        return PACKET_NO_READER;
    }
}
