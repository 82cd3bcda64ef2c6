/* sandbox_library.h -- parts of a sandbox's libraries that scripts use, too.
 *
 * These are print, which writes lines to standard error for debugging; undefined globals; and
 * patterns with counted work. Printed lines are not output, so only few appear; the others are
 * counted. */
#ifndef LEAT_HOST_LUA_SANDBOX_LIBRARY_H
#define LEAT_HOST_LUA_SANDBOX_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include <lua.h>

enum { PRINT_STREAM = 10, PRINT_SCRIPT = 100 }; /* most displayed lines of a stage, of a script */

struct print {
    uint64_t lines; /* printed so far     */
    void *to;       /* owner of the lines */
    void (*say)(void *to, const char *text);
};

/* print(…) of a script; its upvalue is a struct print as a light pointer. `say` gets "script.lua:3:
 * text". */
int print_in_script(lua_State *L);

/* Reports the number of lines beyond `max`, which were not shown. */
void print_end(const struct print *p, uint64_t max);

/* From here on, reading an undefined global raises an error with a suggestion: a word of another
 * language, a name defined nearby. Defining globals stays possible. */
void undefined_refuse(lua_State *L);

/* string.find, match, gmatch and gsub of a sandbox. Lua's own run inside one instruction, however
 * long they backtrack. These give the same results and raise the same errors, but charge every step
 * of the matcher (sandbox_charge). So a pattern made to backtrack ends like an endless loop. */
int pattern_find(lua_State *L);
int pattern_match(lua_State *L);
int pattern_gmatch(lua_State *L);
int pattern_gsub(lua_State *L);

#endif
