/* ask.h -- questions that sinks, and stages that make records of answers, put to learners during a
 * run: when the next one is due, and the memory of answers.
 *
 * An answer is a table of fixed capacity, one of a few that belong to the stage that asks, here
 * called its sink. It travels with the batch after which it was asked for, so it comes in the order
 * of the stream. The last one comes after the last batch; but to a stage that makes records, after
 * which nothing would flow any more, with that batch.
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

/* ---- the history of a question: which features its answers had, in a fixed number of moments ----
 *
 *   answer   1 2 3 4 5 6 7 8 9 …     every `step`-th is kept, and always the latest; when there are
 *   kept     x   x   x   x   x       ANSWER_MOMENTS of them, every second one is dropped and the
 *   step 2                           step doubles
 *
 * Only questions that are asked again and again have one. It is written on the learner's thread,
 * and read by anybody once that has ended. */

enum {
    ANSWER_MOMENTS = 32,
    ANSWER_MOMENT_ROWS = 20,  /* the first of an answer */
    ANSWER_MOMENT_NAME = 256, /* bytes of a name, with its end: a longer one is cut */
    ANSWER_SLOTS = ANSWER_MOMENTS + 1
};

struct answer_moment {
    uint64_t examples, answer; /* answer: its number, from 0 */
    int64_t time;              /* the latest event time; below 0: none */
    uint32_t n;
    char name[ANSWER_MOMENT_ROWS][ANSWER_MOMENT_NAME];
};

struct answer_history {
    uint64_t answers, step;                    /* answers: seen so far */
    uint32_t n;                                /* moments that are kept … */
    struct answer_moment moment[ANSWER_SLOTS]; /* … and the latest, if it is not one of them */
};

/* Bytes that a history of this question takes; 0: it has none. */
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
    char *also_text; /* the same */
};

/* Appends a name to a text of `room` bytes, after "; " if there is one; "…" stands
 * for what does not fit. */
void ask_join_name(char *text, size_t room, const char *name, size_t len);

struct ask {
    struct leat_ask want;
    struct instance *learner, *sink;
    uint64_t next_examples; /* the next question is due at this number of learned examples, */
    uint64_t next_ns;       /* or at this time                                       */
    struct table table[ASK_TABLES];
    struct table *free;
    struct answer_history *history; /* of a question that is asked again and again; or NULL */
    pthread_mutex_t mu;             /* over `free`, for the learner's and the sink's thread */
    pthread_cond_t freed;
};

/* Returns the bytes of a question: its tables, and the history of its answers. */
uint64_t ask_bytes(const struct leat_ask *want);
int ask_init(struct ask *a, const struct leat_ask *want, struct instance *learner,
             struct instance *sink);
void ask_fini(struct ask *a);

/* The question as a learner gets it. */
struct leat_query ask_query(const struct leat_ask *want);

/* Puts the questions that are due after the learner's work on a batch; the answers go with `h`.
 * With shards the learner's own instance is made their merge first; at_end it is that already. On
 * the learner's worker. Waits for a free table. */
void ask_questions(struct instance *learner, struct hbatch *h, uint64_t now, bool at_end);
/* Shows the sink its answers of the batch, and gives their tables back. On the sink's worker. */
void ask_show(struct instance *sink, struct hbatch *h);
/* Gives back the table of an answer. */
void ask_release(struct table *t);

#endif
