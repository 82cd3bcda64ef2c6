/* item_json.h -- writes items of CBOR and MessagePack (item.h) as JSON
 *
 *   numbers            exactly; a float has the fewest digits that read back as the same float
 *   bignum             its digits; of more than ITEM_BIGNUM bytes: as a byte string
 *   decimal fraction   its digits with a point: 273.15
 *   NaN, infinities    NaN, Infinity, -Infinity, which are no JSON (json.h)
 *   text               a string
 *   byte string        base64; so are extensions of unknown types
 *   null, undefined    null; so are other simple values
 *   tag                its item, as if there were no tag, except those above
 *   timestamp          "2024-02-29T23:59:59.000000001Z"; without a fraction if that is 0
 *   key                a text; a number, true, false or null in quotes
 *   [time, record]     an item of Fluentd and Fluent Bit, as {"time": …, "record": …}
 *
 * Cost: O(bytes) without allocation; a bignum takes a division for each digit. The JSON has at most
 * ITEM_JSON_COPIES bytes for each byte of an item, and ITEM_JSON_MORE. */
#ifndef LEAT_KERNELS_ITEMS_ITEM_JSON_H
#define LEAT_KERNELS_ITEMS_ITEM_JSON_H

#include "core/report/text_out.h"
#include "item.h"

enum { ITEM_BIGNUM = 128, ITEM_JSON_COPIES = 7 /* of {false: false} */, ITEM_JSON_MORE = 64 };

/* Writes the item p[0, n), which item_scan() has accepted. Returns ITEM_OK, or why the item has no
 * JSON; then *at is the offset of the wrong part, and part of the text has been written. */
enum item_fault item_json(enum item_format, const uint8_t *p, size_t n, struct text_out *,
                          size_t *at);

#endif
