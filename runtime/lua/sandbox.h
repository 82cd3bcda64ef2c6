/* sandbox.h -- a Lua state for a user's function: bounded memory, a bounded number of instructions
 * a call, no files, no processes, no clock, no code from text.
 *
 * Threads: one thread at a time uses a state. States share nothing. */
#ifndef LEAT_LUA_SANDBOX_H
#define LEAT_LUA_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

struct sandbox {
    lua_State *L;
    size_t limit, bytes, peak; /* maximum, in use, largest use so far       */
    int instructions;          /* maximum a call                            */
    bool expired;              /* the call in progress has used them all up */
};

/* The globals and their fields in a sandbox: "pcall", "string", "string.rep", …; ended by NULL. */
extern const char *const sandbox_names[];

/* Makes a state of at most `limit` bytes, with `instructions` (> 0) a call, in `s`, whose address
 * must not change until sandbox_fini. math.random starts from `seed`. Returns LEAT_OK or
 * LEAT_ENOMEM. */
int sandbox_init(struct sandbox *s, size_t limit, int instructions, uint64_t seed);
void sandbox_fini(struct sandbox *s); /* after a failed init, too */

/* Gives the next call its instructions. Cheap enough for one call a record. */
void sandbox_arm(struct sandbox *s);

/* Protected: f(argument), without results. Returns what lua_pcall does. */
int sandbox_call(struct sandbox *s, lua_CFunction f, void *argument);

/* After lua_pcall returned `status` (not LUA_OK): pops the error and writes its message to
 * text[cap], "script.lua:3: …". Returns LEAT_R_LIMIT for a limit of the sandbox, else LEAT_R_LUA.
 * Raises no error. */
int sandbox_error(struct sandbox *s, int status, char *text, size_t cap);

#endif
