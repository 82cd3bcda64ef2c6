/* answer_history.h -- which features the answers to a question had, over the whole run, in a fixed
 * number of moments.
 *
 *   answer   1 2 3 4 5 6 7 8 9 …     every `step`-th is kept, and always the latest; when there are
 *   kept     x   x   x   x   x       ANSWER_MOMENTS of them, every second one is dropped and the
 *   step 2                           step doubles
 *
 * Only of questions that are asked again and again. On the learner's thread; anybody may read when
 * that has ended. */
#ifndef LEAT_HOST_EXEC_ANSWERS_ANSWER_HISTORY_H
#define LEAT_HOST_EXEC_ANSWERS_ANSWER_HISTORY_H

#include <stddef.h>

#include <leat/query.h>

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
/* How many moments there are, oldest first, the latest among them. */
uint32_t answer_history_moments(const struct answer_history *h);

#endif
