/* command_text.h -- the command line of a run as a shell would take it again. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_LINE_COMMAND_TEXT_H
#define LEAT_PROGRAM_CLI_COMMAND_LINE_COMMAND_TEXT_H

#include "command_line.h"

/* "leat run explain.lua --set data='a b.csv'": what decides the results, and the state. The value
 * of an argument whose name or value has a word for a secret in it is ***. In the arena. */
const char *command_text(const struct command_line *c, struct arena *a);

#endif
