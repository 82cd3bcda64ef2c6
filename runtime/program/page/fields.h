/* fields.h -- reads members of a summary, for the parts of a page.
 *
 * A member that is missing or has the wrong type counts as empty, so no summary can do harm. */
#ifndef LEAT_PROGRAM_PAGE_FIELDS_H
#define LEAT_PROGRAM_PAGE_FIELDS_H

#include <jansson.h>

#include "host/memory/arena.h"
#include "core/report/report.h"

/* Return a member of o. If it is missing, return NaN, "" or NULL. */
double field_number(const json_t *o, const char *key);
const char *field_text(const json_t *o, const char *key);
const json_t *field(const json_t *o, const char *key);

/* Returns a member as a value of a table cell of that type. */
struct report_value field_value(const json_t *o, const char *key, enum report_type type);

/* A list whose rows are JSON objects. Their members have the names of the columns. Times have the
 * type REPORT_WORD. */
struct field_list {
    struct report_list list; /* list.of points to this struct, which must not move */
    const json_t *rows;
};

void field_list_make(struct field_list *l, const json_t *rows, const struct report_column *column,
                     uint32_t n_columns);

/* Return n, seconds or iso as text, in this order: "95,759"; "1 record" or "2 records"; "1.5 MB";
 * "3 min 12 s"; "2026-11-26 19:20:00 UTC" (from ISO 8601). A missing number is "-". */
const char *field_count(double n, struct arena *a);
const char *field_counted(double n, const char *what, struct arena *a);
const char *field_bytes(double n, struct arena *a);
const char *field_span(double seconds, struct arena *a);
const char *field_moment(const char *iso, struct arena *a);

#endif
