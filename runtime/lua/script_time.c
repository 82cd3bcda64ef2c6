/* script_time.c -- see script_time.h. */
#include "script_time.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <lauxlib.h>

#include "base/clock.h"
#include "base/plain_text.h"

enum { LOOK_EVERY = 100000, EXIT_SCRIPT = 2, NAME_BYTES = 600 };

static uint64_t deadline;
static timer_t timer;
static bool has_timer;
static char last_words[NAME_BYTES + 200];
static size_t n_last_words;

static void look(lua_State *L, lua_Debug *ar)
{
    if (clock_thread_ns() <= deadline) return;
    lua_getinfo(L, "Sl", ar);
    lua_pushfstring(
        L,
        "%s:%d: the script ran for more than %d seconds of processor time; it may only describe the pipeline",
        ar->short_src, ar->currentline, SCRIPT_SECONDS);
    lua_error(L);
}

static void end_process(int number)
{
    (void)number;
    if (write(STDERR_FILENO, last_words, n_last_words) < 0) _exit(EXIT_SCRIPT);
    _exit(EXIT_SCRIPT);
}

static void prepare_last_words(const char *script)
{
    char name[NAME_BYTES];
    plain_text(name, sizeof name, script);
    int n =
        snprintf(last_words, sizeof last_words,
                 "%s: error: the script ran for more than %d seconds of processor time and could "
                 "not be interrupted\nleat: 1 error\n",
                 name, SCRIPT_SECONDS);
    n_last_words = n > 0 ? (size_t)n : 0;
}

void script_time_start(lua_State *L, const char *script)
{
    const struct itimerspec end = {.it_value = {SCRIPT_SECONDS + 1, 0}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    deadline = clock_thread_ns() + SCRIPT_SECONDS * UINT64_C(1000000000);
    prepare_last_words(script);
    signal(SIGVTALRM, end_process);
    has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
    if (has_timer) timer_settime(timer, 0, &end, NULL);
    lua_sethook(L, look, LUA_MASKCOUNT, LOOK_EVERY);
}

void script_time_stop(void)
{
    if (has_timer) timer_delete(timer);
    has_timer = false;
}
