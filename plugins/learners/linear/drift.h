/* drift.h -- parameter on_drift: reaction of a learner with adaptive rates to rising errors.
 *
 * ADWIN (kernels/drift/adwin.h) watches whether each prediction, made before its example was
 * learned, was wrong. When the error has risen, all weights and all accumulators are multiplied by
 * factors below 1. Smaller accumulators give larger steps, until they have grown again. This
 * happens between two examples, so it does not depend on batches or threads. */
#ifndef LEAT_LEARNERS_LINEAR_DRIFT_H
#define LEAT_LEARNERS_LINEAR_DRIFT_H

#include <leat/plugin.h>

#include "kernels/drift/adwin.h"
#include "linear.h"

struct drift_watch {
    int32_t action; /* index into linear_drift_actions; 0: no action, errors are not watched */
    uint64_t examples, rises;
    struct adwin adwin;
};

struct drift_action {
    double share, sums; /* factors by which weights and accumulators are multiplied */
};

void drift_watch_open(struct drift_watch *w, const struct linear_cfg *c);
/* Notes whether the prediction of an example was wrong. If the error has risen, logs that, restarts
 * ADWIN and returns the action. Otherwise returns NULL. */
const struct drift_action *drift_watch_see(struct leat_ctx *ctx, struct drift_watch *w, bool wrong);
void drift_watch_report(struct leat_ctx *ctx, const struct drift_watch *w);

int drift_watch_write(const struct drift_watch *w, struct leat_writer *out);
/* Reads a saved state. *w changes only if the result is LEAT_OK. */
int drift_watch_read(struct drift_watch *w, struct leat_reader *r);
/* Merges the state `other`, which counts `weight` times, into `live`. Adds up counts, and restarts
 * ADWIN, because the merged learner has other errors. If `other` has seen nothing, or if weight is
 * 0, changes nothing. If `live` has seen nothing and weight is 1, copies `other`. */
void drift_watch_join(struct drift_watch *live, const struct drift_watch *other, double weight);

#endif
