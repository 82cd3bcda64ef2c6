/* avro_write.h -- writes the values of columns as records in Avro's binary encoding.
 *
 *   schema   record { long id; union { null, string } name; int retries = 3 }
 *   columns  id (whole numbers), name (texts)
 *   steps    value id | value name, branch 1, null is branch 0 | bytes 06
 *   record   id 1, name "kim"       02 | 02 06 6b 69 6d | 06
 *            id 2, no name          04 | 00             | 06
 *
 * A writer is made once from a schema and the columns (fit_binding.h). It is a list of steps, in
 * the order of the bytes. A field without a column is its default, or else null if it takes null;
 * the bytes of such fields are made once. Of the branches of a union, the type of the column
 * decides: for numbers double before float before long, for texts string before others. A record in
 * a union with null is null if all its columns are missing. Arrays and maps have no column.
 *
 * Cost of a record: O(steps + bytes), without allocation. */
#ifndef LEAT_KERNELS_AVRO_AVRO_WRITE_H
#define LEAT_KERNELS_AVRO_AVRO_WRITE_H

#include "avro_schema.h"
#include "core/report/text_out.h"
#include "kernels/encode/fit.h"
#include "kernels/encode/fit_binding.h"

struct avro_writer;

/* Makes a writer. The schema and the columns must outlive it. Returns NULL after faults. */
struct avro_writer *avro_writer_new(const struct avro_schema *, const struct fit_column *,
                                    uint32_t n, struct fit_faults *);
void avro_writer_free(struct avro_writer *);

/* Writes a record, value[i] of column i. After a fault, sets *place, and the output is useless. */
enum fit_fault avro_write(const struct avro_writer *, const struct fit_value *value,
                          struct text_out *, struct fit_place *place);

/* Makes the text of a schema from the columns: a record of this name, in which each field is a
 * union of null and the type of its column. "a.b" is a field of a record. The caller frees the
 * text. Returns NULL after faults. */
char *avro_schema_made(const struct fit_column *, uint32_t n, const char *name,
                       struct fit_faults *);

#endif
