/* summary.h -- the results of a run: one JSON object (--summary), and a line at its end. */
#ifndef LEAT_CLI_SUMMARY_H
#define LEAT_CLI_SUMMARY_H

#include "exec/run.h"

/* Writes the object to the file `path`; "-" is standard output. LEAT_OK, or LEAT_EIO after a
 * message. */
int summary_write(const struct run *r, const char *path, int exit_code);

/* Prints "leat: 95759 records in 0.4 s (239,000/s), 12 rejected" */
void summary_line(const struct run *r);

#endif
