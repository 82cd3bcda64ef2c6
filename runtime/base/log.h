/* log.h -- everything that goes to standard error: messages, the progress table, the progress bar.
 *
 * One lock, so that lines of several threads stay whole and a bar at the bottom of a terminal is
 * taken away and drawn again around them. Any thread.
 */
#ifndef LEAT_BASE_LOG_H
#define LEAT_BASE_LOG_H

#include <stdarg.h>

/* Levels as in plugin.h: LEAT_ERROR … LEAT_DEBUG. Above the set level nothing is printed. */
void log_set_level(int level);
int log_level_of(const char *name); /* "error", "warn", "info", "debug"; -1: none of them */

/* "leat: warning: text" */
void log_message(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_vmessage(int level, const char *who, const char *format, va_list args);

/* A line as it is. */
void log_line(const char *text);

/* The bar at the bottom of the terminal; NULL takes it away. */
void log_bar(const char *text);

#endif
