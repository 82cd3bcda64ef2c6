/* output_conflicts.h -- the files a pipeline writes: none twice, and none that it reads. */
#ifndef LEAT_EXEC_OUTPUT_CONFLICTS_H
#define LEAT_EXEC_OUTPUT_CONFLICTS_H

#include "run.h"

/* Two outputs with one path are an error (of `check`; no I/O). A sink's outputs are its parameters
 * of type LEAT_PATH; "-" is standard output and no file. */
void output_conflicts_check(const struct graph *g, struct diag *d);

/* With the sources open, before any output is: an output that is one of the inputs would destroy
 * it. Returns LEAT_OK or LEAT_EARG after run_fail. */
int output_conflicts_spare_inputs(struct run *r);

#endif
