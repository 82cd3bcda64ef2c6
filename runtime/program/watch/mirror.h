/* mirror.h -- the states of stages that remember, taken over by instances that no worker calls. */
#ifndef LEAT_PROGRAM_WATCH_MIRROR_H
#define LEAT_PROGRAM_WATCH_MIRROR_H

#include "host/exec/worker/visits.h"
#include "predict_path.h"

struct mirror;

/* Of the stages of a path that do not look at each record alone and that can save their state;
 * NULL: there are none. `apart`: the run whose instances take it. */
struct mirror *mirror_new(const struct predict_path *p, const struct run *from, struct run *apart);
void mirror_free(struct mirror *m);

/* LEAT_OK; LEAT_AGAIN: a worker did not answer until then; or a failure. NULL has nothing to do. */
int mirror_take(struct mirror *m, uint64_t until);

#endif
