/* script_library.c -- opens the restricted libraries of a script and limits its time. */
#include "script_library.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/syscall.h>

#include "core/process_end.h"
#include "core/text/plain_text.h"
#include "core/time/clock.h"
#include "script_chunks.h"

/* ---- load and loadfile accept only text, because Lua does not check compiled code ---- */

static int library_original(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

static void library_set_mode(lua_State *L, int arg)
{
    if (lua_gettop(L) < arg) lua_settop(L, arg);
    lua_pushliteral(L, "t");
    lua_replace(L, arg);
}

/* load(chunk, name, mode, environment) */
static int library_load_text(lua_State *L)
{
    library_set_mode(L, 3);
    return library_original(L);
}

/* loadfile(name, mode, environment) */
static int library_load_file_text(lua_State *L)
{
    library_set_mode(L, 2);
    return library_original(L);
}

static int library_run_file(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    lua_settop(L, 1);
    if (luaL_loadfilex(L, name, "t") != LUA_OK) return lua_error(L);
    lua_call(L, 0, LUA_MULTRET);
    return lua_gettop(L) - 1;
}

/* ---- where `require` searches for modules ---- */

/* Searcher of Lua modules. Upvalues: the table package, package.searchpath, and the search path of
 * leat's own modules. */
static int library_search_module(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    bool own = !strcmp(name, "leat") || !strncmp(name, "leat.", 5);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, 1);
    if (own)
        lua_pushvalue(L, lua_upvalueindex(3));
    else
        lua_getfield(L, lua_upvalueindex(1), "path");
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) return 1; /* the message lists the searched places */
    lua_pop(L, 1);
    const char *file = lua_tostring(L, -1);
    if ((own ? script_chunks_load(L, file) : luaL_loadfilex(L, file, "t")) != LUA_OK)
        return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, file,
                          lua_tostring(L, -1));
    lua_insert(L, -2);
    return 2;
}

/* Replaces package.searchers: only preloaded modules and library_search_module() remain. */
static void library_set_modules(lua_State *L, const char *script_dir, const char *lua_dir)
{
    lua_getglobal(L, "package");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_pushnil(L);
    lua_setfield(L, -2, "loadlib");
    lua_pushfstring(L, "%s/?.lua;%s/?.lua;%s/?/init.lua", script_dir, lua_dir, lua_dir);
    lua_setfield(L, -2, "path");
    lua_getfield(L, -1, "searchers");
    lua_pushvalue(L, -2);
    lua_getfield(L, -1, "searchpath");
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua", lua_dir, lua_dir);
    lua_pushcclosure(L, library_search_module, 3);
    lua_rawseti(L, -2, 2);
    for (int i = 4; i > 2; i--) {
        lua_pushnil(L);
        lua_rawseti(L, -2, i);
    }
    lua_pop(L, 2);
}

/* ---- opening the libraries; io.open only for reading ---- */

static int library_open_to_read(lua_State *L)
{
    const char *mode = luaL_optstring(L, 2, "r");
    if (strcmp(mode, "r") && strcmp(mode, "rb"))
        return luaL_error(
            L, "io.open takes \"r\" here, not \"%s\": a script may read files, not write them",
            mode);
    return library_original(L);
}

/* Replaces TABLE.NAME by the function `around`, with the original as upvalue. */
static void library_wrap(lua_State *L, const char *table, const char *name, lua_CFunction around)
{
    lua_getglobal(L, table);
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, around, 1);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

static void library_remove_all_but(lua_State *L, const char *table, const char *const *kept, int n)
{
    lua_getglobal(L, table);
    lua_createtable(L, 0, n);
    for (int i = 0; i < n; i++) {
        lua_getfield(L, -2, kept[i]);
        lua_setfield(L, -2, kept[i]);
    }
    lua_pushvalue(L, -1);
    lua_setglobal(L, table);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_insert(L, -2);
    lua_setfield(L, -2, table);
    lua_pop(L, 2);
}

enum { LOOK_EVERY = 100000 }; /* instructions */
static void time_look(lua_State *L, lua_Debug *ar);

/* coroutine.create and coroutine.wrap: a coroutine looks at the time itself, because the timer
 * interrupts the script alone. It inherits the hook of the one that makes it. */
static int library_new_coroutine(lua_State *L)
{
    lua_Hook hook = lua_gethook(L);
    int mask = lua_gethookmask(L), count = lua_gethookcount(L);
    luaL_checktype(L, 1, LUA_TFUNCTION); /* here, so that the message has a line */
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_sethook(L, time_look, LUA_MASKCOUNT, LOOK_EVERY);
    lua_call(L, 1, 1);
    lua_sethook(L, hook, mask, count);
    return 1;
}

void script_library_open(lua_State *L, const char *script_dir, const char *lua_dir)
{
    static const char *const os[] = {"clock", "date", "difftime", "getenv", "time"};
    static const char *const io[] = {"close", "input", "lines",  "open",  "read",
                                     "type",  "write", "stderr", "stdin", "stdout"};
    static const char *const debug[] = {"getinfo", "traceback"};
    luaL_openlibs(L);
    library_remove_all_but(L, "os", os, sizeof os / sizeof *os);
    library_remove_all_but(L, "io", io, sizeof io / sizeof *io);
    library_remove_all_but(L, "debug", debug, sizeof debug / sizeof *debug);
    library_set_modules(L, script_dir, lua_dir);
    library_wrap(L, "io", "open", library_open_to_read);
    library_wrap(L, LUA_GNAME, "load", library_load_text);
    library_wrap(L, LUA_GNAME, "loadfile", library_load_file_text);
    library_wrap(L, "coroutine", "create", library_new_coroutine);
    library_wrap(L, "coroutine", "wrap", library_new_coroutine);
    lua_pushcfunction(L, library_run_file);
    lua_setglobal(L, "dofile");
}

/* ---- the time limits of a script ---- */

enum { EXIT_SCRIPT = 2, NAME_BYTES = 600 };

/* In a second with at most this much processor time, the script counts as waiting. The timer's own
 * checks use some. */
static const uint64_t IDLE_NS = 1000000;

const char script_time_waiting[] =
    "the script waited for 10 seconds for input that did not come: it may read only files, and "
    "pipes with a writer";

static uint64_t deadline;
static timer_t timer[2]; /* [0]: limit of processor time; [1]: ticks once per second of real time */
static bool has_timer[2];
static struct last_words {
    char text[NAME_BYTES + 200];
    size_t n;
} too_long, too_idle;
static lua_State *running;
static bool late;        /* the processor time is used up */
static uint64_t seen_ns; /* processor time at the previous tick */
static int idle;         /* seconds that the script has waited */
static volatile sig_atomic_t excused;

/* Finds the nearest Lua function; C functions have no lines. */
static void time_find_line(lua_State *L, lua_Debug *ar)
{
    int level = 0;
    while (lua_getinfo(L, "Sl", ar) && ar->currentline < 1 && lua_getstack(L, ++level, ar))
        continue;
}

static void time_look(lua_State *L, lua_Debug *ar)
{
    if (clock_thread_ns() <= deadline) return;
    time_find_line(L, ar);
    lua_pushfstring(
        L,
        "%s:%d: the script ran for more than %d seconds of processor time; it may only describe "
        "the pipeline",
        ar->short_src, ar->currentline, SCRIPT_SECONDS);
    lua_error(L);
}

static void time_end_process(const struct last_words *w)
{
    if (write(STDERR_FILENO, w->text, w->n) < 0) process_end(EXIT_SCRIPT);
    process_end(EXIT_SCRIPT);
}

static void time_give_up(lua_State *L, lua_Debug *ar)
{
    time_find_line(L, ar);
    lua_pushfstring(L, "%s:%d: %s", ar->short_src, ar->currentline, script_time_waiting);
    lua_error(L);
}

void script_time_excuse(bool is) { excused = is; }

bool script_time_waited(void) { return idle >= WAITING_SECONDS; }

static void time_on_timer(int number, siginfo_t *info, void *context);

/* Installs the timers' signal handler. With SA_RESTART in `flags`, a system call of the script
 * continues after the signal; with 0, it fails. */
static void time_listen(int flags)
{
    struct sigaction action = {.sa_sigaction = time_on_timer, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    sigaction(SIGVTALRM, &action, NULL);
}

enum { HOOKED = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT };

/* Runs when the processor time is used up, and a second later. First raises an error at the
 * script's next instruction, as lua.c does. If the script catches the error, ends the process. A
 * hook from the beginning would slow down each instruction. */
static void time_look_late(void)
{
    if (late) time_end_process(&too_long);
    late = true;
    lua_sethook(running, time_look, HOOKED, 1);
}

/* Runs once per second. Does the same if the script has waited too long. */
static void time_look_idle(void)
{
    uint64_t now = clock_thread_ns();
    if (excused) return;
    idle = script_time_waited() || now - seen_ns < IDLE_NS ? idle + 1 : 0;
    seen_ns = now;
    if (idle == WAITING_SECONDS - 1) time_listen(0);
    if (script_time_waited()) lua_sethook(running, time_give_up, HOOKED, 1);
    if (idle > WAITING_SECONDS + 1) time_end_process(&too_idle);
}

static void time_on_timer(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    int was = errno;
    if (info->si_value.sival_int == 0)
        time_look_late();
    else
        time_look_idle();
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

static void time_start_timer(int which, clockid_t clock, struct itimerspec end)
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
    late = false;
    seen_ns = 0;
    idle = 0;
    time_listen(SA_RESTART);
    time_start_timer(0, CLOCK_THREAD_CPUTIME_ID,
                     (struct itimerspec){.it_value = {SCRIPT_SECONDS, 0}, .it_interval = {1, 0}});
    time_start_timer(1, CLOCK_MONOTONIC,
                     (struct itimerspec){.it_value = {1, 0}, .it_interval = {1, 0}});
}

void script_time_stop(void)
{
    for (int i = 0; i < 2; i++)
        if (has_timer[i]) timer_delete(timer[i]);
    has_timer[0] = has_timer[1] = false;
    signal(SIGVTALRM, SIG_IGN); /* a last signal may still arrive */
}
