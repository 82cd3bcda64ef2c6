/* script_library.h -- the libraries of a script, which describes a pipeline and does nothing else.
 *
 * Everything of Lua but: os.execute, exit, remove, rename, setlocale, tmpname; io.popen, output,
 * tmpfile, and io.open for writing; package.loadlib and modules in C; debug but getinfo and
 * traceback; chunks that are not text. So a script reads files, such as tables to look things up
 * in, but changes none, starts no program, and runs no machine code.
 *
 * A script may run for SCRIPT_SECONDS of processor time, so that a busy
 * machine fails no script; and how long it may wait without any, as for a pipe that nobody writes:
 * WAITING_SECONDS. What it waits for is then interrupted.
 *
 * At the limit an error is raised where the script is. A script can catch errors, or be inside a
 * library function or a finalizer, where none are raised; a second later the process ends with a
 * message, exit code 2: nothing has been opened yet. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_LIBRARY_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_LIBRARY_H

#include <lua.h>
#include <stdbool.h>

/* `require` looks for "leat" and "leat.NAME" in `lua_dir` only, for others in `script_dir` and then
 * there. May raise memory errors. */
void script_library_open(lua_State *L, const char *script_dir, const char *lua_dir);

/* ---- time ---- */

enum { SCRIPT_SECONDS = 2, WAITING_SECONDS = 10 };

/* From here to script_time_stop the thread runs the script of this name in L. One at a time. */
void script_time_start(lua_State *L, const char *script);
void script_time_stop(void);

/* From here on waiting does not count, as what is waited for has an end of its own; or it counts
 * again. */
void script_time_excuse(bool is);

/* Has the script waited for too long? Then whatever it failed of, it failed of that, and these are
 * the words. */
bool script_time_waited(void);
extern const char script_time_waiting[];

#endif
