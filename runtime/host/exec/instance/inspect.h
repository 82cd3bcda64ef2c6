/* inspect.h -- --debug-plugins: what a stage did is held against what it may do, after each of its
 * calls on a batch, so that a mistake is told of the stage that made it and not of one that it
 * harms. The first mistake ends the run.
 *
 *   the batch is whole: selections ascend, slices lie in the text, examples and entries are in
 *   order, names have parts, values are finite
 *   what came before is as it was, unless the stage declares LEAT_REWRITES (or LEAT_UNPACKS)
 *   every column that the stage adds is filled for every record that goes on
 *   no column was read that the stage has not asked for: their pointers are NULL
 *   nothing was written to standard output, which is the run's
 *
 * Writing beyond an array, or beyond `self`, is stopped by guard pages (flow/guarded.h). */
#ifndef LEAT_HOST_EXEC_INSTANCE_INSPECT_H
#define LEAT_HOST_EXEC_INSTANCE_INSPECT_H

#include "observe.h"

struct run;

/* Around process and expand, and after produce. */
extern const struct observer inspect_observer;

/* Takes up all that is written to standard output between begin and end. A warning names the stage
 * after whose call it was found. At the end it is written to standard output all the same. */
void inspect_output_begin(struct run *r);
void inspect_output_end(struct run *r);

#endif
