/* sandbox.h -- a Lua state with bounded memory and instructions for a user's function.
 *
 * Work of library functions counts as instructions. There are no files, no processes, no clock, and
 * no code from text.
 *
 * Threads: one thread at a time uses a state. States share nothing. */
#ifndef LEAT_HOST_LUA_SANDBOX_H
#define LEAT_HOST_LUA_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

struct print;

struct sandbox {
    lua_State *L;
    size_t limit, bytes, peak; /* limit, bytes in use, largest use so far                      */
    int instructions;          /* most per call                                                */
    int slice;                 /* instructions until the next check of `left`                  */
    int64_t left;              /* steps that the call in progress may still take               */
    uint64_t cpu;              /* processor time at the call's first check; 0: not checked yet */
    bool armed, expired;       /* expired: the call in progress has used up a limit            */
    bool slow;                 /* … the limit of time                                          */
    char undefined[64];        /* undefined global that the current call read last; "": none   */
    bool full;                 /* the last error was a lack of memory                          */
    bool starved;              /* … caused by the system, not the limit                        */
    uint64_t collections;      /* full garbage collections for lack of memory                  */
    uint64_t given, given_before; /* bytes handed out in total, and up to the last such
                                   * collection */
    int crowded;                  /* consecutive such collections that gained hardly anything */
    struct print *print;          /* receives output of print; NULL: none                     */
};

/* Unit of work of library functions. */
enum { STEPS_PER_INSTRUCTION = 8, BYTES_PER_STEP = 32 };

static inline struct sandbox *sandbox_of(lua_State *L)
{
    return *(struct sandbox **)lua_getextraspace(L);
}

/* Globals and their fields in a sandbox: "pcall", "string", "string.rep", …; ended by NULL. */
extern const char *const sandbox_names[];

/* Makes a state like sandbox_init, but without any library. */
int sandbox_start(struct sandbox *s, size_t limit, int instructions);

/* Makes a state of at most `limit` bytes, with `instructions` (> 0) per call, in `s`, whose address
 * must not change until sandbox_fini. math.random starts from `seed`. Returns LEAT_OK or
 * LEAT_ENOMEM. */
int sandbox_init(struct sandbox *s, size_t limit, int instructions, uint64_t seed);
void sandbox_fini(struct sandbox *s); /* after a failed init, too */

/* Restarts the count of instructions for the next call. Cheap enough for one call a record. */
void sandbox_arm(struct sandbox *s);

/* Calls f(argument) protected, without results. Returns the status of lua_pcall. */
int sandbox_call(struct sandbox *s, lua_CFunction f, void *argument);

/* Charges work of a library function; raises the limit's error if the call has no steps left. A
 * step costs about as much as a character of a pattern, or as 32 copied bytes. */
void sandbox_charge(lua_State *L, uint64_t steps);

/* Handles an error: lua_pcall has returned `status` (not LUA_OK). Pops the error and writes its
 * message to text[cap], "script.lua:3: …". Returns LEAT_R_LIMIT for a limit of the sandbox,
 * otherwise LEAT_R_LUA. Raises no error. With s->starved no record is to blame. */
int sandbox_error(struct sandbox *s, int status, char *text, size_t cap);

#endif
