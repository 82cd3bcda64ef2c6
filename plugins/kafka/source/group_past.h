/* group_past.h -- what earlier answers said about a partition of a group.
 *
 * A member stands still only while it has something to do. So the time without a commit begins with
 * the last commit, or with the first answer that has a lag, whichever is later. */
#ifndef LEAT_KAFKA_SOURCE_GROUP_PAST_H
#define LEAT_KAFKA_SOURCE_GROUP_PAST_H

#include <stddef.h>
#include <stdint.h>

#include "kafka/group/group_status.h"

enum { GROUP_PAST = 3 }; /* answers, for the growth of lag */

struct group_past {
    int64_t lag[GROUP_PAST]; /* newest first; GROUP_UNKNOWN before the first answer */
    int64_t committed;
    uint64_t moved_ns; /* since when it stands still, if it has a lag; monotonic */
};

/* Returns `old` with one answer more; `old` is NULL before the first one. */
static inline struct group_past group_past_next(const struct group_past *old, int64_t committed,
                                                int64_t lag, uint64_t now_ns)
{
    const int still = old && old->committed == committed && old->lag[0] > 0;
    struct group_past next = {.committed = committed, .moved_ns = still ? old->moved_ns : now_ns};
    next.lag[0] = lag;
    for (int i = 1; i < GROUP_PAST; i++)
        next.lag[i] = old ? old->lag[i - 1] : GROUP_UNKNOWN;
    return next;
}

#endif
