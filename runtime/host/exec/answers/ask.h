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

struct instance;

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

struct answer_history;

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

/* What a question takes: its tables, and the history of its answers. */
uint64_t ask_bytes(const struct leat_ask *want);
int ask_init(struct ask *a, const struct leat_ask *want, struct instance *learner,
             struct instance *sink);
void ask_fini(struct ask *a);

/* The question as a learner gets it. */
struct leat_query ask_query(const struct leat_ask *want);

/* Is the next question due? If so, the one after it is scheduled. `now`: ns. */
bool ask_due(struct ask *a, uint64_t examples, uint64_t now);

/* A learner has processed a batch: how far event time is. Once all its questions are
 * looked at, time_before becomes time_end. */
void ask_note_time(struct instance *learner, const struct leat_batch *b);

/* Put the question, on the learner's thread; waits for a free table. The answer is given back by
 * ask_release. `start`, `now`: ns; `last`: the stream has ended. */
struct table *ask_put(struct ask *a, uint64_t start, uint64_t now, bool last);
void ask_release(struct table *t);

#endif
