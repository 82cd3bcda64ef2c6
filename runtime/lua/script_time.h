/* script_time.h -- how long a script may run: SCRIPT_SECONDS of processor time, so that a busy
 * machine fails no script.
 *
 * At the limit an error is raised where the script is. A script can catch errors, or be inside a
 * library function or a finalizer, where none are raised; a second later the process ends with a
 * message, exit code 2: nothing has been opened yet. */
#ifndef LEAT_LUA_SCRIPT_TIME_H
#define LEAT_LUA_SCRIPT_TIME_H

#include <lua.h>

enum { SCRIPT_SECONDS = 2 };

/* From here to script_time_stop the thread runs the script of this name in L. One at a time. */
void script_time_start(lua_State *L, const char *script);
void script_time_stop(void);

#endif
