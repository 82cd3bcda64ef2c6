/* ask.h -- questions that sinks and stages put to learners during a run, and memory of the answers.
 *
 * A stage that makes records of answers is here called a sink too. An answer is a table of fixed
 * capacity, one of a few that belong to the sink. It travels with the batch after which it was
 * asked for, so it keeps the order of the stream. The last answer comes after the last batch. A
 * stage that makes records gets it with the last batch, because nothing would flow afterwards.
 */
#ifndef LEAT_HOST_EXEC_ANSWERS_ASK_H
#define LEAT_HOST_EXEC_ANSWERS_ASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

enum { ASK_TABLES = 4, ASK_COLUMNS = 24, ASK_NAME_BYTES = 512 };

struct hbatch;
struct instance;

/* ---- the history of a question: the features of its answers at a fixed number of moments ----
 *
 *   answer   1 2 3 4 5 6 7 8 9 …     every `step`-th is kept, and the latest; when there are
 *   kept     x   x   x   x   x       ANSWER_MOMENTS of them, every second one is dropped and the
 *   step 2                           step doubles
 *
 * Only periodic questions have a history. The learner's thread writes it; any thread may read it
 * once that one has ended. */

enum {
    ANSWER_MOMENTS = 32,
    ANSWER_MOMENT_ROWS = 20,  /* the first rows of an answer */
    ANSWER_MOMENT_NAME = 256, /* bytes of a name, with NUL; longer names are cut */
    ANSWER_SLOTS = ANSWER_MOMENTS + 1
};

struct answer_moment {
    uint64_t examples, answer; /* answer: its number, from 0 */
    int64_t time;              /* latest event time; below 0: none */
    uint32_t n;
    char name[ANSWER_MOMENT_ROWS][ANSWER_MOMENT_NAME];
};

struct answer_history {
    uint64_t answers, step;                    /* answers: seen so far */
    uint32_t n;                                /* number of kept moments */
    struct answer_moment moment[ANSWER_SLOTS]; /* kept ones, then the latest unless kept */
};

/* Returns the bytes of a history of this question; 0 if it has none. */
size_t answer_history_bytes(const struct leat_ask *want);
void answer_history_add(struct answer_history *h, const struct leat_table *t);
/* Returns the number of moments, oldest first, the latest among them. */
uint32_t answer_history_moments(const struct answer_history *h);

/* ---- questions and tables ---- */

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

/* Appends a name to a text of `room` bytes, after "; " if the text is not empty. "…" stands for
 * characters that do not fit. */
void ask_join_name(char *text, size_t room, const char *name, size_t len);

struct ask {
    struct leat_ask want;
    struct instance *learner, *sink;
    uint64_t next_examples; /* the next question is due at this number of learned examples, */
    uint64_t next_ns;       /* or at this time                                              */
    struct table table[ASK_TABLES];
    struct table *free;
    struct answer_history *history; /* of a periodic question; or NULL */
    pthread_mutex_t mu;             /* guards `free`, for the learner's and the sink's thread */
    pthread_cond_t freed;
};

/* Returns the bytes of a question: its tables, and the history of its answers. */
uint64_t ask_bytes(const struct leat_ask *want);
int ask_init(struct ask *a, const struct leat_ask *want, struct instance *learner,
             struct instance *sink);
void ask_fini(struct ask *a);

/* Returns the question in the form that a learner gets. */
struct leat_query ask_query(const struct leat_ask *want);

/* Asks the questions that are due after the learner's work on a batch; the answers go with `h`.
 * With shards the learner's own instance first becomes their merge, unless at_end: it already is
 * then. Runs on the learner's worker. Waits for a free table. */
void ask_questions(struct instance *learner, struct hbatch *h, uint64_t now, bool at_end);
/* Shows the sink the answers of the batch, and gives their tables back. Runs on the sink's
 * worker. */
void ask_show(struct instance *sink, struct hbatch *h);
/* Gives back the table of an answer. */
void ask_release(struct table *t);

#endif
