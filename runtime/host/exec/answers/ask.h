/* ask.h -- queries of stages to learners during a run, and the tables that hold the answers.
 *
 * In this file "sink" also means a transform with expand that queries a learner. An answer is a
 * table of fixed capacity; each query has ASK_TABLES of them. The learner is queried right after
 * the record with which an answer is due, wherever in a batch it is (pieces.h). The answer travels
 * with the piece that this record ends, so it arrives in the order of the stream. The last answer
 * comes after the last batch. A transform with expand gets it with the last batch, because it could
 * not emit records after that.
 */
#ifndef LEAT_HOST_EXEC_ANSWERS_ASK_H
#define LEAT_HOST_EXEC_ANSWERS_ASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

/* ASK_SHARE: answers by wall-clock time take at most one part in so many of it. */
enum { ASK_SHARE = 4, ASK_TABLES = 4, ASK_COLUMNS = 40, ASK_NAME_BYTES = 512 };

struct hbatch;
struct instance;

/* ---- the history of a query: the features in its answers at up to ANSWER_MOMENTS moments ----
 *
 *   answer   1 2 3 4 5 6 7 8 9 …     every `step`-th is kept, and the latest; when there are
 *   kept     x   x   x   x   x       ANSWER_MOMENTS of them, every second one is dropped and the
 *   step 2                           step doubles
 *
 * Only periodic queries have a history. The learner's worker writes it; when that worker has ended,
 * any thread may read it. */

enum {
    ANSWER_MOMENTS = 32,
    ANSWER_MOMENT_ROWS = 20,  /* most rows of an answer in a moment, its first ones */
    ANSWER_MOMENT_NAME = 256, /* bytes of a name with its NUL; longer names are cut */
    ANSWER_SLOTS = ANSWER_MOMENTS + 1
};

struct answer_moment {
    uint64_t examples, answer; /* answer: number of the answer, from 0 */
    int64_t time;              /* latest event time; below 0: none     */
    uint32_t n;
    char name[ANSWER_MOMENT_ROWS][ANSWER_MOMENT_NAME];
};

struct answer_history {
    /* Number of answers so far; every step-th of them is kept. */
    uint64_t answers, step;
    uint32_t n; /* number of kept moments */
    /* The n kept moments; then the latest, if it is not among them. */
    struct answer_moment moment[ANSWER_SLOTS];
};

/* Returns the bytes of this query's history; 0 if it has no history. */
size_t answer_history_bytes(const struct leat_ask *want);
void answer_history_add(struct answer_history *h, const struct leat_table *t);
/* Returns the number of valid elements of h->moment, which are in the order of time. */
uint32_t answer_history_moments(const struct answer_history *h);

/* ---- a query, and the tables for its answers ---- */

struct table {
    struct leat_table t;
    struct ask *ask;
    struct table *next_free;
    const char *columns[ASK_COLUMNS];
    const char **names;
    uint32_t *name_len;
    double *values;
    char *text; /* k × ASK_NAME_BYTES */
    const char **also;
    char *also_text; /* k × ASK_NAME_BYTES */
};

/* Appends a name to `text`, after "; " if the text is not empty. `text` has `room` bytes. If the
 * name does not fit, appends "…" instead. */
void ask_join_name(char *text, size_t room, const char *name, size_t len);

struct ask {
    struct leat_ask want;
    struct instance *learner, *sink;
    uint64_t next_examples; /* number of learned examples at which the next answer is due  */
    uint64_t next_ns;       /* time at which the next answer is due, ns                    */
    bool put_off;           /* the run has been told that answers come later than `every`  */
    struct table table[ASK_TABLES];
    struct table *free;
    struct answer_history *history; /* NULL: the query is not periodic      */
    pthread_mutex_t mu;             /* guards `free`, which two workers use */
    pthread_cond_t freed;
};

/* Returns the bytes of a query with its tables and its history. */
uint64_t ask_bytes(const struct leat_ask *want);
int ask_init(struct ask *a, const struct leat_ask *want, struct instance *learner,
             struct instance *sink);
void ask_fini(struct ask *a);

/* Returns the query in the form that the learner gets. */
struct leat_query ask_query(const struct leat_ask *want);

/* True if the query repeats by examples or by event time, so that answers are due after records. */
static inline bool ask_counts(const struct leat_ask *want)
{
    return want->every.examples > 0 || (want->event_time && want->every.ns > 0);
}
/* Returns the row of the first selected record after which an answer of learner `i` may be due;
 * LEAT_NULL if there is none. `whole`: the batch is whole, not the rest after a piece. */
uint32_t ask_row(const struct instance *i, struct hbatch *h, bool whole);
/* Queries the learner after it has processed batch `h`, for each answer that is due, and adds the
 * answers to `h`. With shards, first merges the shards into the learner's own instance. With
 * `at_end`, does not merge, because the caller has done so. Called on the learner's worker. Waits
 * for a free table. */
void ask_questions(struct instance *learner, struct hbatch *h, uint64_t now, bool at_end);
/* Passes the batch's answers for this sink to its `show`, and gives their tables back. Called on
 * the sink's worker. */
void ask_show(struct instance *sink, struct hbatch *h);
/* Gives an answer's table back to its query. */
void ask_release(struct table *t);

#endif
