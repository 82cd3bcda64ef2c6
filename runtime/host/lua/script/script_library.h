/* script_library.h -- the libraries of a script, which describes a pipeline and does nothing else.
 *
 * Everything of Lua but: os.execute, exit, remove, rename, setlocale, tmpname; io.popen, output,
 * tmpfile, and io.open for writing; package.loadlib and modules in C; debug but getinfo and
 * traceback; chunks that are not text. So a script reads files, such as tables to look things up
 * in, but changes none, starts no program, and runs no machine code. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_LIBRARY_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_LIBRARY_H

#include <lua.h>

/* `require` looks for "leat" and "leat.NAME" in `lua_dir` only, for others in `script_dir` and then
 * there. May raise memory errors. */
void script_library_open(lua_State *L, const char *script_dir, const char *lua_dir);

#endif
