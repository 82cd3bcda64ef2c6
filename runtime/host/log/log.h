/* log.h -- everything that goes to standard error: messages, the progress table, the progress bar.
 *
 * As text for people; or, for programs that collect logs, as JSON, an object a line:
 *   {"time":"2026-11-23T10:00:00.250Z","level":"warn","stage":"model (learn.awm)","message":"..."}
 * with "file" and "line" where a script is wrong. There is no bar then.
 *
 * Texts may hold anything: they are shown as plain_text.h says, so that none moves the cursor or
 * begins a line of its own. One lock keeps the lines of several threads whole; a bar at the bottom
 * of a terminal is removed before a line and drawn again after it. Any thread may call. */
#ifndef LEAT_HOST_LOG_LOG_H
#define LEAT_HOST_LOG_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Levels as in plugin.h: LEAT_ERROR … LEAT_DEBUG; messages above the set level are not printed.
 * memory_take raises it from whatever thread has found no memory. */
int log_set_level(int level); /* returns the one before; -1: nothing is printed */
/* While a thread is hushed it prints no messages; others do. Returns whether it was. */
bool log_hush(bool hushed);
bool log_is_hushed(void);
int log_level_of(const char *name); /* "error", "warn", "info", "debug"; -1: none of them */

/* The level of the stage of that id alone, n bytes that stay. False: there is no space for more
 * than LOG_STAGES. Before other threads log. */
enum { LOG_STAGES = 16 };
bool log_set_stage_level(const char *id, size_t n, int level);
/* The i-th id that was given so, of *n bytes; NULL: there are no more. */
const char *log_stage_given(size_t i, size_t *n);

/* Before other threads log. */
void log_set_json(bool json);
bool log_is_json(void);

/* Prints "leat: warning: text", with `who` "leat: warning: who: text"; cut at 1023 bytes. */
void log_message(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_vmessage(int level, const char *who, const char *format, va_list args);

/* What the stage `id`, shown as `label`, says. Of messages of one stage and one format no more than
 * LOG_BURST pass in a second; then one says how many did not. */
enum { LOG_BURST = 20 };
void log_of_stage(int level, const char *id, const char *label, const char *format, va_list args);

/* A line that is a JSON object with these members; `file` and `stage` may be NULL, line 0. */
void log_json(int level, const char *file, int line, const char *stage, const char *text);

/* A warning that log_warnings does not keep: what it says is counted elsewhere. */
void log_passing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first warnings of the process as they were, without "leat: warning: "; no more than
 * LOG_WARNINGS are kept, cut at LOG_WARNING_BYTES. Returns how many; the texts stay. */
enum { LOG_WARNINGS = 16, LOG_WARNING_BYTES = 1024 };
size_t log_warnings(const char *text[LOG_WARNINGS]);

/* Prints a line, whatever the level; in JSON its level is "info". */
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

/* No more than so many messages of one kind in a second: a stage that says something
 * of every record hides everything else, and costs more than the records.
 *
 * A kind is a stage's id and a format. Kinds that fall on one place of the table replace each
 * other: then more passes, never less. One thread at a time. */

enum { LOG_LIMIT_KINDS = 64 };

struct log_limit {
    struct log_kind {
        const char *id, *format; /* compared as pointers, never read */
        uint64_t since;          /* the start of its second, ns      */
        uint64_t passed,
            left_out; /* passed: of this second; left_out: since the last that passed */
    } kind[LOG_LIMIT_KINDS];
};

/* May a message of this kind pass at `now` (clock_ns)? Then *left_out is how many could not since
 * the last that did. */
bool log_limit_take(struct log_limit *l, const char *id, const char *format, uint64_t now,
                    uint64_t *left_out);

#endif
