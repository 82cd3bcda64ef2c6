/* log.h -- all output to standard error: messages, the progress table, the progress bar.
 *
 * It is text for people; or, for programs that collect logs, JSON, an object a line:
 *   {"time":"2026-11-23T10:00:00.250Z","level":"warn","stage":"model (learn.awm)","message":"..."}
 *
 * with "file" and "line" for a mistake in a script. With JSON there is no bar.
 *
 * Texts may hold anything: they are displayed by plain_text.h, so that none moves the cursor or
 * begins a new line. One lock keeps the lines of several threads whole. A bar at the bottom of a
 * terminal is removed before a line and drawn again after it. Any thread may call. */
#ifndef LEAT_HOST_LOG_LOG_H
#define LEAT_HOST_LOG_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Levels are those of host.h: LEAT_ERROR … LEAT_DEBUG; messages above the set level are not
 * printed. memory_take raises the level from any thread that finds no memory. */
int log_set_level(int level); /* returns the previous one; -1: print nothing */
/* Suppresses messages of this thread, but not of others. Returns the previous setting. */
bool log_hush(bool hushed);
bool log_is_hushed(void);
int log_level_of(const char *name); /* "error", "warn", "info", "debug"; -1: unknown */

/* Sets the level of the stage with this id of n bytes, which are lent. Returns false beyond
 * LOG_STAGES stages. Call it before other threads log. */
enum { LOG_STAGES = 16 };
bool log_set_stage_level(const char *id, size_t n, int level);
/* Returns the i-th such id, of *n bytes; NULL beyond the last. */
const char *log_stage_given(size_t i, size_t *n);

/* Call it before other threads log. */
void log_set_json(bool json);
bool log_is_json(void);

/* Prints "leat: warning: text", or with `who` "leat: warning: who: text"; cut at 1023 bytes. */
void log_message(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_vmessage(int level, const char *who, const char *format, va_list args);

/* Prints a message of the stage `id`, displayed as `label`. At most LOG_BURST messages of one stage
 * and one format pass in a second; a later one reports the number of omitted messages. */
enum { LOG_BURST = 20 };
void log_of_stage(int level, const char *id, const char *label, const char *format, va_list args);

/* Prints a line that is a JSON object with these members; `file` and `stage` may be NULL, line
 * 0. */
void log_json(int level, const char *file, int line, const char *stage, const char *text);

/* Prints a warning that log_warnings does not keep, because it is counted elsewhere. */
void log_passing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the first warnings of the process, without "leat: warning: "; at most LOG_WARNINGS, cut
 * at LOG_WARNING_BYTES. Returns their number; the texts stay. */
enum { LOG_WARNINGS = 16, LOG_WARNING_BYTES = 1024 };
size_t log_warnings(const char *text[LOG_WARNINGS]);

/* Prints a line at any level; in JSON its level is "info". */
void log_line(const char *text);

/* Draws the bar at the bottom of the terminal, at most 255 bytes of it; NULL removes it. */
void log_bar(const char *text);

/* Removes the bar while a thread writes where it is; the next log_bar after the release draws it
 * again. */
void log_bar_hold(void);
void log_bar_release(void);
/* Removes the bar until log_bar_begin, because results are about to come on standard output. */
void log_bar_end(void);
void log_bar_begin(void);

/* Limits the messages of one kind in a second. A stage that logs something for every record would
 * hide everything else, and cost more than the records.
 *
 * A kind is a stage's id and a format. Kinds with the same slot of the table replace each other:
 * then more messages pass, never fewer. One thread at a time. */

enum { LOG_LIMIT_KINDS = 64 };

struct log_limit {
    struct log_kind {
        const char *id, *format; /* compared as pointers, never read */
        uint64_t since;          /* start of its second, ns          */
        uint64_t passed,
            left_out; /* passed: in this second; left_out: since the last that passed */
    } kind[LOG_LIMIT_KINDS];
};

/* True if a message of this kind may pass at `now` (clock_ns). *left_out is then the number of
 * messages omitted since the last one. */
bool log_limit_take(struct log_limit *l, const char *id, const char *format, uint64_t now,
                    uint64_t *left_out);

#endif
