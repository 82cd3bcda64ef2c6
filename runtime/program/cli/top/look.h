/* look.h -- what one look at a run, or at its snapshots, has found: JSON, as the run writes it. */
#ifndef LEAT_PROGRAM_CLI_TOP_LOOK_H
#define LEAT_PROGRAM_CLI_TOP_LOOK_H

#include <jansson.h>

enum { LOOK_ROWS = 60, LOOK_NAME = 300, LOOK_TROUBLE = 700 };

struct look {
    json_t *status; /* /status, or model_summary.h; NULL: see trouble, or nothing is new */
    json_t *top;    /* of a learner: {"stage", "examples", "rows"} or {"error"}; NULL */
    char trouble[LOOK_TROUBLE]; /* "": none. Else a sentence */
};

void look_clear(struct look *l);

/* The learners among the stages of a status: the i-th, or NULL. */
const json_t *look_learner(const json_t *status, size_t i);
/* Which of them is that one; 0 where it is none of them. */
size_t look_learner_index(const json_t *status, const char *id);

#endif
