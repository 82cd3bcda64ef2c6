/* output_conflicts.h -- no file is written by two outputs, or both read and written. */
#ifndef LEAT_EXEC_OUTPUT_CONFLICTS_H
#define LEAT_EXEC_OUTPUT_CONFLICTS_H

#include "run.h"

/* Two outputs with one path are an error, which goes to d; no I/O. A sink's outputs are its
 * parameters of type LEAT_PATH; "-" is standard output and not a file. */
void output_conflicts_check(const struct graph *g, struct diag *d);

/* Once the sources are open, before any output is: an output that is also an input would overwrite
 * it. LEAT_OK, or LEAT_EARG, a failure of the run. */
int output_conflicts_spare_inputs(struct run *r);

#endif
