/* script_library.h -- libraries of a script, which describes a pipeline and does nothing else.
 *
 * Everything of Lua but: os.execute, exit, remove, rename, setlocale, tmpname; io.popen, output,
 * tmpfile, and io.open for writing; package.loadlib and modules in C; debug but getinfo and
 * traceback; chunks that are not text. So a script reads files, such as lookup tables, but changes
 * none, starts no program, and runs no machine code.
 *
 * A script may run for SCRIPT_SECONDS of processor time; real time does not count, so a busy
 * machine fails no script. It may wait for WAITING_SECONDS, for instance for a pipe that nobody
 * writes. Then the wait is interrupted.
 *
 * At the limit an error is raised in the script. The script may catch errors, or be inside a
 * library function or a finalizer, where none are raised. So a second later the process ends with a
 * message, exit code 2: nothing has been opened yet. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_LIBRARY_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_LIBRARY_H

#include <lua.h>
#include <stdbool.h>

/* Opens the libraries. `require` looks for "leat" and "leat.NAME" only in `lua_dir`, for others in
 * `script_dir` and then there. May raise memory errors. */
void script_library_open(lua_State *L, const char *script_dir, const char *lua_dir);

/* ---- time ---- */

enum { SCRIPT_SECONDS = 2, WAITING_SECONDS = 10 };

/* Limit the time from here to script_time_stop, in which the thread runs the script of this name in
 * L. One script at a time. */
void script_time_start(lua_State *L, const char *script);
void script_time_stop(void);

/* Stops (or restarts) counting waits, for calls that have their own time limit. */
void script_time_excuse(bool is);

/* True if the script has waited for too long. That is then the cause of any failure, and these are
 * the words. */
bool script_time_waited(void);
extern const char script_time_waiting[];

#endif
