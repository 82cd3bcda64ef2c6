/* param_entries.h -- tables with keys as lists of texts (LEAT_KEYED of <leat/param.h>).
 *
 *   example   { [0] = 12, orders = { [1] = "x" } } is the list "0=12", "orders/1=x". */
#ifndef LEAT_HOST_PARAMS_PARAM_ENTRIES_H
#define LEAT_HOST_PARAMS_PARAM_ENTRIES_H

#include <leat/param.h>

#include "host/memory/arena.h"
#include "setting.h"

/* Writes the entries of a table and of the tables in it to *out, as texts in the arena. Returns
 * NULL; or the key of a value that is neither a text nor a whole number, and sets *wrong to it. */
const char *param_entries(const struct value *table, struct arena *a, struct leat_strings *out,
                          const struct value **wrong);

#endif
