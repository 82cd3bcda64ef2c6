/* kept_answer.h -- answers for those who watch a run, and must not keep it from learning: one that
 * took the learner long is given again for KEPT_TIMES as long to all who ask the same.
 *
 * All different questions together take a twenty-fifth of the learner's time, after some that it
 * answers in advance.
 */
#ifndef LEAT_HOST_EXEC_ANSWERS_KEPT_ANSWER_H
#define LEAT_HOST_EXEC_ANSWERS_KEPT_ANSWER_H

#include "answer.h"

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
