/* packet.c -- parse.packet: who sent a packet to whom, as columns.
 *
 * Here: the texts of addresses, ports and protocols; kernels/text/packet.c reads the headers. A
 * record is what source.pcap makes: four bytes with the link type's number, highest first, then the
 * packet.
 *
 * Texts are appended to the batch, at most TEXT_BYTES a record. An address's prefixes have texts of
 * their own: 10.0.0.0/8 is not a part of 10.47.1.152. */
#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "kernels/text/packet.h"
#include "parsers/docs.h"

enum { LINK_BYTES = 4, N_PREFIXES = 3 };

/* Longest texts: an address 45, "ffff:ffff:ffff:ffff::/64" 24, a port 5, a protocol 10. */
enum {
    ADDRESS = 46,
    PREFIX = 26,
    NARROW_BYTES = 2 * 45 + 2 * 5 + 10,
    TEXT_BYTES = NARROW_BYTES + 2 * 3 * 24
};

enum column {
    SRC,
    DST,
    SPORT,
    DPORT,
    PROTO,
    SRC_PREFIX,
    DST_PREFIX = SRC_PREFIX + N_PREFIXES,
    N_COLUMNS = DST_PREFIX + N_PREFIXES
};
static const char *const columns[N_COLUMNS] = {"src",   "dst",   "sport", "dport", "proto", "src8",
                                               "src16", "src24", "dst8",  "dst16", "dst24"};
static const int bits_4[N_PREFIXES] = {8, 16, 24}, bits_6[N_PREFIXES] = {32, 48, 64};

struct cfg {
    int32_t prefixes;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, prefixes, LEAT_BOOL, .def = "true",
               .doc = "also make the six columns of address prefixes"),
};

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *c = config;
    int status = LEAT_OK, columns_made = c->prefixes ? N_COLUMNS : SRC_PREFIX;
    for (int i = 0; status == LEAT_OK && i < columns_made; i++)
        status = n->add_column(n, columns[i], strlen(columns[i]), LEAT_TEXT);
    n->out->added_bytes_per_record += c->prefixes ? TEXT_BYTES : NARROW_BYTES;
    return status;
}

/* ---- texts ---- */

static const char *protocol_name(uint8_t protocol)
{
    switch (protocol) {
    case 1:
        return "icmp";
    case 2:
        return "igmp";
    case 6:
        return "tcp";
    case 17:
        return "udp";
    case 33:
        return "dccp";
    case 41:
        return "ipv6";
    case 47:
        return "gre";
    case 50:
        return "esp";
    case 51:
        return "ah";
    case 58:
        return "icmp6";
    case 89:
        return "ospf";
    case 103:
        return "pim";
    case 112:
        return "vrrp";
    case 132:
        return "sctp";
    case 136:
        return "udplite";
    default:
        return NULL;
    }
}

static size_t decimal_text(char *out, unsigned v)
{
    char digits[10];
    size_t n = 0, k = sizeof digits;
    do
        digits[--k] = (char)('0' + v % 10);
    while (v /= 10);
    while (k < sizeof digits)
        out[n++] = digits[k++];
    return n;
}

static size_t address_text(char out[ADDRESS], int version, const uint8_t *a)
{
    size_t n = 0;
    if (version == 6) {
        inet_ntop(AF_INET6, a, out, ADDRESS);
        return strlen(out);
    }
    for (int i = 0; i < 4; i++) {
        if (i) out[n++] = '.';
        n += decimal_text(out + n, a[i]);
    }
    return n;
}

/* 10.47.0.0/16, 2001:db8::/32 */
static size_t prefix_text(char out[ADDRESS + 4], int version, const uint8_t *a, int k)
{
    uint8_t first[16] = {0};
    int bits = version == 4 ? bits_4[k] : bits_6[k];
    memcpy(first, a, (size_t)bits / 8);
    size_t n = address_text(out, version, first);
    out[n++] = '/';
    return n + decimal_text(out + n, (unsigned)bits);
}

/* ---- records ---- */

static bool add_text(struct leat_batch *b, uint32_t column, uint32_t r, const char *text,
                     size_t len)
{
    uint32_t off = leat_add_bytes(b, (uint32_t)len);
    if (off == LEAT_NULL) return false;
    memcpy(b->bytes + off, text, len);
    b->column[column].text[r] = (struct leat_str){off, (uint32_t)len};
    return true;
}

static bool add_number(struct leat_batch *b, uint32_t column, uint32_t r, unsigned v)
{
    char text[10] = "";
    size_t len = decimal_text(text, v);
    return add_text(b, column, r, text, len);
}

static bool add_ports(struct leat_batch *b, uint32_t first, uint32_t r, const struct packet *p)
{
    if (p->has_ports)
        return add_number(b, first + SPORT, r, p->sport) &
               add_number(b, first + DPORT, r, p->dport);
    b->column[first + SPORT].text[r] = b->column[first + DPORT].text[r] =
        (struct leat_str){0, LEAT_NULL};
    return true;
}

/* An address and, from column first_prefix on, its networks. */
static bool add_address(struct leat_batch *b, uint32_t column, uint32_t first_prefix, uint32_t r,
                        int version, const uint8_t *a, bool prefixes)
{
    char text[ADDRESS + 4] = "";
    size_t len = address_text(text, version, a);
    bool fits = add_text(b, column, r, text, len);
    for (int k = 0; prefixes && k < N_PREFIXES; k++) {
        len = prefix_text(text, version, a, k);
        fits &= add_text(b, first_prefix + (uint32_t)k, r, text, len);
    }
    return fits;
}

static void fill_columns(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                         const struct packet *p)
{
    const struct cfg *c = ctx->cfg;
    uint32_t first = ctx->in->n_columns;
    const char *name = protocol_name(p->protocol);
    int v = p->version;
    bool nets = c->prefixes != 0;
    bool fits = add_address(b, first + SRC, first + SRC_PREFIX, r, v, p->src, nets) &
                add_address(b, first + DST, first + DST_PREFIX, r, v, p->dst, nets) &
                add_ports(b, first, r, p) &
                (name ? add_text(b, first + PROTO, r, name, strlen(name))
                      : add_number(b, first + PROTO, r, p->protocol));
    if (!fits)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the packet's texts");
}

static void parse_record(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r)
{
    const uint8_t *p = (const uint8_t *)leat_text(b, b->raw[r]);
    size_t n = b->raw[r].len;
    struct packet packet;
    if (n < LINK_BYTES) {
        ctx->host->reject(
            ctx, b, r, LEAT_R_SYNTAX,
            "the record has %zu bytes, fewer than the link type of a packet of source.pcap", n);
        return;
    }
    uint32_t link = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    size_t captured = n - LINK_BYTES;
    switch (packet_parse(link, p + LINK_BYTES, captured, &packet)) {
    case PACKET_OK:
        fill_columns(ctx, b, r, &packet);
        break;
    case PACKET_OTHER:
        leat_filter(b, r);
        break;
    case PACKET_SHORT:
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "the packet's %zu bytes end inside the %s",
                          captured, packet.what);
        break;
    case PACKET_WRONG:
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "the %s is malformed", packet.what);
        break;
    case PACKET_NO_READER:
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "link type %u is not supported",
                          (unsigned)link);
        break;
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    (void)self;
    for (LEAT_EACH_RECORD(b, r))
        parse_record(ctx, b, r);
    return LEAT_OK;
}

const struct leat_stage parse_packet = {
    .name = "parse.packet",
    .summary = "addresses, ports and protocol of captured packets",
    .doc = packet_doc,
    .example = "leat.parse.packet { prefixes = false }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_PARSER,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS),
    LEAT_PARAMS(params, struct cfg),
    .instance_size = 1,
    .negotiate = negotiate,
    .process = process,
};
