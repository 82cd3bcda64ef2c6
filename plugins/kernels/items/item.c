/* item.c -- implementation of item.h. */
#include "item.h"

#include "core/bits.h"

const char *item_fault_text(enum item_fault fault)
{
    static const char *const texts[] = {
        [ITEM_OK] = "",
        [ITEM_CUT] = "it ends within an item",
        [ITEM_LONG] = "it is too long",
        [ITEM_RESERVED] = "the format has no such byte here",
        [ITEM_BROKEN] = "an array or map of indefinite length ends where it cannot end",
        [ITEM_CHUNK] = "a part of a text or byte string is of another kind",
        [ITEM_DEEP] = "arrays, maps and tags are more than 256 deep",
        [ITEM_NO_UTF8] = "a text is not UTF-8",
        [ITEM_COMPOUND_KEY] = "a key is an array or a map and no text",
        [ITEM_TIME] = "a time is out of range",
        [ITEM_TRAILING] = "other bytes follow the item",
    };
    return texts[fault];
}

/* ---- CBOR: major type 3 bits, argument 5 bits, which may be the size of the argument ---- */

/* Sets the kind of a head of major type 7. Returns false if there is no such head. */
static bool item_simple(struct item_head *h, unsigned argument)
{
    static const enum item_kind kind[] = {[20] = ITEM_FALSE, [21] = ITEM_TRUE,   [25] = ITEM_FLOAT,
                                          [26] = ITEM_FLOAT, [27] = ITEM_DOUBLE, [31] = ITEM_BREAK};
    h->kind = argument < sizeof kind / sizeof *kind && kind[argument] ? kind[argument] : ITEM_NULL;
    h->indefinite = false;
    if (argument == 25) h->value = bits_of_float(float_of_half((uint32_t)h->value));
    return argument != 24 || h->value >= 32;
}

static enum item_fault item_head_cbor(const uint8_t *p, size_t n, struct item_head *h)
{
    static const enum item_kind kind[] = {ITEM_UINT,  ITEM_NINT, ITEM_BYTES, ITEM_TEXT,
                                          ITEM_ARRAY, ITEM_MAP,  ITEM_TAG};
    const unsigned major = p[0] >> 5, argument = p[0] & 31;
    const size_t size = argument < 24 || argument > 27 ? 0 : (size_t)1 << (argument - 24);
    bool takes_indefinite = major >= 2 && major != 6;
    if (argument > 27 && (argument < 31 || !takes_indefinite)) return ITEM_RESERVED;
    if (n < 1 + size) return ITEM_CUT;
    h->n = (uint8_t)(1 + size);
    h->value = size ? item_number(p + 1, size) : argument;
    h->indefinite = argument == 31;
    if (major == 7) return item_simple(h, argument) ? ITEM_OK : ITEM_RESERVED;
    h->kind = kind[major];
    return ITEM_OK;
}

/* ---- MessagePack: the first byte decides ---- */

/* Heads of the bytes c0 to df: kind, and bytes of the number after the first byte. `fixed`: an
 * extension of so many bytes, whose type follows. */
static const struct item_code {
    enum item_kind kind;
    uint8_t size, fixed;
} item_codes[] = {{ITEM_NULL, 0, 0},  {ITEM_BREAK, 0, 0}, {ITEM_FALSE, 0, 0}, {ITEM_TRUE, 0, 0},
                  {ITEM_BYTES, 1, 0}, {ITEM_BYTES, 2, 0}, {ITEM_BYTES, 4, 0}, {ITEM_EXT, 1, 0},
                  {ITEM_EXT, 2, 0},   {ITEM_EXT, 4, 0},   {ITEM_FLOAT, 4, 0}, {ITEM_DOUBLE, 8, 0},
                  {ITEM_UINT, 1, 0},  {ITEM_UINT, 2, 0},  {ITEM_UINT, 4, 0},  {ITEM_UINT, 8, 0},
                  {ITEM_NINT, 1, 0},  {ITEM_NINT, 2, 0},  {ITEM_NINT, 4, 0},  {ITEM_NINT, 8, 0},
                  {ITEM_EXT, 0, 1},   {ITEM_EXT, 0, 2},   {ITEM_EXT, 0, 4},   {ITEM_EXT, 0, 8},
                  {ITEM_EXT, 0, 16},  {ITEM_TEXT, 1, 0},  {ITEM_TEXT, 2, 0},  {ITEM_TEXT, 4, 0},
                  {ITEM_ARRAY, 2, 0}, {ITEM_ARRAY, 4, 0}, {ITEM_MAP, 2, 0},   {ITEM_MAP, 4, 0}};

/* Reads a signed number as its kind and value. */
static void item_signed(struct item_head *h, unsigned bits)
{
    int64_t v = (int64_t)(h->value << (64 - bits)) >> (64 - bits);
    h->kind = v < 0 ? ITEM_NINT : ITEM_UINT;
    h->value = v < 0 ? ~(uint64_t)v : (uint64_t)v;
}

static enum item_fault item_head_code(const uint8_t *p, size_t n, struct item_head *h)
{
    const struct item_code *c = &item_codes[p[0] - 0xc0];
    const size_t type = c->kind == ITEM_EXT;
    if (c->kind == ITEM_BREAK) return ITEM_RESERVED;
    if (n < 1 + c->size + type) return ITEM_CUT;
    h->kind = c->kind;
    h->n = (uint8_t)(1 + c->size + type);
    h->value = c->size ? item_number(p + 1, c->size) : c->fixed;
    if (type) h->type = (int8_t)p[1 + c->size];
    if (c->kind == ITEM_NINT) item_signed(h, 8 * (unsigned)c->size);
    return ITEM_OK;
}

static enum item_fault item_head_msgpack(const uint8_t *p, size_t n, struct item_head *h)
{
    const uint8_t byte = p[0];
    if (byte >= 0xc0 && byte < 0xe0) return item_head_code(p, n, h);
    h->n = 1;
    if (byte < 0x80)
        h->kind = ITEM_UINT, h->value = byte;
    else if (byte >= 0xe0)
        h->kind = ITEM_NINT, h->value = 0xff - byte;
    else if (byte >= 0xa0)
        h->kind = ITEM_TEXT, h->value = byte & 31;
    else
        h->kind = byte < 0x90 ? ITEM_MAP : ITEM_ARRAY, h->value = byte & 15;
    return ITEM_OK;
}

enum item_fault item_head(enum item_format format, const uint8_t *p, size_t n, struct item_head *h)
{
    if (!n) return ITEM_CUT;
    *h = (struct item_head){.kind = ITEM_NULL};
    return format == ITEM_CBOR ? item_head_cbor(p, n, h) : item_head_msgpack(p, n, h);
}

/* ---- the end of an item ---- */

void item_scan_begin(struct item_scan *s)
{
    s->at = 0;
    s->depth = 1;
    s->level[0] = (struct item_level){1, ITEM_ARRAY, false};
}

/* Counts a complete item in its level, and each level that is complete then. */
static void item_ended(struct item_scan *s)
{
    while (s->depth) {
        struct item_level *l = &s->level[s->depth - 1];
        if (l->indefinite) {
            if (l->kind == ITEM_MAP) l->left = !l->left;
            return;
        }
        if (--l->left) return;
        s->depth--;
    }
}

/* Opens the level of the items that follow a head. */
static enum item_fault item_open(struct item_scan *s, const struct item_head *h)
{
    const bool pairs = h->kind == ITEM_MAP;
    if (!h->indefinite && !h->value && h->kind != ITEM_TAG) {
        item_ended(s);
        return ITEM_OK;
    }
    if (s->depth > ITEM_DEPTH) return ITEM_DEEP;
    const uint64_t left = h->indefinite ? 0 : h->kind == ITEM_TAG ? 1 : h->value << pairs;
    s->level[s->depth++] = (struct item_level){left, h->kind, h->indefinite};
    return ITEM_OK;
}

static enum item_fault item_break(struct item_scan *s)
{
    const struct item_level *l = &s->level[s->depth - 1];
    if (!l->indefinite || l->left) return ITEM_BROKEN;
    s->depth--;
    item_ended(s);
    return ITEM_OK;
}

/* True if a head may be a part of the text or byte string of its level. */
static bool item_is_chunk(const struct item_level *l, const struct item_head *h)
{
    return h->kind == ITEM_BREAK || (h->kind == l->kind && !h->indefinite);
}

static enum item_fault item_step(struct item_scan *s, const struct item_head *h)
{
    const struct item_level *l = &s->level[s->depth - 1];
    const bool in_string = l->kind == ITEM_BYTES || l->kind == ITEM_TEXT;
    if (in_string && !item_is_chunk(l, h)) return ITEM_CHUNK;
    if (h->kind == ITEM_BREAK) return item_break(s);
    if (h->kind == ITEM_ARRAY || h->kind == ITEM_MAP || h->kind == ITEM_TAG || h->indefinite)
        return item_open(s, h);
    item_ended(s);
    return ITEM_OK;
}

enum item_fault item_scan(struct item_scan *s, enum item_format format, const uint8_t *p, size_t n,
                          uint64_t limit)
{
    enum item_fault fault = ITEM_OK;
    while (s->depth && !fault) {
        struct item_head h;
        if (s->at >= n) return ITEM_CUT;
        fault = item_head(format, p + s->at, n - s->at, &h);
        if (fault) return fault;
        const bool many = h.kind == ITEM_ARRAY || h.kind == ITEM_MAP;
        const uint64_t least = many && !h.indefinite ? h.value : item_payload(&h);
        s->least = least > UINT64_MAX / 2 ? least : s->at + h.n + least;
        if (s->least > limit) return ITEM_LONG;
        fault = item_step(s, &h);
        if (!fault) s->at += h.n + item_payload(&h);
    }
    return fault ? fault : s->at > n ? ITEM_CUT : ITEM_OK;
}
