/* fields.h -- members of a summary as parts of a page read them: what is missing, or of another
 * type, is empty, so that no summary can do harm. */
#ifndef LEAT_PROGRAM_PAGE_FIELDS_H
#define LEAT_PROGRAM_PAGE_FIELDS_H

#include <jansson.h>

#include "host/memory/arena.h"
#include "core/report/report.h"

/* NaN, "" and false where it is missing. */
double field_number(const json_t *o, const char *key);
const char *field_text(const json_t *o, const char *key);
const json_t *field(const json_t *o, const char *key);

/* A member as the value of a cell of that type. */
struct report_value field_value(const json_t *o, const char *key, enum report_type type);

/* The rows are objects, whose members have the names of the columns. Text of a moment: a WORD. */
struct field_list {
    struct report_list list; /* its `of` is this struct, which stays where it is */
    const json_t *rows;
};

void field_list_make(struct field_list *l, const json_t *rows, const struct report_column *column,
                     uint32_t n_columns);

/* "95,759", "1.5 MB", "0.85 s", "2026-11-26 19:20:00 UTC" (of ISO 8601), "1 record", "2 records" */
const char *field_count(double n, struct arena *a);
const char *field_counted(double n, const char *what, struct arena *a);
const char *field_bytes(double n, struct arena *a);
const char *field_moment(const char *iso, struct arena *a);

#endif
