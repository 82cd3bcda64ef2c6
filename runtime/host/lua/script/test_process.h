/* test_process.h -- runs of leat for tests of pipelines, each with a folder of its own: the module
 * leat.process, which only lua/leat/test.lua uses. */
#ifndef LEAT_HOST_LUA_SCRIPT_TEST_PROCESS_H
#define LEAT_HOST_LUA_SCRIPT_TEST_PROCESS_H

#include <lua.h>

/* Pushes a table of functions:
 *
 *   folder()         a new folder, its path
 *   run(folder, files, arguments, seconds)
 *                    writes files (name = text) there and runs this program with the arguments (a
 *                    list); removes the folder. Returns { exit, output, messages, timed_out } and
 *                    the files that are there then.
 *   decode(text)     a JSON text as a Lua value; null is nil */
int test_process_open(lua_State *L);

#endif
