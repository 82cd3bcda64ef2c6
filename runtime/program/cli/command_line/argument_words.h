/* argument_words.h -- problems of a script in the words of its command line: the argument that is
 * wrong stands before the stage and the parameter that it came to. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_LINE_ARGUMENT_WORDS_H
#define LEAT_PROGRAM_CLI_COMMAND_LINE_ARGUMENT_WORDS_H

#include "host/log/diag.h"
#include "host/lua/script/builder.h"

/* Sets problem.argument where one of the n arguments has what the message quotes, and words the
 * messages as command_words.h does. May be called again. */
void argument_words(struct diag *d, const struct argument *args, size_t n);

#endif
