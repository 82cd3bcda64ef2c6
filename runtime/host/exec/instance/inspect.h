/* inspect.h -- --debug-plugins: checks after each call on a batch what the stage did to it.
 *
 * The check names the stage that made a mistake, not one that the mistake harms. The first mistake
 * ends the run.
 *
 *   the batch is whole: selections ascend, slices lie in the text, examples and entries are in
 *   order, names have parts, values are finite
 *   earlier contents are unchanged, unless the stage declares LEAT_REWRITES (or LEAT_UNPACKS)
 *   every column that the stage adds is filled for every record that goes on
 *   the stage reads only the columns that it has asked for: the pointers of others are NULL
 *   nothing was written to standard output, which belongs to the run
 *
 * Guard pages stop a write beyond an array, or beyond `self` (flow/guarded.h). */
#ifndef LEAT_HOST_EXEC_INSTANCE_INSPECT_H
#define LEAT_HOST_EXEC_INSTANCE_INSPECT_H

#include "observe.h"

struct run;

/* Observes process and expand before and after the call, and produce after it. */
extern const struct observer inspect_observer;

/* Collects everything that is written to standard output between begin and end. A warning names the
 * stage after whose call it was found. The end writes all of it to standard output. */
void inspect_output_begin(struct run *r);
void inspect_output_end(struct run *r);

#endif
