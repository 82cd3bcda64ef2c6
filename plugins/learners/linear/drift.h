/* drift.h -- on_drift: what a linear learner with adaptive rates does when its error rises.
 *
 * The error of each prediction, made before the example was learned, goes to ADWIN
 * (kernels/drift/adwin.h). When it has risen the stage forgets: all weights keep a share of what
 * they are, and all accumulators one of theirs, which makes steps larger until they have grown
 * again. This is done between two examples, so it does not depend on batches or threads.
 */
#ifndef LEAT_LEARNERS_LINEAR_DRIFT_H
#define LEAT_LEARNERS_LINEAR_DRIFT_H

#include <leat/plugin.h>

#include "kernels/drift/adwin.h"
#include "linear.h"

struct drift_watch {
    int32_t action; /* of linear_drift_actions; 0: none, and nothing is watched */
    uint64_t examples, rises;
    struct adwin adwin;
};

struct drift_action {
    double share, sums; /* of weights, of accumulators */
};

void drift_watch_open(struct drift_watch *w, const struct linear_cfg *c);
/* After an example. The window is empty after a rise. NULL, or what is to be forgotten, after the
 * log has had a line. */
const struct drift_action *drift_watch_see(struct leat_ctx *ctx, struct drift_watch *w, bool wrong);
void drift_watch_report(struct leat_ctx *ctx, const struct drift_watch *w);

int drift_watch_write(const struct drift_watch *w, struct leat_writer *out);
/* *w is replaced when all is well. */
int drift_watch_read(struct drift_watch *w, struct leat_reader *r);
/* Models were merged, the other's counting `weight` times: counts add up, and the window is empty,
 * as what comes is another learner's. Where one side has seen nothing, it is the other's. */
void drift_watch_join(struct drift_watch *live, const struct drift_watch *other, double weight);

#endif
