/* csv_settings.h -- the parameters of parse.csv and parse.tsv, and what follows from them alone. */
#ifndef LEAT_PARSERS_CSV_SETTINGS_H
#define LEAT_PARSERS_CSV_SETTINGS_H

#include <leat/plugin.h>

#include "core/text/grouped.h"
#include "kernels/text/csv.h"

struct csv_settings {
    const char *delimiter; /* NULL: a tab */
    const char *quote;     /* "": none    */
    int32_t header;
    struct leat_strings columns, numbers, missing;
    const char *decimal, *thousands; /* thousands NULL: none */
    int32_t extra, short_rows;
};
enum { CSV_EXTRA_REJECT, CSV_EXTRA_IGNORE };
enum { CSV_SHORT_REJECT, CSV_SHORT_FILL };

struct csv_dialect csv_dialect_of(const struct csv_settings *cfg);
/* How numbers are written. */
struct grouped csv_form_of(const struct csv_settings *cfg);

/* As leat_stage has them. */
int csv_validate(const void *config, struct leat_diag *d);
int csv_framing(const void *config, struct leat_framing *f);

#endif
