/* answer.h -- collects a learner's answer to LEAT_QUERY_TOP, whose number of rows is not known
 * beforehand. */
#ifndef LEAT_HOST_EXEC_ANSWERS_ANSWER_H
#define LEAT_HOST_EXEC_ANSWERS_ANSWER_H

#include "host/memory/arena.h"
#include "ask.h"

struct answer {
    struct leat_result base;
    struct arena *arena;
    const char *column[ASK_COLUMNS];
    const char **name; /* ended by NUL                       */
    uint32_t *len;
    const char **also; /* names of features of the same records, "; " between them; or empty */
    double *values;    /* n_rows x n_columns */
    uint32_t n_columns, n_rows;
    size_t cap;
};

/* Asks what `want` says, as who looks on (leat/query.h: beside). Returns what the learner's query
 * returns; a negative status is a failure that no one has reported. Rows lie in the arena. */
int answer_take(struct answer *a, struct instance *i, const struct leat_ask *want,
                struct arena *arena);
/* Asks as the pipeline does. LEAT_OK, or a failure that the instance's run has recorded. */
int answer_ask(struct answer *a, struct instance *i, const struct leat_ask *want,
               struct arena *arena);
/* Index of the column with that name; n_columns: none. */
uint32_t answer_column(const struct answer *a, const char *name);

#endif
