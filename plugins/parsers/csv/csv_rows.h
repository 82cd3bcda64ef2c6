/* csv_rows.h -- rows to cells.
 *
 * A field's text stays where it is in the record, except when it holds doubled quotes: then the
 * text without them is appended to the batch, because the record itself must stay as it arrived for
 * the dead letters. The text is never longer than the record: hence copies_text. */
#ifndef LEAT_PARSERS_CSV_ROWS_H
#define LEAT_PARSERS_CSV_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "core/text/grouped.h"
#include "header_values.h"
#include "kernels/text/csv.h"

struct csv_parser {
    struct csv_dialect dialect;
    uint32_t first, n;                          /* of this parser's columns, among the batch's */
    uint32_t shortest_missing, longest_missing; /* bytes of the texts in `missing` */
    struct grouped grouped;
    bool plain;                         /* numbers as C has them */
    uint64_t trailing, longer, shorter; /* rows with such fields, that were taken */
    struct csv_field *field;            /* n: the row that is parsed */
    bool names_columns;                 /* the header does */
    struct header_values values;
};

/* Fills the columns of record r, or rejects it; a row without a byte is left out. */
void csv_parse_row(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b, uint32_t r);

#endif
