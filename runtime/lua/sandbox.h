/* sandbox.h -- a Lua state in which a user's function can do no harm: bounded memory, a bounded
 * number of instructions a call, no files, no processes, no clock, no code from text.
 *
 * Threads: a state is used by one thread at a time. Nothing is shared between states.
 */
#ifndef LEAT_LUA_SANDBOX_H
#define LEAT_LUA_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

#include <lua.h>

struct sandbox {
    lua_State *L;
    size_t limit, bytes, peak; /* allowed, held, the most that was held */
    int instructions;          /* allowed a call                        */
    int expired;               /* the call in progress used them up     */
};

/* What a function in the sandbox finds: "pcall", "string", "string.rep", …; ended by NULL. */
extern const char *const sandbox_names[];

/* Make a state in `s`, whose address must not change until sandbox_fini. math.random starts from
 * `seed`. Returns LEAT_OK, or LEAT_ENOMEM. */
int sandbox_init(struct sandbox *s, size_t limit, int instructions, uint64_t seed);
void sandbox_fini(struct sandbox *s); /* after a failed init, too */

/* Allow the next call its instructions. Cheap: once a record is fine. */
void sandbox_arm(struct sandbox *s);

/* After lua_pcall returned `status` (not LUA_OK): pop what was raised and say it in `text`, as
 * "script.lua:3: …". Returns LEAT_R_LIMIT for a limit of the sandbox, else LEAT_R_LUA. Raises
 * nothing. */
int sandbox_error(struct sandbox *s, int status, char *text, size_t cap);

#endif
