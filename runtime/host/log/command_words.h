/* command_words.h -- rewrites settings in messages as options of the command line.
 *
 * A script that serves as an application takes its arguments by --set. Its user reads `--set
 * header=false` where a stage says `set header = false`. */
#ifndef LEAT_HOST_LOG_COMMAND_WORDS_H
#define LEAT_HOST_LOG_COMMAND_WORDS_H

#include <stddef.h>

/* Sets the arguments that the script takes, lent until the next call. Call it before any thread is
 * started. */
void command_words_take(const char *const *names, size_t n);

/* Returns `text`; or, if it says how to set an argument, the rewritten text in `to`, which has
 * `cap` bytes. */
const char *command_words(const char *text, char *to, size_t cap);

#endif
