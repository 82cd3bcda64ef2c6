/* next_step.h -- what is most worth doing after a run. */
#ifndef LEAT_PROGRAM_CLI_ENDING_NEXT_STEP_H
#define LEAT_PROGRAM_CLI_ENDING_NEXT_STEP_H

#include "program/cli/command_line/command_line.h"
#include "host/exec/run.h"

/* One line on standard error, or none: rejected records that nothing kept, a budget that a warning
 * asked to raise, a model that is gone. Only where a person looks: on a terminal, and not with
 * --quiet. The threads have ended, and the run has not failed. */
void next_step_tell(const struct run *r, const struct command_line *c);

#endif
