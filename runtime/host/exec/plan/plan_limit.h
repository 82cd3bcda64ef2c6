/* plan_limit.h -- a plan beside the limit that the system sets to the addresses of the process
 * (ulimit -v). */
#ifndef LEAT_HOST_EXEC_PLAN_PLAN_LIMIT_H
#define LEAT_HOST_EXEC_PLAN_PLAN_LIMIT_H

#include "plan.h"

/* Before the stages are open. A plan larger than what the limit leaves goes to d as a warning: a
 * run may come to it, and need not. */
void plan_limit_check(const struct plan *p, const struct graph *g, struct diag *d);

/* Before stages are open, too: takes what libraries need beside them (blas_memory.h), in the
 * threads of a run, or in one. NULL: it is there, else what is missing, in memory of `a`. */
const char *plan_limit_libraries(const struct plan *p, struct arena *a);
const char *plan_limit_library(struct arena *a);

/* Once they are open: what every run takes besides, and must find. NULL: it does, else as above. */
const char *plan_limit_fault(const struct plan *p, struct arena *a);

#endif
