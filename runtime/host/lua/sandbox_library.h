/* sandbox_library.h -- parts of the sandbox's libraries that pipeline scripts use, too.
 *
 * They are: print(), which writes lines to standard error for debugging; errors for undefined
 * globals; and pattern functions whose work counts towards the instruction limit. Printed lines are
 * not output of the pipeline, so only the first lines of each stage or script appear; the others
 * are only counted. */
#ifndef LEAT_HOST_LUA_SANDBOX_LIBRARY_H
#define LEAT_HOST_LUA_SANDBOX_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include <lua.h>

enum { PRINT_STREAM = 10, PRINT_SCRIPT = 100 }; /* most lines shown: of a stage; of a script */

struct print {
    uint64_t lines; /* number of lines printed so far */
    void *to;       /* context for say() */
    void (*say)(void *to, const char *text);
};

/* print() of a pipeline script; its upvalue is a light userdata, a struct print. Passes
 * "script.lua:3: text" to say(). */
int print_in_script(lua_State *L);

/* Reports how many lines beyond `max` were not shown. */
void print_end(const struct print *p, uint64_t max);

/* Makes reads of undefined globals raise an error from now on. The error suggests a similar name,
 * or Lua's word for one of another language. Scripts may still define globals. */
void undefined_refuse(lua_State *L);

/* string.find, match, gmatch and gsub of a sandbox. Lua's originals run inside one instruction,
 * however long they backtrack. These give the same results and raise the same errors, but count
 * every step of the matcher (sandbox_charge). So a pattern that backtracks for long hits the
 * instruction limit, as an endless loop does. */
int pattern_find(lua_State *L);
int pattern_match(lua_State *L);
int pattern_gmatch(lua_State *L);
int pattern_gsub(lua_State *L);

#endif
