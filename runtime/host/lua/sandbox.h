/* sandbox.h -- a Lua state with bounded memory and instructions for a user's function.
 *
 * The work of library functions counts as instructions, too. A sandbox has no files, no processes,
 * no clock, and no way to run text as code.
 *
 * Threads: only one thread at a time may use a state. States share nothing. */
#ifndef LEAT_HOST_LUA_SANDBOX_H
#define LEAT_HOST_LUA_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

struct print;

struct sandbox {
    lua_State *L;
    size_t limit, bytes, peak; /* memory: limit, bytes in use, largest use so far               */
    int instructions;          /* most instructions per call                                    */
    int slice;                 /* instructions until the next check of `left`                   */
    int64_t left;              /* steps that the call in progress may still take                */
    uint64_t cpu;              /* processor time at the call's first check; 0 before it         */
    bool armed, expired;       /* expired: the call in progress has used up a limit             */
    bool slow;                 /* with `expired`: the limit was processor time                  */
    char undefined[64];        /* undefined global that the call read last; "" if none          */
    bool full;                 /* the last error was a lack of memory                           */
    bool starved;              /* with `full`: the system refused the memory, not the limit     */
    uint64_t collections;      /* full garbage collections because the memory limit was reached */
    uint64_t given, given_before; /* bytes allocated: in total; until the last collection */
    int crowded;                  /* consecutive collections that freed hardly anything   */
    struct print *print;          /* receives output of print(); NULL if none             */
};

/* A call's work is counted in steps. One instruction counts as STEPS_PER_INSTRUCTION steps, and
 * BYTES_PER_STEP allocated or copied bytes count as one step. */
enum { STEPS_PER_INSTRUCTION = 8, BYTES_PER_STEP = 32 };

static inline struct sandbox *sandbox_of(lua_State *L)
{
    return *(struct sandbox **)lua_getextraspace(L);
}

/* Names of the globals in a sandbox and of their fields, such as "pcall", "string", "string.rep".
 * NULL ends the array. */
extern const char *const sandbox_names[];

/* Like sandbox_init(), but loads no library. */
int sandbox_start(struct sandbox *s, size_t limit, int instructions);

/* Creates a Lua state of at most `limit` bytes in `s`, with at most `instructions` (> 0) per call.
 * math.random starts from `seed`. The address of `s` must not change until sandbox_fini(). Returns
 * LEAT_OK or LEAT_ENOMEM. */
int sandbox_init(struct sandbox *s, size_t limit, int instructions, uint64_t seed);
void sandbox_fini(struct sandbox *s); /* allowed after a failed init */

/* Restarts the count of instructions for the next call. Cheap enough to run for every record. */
void sandbox_arm(struct sandbox *s);

/* Calls f(argument) as a protected call without results. Returns the status of lua_pcall. */
int sandbox_call(struct sandbox *s, lua_CFunction f, void *argument);

/* Counts `steps` of work of a library function in the call in progress. Raises an error if the call
 * has no steps left. A step is about the work for one character of a pattern, or for 32 copied
 * bytes. */
void sandbox_charge(lua_State *L, uint64_t steps);

/* Handles the error after lua_pcall has returned `status` (not LUA_OK). Pops the error and writes
 * its message, such as "script.lua:3: …", to text[cap]. Returns LEAT_R_LIMIT if a limit of the
 * sandbox caused it, otherwise LEAT_R_LUA. Raises no error. If s->starved, the system lacks memory
 * and the record is not to blame. */
int sandbox_error(struct sandbox *s, int status, char *text, size_t cap);

#endif
