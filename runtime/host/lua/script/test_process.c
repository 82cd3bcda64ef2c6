/* test_process.c -- see test_process.h. */
#include "test_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>
#include <lauxlib.h>

#include "script_time.h"

enum { MAX_ARGUMENTS = 512, KILLED = 128 };

extern char **environ;

static int folder(lua_State *L)
{
    const char *tmp = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/leat-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(path)) return luaL_error(L, "no folder %s: %s", path, strerror(errno));
    lua_pushstring(L, path);
    return 1;
}

static const char *path_of(char path[PATH_MAX], const char *dir, const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s", dir, name);
    return path;
}

/* The text on top of the stack. */
static void write_file(lua_State *L, const char *dir, const char *name)
{
    char path[PATH_MAX];
    size_t n;
    const char *text = lua_tolstring(L, -1, &n);
    FILE *f = fopen(path_of(path, dir, name), "w");
    bool bad = !f || fwrite(text, 1, n, f) != n;
    if (f && fclose(f)) bad = true;
    if (bad) luaL_error(L, "%s cannot be written: %s", path, strerror(errno));
}

/* Pushes the text of a file; nil: it is none. */
static void push_file(lua_State *L, const char *dir, const char *name)
{
    char path[PATH_MAX];
    luaL_Buffer text;
    FILE *f = fopen(path_of(path, dir, name), "r");
    luaL_buffinit(L, &text);
    for (size_t n = 1; f && n;) {
        char *to = luaL_prepbuffer(&text);
        n = fread(to, 1, LUAL_BUFFERSIZE, f);
        luaL_addsize(&text, n);
    }
    luaL_pushresult(&text);
    if (f) fclose(f);
}

/* Moves the files of the folder into the table on top of the stack, and removes both. What is in
 * folders within remains. */
static void take_files(lua_State *L, const char *dir)
{
    DIR *d = opendir(dir);
    char path[PATH_MAX];
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        push_file(L, dir, e->d_name);
        lua_setfield(L, -2, e->d_name);
        unlink(path_of(path, dir, e->d_name));
    }
    if (d) closedir(d);
    rmdir(dir);
}

/* Nothing on standard input; the two others go into files. */
static int start(pid_t *pid, char *const *argv, const char *dir)
{
    char out[PATH_MAX], err[PATH_MAX];
    posix_spawn_file_actions_t actions;
    enum { TO_FILE = O_WRONLY | O_CREAT | O_TRUNC };
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, path_of(out, dir, "stdout"), TO_FILE, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, path_of(err, dir, "stderr"), TO_FILE, 0600);
    int wrong = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

/* Its exit code; *timed_out: it was ended. */
static int wait_for(pid_t pid, double seconds, bool *timed_out)
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

static void read_arguments(lua_State *L, int list, const char *argv[MAX_ARGUMENTS + 2])
{
    size_t n = 0;
    argv[n++] = "leat";
    while (lua_geti(L, list, (lua_Integer)n) == LUA_TSTRING && n <= MAX_ARGUMENTS) {
        argv[n++] = lua_tostring(L, -1); /* the list keeps it */
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    argv[n] = NULL;
}

/* files.NAME moves to the table below it, as field `to`. */
static void move_field(lua_State *L, const char *name, const char *to)
{
    lua_getfield(L, -1, name);
    lua_setfield(L, -3, to);
    lua_pushnil(L);
    lua_setfield(L, -2, name);
}

static int run(lua_State *L)
{
    const char *dir = luaL_checkstring(L, 1), *argv[MAX_ARGUMENTS + 2];
    double seconds = luaL_checknumber(L, 4);
    bool timed_out;
    pid_t pid;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        write_file(L, dir, lua_tostring(L, -2));
    read_arguments(L, 3, argv);
    int wrong = start(&pid, (char *const *)argv, dir);
    if (wrong) return luaL_error(L, "leat cannot be run: %s", strerror(wrong));
    script_time_excuse(true);
    int code = wait_for(pid, seconds, &timed_out);
    script_time_excuse(false);
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, code);
    lua_setfield(L, -2, "exit");
    if (timed_out) {
        lua_pushnumber(L, seconds);
        lua_setfield(L, -2, "timed_out");
    }
    lua_newtable(L);
    take_files(L, dir);
    move_field(L, "stdout", "output");
    move_field(L, "stderr", "messages");
    return 2;
}

static void push_json(lua_State *L, const json_t *v)
{
    const char *key;
    json_t *item;
    size_t i;
    luaL_checkstack(L, 4, "JSON is nested too deeply");
    if (json_is_object(v)) {
        lua_newtable(L);
        json_object_foreach((json_t *)v, key, item)
        {
            push_json(L, item);
            lua_setfield(L, -2, key);
        }
    } else if (json_is_array(v)) {
        lua_newtable(L);
        json_array_foreach(v, i, item)
        {
            push_json(L, item);
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

static int decode(lua_State *L)
{
    size_t n;
    json_error_t wrong;
    const char *text = luaL_checklstring(L, 1, &n);
    json_t *v = json_loadb(text, n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &wrong);
    if (!v) return luaL_error(L, "no JSON: %s", wrong.text);
    push_json(L, v); /* an error for want of memory ends the file of tests */
    json_decref(v);
    return 1;
}

int test_process_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"folder", folder}, {"run", run}, {"decode", decode}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
