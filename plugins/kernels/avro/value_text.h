/* value_text.h -- writes single values of Avro records as text.
 *
 *   boolean              true, false
 *   int, long            decimal
 *   float, double        the fewest digits that read back as the same number
 *   decimal, big-decimal as many digits after the point as its scale: 12.50
 *   date                 2024-02-29
 *   time-…               23:59:59.999
 *   timestamp-…          2024-02-29T23:59:59.999Z; local-timestamp-… without Z
 *   uuid, if fixed       f81d4fae-7dec-11d0-a765-00a0c91e6bf6
 *   duration             P14M3DT0.500S: months, days, seconds */
#ifndef LEAT_KERNELS_AVRO_VALUE_TEXT_H
#define LEAT_KERNELS_AVRO_VALUE_TEXT_H

#include <stddef.h>

#include "avro.h"

/* Longest text, and most digits of a decimal. */
enum { VALUE_TEXT_BYTES = 48, VALUE_TEXT_DIGITS = 38 };

/* Writes a value as text, unless it is a text, an enum or null. Returns the length; 0 for a decimal
 * of more than VALUE_TEXT_DIGITS digits, or a big-decimal whose bytes are wrong. */
size_t value_text(struct avro_bytes, struct avro_value, char out[VALUE_TEXT_BYTES]);

#endif
