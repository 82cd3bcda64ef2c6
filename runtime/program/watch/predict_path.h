/* predict_path.h -- which stages a record passes on its way to a learner, when it is to be
 * predicted. */
#ifndef LEAT_PROGRAM_WATCH_PREDICT_PATH_H
#define LEAT_PROGRAM_WATCH_PREDICT_PATH_H

#include "host/graph/graph.h"

struct predict_path {
    const struct node *source; /* where the records would come from */
    struct node **step;        /* in order, without the learner, and space for it */
    uint32_t n_steps;
};

/* The way from a source to the learner; at a merge from the first. What only labels, weighs or
 * chooses records is left out: every record that is asked for is predicted. In the arena. NULL, or
 * why there is no such way: a stage in it makes other records. */
const char *predict_path_find(struct predict_path *p, const struct graph *g, struct node *learner,
                              struct arena *a);

#endif
