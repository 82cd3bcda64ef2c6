/* answer.h -- a learner's answer to LEAT_QUERY_TOP, kept: how many rows there are is its own to
 * know. */
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

/* Ask for the k heaviest features. LEAT_OK or a failure told to the instance's run. */
int answer_ask(struct answer *a, struct instance *i, uint32_t k, struct arena *arena);
/* The column of that name, or n_columns. */
uint32_t answer_column(const struct answer *a, const char *name);

#endif
