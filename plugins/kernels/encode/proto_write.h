/* proto_write.h -- writes the values of columns as messages of Protocol Buffers.
 *
 *   schema   message Pay { int64 id = 1; optional string name = 2; User user = 3; }
 *   columns  id (whole numbers), name, user.vip
 *   record   id 7, name "kim"       08 07 | 12 03 6b 69 6d
 *            id 0, name "", vip     12 00 | 1a 02 08 01
 *
 * Fields are written in the order of the schema. 0, "" and false of a field without presence are
 * written as nothing, as all serializers do; such a field takes no missing value. Other fields that
 * miss their value are left out, unless they are required. A field without a column is left out. A
 * message in a message is left out if all its columns are missing. An enum takes the names of its
 * values, and numbers. Repeated fields, maps and groups take no column, nor does a second field of
 * a oneof.
 *
 * Cost of a record: O(steps + bytes), without allocation; the bytes of a message in a message are
 * moved once for each level. */
#ifndef LEAT_KERNELS_ENCODE_PROTO_WRITE_H
#define LEAT_KERNELS_ENCODE_PROTO_WRITE_H

#include "core/report/text_out.h"
#include "fit_binding.h"
#include "proto_schema.h"

struct proto_writer;

/* Makes a writer of a message. The schema and the columns must outlive it. Returns NULL after
 * faults. */
struct proto_writer *proto_writer_new(const struct proto_message *, const struct fit_column *,
                                      uint32_t n, struct fit_faults *);
void proto_writer_free(struct proto_writer *);

/* Writes a message, value[i] of column i. After a fault, sets *place, and the output is useless. */
enum fit_fault proto_write(const struct proto_writer *, const struct fit_value *value,
                           struct text_out *, struct fit_place *place);

enum { PROTO_INDEXES = 12 };
/* Writes the indexes of a message, with which a serializer names it behind the number of the
 * schema. Returns the number of their bytes. */
uint32_t proto_indexes(const struct proto_message *, char to[PROTO_INDEXES]);

/* Makes the text of a schema from the columns: a message with an optional field for each, numbered
 * in their order. The caller frees the text. Returns NULL after faults. */
char *proto_schema_made(const struct fit_column *, uint32_t n, const char *name,
                        struct fit_faults *);

#endif
