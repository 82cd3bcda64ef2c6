/* group_watch.h -- asks the cluster from time to time what the source's group does.
 *
 * A thread of its own asks, with a client of its own, and only while somebody may watch the run
 * (leat_host.group). So the record path never waits for an answer. If the cluster does not answer,
 * the last answer stays, with its age and the reason. */
#ifndef LEAT_KAFKA_SOURCE_GROUP_WATCH_H
#define LEAT_KAFKA_SOURCE_GROUP_WATCH_H

#include <leat/plugin.h>

#include "source_params.h"

struct group_watch; /* NULL: nobody watches */

/* Begins to ask, if the source has a group and the run may be watched. Without memory or threads it
 * does not. */
struct group_watch *group_watch_begin(struct leat_ctx *ctx, const struct consumer_cfg *cfg,
                                      const char *brokers);
/* Reports a new answer to the host. `rk` is the client that is a member. */
void group_watch_tell(struct group_watch *w, struct leat_ctx *ctx, rd_kafka_t *rk);
/* Ends the thread, if there is one. Waits for a request that is under way, at most some seconds. */
void group_watch_end(struct group_watch *w);

#endif
