/* log.c -- see log.h. */
#include "log.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "command_words.h"
#include "plain_text.h"

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static atomic_int max_level = LEAT_WARN;
static char bar[256];
static bool bar_ended;    /* under mu */
static unsigned bar_held; /* under mu: by how many that write where the bar is */
static char warning[LOG_WARNINGS][LOG_WARNING_BYTES]; /* under mu */
static size_t n_warnings;                             /* under mu */

static const char *const level_names[] = {"error", "warn", "info", "debug"};

int log_set_level(int level) { return atomic_exchange(&max_level, level); }

int log_level_of(const char *name)
{
    for (int i = 0; i <= LEAT_DEBUG; i++)
        if (!strcmp(name, level_names[i])) return i;
    return -1;
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

void log_line(const char *text)
{
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
    snprintf(bar, sizeof bar, "%s", text && !bar_ended && !bar_held ? text : "");
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
    if (level > atomic_load_explicit(&max_level, memory_order_relaxed)) return;
    char text[1024], words[1200];
    assert(level >= LEAT_ERROR && level <= LEAT_DEBUG);
    const char *word = level == LEAT_ERROR ? "error: " : level == LEAT_WARN ? "warning: " : "";
    int n = snprintf(text, sizeof text, "leat: %s%s%s", word, who ? who : "", who ? ": " : "");
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    const char *shown = command_words(text, words, sizeof words);
    if (keep) keep_warning(shown + strlen("leat: warning: "));
    log_line(shown);
}

void log_vmessage(int level, const char *who, const char *format, va_list args)
{
    print_message(level, who, level == LEAT_WARN, format, args);
}

void log_passing(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(LEAT_WARN, NULL, false, format, args);
    va_end(args);
}

void log_message(int level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_vmessage(level, NULL, format, args);
    va_end(args);
}
