/* answer.h -- a learner's whole answer to LEAT_QUERY_TOP; and the cache of answers for viewers.
 *
 * Viewers must not keep a learner from learning. If an answer took the learner time t, everyone who
 * asks the same question gets that answer for KEPT_TIMES t. All different questions together take a
 * twenty-fifth of the learner's time, apart from a few that it answers in advance.
 */
#ifndef LEAT_HOST_EXEC_ANSWERS_ANSWER_H
#define LEAT_HOST_EXEC_ANSWERS_ANSWER_H

#include "host/memory/arena.h"
#include "ask.h"

struct answer {
    struct leat_result base;
    struct arena *arena;
    const char *column[ASK_COLUMNS];
    const char **name; /* ended by NUL */
    uint32_t *len;
    const char **also; /* names of features of the same records, "; " between them; or empty */
    double *values;    /* n_rows x n_columns */
    uint32_t n_columns, n_rows;
    size_t cap;
};

/* Asks the question `want` as an observer (leat/query.h: beside). Returns the result of the
 * learner's query; a negative status is a failure that nobody has reported. Rows lie in the
 * arena. */
int answer_take(struct answer *a, struct instance *i, const struct leat_ask *want,
                struct arena *arena);
/* Asks as the pipeline does. Returns LEAT_OK, or a failure that the instance's run has recorded. */
int answer_ask(struct answer *a, struct instance *i, const struct leat_ask *want,
               struct arena *arena);
/* Returns the index of the column with that name; n_columns if there is none. */
uint32_t answer_column(const struct answer *a, const char *name);

/* ---- cached answers ---- */

enum { KEPT_TIMES = 100 };

struct kept_answer {
    struct leat_ask want;
    bool merged; /* by the merge of several models */
    struct arena arena;
    struct answer answer;
    uint64_t examples, time_end; /* learned by the time of the answer; the learner's time_end
                                  * then */
    uint64_t at, took, used;     /* ns; used: time of the last request */
};

struct kept_answers {
    struct kept_answer *kept;
    uint32_t n;
    uint64_t paid_at; /* when the answers so far will be within their share of time, ns */
    uint64_t took;    /* by the last long answer, ns */
};

/* Returns an answer, new or cached, in *out until the next call. With several models and `merges`,
 * their merge answers. If `over`, the learner has stopped learning, so every answer is current.
 * Returns LEAT_OK; LEAT_AGAIN if others have asked too much; or the result of the learner's query.
 * Call it on the learner's worker, or after that has ended. */
int kept_answer_take(struct instance *i, const struct leat_ask *want, bool merges, bool over,
                     const struct kept_answer **out);
void kept_answers_free(struct instance *i);

#endif
