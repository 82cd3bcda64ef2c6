/* json_write.h -- writes the values of columns as JSON objects that follow a JSON Schema.
 *
 *   schema   {"type": "object", "required": ["id"], "properties": {
 *              "id": {"type": "integer", "minimum": 0}, "name": {"type": ["string", "null"]}}}
 *   columns  id (whole numbers), name (texts)
 *   record   id 1, name "kim"       {"id":1,"name":"kim"}
 *            id 2, no name          {"id":2,"name":null}
 *
 * Members stand in the order of `properties`, without blanks. A missing value is null if the
 * property may be null, and is left out if the property is not required. A property without a
 * column is its default, or left out. An object in an object is treated in the same way if all its
 * columns are missing.
 *
 * A value is checked by these keywords of its property: type, enum of texts, minimum, maximum,
 * exclusiveMinimum and exclusiveMaximum as numbers, minLength, maxLength. Others, such as pattern,
 * are not looked at. anyOf and oneOf may have null and one other branch; $ref may point into the
 * schema. A property that asks for something else takes no column.
 *
 * Cost of a record: O(steps + bytes), without allocation. */
#ifndef LEAT_KERNELS_ENCODE_JSON_WRITE_H
#define LEAT_KERNELS_ENCODE_JSON_WRITE_H

#include "core/report/text_out.h"
#include "fit_binding.h"

struct json_writer;

/* Makes a writer from the text of a schema. The columns must outlive it. Returns NULL after
 * faults. */
struct json_writer *json_writer_new(const char *schema, size_t n, const struct fit_column *,
                                    uint32_t n_columns, struct fit_faults *);
void json_writer_free(struct json_writer *);

/* Writes an object, value[i] of column i. After a fault, sets *place, and the output is useless. */
enum fit_fault json_write(const struct json_writer *, const struct fit_value *value,
                          struct text_out *, struct fit_place *place);

/* Makes the text of a schema from the columns: each property may be null, and there are no others.
 * The caller frees the text. Returns NULL after faults. */
char *json_schema_made(const struct fit_column *, uint32_t n, const char *name,
                       struct fit_faults *);

#endif
