/* commit.h -- the offsets of a checkpoint, committed to the group, or by a sink.
 *
 * Nothing is committed by itself: commit_offsets does it for what partitions_cut has cut, when the
 * host reports that it is durable. Where a sink commits (ctx->position_committed) commit_position
 * names what was cut, and commit_offsets only notes that the sink has committed it.
 */
#ifndef LEAT_KAFKA_SOURCE_COMMIT_H
#define LEAT_KAFKA_SOURCE_COMMIT_H

#include "consumer.h"

/* Commits what was cut. `final`: waits for the answer. */
void commit_offsets(struct leat_ctx *ctx, struct consumer *c, uint64_t checkpoint, bool final);
/* After that: releases partitions that wait for it. */
void commit_release(struct consumer *c);
/* Takes answers to commits; waits for them that many seconds at most. */
void commit_collect(struct leat_ctx *ctx, struct consumer *c, int seconds);
/* Fills in c->position with what was cut and is not committed yet. LEAT_OK, or a failure reported
 * to the host. */
int commit_position(struct leat_ctx *ctx, struct consumer *c);

#endif
