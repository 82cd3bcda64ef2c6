/* inflated.h -- unpacks records that AWS Glue's serializers have compressed: 3, 5, the UUID of the
 * schema, and the record as a zlib stream (RFC 1950).
 *
 *   bytes of the batch    … 03 05 UUID 78 9c … | (end of the text)
 *   after                 … 03 05 UUID 78 9c … | the record
 *
 * The record is appended to the text of its batch, so slices of it are cells. It may have as many
 * bytes as the longest record of the source. INFLATED_COPIES declares the space: a batch whose
 * records grow more on average has no room for the last of them. */
#ifndef LEAT_COMMON_REGISTRY_INFLATED_H
#define LEAT_COMMON_REGISTRY_INFLATED_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

enum { INFLATED_COPIES = 16 };

struct inflated;

/* Bytes of memory of one. */
uint64_t inflated_bytes(void);
struct inflated *inflated_new(struct leat_ctx *);
void inflated_free(struct leat_ctx *, struct inflated *);

/* Unpacks record r, which has at least FRAMING_GLUE bytes, and sets *text to a slice of the batch.
 * Returns false if it rejected the record. */
bool inflated_record(struct leat_ctx *, struct inflated *, struct leat_batch *, uint32_t r,
                     struct leat_str *text);

#endif
