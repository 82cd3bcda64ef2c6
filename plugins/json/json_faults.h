/* json_faults.h -- what stands before the JSON of a record, and rejections with advice. */
#ifndef LEAT_JSON_FAULTS_H
#define LEAT_JSON_FAULTS_H

#include <leat/plugin.h>

#include "json_index.h"
#include "kernels/text/json.h"

/* Returns the number of bytes before the JSON text: of a byte order mark, or of those with which a
 * message names its schema. JSON cannot begin with the latter, and an object must follow them. */
uint32_t json_bytes_before(const char *text, uint32_t len);
/* Rejects a record whose JSON, with a fault, is not in its bytes: of CBOR, of MessagePack, or
 * compressed. */
void json_refuse_item(struct leat_ctx *, struct leat_batch *, uint32_t r, enum json_fault);
/* Rejects a record with a fault at byte `at`. */
void json_refuse_text(struct leat_ctx *, struct leat_batch *, uint32_t r, enum json_fault,
                      uint32_t at);
/* Rejects a record with a bad string; is_unpacked: which was compressed. simdjson reports the
 * fault, but not where it is. */
void json_refuse_strings(struct leat_ctx *, struct leat_batch *, uint32_t r, enum json_index_status,
                         bool is_unpacked);

#endif
