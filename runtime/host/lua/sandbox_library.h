/* sandbox_library.h -- parts of a sandbox's libraries that scripts have, too: print, which writes
 * lines on standard error for those who look for a mistake, and undefined globals; patterns, whose
 * work is counted.
 *
 * Lines of print are no output, so there are few of them; the others are counted. */
#ifndef LEAT_HOST_LUA_SANDBOX_LIBRARY_H
#define LEAT_HOST_LUA_SANDBOX_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include <lua.h>

enum { PRINT_STREAM = 10, PRINT_SCRIPT = 100 }; /* lines that are shown of one stage, of a script */

struct print {
    uint64_t lines; /* printed so far              */
    void *to;       /* whose lines these are       */
    void (*say)(void *to, const char *text);
};

/* print(…) of a script; its upvalue is a struct print as a light pointer. `say` gets
 * "script.lua:3: text". */
int print_in_script(lua_State *L);

/* Says how many lines were not shown, of at most `max`. */
void print_end(const struct print *p, uint64_t max);

/* From here on reading an undefined global raises an error that says what may be meant: a word of
 * another language, a name defined nearby. Defining globals stays possible. */
void undefined_refuse(lua_State *L);

/* string.find, match, gmatch and gsub of a sandbox. Lua's own run inside one instruction, however
 * long they backtrack. These give the same results and raise the same errors, but charge every step
 * of the matcher (sandbox_charge): a pattern made to backtrack ends as an endless loop does. */
int pattern_find(lua_State *L);
int pattern_match(lua_State *L);
int pattern_gmatch(lua_State *L);
int pattern_gsub(lua_State *L);

#endif
