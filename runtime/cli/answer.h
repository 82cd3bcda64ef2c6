/* answer.h -- collects a learner's answer to LEAT_QUERY_TOP, whose number of rows is not known
 * beforehand. */
#ifndef LEAT_CLI_ANSWER_H
#define LEAT_CLI_ANSWER_H

#include "base/arena.h"
#include "exec/ask.h"

struct answer_row {
    const char *name; /* ended by NUL */
    size_t len;
    double values[ASK_COLUMNS];
};

struct answer {
    struct leat_result base;
    struct arena *arena;
    const char *column[ASK_COLUMNS];
    uint32_t n_columns, n_rows, cap;
    struct answer_row *row;
};

/* Asks for the k heaviest features. LEAT_OK, or a failure that the instance's run has recorded.
 * Rows lie in the arena. */
int answer_ask(struct answer *a, struct instance *i, uint32_t k, struct arena *arena);
/* Index of the column with that name; n_columns: none. */
uint32_t answer_column(const struct answer *a, const char *name);

#endif
