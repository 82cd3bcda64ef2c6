/* answer.h -- answers to LEAT_QUERY_TOP outside the pipeline, and a cache of answers for viewers.
 *
 * Viewers (leat watch, --http) must not keep a learner from learning. If the learner needed time t
 * for an answer, all viewers with the same query get this answer for a time of KEPT_TIMES * t. All
 * queries together may take a twenty-fifth of the learner's time. A small credit allows the first
 * queries at once.
 */
#ifndef LEAT_HOST_EXEC_ANSWERS_ANSWER_H
#define LEAT_HOST_EXEC_ANSWERS_ANSWER_H

#include "host/memory/arena.h"
#include "ask.h"

struct answer {
    struct leat_result base;
    struct arena *arena;
    const char *column[ASK_COLUMNS];
    const char **name; /* n_rows names, each ended by a NUL */
    uint32_t *len;
    const char **also; /* further features of the same records, joined by "; "; or "" */
    double *values;    /* n_rows x n_columns                                          */
    uint32_t n_columns, n_rows;
    size_t cap;
};

/* Queries the learner as an observer (leat_query.beside). Returns the status of the learner's
 * query; a failure is not reported to the run. The rows are in the arena. */
int answer_take(struct answer *a, struct instance *i, const struct leat_ask *want,
                struct arena *arena);
/* Queries the learner like a stage of the pipeline. Returns LEAT_OK, or a failure, which is
 * reported to the run. */
int answer_ask(struct answer *a, struct instance *i, const struct leat_ask *want,
               struct arena *arena);
/* Returns the index of the column with that name; n_columns if there is none. */
uint32_t answer_column(const struct answer *a, const char *name);

/* ---- cached answers ---- */

enum { KEPT_TIMES = 100 };

struct kept_answer {
    struct leat_ask want;
    bool merged; /* the answer is about the merge of all shards */
    struct arena arena;
    struct answer answer;
    /* When the answer was made: number of examples learned, and the learner's time_end. */
    uint64_t examples, time_end;
    /* In ns. at: when the answer was made; took: time that it took; used: last request. */
    uint64_t at, took, used;
};

struct kept_answers {
    struct kept_answer *kept;
    uint32_t n;
    uint64_t paid_at; /* time until which queries have used up their share, clock_ns() */
    uint64_t took;    /* time that the last long answer took, ns                       */
};

/* Sets *out to an answer, new or cached, that is valid until the next call. `merges`: with shards,
 * the merge of all shards answers. `over`: the learner has stopped learning; the answer is then
 * always new. Returns LEAT_OK; LEAT_AGAIN if viewers have used up the share of time; or the status
 * of the learner's query. Call it on the learner's worker, or when that worker has ended. */
int kept_answer_take(struct instance *i, const struct leat_ask *want, bool merges, bool over,
                     const struct kept_answer **out);
void kept_answers_free(struct instance *i);

#endif
