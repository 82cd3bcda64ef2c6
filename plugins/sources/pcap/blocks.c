/* blocks.c -- implementation of blocks.h.
 *
 *   block       type 4 | length 4 | body | length 4
 *   body        of a section header: byte order 4 | …; of an interface: link type 2 | …; of an
 *               enhanced packet: interface 4 | …; of an old packet: interface 2 | …
 *
 * All that matters is in the first 12 bytes of a block. */
#include "blocks.h"

#include <string.h>

#include "core/le.h"

enum { TYPE_INTERFACE = 1, TYPE_OLD = 2, TYPE_SIMPLE = 3, TYPE_ENHANCED = 6 };

static const uint8_t section_header[] = {0x0a, 0x0d, 0x0d, 0x0a};
static const uint8_t big_endian[] = {0x1a, 0x2b, 0x3c, 0x4d};

static uint32_t blocks_number(const struct blocks *b, size_t at, size_t size)
{
    uint32_t v = 0;
    for (size_t i = 0; b->big && i < size; i++)
        v = v << 8 | b->head[at + i];
    return b->big ? v : (uint32_t)le_get(b->head + at, size);
}

/* Adds an interface, and makes its link type that of the first for libpcap. */
static void blocks_add_interface(struct blocks *b)
{
    if (b->n_links == BLOCKS_INTERFACES) return;
    b->link[b->n_links++] = (uint16_t)blocks_number(b, 8, 2);
    b->head[8] = (uint8_t)(b->big ? b->link[0] >> 8 : b->link[0]);
    b->head[9] = (uint8_t)(b->big ? b->link[0] : b->link[0] >> 8);
}

/* Reads the head of a block, which is complete. */
static void blocks_begin_block(struct blocks *b)
{
    bool is_header = !memcmp(b->head, section_header, sizeof section_header);
    if (is_header) b->big = !memcmp(b->head + 8, big_endian, sizeof big_endian);
    if (b->format == BLOCKS_NEW) b->format = is_header ? BLOCKS_PCAPNG : BLOCKS_PCAP;
    uint32_t type = blocks_number(b, 0, 4), length = blocks_number(b, 4, 4);
    b->left = length > BLOCKS_HEAD ? length - BLOCKS_HEAD : 0;
    if (is_header || b->format == BLOCKS_PCAP) return;
    if (type == TYPE_INTERFACE) blocks_add_interface(b);
    if (type == TYPE_OLD) b->interface = blocks_number(b, 8, 2);
    if (type == TYPE_ENHANCED) b->interface = blocks_number(b, 8, 4);
    if (type == TYPE_SIMPLE) b->interface = 0;
    if (type == TYPE_OLD || type == TYPE_ENHANCED || type == TYPE_SIMPLE)
        b->timeless = type == TYPE_SIMPLE;
}

/* Collects the head of the next block. A head that the file cuts is returned as it is. */
static void blocks_collect_head(struct blocks *b, const char **in, size_t *n, bool last)
{
    bool first = b->format == BLOCKS_NEW;
    size_t missing = BLOCKS_HEAD - b->n_head, add = *n < missing ? *n : missing;
    memcpy(b->head + b->n_head, *in, add);
    *in += add;
    *n -= add;
    b->n_head += add;
    b->given = 0;
    if (b->n_head == BLOCKS_HEAD) {
        bool is_header = !memcmp(b->head, section_header, sizeof section_header);
        b->place = is_header && !first ? BLOCKS_ENDED : BLOCKS_IN_HEAD;
        if (b->place == BLOCKS_IN_HEAD) blocks_begin_block(b);
    } else if (last && b->n_head) {
        b->place = BLOCKS_IN_HEAD;
        b->left = UINT64_MAX;
    }
}

void blocks_begin_section(struct blocks *b)
{
    b->place = BLOCKS_IN_HEAD;
    b->n_links = 0;
    blocks_begin_block(b);
}

bool blocks_is_between(const struct blocks *b)
{
    return b->place == BLOCKS_ENDED || (b->place == BLOCKS_BETWEEN && !b->n_head) ||
           (b->place == BLOCKS_IN_BODY && !b->left);
}

static size_t blocks_return_head(struct blocks *b, char *to, size_t cap)
{
    size_t rest = b->n_head - b->given, k = rest < cap ? rest : cap;
    memcpy(to, b->head + b->given, k);
    b->given += k;
    if (b->given == b->n_head) b->place = BLOCKS_IN_BODY;
    return k;
}

static size_t blocks_return_body(struct blocks *b, const char **in, size_t *n, char *to, size_t cap)
{
    bool is_pcapng = b->format == BLOCKS_PCAPNG;
    size_t k = *n < cap ? *n : cap;
    if (is_pcapng && k > b->left) k = (size_t)b->left;
    memcpy(to, *in, k);
    *in += k;
    *n -= k;
    b->left -= is_pcapng ? k : 0;
    return k;
}

size_t blocks_take(struct blocks *b, const char **in, size_t *n, bool last, char *to, size_t cap)
{
    size_t k = 0;
    if (b->place == BLOCKS_IN_BODY && b->format == BLOCKS_PCAPNG && !b->left)
        b->place = BLOCKS_BETWEEN, b->n_head = 0;
    if (b->place == BLOCKS_BETWEEN) blocks_collect_head(b, in, n, last);
    if (b->place == BLOCKS_IN_HEAD) k = blocks_return_head(b, to, cap);
    if (b->place == BLOCKS_IN_BODY) k += blocks_return_body(b, in, n, to + k, cap - k);
    return k;
}
