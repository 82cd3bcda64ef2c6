/* lookup_csv.h -- fills a lookup_table from the text of a CSV file with a heading. */
#ifndef LEAT_SHAPE_LOOKUP_CSV_H
#define LEAT_SHAPE_LOOKUP_CSV_H

#include "lookup_table.h"

/* The file's text lies in t->text[0 .. n_text) of t->bytes. false: `why` says why, and what to do.
 * An empty cell is missing. */
bool lookup_csv_fill(struct lookup_table *t, const struct lookup_names *names, char delimiter);

#endif
