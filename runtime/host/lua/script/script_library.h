/* script_library.h -- libraries of a pipeline script, restricted to describing a pipeline.
 *
 * A script has all of Lua except: os.execute, exit, remove, rename, setlocale, tmpname; io.popen,
 * output, tmpfile, and io.open for writing; package.loadlib and modules in C; debug except for
 * getinfo and traceback; chunks that are not text. So a script can read files, such as lookup
 * tables, but it cannot change files, start programs, or run machine code.
 *
 * A script may use SCRIPT_SECONDS of processor time. Elapsed time does not count, so that a script
 * does not fail because the machine is busy. A script may wait for at most WAITING_SECONDS, for
 * instance for a pipe that nobody writes to. Then the wait is interrupted.
 *
 * At a limit, the script gets an error. The error has no effect if the script catches it, or runs
 * a library function or a finalizer. The process then ends one second later with a message and
 * exit code 2. This is safe because no stage has been opened yet. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_LIBRARY_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_LIBRARY_H

#include <lua.h>
#include <stdbool.h>

/* Opens the libraries. `require` searches for "leat" and "leat.NAME" only in `lua_dir`; for other
 * modules it searches `script_dir` first, then `lua_dir`. May raise memory errors. */
void script_library_open(lua_State *L, const char *script_dir, const char *lua_dir);

/* ---- the time limits of a script ---- */

enum { SCRIPT_SECONDS = 5, WAITING_SECONDS = 10 };

/* Limits the time that the calling thread may spend from here to script_time_stop(). The thread
 * runs the file `script` in L. Only one script can be limited at a time. */
void script_time_start(lua_State *L, const char *script);
void script_time_stop(void);

/* Stops (true) or resumes (false) counting the time that the script waits. For calls that have
 * their own time limit. */
void script_time_excuse(bool is);

/* True if the script has waited for too long. This is then the cause of any failure, and
 * script_time_waiting is the message. */
bool script_time_waited(void);
extern const char script_time_waiting[];

#endif
