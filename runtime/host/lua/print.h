/* print.h -- `print` for scripts and for functions of the stream: lines on standard error for those
 * who look for a mistake. They are no output, so there are few of them; the others are counted. */
#ifndef LEAT_HOST_LUA_PRINT_H
#define LEAT_HOST_LUA_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include <lua.h>

enum { PRINT_STREAM = 10, PRINT_SCRIPT = 100 }; /* lines that are shown of one stage, of a script */

struct print {
    uint64_t lines; /* printed so far              */
    void *to;       /* whose lines these are       */
    void (*say)(void *to, const char *text);
};

/* print(…) of a stage's Lua state (sandbox.h). */
int print_in_stream(lua_State *L);

/* print(…) of a script; its upvalue is a struct print as a light pointer. `say` gets
 * "script.lua:3: text". */
int print_in_script(lua_State *L);

/* Says how many lines were not shown, of at most `max`. */
void print_end(const struct print *p, uint64_t max);

#endif
