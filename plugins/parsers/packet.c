/* packet.c -- parse.packet: sender and receiver of a packet as columns.
 *
 * This file writes the texts of addresses, ports and protocols; kernels/text/packet.c reads the
 * headers. A record comes from source.pcap: the number of the link type in four bytes, highest
 * first, and the packet.
 *
 * Texts are appended to the batch, at most TEXT_BYTES a record. A prefix has its own text, because
 * 10.0.0.0/8 is not a part of the text 10.47.1.152. */
#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "kernels/text/packet.h"
#include "parser.h"
#include "parsers/docs.h"
#include "common/cells/strings.h"

enum { LINK_BYTES = 4, N_PREFIXES = 3 };

/* Lengths of the longest texts: an address 45, "ffff:ffff:ffff:ffff::/64" 24, a port 5, a protocol
 * 10. */
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

struct packet_cfg {
    int32_t prefixes;
};

static const struct leat_param packet_params[] = {
    LEAT_PARAM(struct packet_cfg, prefixes, LEAT_BOOL, .def = "true",
               .doc = "also make the six columns of address prefixes"),
};

static int packet_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct packet_cfg *c = config;
    int status = LEAT_OK, columns_made = c->prefixes ? N_COLUMNS : SRC_PREFIX;
    for (int i = 0; status == LEAT_OK && i < columns_made; i++)
        status = n->add_column(n, columns[i], strlen(columns[i]), LEAT_TEXT, NULL);
    uint32_t text = c->prefixes ? TEXT_BYTES : NARROW_BYTES;
    n->add_bounds(n, &(struct leat_bounds){.added_bytes_per_record = text});
    return status;
}

/* ---- texts ---- */

/* Names of protocols, indexed by the number in the IP header. */
static const char *const protocol_names[UINT8_MAX + 1] = {
    [1] = "icmp",  [2] = "igmp",  [6] = "tcp",    [17] = "udp",   [33] = "dccp",
    [41] = "ipv6", [47] = "gre",  [50] = "esp",   [51] = "ah",    [58] = "icmp6",
    [89] = "ospf", [103] = "pim", [112] = "vrrp", [132] = "sctp", [136] = "udplite",
};

static size_t packet_decimal_text(char *out, unsigned v)
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
        n += packet_decimal_text(out + n, a[i]);
    }
    return n;
}

/* Writes prefix k of an address: 10.47.0.0/16, 2001:db8::/32. Returns the length. */
static size_t prefix_text(char out[ADDRESS + 4], int version, const uint8_t *a, int k)
{
    uint8_t first[16] = {0};
    int bits = version == 4 ? bits_4[k] : bits_6[k];
    memcpy(first, a, (size_t)bits / 8);
    size_t n = address_text(out, version, first);
    out[n++] = '/';
    return n + packet_decimal_text(out + n, (unsigned)bits);
}

/* ---- records ---- */

static bool packet_add_number(struct leat_batch *b, unsigned v, struct leat_str *to)
{
    char text[10] = "";
    return strings_append(b, text, packet_decimal_text(text, v), to);
}

static bool add_ports(const union leat_cells *cell, struct leat_batch *b, uint32_t r,
                      const struct packet *p)
{
    if (p->has_ports) {
        bool fits = packet_add_number(b, p->sport, &cell[SPORT].text[r]);
        return packet_add_number(b, p->dport, &cell[DPORT].text[r]) && fits;
    }
    cell[SPORT].text[r] = cell[DPORT].text[r] = (struct leat_str){0, LEAT_NULL};
    return true;
}

/* Sets the cells of an address and of its prefixes. Returns false if there is no room. */
static bool add_address(const union leat_cells *cell, const union leat_cells *prefix,
                        struct leat_batch *b, uint32_t r, int version, const uint8_t *a,
                        bool prefixes)
{
    char text[ADDRESS + 4] = "";
    bool fits = strings_append(b, text, address_text(text, version, a), &cell->text[r]);
    for (int k = 0; prefixes && k < N_PREFIXES; k++)
        fits &= strings_append(b, text, prefix_text(text, version, a, k), &prefix[k].text[r]);
    return fits;
}

static void fill_columns(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                         const struct packet *p)
{
    const struct packet_cfg *c = ctx->cfg;
    const union leat_cells *cell = b->column + ctx->in->n_columns;
    const char *name = protocol_names[p->protocol];
    int v = p->version;
    bool nets = c->prefixes != 0;
    bool fits = add_address(&cell[SRC], &cell[SRC_PREFIX], b, r, v, p->src, nets);
    fits &= add_address(&cell[DST], &cell[DST_PREFIX], b, r, v, p->dst, nets);
    fits &= add_ports(cell, b, r, p);
    fits &= name ? strings_append(b, name, strlen(name), &cell[PROTO].text[r])
                 : packet_add_number(b, p->protocol, &cell[PROTO].text[r]);
    if (!fits)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the packet's texts");
}

static void packet_parse_record(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r)
{
    const uint8_t *p = (const uint8_t *)leat_text(b, b->raw[r]);
    size_t n = b->raw[r].len;
    struct packet packet;
    if (n < LINK_BYTES) {
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX,
                          "the record has only %zu bytes, too few for the link type that begins a "
                          "packet of source.pcap",
                          n);
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

static int packet_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        packet_parse_record(ctx, b, r);
    return LEAT_OK;
}

const struct leat_stage parse_packet = {
    .name = "parse.packet",
    .summary = "addresses, ports and protocol of captured packets",
    .doc = packet_doc,
    .example = "leat.parse.packet { prefixes = false }",
    PARSER_OF_COLUMNS,
    LEAT_PARAMS(packet_params, struct packet_cfg),
    .instance_size = 1,
    .negotiate = packet_negotiate,
    .process = packet_process,
};
