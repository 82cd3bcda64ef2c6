/* log_levels.h -- --log-level STAGE=LEVEL, held against the pipeline. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_LINE_LOG_LEVELS_H
#define LEAT_PROGRAM_CLI_COMMAND_LINE_LOG_LEVELS_H

struct graph;

/* Warns of stages that the pipeline does not have. */
void log_levels_check(const struct graph *g);

#endif
