/* log.h -- everything that goes to standard error: messages, the progress table, the progress bar.
 *
 * Texts may hold anything: they are shown as plain_text.h says, so that none moves the cursor or
 * begins a line of its own. One lock keeps the lines of several threads whole; a bar at the bottom
 * of a terminal is removed before a line and drawn again after it. Any thread may call. */
#ifndef LEAT_BASE_LOG_H
#define LEAT_BASE_LOG_H

#include <stdarg.h>
#include <stddef.h>

/* Levels as in plugin.h: LEAT_ERROR … LEAT_DEBUG; messages above the set level are not printed.
 * memory_take raises it from whatever thread has found no memory. */
int log_set_level(int level);       /* returns the one before; -1: nothing is printed */
int log_level_of(const char *name); /* "error", "warn", "info", "debug"; -1: none of them */

/* Prints "leat: warning: text", with `who` "leat: warning: who: text"; cut at 1023 bytes. */
void log_message(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_vmessage(int level, const char *who, const char *format, va_list args);

/* A warning that log_warnings does not keep: what it says is counted elsewhere. */
void log_passing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first warnings of the process as they were, without "leat: warning: "; no more than
 * LOG_WARNINGS are kept, cut at LOG_WARNING_BYTES. Returns how many; the texts stay. */
enum { LOG_WARNINGS = 16, LOG_WARNING_BYTES = 1024 };
size_t log_warnings(const char *text[LOG_WARNINGS]);

/* Prints a line, whatever the level. */
void log_line(const char *text);

/* Draws the bar at the bottom of the terminal, at most 255 bytes of it; NULL removes it. */
void log_bar(const char *text);

/* Removes the bar while a thread writes where it is; the next log_bar after the release shows one
 * again. */
void log_bar_hold(void);
void log_bar_release(void);
/* Removes the bar for good, until log_bar_begin: results are about to come on standard output. */
void log_bar_end(void);
void log_bar_begin(void);

#endif
