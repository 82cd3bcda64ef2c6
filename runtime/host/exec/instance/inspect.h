/* inspect.h -- --debug-plugins: checks after each call what the stage has done to the batch.
 *
 * So the error names the stage that made the mistake, not a later stage that suffers from it. The
 * first mistake ends the run. The rules:
 *
 *   the batch is consistent: selections ascend, slices are in `bytes`, examples and entries are in
 *   order, parts of names exist, values are finite
 *   contents from earlier stages are unchanged, unless the stage has LEAT_REWRITES or LEAT_UNPACKS
 *   every column that the stage adds is filled for every record that it lets pass
 *   the stage reads only columns that it has asked for; the pointers of the others are NULL
 *   the stage has not written to standard output, where results of the run go
 *
 * A write beyond an array, or beyond `self`, hits a guard page (flow/guarded.h). */
#ifndef LEAT_HOST_EXEC_INSTANCE_INSPECT_H
#define LEAT_HOST_EXEC_INSTANCE_INSPECT_H

#include "observe.h"

struct run;

/* Observer that checks the batch before and after process and expand, and after produce. */
extern const struct observer inspect_observer;

/* Between the two calls, standard output is collected in a file. When a stage's call has written to
 * it, a warning names the stage. inspect_output_end writes the collected text to standard
 * output. */
void inspect_output_begin(struct run *r);
void inspect_output_end(struct run *r);

#endif
