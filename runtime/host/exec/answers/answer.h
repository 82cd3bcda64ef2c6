/* answer.h -- a learner's answer to LEAT_QUERY_TOP, collected whole; and answers that are kept for
 * those who watch a run.
 *
 * Viewers must not keep a learner from learning. An answer that took the learner long is given
 * again for KEPT_TIMES as long to all who ask the same. All different questions together take a
 * twenty-fifth of the learner's time, after some that it answers in advance.
 */
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

/* ---- kept ones ---- */

enum { KEPT_TIMES = 100 };

struct kept_answer {
    struct leat_ask want;
    bool merged; /* of several models: of their merge */
    struct arena arena;
    struct answer answer;
    uint64_t examples, time_end; /* what the learner had learned by then, and its time_end */
    uint64_t at, took, used;     /* ns; used: when it was asked for last */
};

struct kept_answers {
    struct kept_answer *kept;
    uint32_t n;
    uint64_t paid_at; /* when the answers so far will have taken no more than their share, ns */
    uint64_t took;    /* the last long one, ns */
};

/* The answer, taken now or kept, until the next call; where there are several models and `merges`,
 * of their merge. `over`: the learner works no more, so that an answer is always of now. LEAT_OK;
 * LEAT_AGAIN: others have asked too much; or what the learner's query returned. On the learner's
 * worker, or where that has ended. */
int kept_answer_take(struct instance *i, const struct leat_ask *want, bool merges, bool over,
                     const struct kept_answer **out);
void kept_answers_free(struct instance *i);

#endif
