/* script_time.c -- see script_time.h. */
#include "script_time.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <lauxlib.h>

#include "core/process_end.h"
#include "core/text/plain_text.h"
#include "core/time/clock.h"

enum { LOOK_EVERY = 100000, EXIT_SCRIPT = 2, NAME_BYTES = 600 };

/* Processor time of a second in which the thread did nothing but be looked at. */
static const uint64_t IDLE_NS = 1000000;

const char script_time_waiting[] =
    "the script waited for 10 seconds for input that did not come: it may read files, and pipes "
    "that are written to";

static uint64_t deadline;
static timer_t timer[2]; /* of processor time, and a second of any */
static bool has_timer[2];
static struct last_words {
    char text[NAME_BYTES + 200];
    size_t n;
} too_long, too_idle;
static lua_State *running;
static uint64_t seen_ns; /* processor time at the last look */
static int idle;         /* seconds */
static volatile sig_atomic_t excused;

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

static void end_process(const struct last_words *w)
{
    if (write(STDERR_FILENO, w->text, w->n) < 0) process_end(EXIT_SCRIPT);
    process_end(EXIT_SCRIPT);
}

static void give_up(lua_State *L, lua_Debug *ar)
{
    int level = 0; /* the nearest function that is not C: C has no lines */
    while (lua_getinfo(L, "Sl", ar) && ar->currentline < 1 && lua_getstack(L, ++level, ar))
        continue;
    lua_pushfstring(L, "%s:%d: %s", ar->short_src, ar->currentline, script_time_waiting);
    lua_error(L);
}

void script_time_excuse(bool is) { excused = is; }

bool script_time_waited(void) { return idle >= WAITING_SECONDS; }

static void on_timer(int number, siginfo_t *info, void *context);

/* `flags` SA_RESTART: the call that the script is in goes on after the signal; 0: it fails. */
static void listen(int flags)
{
    struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    sigaction(SIGVTALRM, &action, NULL);
}

/* Each second. A script that has waited gets an error at its next instruction, as lua.c does it;
 * one that catches it ends the process. */
static void look_idle(void)
{
    uint64_t now = clock_thread_ns();
    if (excused) return;
    idle = script_time_waited() || now - seen_ns < IDLE_NS ? idle + 1 : 0;
    seen_ns = now;
    if (idle == WAITING_SECONDS - 1) listen(0);
    if (script_time_waited())
        lua_sethook(running, give_up, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
    if (idle > WAITING_SECONDS + 1) end_process(&too_idle);
}

static void on_timer(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    int was = errno;
    if (info->si_value.sival_int == 0) end_process(&too_long);
    look_idle();
    errno = was;
}

__attribute__((format(printf, 3, 4))) static void
prepare_last_words(struct last_words *w, const char *script, const char *format, ...)
{
    char name[NAME_BYTES], text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    plain_text(name, sizeof name, script);
    int n = snprintf(w->text, sizeof w->text, "%s: error: %s\nleat: 1 error\n", name, text);
    w->n = n > 0 ? (size_t)n : 0;
}

static void start_timer(int which, clockid_t clock, struct itimerspec end)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM, .sigev_value.sival_int = which};
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    has_timer[which] = timer_create(clock, &event, &timer[which]) == 0;
    if (has_timer[which]) timer_settime(timer[which], 0, &end, NULL);
}

void script_time_start(lua_State *L, const char *script)
{
    deadline = clock_thread_ns() + SCRIPT_SECONDS * UINT64_C(1000000000);
    prepare_last_words(
        &too_long, script,
        "the script ran for more than %d seconds of processor time and could not be interrupted",
        SCRIPT_SECONDS);
    prepare_last_words(&too_idle, script, "%s", script_time_waiting);
    running = L;
    seen_ns = 0;
    idle = 0;
    listen(SA_RESTART);
    start_timer(0, CLOCK_THREAD_CPUTIME_ID,
                (struct itimerspec){.it_value = {SCRIPT_SECONDS + 1, 0}});
    start_timer(1, CLOCK_MONOTONIC, (struct itimerspec){.it_value = {1, 0}, .it_interval = {1, 0}});
    lua_sethook(L, look, LUA_MASKCOUNT, LOOK_EVERY);
}

void script_time_stop(void)
{
    for (int i = 0; i < 2; i++)
        if (has_timer[i]) timer_delete(timer[i]);
    has_timer[0] = has_timer[1] = false;
    signal(SIGVTALRM, SIG_IGN); /* one may be under way */
}
