/* csv_columns.h -- parameters of parse.csv and parse.tsv, and their columns. */
#ifndef LEAT_PARSERS_CSV_CSV_COLUMNS_H
#define LEAT_PARSERS_CSV_CSV_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "core/text/grouped.h"
#include "kernels/text/csv.h"

struct csv_settings {
    const char *delimiter; /* NULL for a tab */
    const char *quote;     /* "" if there are no quotes */
    int32_t header;
    struct leat_strings columns, numbers, missing, texts;
    const char *decimal, *thousands; /* thousands: NULL if there is no separator */
    int32_t extra, short_rows;
    int32_t escapes;
};
enum { CSV_ESCAPES_AUTO, CSV_ESCAPES_BACKSLASH, CSV_ESCAPES_OFF };
enum { CSV_EXTRA_REJECT, CSV_EXTRA_IGNORE };
enum { CSV_SHORT_REJECT, CSV_SHORT_FILL };

struct csv_dialect csv_dialect_of(const struct csv_settings *cfg);
/* True if fields have escapes: in quotes those of kernels/text/csv.h, else those of tsv.h. */
bool csv_has_escapes(const struct csv_settings *cfg);
/* Returns the format of numbers that the parameters define. */
struct grouped csv_form_of(const struct csv_settings *cfg);

/* Functions for struct leat_stage. */
int csv_validate(const void *config, struct leat_diag *d);
int csv_framing(const void *config, struct leat_framing *f);

/* Adds the columns, from `columns` or the header. If there is neither, the columns stay open until
 * the input is known. */
int csv_negotiate(const void *config, struct leat_negotiation *n);

/* True if the name of a column looks like a value. `column`: index from 0. csv_negotiate() warns of
 * such a name. */
bool csv_is_value(const char *name, size_t len, uint32_t column);

#endif
