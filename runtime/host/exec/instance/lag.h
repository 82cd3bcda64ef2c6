/* lag.h -- how far a source is behind its inputs, as it said last (leat_host.lag). */
#ifndef LEAT_HOST_EXEC_INSTANCE_LAG_H
#define LEAT_HOST_EXEC_INSTANCE_LAG_H

#include "instance.h"

enum { LAG_NAME = 280 }; /* a topic has 249 bytes */

struct lag {
    _Atomic int64_t total; /* below 0: not known. From any thread */
    uint32_t n;            /* the rest: of the source's thread, until that has ended */
    struct {
        char input[LAG_NAME];
        int64_t records;
    } worst[LEAT_LAGS];
};

void lag_take(struct instance *i, int64_t total, const struct leat_lag *worst, uint32_t n);

/* Over all sources of the run; LAG_NONE: no source has said it. Below 0 otherwise: not known. */
#define LAG_NONE INT64_MIN
int64_t lag_total(const struct run *r);

#endif
