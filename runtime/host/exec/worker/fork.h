/* fork.h -- a batch at the end of a segment that forks: a copy down each branch of a tee or route.
 */
#ifndef LEAT_HOST_EXEC_WORKER_FORK_H
#define LEAT_HOST_EXEC_WORKER_FORK_H

#include "worker.h"

/* Each branch gets a batch of its own pool that borrows from h; of a route, with the records that
 * take this branch. Each answer goes down one branch, the first that leads to its sink. h goes back
 * to its pool with the last borrower. On the worker's thread. */
void fork_deliver(struct worker *w, struct hbatch *h);

#endif
