/* learner.h -- members of struct leat_stage that learners share. */
#ifndef LEAT_SUPPORT_LEARNER_H
#define LEAT_SUPPORT_LEARNER_H

#include <leat/plugin.h>

/* What a learner of labelled examples takes and makes. */
#define LEARNER_OF_LABELS                                                                          \
    .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .makes = LEAT_HAS_SCORE

/* The functions and sizes of a learner that has a file of its own, where each function has the name
 * of its member (open and close: open_stage and close_stage). VERSION: of its state. */
#define LEARNER_OF_ONE_FILE(VERSION)                                                               \
    LEAT_PARAMS(params, struct cfg), .instance_size = sizeof(struct stage), .plan = plan,          \
                                     .open = open_stage, .close = close_stage, .stop = stop,       \
                                     .process = process, .query = query, .state_version = VERSION, \
                                     .snapshot = snapshot, .restore = restore, .merge = merge

#endif
