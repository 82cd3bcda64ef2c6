/* drift.h -- on_drift: reaction of a linear learner with adaptive rates to rising error.
 *
 * The error of each prediction, made before the example was learned, goes to ADWIN
 * (kernels/drift/adwin.h). When the error has risen, the stage forgets. All weights shrink to a
 * share, and all accumulators to another, which makes steps larger until the accumulators have
 * grown again. This happens between two examples, so it does not depend on batches or threads.
 */
#ifndef LEAT_LEARNERS_LINEAR_DRIFT_H
#define LEAT_LEARNERS_LINEAR_DRIFT_H

#include <leat/plugin.h>

#include "kernels/drift/adwin.h"
#include "linear.h"

struct drift_watch {
    int32_t action; /* index into linear_drift_actions; 0: none, and nothing is watched */
    uint64_t examples, rises;
    struct adwin adwin;
};

struct drift_action {
    double share, sums; /* factors of weights and of accumulators */
};

void drift_watch_open(struct drift_watch *w, const struct linear_cfg *c);
/* Notes whether the prediction of an example was wrong. After a rise, empties the window, logs a
 * line and returns what to forget; otherwise returns NULL. */
const struct drift_action *drift_watch_see(struct leat_ctx *ctx, struct drift_watch *w, bool wrong);
void drift_watch_report(struct leat_ctx *ctx, const struct drift_watch *w);

int drift_watch_write(const struct drift_watch *w, struct leat_writer *out);
/* Reads into *w, which changes only on success. */
int drift_watch_read(struct drift_watch *w, struct leat_reader *r);
/* Merges the watch of another model that counts `weight` times. Counts add up, and the window is
 * emptied, because later errors are another learner's. Changes nothing if the other one has seen or
 * weighs nothing. An empty live one becomes the other if that weighs 1. */
void drift_watch_join(struct drift_watch *live, const struct drift_watch *other, double weight);

#endif
