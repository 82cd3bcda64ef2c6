/* csv_columns.h -- parameters of parse.csv and parse.tsv; columns, from `columns` or the header. */
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
    const char *quote;     /* "" for none */
    int32_t header;
    struct leat_strings columns, numbers, missing;
    const char *decimal, *thousands; /* thousands: NULL for none */
    int32_t extra, short_rows;
};
enum { CSV_EXTRA_REJECT, CSV_EXTRA_IGNORE };
enum { CSV_SHORT_REJECT, CSV_SHORT_FILL };

struct csv_dialect csv_dialect_of(const struct csv_settings *cfg);
/* Returns the format of numbers. */
struct grouped csv_form_of(const struct csv_settings *cfg);

/* Members of leat_stage. */
int csv_validate(const void *config, struct leat_diag *d);
int csv_framing(const void *config, struct leat_framing *f);

/* Defines the columns (a member of leat_stage). Without `columns` and header they stay open until
 * the input is known. */
int csv_negotiate(const void *config, struct leat_negotiation *n);

/* True if the name of column `column`, from 0, looks like a value. Negotiation has warned of it. */
bool csv_is_value(const char *name, size_t len, uint32_t column);

#endif
