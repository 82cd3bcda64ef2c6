/* command_words.h -- messages of a script that is used as an application: who gives its arguments
 * by --set is told `--set header=false` where a stage says `set header = false`. */
#ifndef LEAT_HOST_LOG_COMMAND_WORDS_H
#define LEAT_HOST_LOG_COMMAND_WORDS_H

#include <stddef.h>

/* The arguments that the script takes; they are lent until the next call. Before any thread is
 * started. */
void command_words_take(const char *const *names, size_t n);

/* `text`, or `to`, which has `cap` bytes, where it says how to set what is an argument. */
const char *command_words(const char *text, char *to, size_t cap);

#endif
