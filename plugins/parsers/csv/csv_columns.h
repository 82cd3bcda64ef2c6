/* csv_columns.h -- which columns the rows have: those of `columns`, or of the header. */
#ifndef LEAT_PARSERS_CSV_COLUMNS_H
#define LEAT_PARSERS_CSV_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

/* As leat_stage has it. Without `columns` and header they are left open until the input is known.
 */
int csv_negotiate(const void *config, struct leat_negotiation *n);

/* Is the name that a header gives column `column`, from 0, rather a value? Then negotiation has
 * warned of it. */
bool csv_is_value(const char *name, size_t len, uint32_t column);

#endif
