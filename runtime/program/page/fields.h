/* fields.h -- members of a summary, for the parts of a page.
 *
 * A member that is missing or has another type is empty, so no summary can do harm. */
#ifndef LEAT_PROGRAM_PAGE_FIELDS_H
#define LEAT_PROGRAM_PAGE_FIELDS_H

#include <jansson.h>

#include "host/memory/arena.h"
#include "core/report/report.h"

/* Return a member; NaN, "" or false if it is missing. */
double field_number(const json_t *o, const char *key);
const char *field_text(const json_t *o, const char *key);
const json_t *field(const json_t *o, const char *key);

/* Returns a member as the value of a cell of that type. */
struct report_value field_value(const json_t *o, const char *key, enum report_type type);

/* A list of rows that are objects, whose members have the names of the columns. A moment is a
 * WORD. */
struct field_list {
    struct report_list list; /* its `of` is this struct, which must not move */
    const json_t *rows;
};

void field_list_make(struct field_list *l, const json_t *rows, const struct report_column *column,
                     uint32_t n_columns);

/* Return "95,759"; "1 record", "2 records"; "1.5 MB"; "2026-11-26 19:20:00 UTC" (from ISO 8601). */
const char *field_count(double n, struct arena *a);
const char *field_counted(double n, const char *what, struct arena *a);
const char *field_bytes(double n, struct arena *a);
const char *field_moment(const char *iso, struct arena *a);

#endif
