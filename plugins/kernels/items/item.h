/* item.h -- data items of CBOR (RFC 8949) and objects of MessagePack: their heads and their ends
 *
 *   {"a": [1, -2]}    CBOR         a1 | 61 61 | 82 | 01 | 21
 *                     MessagePack  81 | a1 61 | 92 | 01 | fe
 *
 * An item is a head, which may hold a value or a length, then a payload or other items. Both
 * formats have the same kinds of heads, so one scanner and one writer (item_json.h) serve both.
 * Neither format marks where an item ends: item_scan() must pass over all heads in it.
 *
 * item_scan() continues where it stopped for lack of bytes, so an item that comes in pieces costs
 * O(bytes), without allocation. It keeps a counter for each level of nesting:
 *
 *   level 0   1 item   the item itself
 *   level 1   2 items  the map: a key, a value
 *   level 2   2 items  the array
 *
 * Invariant: `at` is the offset of the next head, and all items before it are complete. */
#ifndef LEAT_KERNELS_ITEMS_ITEM_H
#define LEAT_KERNELS_ITEMS_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum item_format { ITEM_CBOR, ITEM_MSGPACK };

enum { ITEM_DEPTH = 256 /* most levels of arrays, maps and tags */ };

enum item_kind {
    ITEM_UINT,
    ITEM_NINT, /* the number -1 - value */
    ITEM_BYTES,
    ITEM_TEXT,
    ITEM_ARRAY,
    ITEM_MAP,
    ITEM_TAG, /* another item follows */
    ITEM_EXT, /* MessagePack: `value` bytes, whose meaning is `type` */
    ITEM_FALSE,
    ITEM_TRUE,
    ITEM_NULL,  /* null, undefined and other simple values of CBOR */
    ITEM_FLOAT, /* `value` has the bits of a float; a half becomes one */
    ITEM_DOUBLE,
    ITEM_BREAK /* the end of items of indefinite length */
};

struct item_head {
    enum item_kind kind;
    bool indefinite; /* BYTES, TEXT, ARRAY, MAP: items follow up to a BREAK */
    int8_t type;
    uint8_t n;      /* bytes of the head */
    uint64_t value; /* number, bits, length of the payload, number of items or of pairs, or tag */
};

enum item_fault {
    ITEM_OK,
    ITEM_CUT,      /* more bytes are needed */
    ITEM_LONG,     /* the item has more than the allowed bytes */
    ITEM_RESERVED, /* a head that the format does not have */
    ITEM_BROKEN,   /* a BREAK that ends nothing, or ends a map after a key */
    ITEM_CHUNK,    /* a part of a text or byte string is of another kind */
    ITEM_DEEP,
    ITEM_NO_UTF8,      /* this and the following: the item has no JSON */
    ITEM_COMPOUND_KEY, /* a key is an array or a map */
    ITEM_TIME,         /* a time is out of range */
    ITEM_TRAILING      /* bytes follow the item */
};

/* Describes a fault, such as "it ends within an item". */
const char *item_fault_text(enum item_fault);

/* Reads a number of `size` bytes, at most 8, highest first. */
static inline uint64_t item_number(const uint8_t *p, size_t size)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v = v << 8 | p[i];
    return v;
}

/* Reads the head at p[0, n). Returns ITEM_OK, ITEM_CUT or ITEM_RESERVED. */
enum item_fault item_head(enum item_format, const uint8_t *p, size_t n, struct item_head *);

/* Returns the bytes that follow a head before the next one. */
static inline uint64_t item_payload(const struct item_head *h)
{
    bool has = h->kind == ITEM_BYTES || h->kind == ITEM_TEXT || h->kind == ITEM_EXT;
    return has && !h->indefinite ? h->value : 0;
}

struct item_level {
    uint64_t left; /* items to come; if indefinite, 1 after a key and else 0 */
    enum item_kind kind;
    bool indefinite;
};

/* State of a scan. item_scan_begin() prepares it. */
struct item_scan {
    uint64_t at;
    uint64_t least; /* for ITEM_LONG: bytes that the item has at least */
    uint32_t depth; /* number of open levels; 0 at the end of the item */
    struct item_level level[ITEM_DEPTH + 2];
};

void item_scan_begin(struct item_scan *);

/* Scans the item that begins at p, of which n bytes have come; earlier calls had a beginning of the
 * same bytes. Returns ITEM_OK if the item is complete: it has s->at bytes. Returns ITEM_CUT if more
 * bytes are needed, and ITEM_LONG if it needs more than `limit`. Else returns the
 * fault of the head at s->at. */
enum item_fault item_scan(struct item_scan *s, enum item_format, const uint8_t *p, size_t n,
                          uint64_t limit);

#endif
