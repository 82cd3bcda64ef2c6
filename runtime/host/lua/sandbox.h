/* sandbox.h -- a Lua state for a user's function: bounded memory, a bounded number of instructions
 * a call (what library functions do is charged to it), no files, no processes, no
 * clock, no code from text.
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
    size_t limit, bytes, peak;    /* maximum, in use, largest use so far       */
    int instructions;             /* maximum a call                            */
    int slice;                    /* of them until the next look at what is left */
    int64_t left;                 /* steps that the call in progress may still take */
    uint64_t cpu;                 /* processor time at the first look in it; 0: none yet */
    bool armed, expired;          /* expired: the call in progress has used up a limit */
    bool slow;                    /* … and it is that of time                       */
    char undefined[64];           /* the global that the call in progress read last and that does
                                   * not exist; "": none */
    bool full;                    /* the last error was that memory was used up */
    bool starved;                 /* … and that the system, not the limit, gave no more */
    uint64_t collections;         /* of all garbage, as there was no memory otherwise   */
    uint64_t given, given_before; /* bytes handed out, in all and until the last of these */
    int crowded;                  /* how many of these in a row gained hardly anything    */
    struct print *print;          /* takes what it prints; NULL: nobody does            */
};

/* What library functions do is counted in steps. */
enum { STEPS_PER_INSTRUCTION = 8, BYTES_PER_STEP = 32 };

static inline struct sandbox *sandbox_of(lua_State *L)
{
    return *(struct sandbox **)lua_getextraspace(L);
}

/* The globals and their fields in a sandbox: "pcall", "string", "string.rep", …; ended by NULL. */
extern const char *const sandbox_names[];

/* As sandbox_init, without any library. */
int sandbox_start(struct sandbox *s, size_t limit, int instructions);

/* Makes a state of at most `limit` bytes, with `instructions` (> 0) a call, in `s`, whose address
 * must not change until sandbox_fini. math.random starts from `seed`. Returns LEAT_OK or
 * LEAT_ENOMEM. */
int sandbox_init(struct sandbox *s, size_t limit, int instructions, uint64_t seed);
void sandbox_fini(struct sandbox *s); /* after a failed init, too */

/* Gives the next call its instructions. Cheap enough for one call a record. */
void sandbox_arm(struct sandbox *s);

/* Protected: f(argument), without results. Returns what lua_pcall does. */
int sandbox_call(struct sandbox *s, lua_CFunction f, void *argument);

/* A library function does this much work: raises the limit's error when the call has no more left.
 * About the cost of a character of a pattern, or of 32 bytes copied, is a step. */
void sandbox_charge(lua_State *L, uint64_t steps);

/* After lua_pcall returned `status` (not LUA_OK): pops the error and writes its message to
 * text[cap], "script.lua:3: …". Returns LEAT_R_LIMIT for a limit of the sandbox, else LEAT_R_LUA.
 * Raises no error. With s->starved no record is to blame. */
int sandbox_error(struct sandbox *s, int status, char *text, size_t cap);

#endif
