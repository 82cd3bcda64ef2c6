/* asked_text.h -- what a run was asked, and how many records it was true of. */
#ifndef LEAT_PROGRAM_CLI_ENDING_ASKED_TEXT_H
#define LEAT_PROGRAM_CLI_ENDING_ASKED_TEXT_H

#include "host/memory/arena.h"
#include "host/exec/run.h"

/* "Outliers: ms > 500: 1,271 of 2,940 records": the pipeline's option `asked`, and what was counted
 * in this run: as its option `counted` says, else by its only stage that counts labels, else by the
 * labels of its first learner. Without any of these `asked` alone; NULL without `asked`. The
 * threads have ended. */
const char *asked_text(const struct run *r, struct arena *a);

/* The same on standard error, where it says more than `asked` does. */
void asked_text_tell(const struct run *r);

#endif
