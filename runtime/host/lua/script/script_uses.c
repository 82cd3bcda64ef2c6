/* script_uses.c -- tests of pipelines.
 *
 * Tests (lua/leat/test.lua) use the module leat.process. It runs leat as a child process, each time
 * in a separate folder. */
#include "builder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <lauxlib.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "core/text/plain_text.h"
#include "script.h"
#include "script_library.h"

/* ---- leat.process: runs leat in tests of pipelines ---- */

enum { MAX_ARGUMENTS = 512, KILLED = 128 };

extern char **environ;

static int process_folder(lua_State *L)
{
    const char *tmp = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/leat-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(path)) return luaL_error(L, "no folder %s: %s", path, strerror(errno));
    lua_pushstring(L, path);
    return 1;
}

static const char *process_path_of(char path[PATH_MAX], const char *dir, const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s", dir, name);
    return path;
}

/* Writes the text on top of the stack to the file `name` in `dir`. */
static void process_write_file(lua_State *L, const char *dir, const char *name)
{
    char path[PATH_MAX];
    size_t n;
    const char *text = lua_tolstring(L, -1, &n);
    FILE *f = fopen(process_path_of(path, dir, name), "w");
    bool bad = !f || fwrite(text, 1, n, f) != n;
    if (f && fclose(f)) bad = true;
    if (bad) luaL_error(L, "%s cannot be written: %s", path, strerror(errno));
}

/* Pushes the text of the file `name` in `dir`; nil if there is no such file. */
static void process_push_file(lua_State *L, const char *dir, const char *name)
{
    char path[PATH_MAX];
    luaL_Buffer text;
    FILE *f = fopen(process_path_of(path, dir, name), "r");
    luaL_buffinit(L, &text);
    for (size_t n = 1; f && n;) {
        char *to = luaL_prepbuffer(&text);
        n = fread(to, 1, LUAL_BUFFERSIZE, f);
        luaL_addsize(&text, n);
    }
    luaL_pushresult(&text);
    if (f) fclose(f);
}

/* Moves the files of folder `dir`, or only its file stderr, into the table on top of the stack as
 * strings. Removes all files, and the folder if it has no subfolders. */
static void process_take_files(lua_State *L, const char *dir, bool messages_only)
{
    DIR *d = opendir(dir);
    char path[PATH_MAX];
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        if (!messages_only || !strcmp(e->d_name, "stderr")) {
            process_push_file(L, dir, e->d_name);
            lua_setfield(L, -2, e->d_name);
        }
        unlink(process_path_of(path, dir, e->d_name));
    }
    if (d) closedir(d);
    rmdir(dir);
}

/* Starts the process without standard input. Its output and errors go to the files stdout and
 * stderr in `dir`. */
static int process_start(pid_t *pid, char *const *argv, const char *dir)
{
    char out[PATH_MAX], err[PATH_MAX];
    posix_spawn_file_actions_t actions;
    enum { TO_FILE = O_WRONLY | O_CREAT | O_TRUNC };
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, process_path_of(out, dir, "stdout"), TO_FILE,
                                     0600);
    posix_spawn_file_actions_addopen(&actions, 2, process_path_of(err, dir, "stderr"), TO_FILE,
                                     0600);
    int wrong = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

/* Waits for the process and returns its exit code. Kills it after `seconds` and then sets
 * *timed_out. */
static int process_wait_for(pid_t pid, double seconds, bool *timed_out)
{
    int status = 0, fd = pidfd_open(pid, 0);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    *timed_out = fd >= 0 && poll(&end, 1, (int)(seconds * 1000)) == 0;
    if (*timed_out) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (fd >= 0) close(fd);
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED + WTERMSIG(status);
}

static void process_read_arguments(lua_State *L, int list, const char *argv[MAX_ARGUMENTS + 2])
{
    size_t n = 0;
    argv[n++] = "leat";
    while (lua_geti(L, list, (lua_Integer)n) == LUA_TSTRING && n <= MAX_ARGUMENTS) {
        argv[n++] = lua_tostring(L, -1); /* the list owns the string */
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    argv[n] = NULL;
}

/* Moves field `name` of the table on top of the stack to the table below it, where its name is
 * `to`. */
static void process_move_field(lua_State *L, const char *name, const char *to)
{
    lua_getfield(L, -1, name);
    lua_setfield(L, -3, to);
    lua_pushnil(L);
    lua_setfield(L, -2, name);
}

static int process_run(lua_State *L)
{
    const char *dir = luaL_checkstring(L, 1), *argv[MAX_ARGUMENTS + 2];
    double seconds = luaL_checknumber(L, 4);
    bool timed_out;
    pid_t pid;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        process_write_file(L, dir, lua_tostring(L, -2));
    process_read_arguments(L, 3, argv);
    int wrong = process_start(&pid, (char *const *)argv, dir);
    if (wrong) return luaL_error(L, "leat cannot be run: %s", strerror(wrong));
    script_time_excuse(true);
    int code = process_wait_for(pid, seconds, &timed_out);
    script_time_excuse(false);
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, code);
    lua_setfield(L, -2, "exit");
    if (timed_out) {
        lua_pushnumber(L, seconds);
        lua_setfield(L, -2, "timed_out");
    }
    lua_newtable(L);
    /* After a timeout only stderr is read: the output of a run without end may exceed the
     * memory. */
    process_take_files(L, dir, timed_out);
    process_move_field(L, "stdout", "output");
    process_move_field(L, "stderr", "messages");
    return 2;
}

static void process_push_json(lua_State *L, const json_t *v)
{
    const char *key;
    json_t *item;
    size_t i;
    luaL_checkstack(L, 4, "JSON is nested too deeply");
    if (json_is_object(v)) {
        lua_newtable(L);
        json_object_foreach((json_t *)v, key, item)
        {
            process_push_json(L, item);
            lua_setfield(L, -2, key);
        }
    } else if (json_is_array(v)) {
        lua_newtable(L);
        json_array_foreach(v, i, item)
        {
            process_push_json(L, item);
            lua_seti(L, -2, (lua_Integer)i + 1);
        }
    } else if (json_is_string(v)) {
        lua_pushlstring(L, json_string_value(v), json_string_length(v));
    } else if (json_is_integer(v)) {
        lua_pushinteger(L, json_integer_value(v));
    } else if (json_is_real(v)) {
        lua_pushnumber(L, json_real_value(v));
    } else if (json_is_boolean(v)) {
        lua_pushboolean(L, json_is_true(v));
    } else {
        lua_pushnil(L);
    }
}

static int process_decode(lua_State *L)
{
    size_t n;
    json_error_t wrong;
    const char *text = luaL_checklstring(L, 1, &n);
    json_t *v = json_loadb(text, n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &wrong);
    if (!v) return luaL_error(L, "this text is not JSON: %s", wrong.text);
    process_push_json(L, v); /* a memory error here would end the test file */
    json_decref(v);
    return 1;
}

/* Pushes a table of functions:
 *
 *     folder()         makes a new folder and returns its path
 *     run(folder, files, arguments, seconds)
 *                      writes files (name = text) there and runs this program with the arguments (a
 *                      list); removes the folder. Returns { exit, output, messages, timed_out } and
 *                      the files that the run left there.
 *     decode(text)     returns a JSON text as a Lua value; null is nil */
static int process_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"folder", process_folder}, {"run", process_run}, {"decode", process_decode}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}

/* ---- running a file of tests ---- */

/* Makes `require "leat.process"` return the module of process_open(). */
static void rehearsal_set_process(struct builder *b)
{
    lua_State *L = b->L;
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushcfunction(L, process_open);
    lua_call(L, 0, 1);
    lua_pushstring(L, b->script);
    lua_setfield(L, -2, "script");
    lua_setfield(L, -2, "leat.process");
    lua_pop(L, 1);
}

static bool rehearsal_run_tests(struct builder *b)
{
    b->unreadable = luaL_loadfilex(b->L, b->script, "t") != LUA_OK;
    return !b->unreadable && lua_pcall(b->L, 0, 0, 0) == LUA_OK;
}

static uint64_t rehearsal_field(lua_State *L, const char *name)
{
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    lua_Integer n = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return n > 0 ? (uint64_t)n : 0;
}

static void rehearsal_add_counts(lua_State *L, struct test_counts *counts)
{
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, "leat.test") == LUA_TTABLE) {
        counts->passed += rehearsal_field(L, "passed");
        counts->failed += rehearsal_field(L, "failed");
    }
    lua_pop(L, 2);
}

int lua_test(const char *script, const char *lua_dir, struct registry *known,
             const struct lua_beginning *beginning, struct diag *d, struct test_counts *counts)
{
    struct graph none = {.arena = d->arena, .script = script};
    struct builder b = {.g = &none,
                        .d = d,
                        .script = script,
                        .known = known,
                        .beginning = beginning,
                        .lua_dir = lua_dir};
    uint64_t before = counts->passed + counts->failed;
    if (!builder_start(&b)) return LEAT_ENOMEM;
    bool ran = script_module_load(&b, lua_dir, NULL, 0);
    if (ran) rehearsal_set_process(&b);
    ran = ran && rehearsal_run_tests(&b);
    if (!ran) {
        const char *why = lua_tostring(b.L, -1);
        script_errors_report(&b, why ? why : "the file of tests failed");
    }
    rehearsal_add_counts(b.L, counts);
    if (ran && counts->passed + counts->failed == before) {
        diag_add(d, DIAG_ERROR, (struct location){script, 0}, NULL, NULL,
                 "there is no test in this file: local test = require \"leat.test\"; "
                 "test(\"what it claims\", function() … end)");
        ran = false;
    }
    builder_end(&b);
    return ran ? LEAT_OK : LEAT_EARG;
}
