/* log.c -- implementation of log.h. */
#include "log.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <leat/helpers.h>
#include <leat/plugin.h>

#include "command_words.h"
#include "core/mix64.h"
#include "core/text/plain_text.h"
#include "core/time/clock.h"
#include "core/time/utc.h"

#define NAME "leat: "
enum { JSON_BYTES = 8192 };

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static atomic_int max_level = LEAT_WARN;
static _Thread_local bool is_hushed;
static char bar[256];
static bool bar_ended;    /* guarded by mu                                                     */
static unsigned bar_held; /* guarded by mu: number of log_bar_hold() without log_bar_release() */
static char warning[LOG_WARNINGS][LOG_WARNING_BYTES]; /* guarded by mu */
static size_t n_warnings;                             /* guarded by mu */

static bool as_json;
static struct log_limit limit; /* guarded by mu */
static struct {
    const char *id;
    size_t n;
    int level;
} of_stage[LOG_STAGES];
static size_t n_of_stage;

static const char *const level_names[] = {"error", "warn", "info", "debug"};

int log_set_level(int level) { return atomic_exchange(&max_level, level); }

bool log_hush(bool hushed)
{
    bool before = is_hushed;
    is_hushed = hushed;
    return before;
}

bool log_is_hushed(void) { return is_hushed; }

int log_level_of(const char *name)
{
    for (int i = 0; i <= LEAT_DEBUG; i++)
        if (!strcmp(name, level_names[i])) return i;
    return -1;
}

void log_set_json(bool json) { as_json = json; }

bool log_is_json(void) { return as_json; }

bool log_set_stage_level(const char *id, size_t n, int level)
{
    if (n_of_stage == LOG_STAGES) return false;
    of_stage[n_of_stage].id = id;
    of_stage[n_of_stage].n = n;
    of_stage[n_of_stage++].level = level;
    return true;
}

const char *log_stage_given(size_t i, size_t *n)
{
    if (i >= n_of_stage) return NULL;
    *n = of_stage[i].n;
    return of_stage[i].id;
}

/* Level of the stage `id`: its last setting, or the general level. */
static int level_of_stage(const char *id)
{
    for (size_t i = n_of_stage; i-- > 0;)
        if (!strncmp(of_stage[i].id, id, of_stage[i].n) && !id[of_stage[i].n])
            return of_stage[i].level;
    return atomic_load_explicit(&max_level, memory_order_relaxed);
}

static void json_string(const char *name, const char *text)
{
    char shown[JSON_BYTES];
    size_t n = leat_json_text(text, (uint32_t)strlen(text), shown, sizeof shown);
    fprintf(stderr, "\"%s\":%.*s", name, (int)(n < sizeof shown ? n : sizeof shown), shown);
}

/* Prints a JSON line. The caller holds mu, so the lines are in the order of their times, unless the
 * clock is set back. */
static void print_json(int level, const char *file, int line, const char *stage, const char *text)
{
    char time[UTC_TEXT];
    uint32_t n = utc_write(time, (int64_t)(clock_unix_ns() / 1000000 * 1000000));
    fprintf(stderr, "{\"time\":\"%.*s\",\"level\":\"%s\",", (int)n, time, level_names[level]);
    if (file) json_string("file", file);
    if (file && line > 0) fprintf(stderr, ",\"line\":%d", line);
    if (file) fputc(',', stderr);
    if (stage) json_string("stage", stage);
    if (stage) fputc(',', stderr);
    json_string("message", text);
    fputs("}\n", stderr);
}

void log_json(int level, const char *file, int line, const char *stage, const char *text)
{
    pthread_mutex_lock(&mu);
    print_json(level, file, line, stage, text);
    fflush(stderr);
    pthread_mutex_unlock(&mu);
}

static void bar_clear(void)
{
    if (*bar) fputs("\r\033[K", stderr);
}

static void bar_draw(void)
{
    if (*bar) fputs(bar, stderr);
    fflush(stderr);
}

/* Removes the program's name from the start of a line, for JSON. */
static const char *without_name(const char *text)
{
    size_t n = strlen(NAME);
    return strncmp(text, NAME, n) ? text : text + n;
}

void log_line(const char *text)
{
    if (as_json) {
        log_json(LEAT_INFO, NULL, 0, NULL, without_name(text));
        return;
    }
    pthread_mutex_lock(&mu);
    bar_clear();
    plain_text_line(stderr, "%s", text);
    bar_draw();
    pthread_mutex_unlock(&mu);
}

void log_bar(const char *text)
{
    pthread_mutex_lock(&mu);
    bar_clear();
    snprintf(bar, sizeof bar, "%s", text && !bar_ended && !bar_held && !as_json ? text : "");
    bar_draw();
    pthread_mutex_unlock(&mu);
}

static void set_ended(bool ended)
{
    pthread_mutex_lock(&mu);
    bar_ended = ended;
    pthread_mutex_unlock(&mu);
}

static void hold(int more)
{
    pthread_mutex_lock(&mu);
    bar_held += (unsigned)more;
    pthread_mutex_unlock(&mu);
}

void log_bar_hold(void)
{
    hold(1);
    log_bar(NULL);
}

void log_bar_release(void) { hold(-1); }

void log_bar_begin(void) { set_ended(false); }

void log_bar_end(void)
{
    set_ended(true);
    log_bar(NULL);
}

static void keep_warning(const char *text)
{
    pthread_mutex_lock(&mu);
    if (n_warnings < LOG_WARNINGS)
        snprintf(warning[n_warnings++], LOG_WARNING_BYTES, "%.*s", LOG_WARNING_BYTES - 1, text);
    pthread_mutex_unlock(&mu);
}

size_t log_warnings(const char *text[LOG_WARNINGS])
{
    pthread_mutex_lock(&mu);
    size_t n = n_warnings;
    for (size_t i = 0; i < n; i++)
        text[i] = warning[i];
    pthread_mutex_unlock(&mu);
    return n;
}

static void print_message(int level, const char *who, bool keep, const char *format, va_list args)
{
    char text[1024], words[1200];
    assert(level >= LEAT_ERROR && level <= LEAT_DEBUG);
    const char *word = level == LEAT_ERROR ? "error: " : level == LEAT_WARN ? "warning: " : "";
    int n = snprintf(text, sizeof text, NAME "%s", word), said = n;
    if (who) said += snprintf(text + n, sizeof text - (size_t)n, "%s: ", who);
    if ((size_t)said >= sizeof text) said = sizeof text - 1;
    vsnprintf(text + said, sizeof text - (size_t)said, format, args);
    const char *shown = command_words(text, words, sizeof words);
    if (keep) keep_warning(shown + strlen(NAME "warning: "));
    if (as_json)
        log_json(level, NULL, 0, who, shown + (who && shown == text ? said : n));
    else
        log_line(shown);
}

static bool log_is_shown(int level)
{
    return !is_hushed && level <= atomic_load_explicit(&max_level, memory_order_relaxed);
}

void log_vmessage(int level, const char *who, const char *format, va_list args)
{
    if (log_is_shown(level)) print_message(level, who, level == LEAT_WARN, format, args);
}

void log_passing(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (log_is_shown(LEAT_WARN)) print_message(LEAT_WARN, NULL, false, format, args);
    va_end(args);
}

void log_message(int level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_vmessage(level, NULL, format, args);
    va_end(args);
}

/* Reports how many messages of a kind were omitted. */
static void tell_limited(int level, const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(level, label, false, format, args);
    va_end(args);
}

void log_of_stage(int level, const char *id, const char *label, const char *format, va_list args)
{
    if (is_hushed || level > level_of_stage(id)) return;
    pthread_mutex_lock(&mu);
    uint64_t left_out = 0;
    bool passes = log_limit_take(&limit, id, format, clock_ns(), &left_out);
    pthread_mutex_unlock(&mu);
    if (left_out)
        tell_limited(level, label, "%llu messages like the next one were not shown",
                     (unsigned long long)left_out);
    if (passes) print_message(level, label, level == LEAT_WARN, format, args);
}

static const uint64_t SECOND_NS = UINT64_C(1000000000);

bool log_limit_take(struct log_limit *l, const char *id, const char *format, uint64_t now,
                    uint64_t *left_out)
{
    uint64_t place = mix64((uint64_t)(uintptr_t)id ^ mix64((uint64_t)(uintptr_t)format));
    struct log_kind *k = &l->kind[place % LOG_LIMIT_KINDS];
    if (k->id != id || k->format != format)
        *k = (struct log_kind){.id = id, .format = format, .since = now};
    if (now - k->since >= SECOND_NS) {
        k->since = now;
        k->passed = 0;
    }
    if (k->passed == LOG_BURST) {
        k->left_out++;
        return false;
    }
    k->passed++;
    *left_out = k->left_out;
    k->left_out = 0;
    return true;
}
