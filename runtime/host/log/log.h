/* log.h -- all output to standard error: messages, the progress table, the progress bar.
 *
 * The output is text for people; or JSON, one object per line, for programs that collect logs:
 *   {"time":"2026-11-23T10:00:00.250Z","level":"warn","stage":"model (learn.awm)","message":"..."}
 *
 * A mistake in a script adds "file" and "line". With JSON there is no progress bar.
 *
 * Texts may contain any bytes. plain_text.h makes sure that they neither move the cursor nor begin
 * a new line. One lock keeps lines of several threads whole. The bar at the bottom of a terminal is
 * removed before a line and redrawn after it. Any thread may call these functions. */
#ifndef LEAT_HOST_LOG_LOG_H
#define LEAT_HOST_LOG_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Levels are those of host.h, LEAT_ERROR … LEAT_DEBUG. Messages above the current level are not
 * printed. memory_take() sets the level to LEAT_ERROR, from any thread, if memory runs out. */
int log_set_level(int level); /* returns the previous level; -1: print nothing */
/* Suppresses the messages of the calling thread, or stops suppressing them. Returns the previous
 * setting. */
bool log_hush(bool hushed);
bool log_is_hushed(void);
int log_level_of(const char *name); /* "error", "warn", "info" or "debug"; -1 if unknown */

/* Sets the level for the stage with this id of n bytes; `id` must stay valid. Returns false if
 * LOG_STAGES stages already have a level. Call it before other threads log. */
enum { LOG_STAGES = 16 };
bool log_set_stage_level(const char *id, size_t n, int level);
/* Returns the id of the i-th stage with a level, and sets *n to its length; NULL after the last. */
const char *log_stage_given(size_t i, size_t *n);

/* Selects JSON or text for all messages. Call it before other threads log. */
void log_set_json(bool json);
bool log_is_json(void);

/* Prints "leat: warning: text"; with `who`, "leat: warning: who: text". Cuts it at 1023 bytes. */
void log_message(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_vmessage(int level, const char *who, const char *format, va_list args);

/* Prints a message of the stage `id` with the name `label`. In one second, at most LOG_BURST
 * messages of one stage with the same format are printed. The next message that is printed also
 * reports how many were omitted. */
enum { LOG_BURST = 20 };
void log_of_stage(int level, const char *id, const char *label, const char *format, va_list args);

/* Prints a line with a JSON object of these members. `file` and `stage` may be NULL, `line` 0. */
void log_json(int level, const char *file, int line, const char *stage, const char *text);

/* Prints a warning that log_warnings() leaves out, because the caller counts such warnings
 * itself. */
void log_passing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the first warnings of the process, without "leat: warning: ": at most LOG_WARNINGS, each
 * cut at LOG_WARNING_BYTES. Returns their number. The texts stay valid. */
enum { LOG_WARNINGS = 16, LOG_WARNING_BYTES = 1024 };
size_t log_warnings(const char *text[LOG_WARNINGS]);

/* Prints a line whatever the level is; in JSON its level is "info". */
void log_line(const char *text);

/* Draws the progress bar at the bottom of the terminal, cut at 255 bytes. NULL removes it. */
void log_bar(const char *text);

/* Keep the progress bar off the terminal while the calling thread writes there itself. The next
 * log_bar() after the release draws the bar again. */
void log_bar_hold(void);
void log_bar_release(void);
/* Removes the progress bar until log_bar_begin(). For results that are about to be printed to
 * standard output. */
void log_bar_end(void);
void log_bar_begin(void);

/* Limits the messages of one kind per second. A stage that logs a message for every record would
 * hide all other messages and cost more than the records.
 *
 * A kind is a stage's id and a format. Kinds with the same slot of the table replace each other.
 * Then more messages pass, never fewer. Only one thread at a time may use a struct log_limit. */

enum { LOG_LIMIT_KINDS = 64 };

struct log_limit {
    struct log_kind {
        const char *id, *format; /* compared as pointers, never read */
        uint64_t since;          /* start of the current second of this kind, in ns */
        /* passed: messages printed in this second. left_out: messages omitted since the last one
         * that was printed. */
        uint64_t passed, left_out;
    } kind[LOG_LIMIT_KINDS];
};

/* True if a message of this kind may be printed at time `now` (clock_ns). In that case sets
 * *left_out to the number of messages omitted since the last one printed. */
bool log_limit_take(struct log_limit *l, const char *id, const char *format, uint64_t now,
                    uint64_t *left_out);

#endif
