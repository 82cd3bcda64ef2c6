/* summary.h -- what came of a run, as one JSON object (--summary) and in a line for people. */
#ifndef LEAT_CLI_SUMMARY_H
#define LEAT_CLI_SUMMARY_H

#include "exec/run.h"

/* `path` "-" is standard output. LEAT_EIO after a message when it cannot be written. */
int summary_write(const struct run *r, const char *path, int exit_code);

/* "leat: 95759 records in 0.4 s (239,000/s), 12 rejected" */
void summary_line(const struct run *r);

#endif
