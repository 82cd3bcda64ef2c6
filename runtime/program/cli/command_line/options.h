/* options.h -- the options of the command line: which there are, which command has which. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_LINE_OPTIONS_H
#define LEAT_PROGRAM_CLI_COMMAND_LINE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "command_line.h"

/* Takes all options into c; the operands that are left begin at getopt's optind. 0, or an exit
 * code after a message. */
int options_take(struct command_line *c, int argc, char **argv);

/* Refuses options that the command does not have, naming those that have them. */
int options_check(const char *name, const struct command_line *c);

/* Calls see(to, …) for each command, in a fixed order, and each of its options. */
void options_each(void (*see)(void *to, const char *option, bool has_text, const char *command),
                  void *to);

/* The lines of the usage that are about a command; all of it when it is none. */
void options_help(const char *name);

void usage_print(FILE *out);

/* Prints what is wrong with the command line; returns the exit code. */
int usage_error(const char *text, const char *what);

#endif
