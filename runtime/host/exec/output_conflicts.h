/* output_conflicts.h -- no output is an input that a source has named only on opening. Those that
 * parameters name are compared before (graph/outside/files.h). */
#ifndef LEAT_HOST_EXEC_OUTPUT_CONFLICTS_H
#define LEAT_HOST_EXEC_OUTPUT_CONFLICTS_H

#include "run.h"

/* Once the sources are open, before any output is: an output that is also an input would overwrite
 * it. LEAT_OK, or LEAT_EARG, a failure of the run. */
int output_conflicts_spare_inputs(struct run *r);

#endif
