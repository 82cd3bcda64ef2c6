/* fuzz_items.c -- any bytes as items of CBOR and of MessagePack.
 *
 * An item that comes in pieces has the same end and the same fault. Its JSON is UTF-8 and fits the
 * declared room.
 *
 * sources: plugins/kernels/items/{item,item_json}.c runtime/core/report/text_out.c -ljansson
 */
#include <jansson.h>
#include <string.h>

#include "fuzz.h"
#include "kernels/items/item_json.h"

enum { LIMIT = 1 << 16 };

static int refuse(void *to, const char *bytes, size_t n) { return 1; }

/* Scans the item in pieces. */
static enum item_fault scan(enum item_format format, const uint8_t *data, size_t n, size_t piece,
                            uint64_t *at)
{
    struct item_scan s;
    enum item_fault fault = ITEM_CUT;
    item_scan_begin(&s);
    for (size_t have = 0; fault == ITEM_CUT && have < n;) {
        have = piece < n - have ? have + piece : n;
        uint8_t *copy = exactly(data, have);
        fault = item_scan(&s, format, copy, have, LIMIT);
        free(copy);
    }
    must(s.depth <= ITEM_DEPTH + 1);
    *at = s.at;
    return fault;
}

/* Checks that jansson reads the text, unless it has NaN or an infinity, or a number too large. */
static void check_json(const char *text, size_t n)
{
    json_error_t error;
    json_t *v = json_loadb(text, n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    must(v || json_error_code(&error) != json_error_invalid_utf8);
    json_decref(v);
}

static void try(enum item_format format, const uint8_t *data, size_t size, size_t piece)
{
    uint64_t at, again;
    size_t wrong;
    enum item_fault fault = scan(format, data, size, size, &at);
    must(fault == scan(format, data, size, piece, &again) && (fault == ITEM_CUT || at == again));
    must(*item_fault_text(fault) || !fault);
    if (fault) return;
    uint8_t *item = exactly(data, (size_t)at);
    size_t room = (size_t)at * ITEM_JSON_COPIES + ITEM_JSON_MORE;
    char *text = malloc(room);
    struct text_out o = {.buf = text, .cap = room, .drain = refuse};
    fault = item_json(format, item, (size_t)at, &o, &wrong);
    must(!o.failed && wrong <= at);
    if (!fault) check_json(text, o.n);
    free(text);
    free(item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    try(ITEM_CBOR, data + 1, size - 1, 1 + data[0] % 7);
    try(ITEM_MSGPACK, data + 1, size - 1, 1 + data[0] % 7);
    return 0;
}
