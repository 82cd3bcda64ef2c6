/* command_words.h -- rewrites settings in messages as options of the command line.
 *
 * A script may take arguments (--set). Its user then needs an option instead of a setting in the
 * script. So `set header = false` in a stage's message becomes `--set header=false`. */
#ifndef LEAT_HOST_LOG_COMMAND_WORDS_H
#define LEAT_HOST_LOG_COMMAND_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the names of the arguments that the script takes. They must stay valid until the next call.
 * Call it before any thread is started. */
void command_words_take(const char *const *names, size_t n);

/* Makes messages write arguments as options of an application: `--set time_zone=UTC` becomes
 * `--time-zone UTC`. Call it before any thread is started. */
void command_words_use_options(bool use);

/* Returns `text` with settings rewritten, if it contains settings of arguments that the script
 * takes, or options to rewrite; the rewritten text is in to[cap]. Otherwise returns `text`
 * itself. */
const char *command_words(const char *text, char *to, size_t cap);

#endif
