/* sandbox.c -- allocator and instruction counter of a stage's Lua state.
 *
 * Instructions. Lua counts instructions down and calls the count hook at zero. Each sandbox_arm()
 * restarts the count. A function could catch the hook's error and continue, so pcall and xpcall
 * here raise it again. After the error the hook runs at every instruction, which stops handlers of
 * to-be-closed variables at once. Lua switches hooks off in two places where a function could hide.
 * One is the message handler of an error that came from a hook, so xpcall here does not call the
 * handler then. The other is finalizers, so setmetatable here refuses __gc. There are no
 * coroutines, because each would have its own hook.
 *
 * A library function runs inside one instruction. For functions that may work for long, steps are
 * counted towards the same limit: for patterns by characters (pattern.c), for table functions by
 * elements and for other functions by bytes of text (sandbox_library.c). The allocator counts the
 * bytes that it hands out, and thus copies of data. For the remaining functions, such as
 * comparisons of long texts, the memory limit bounds the work. A call may also take at most one
 * second of processor time plus 50 ns for each permitted instruction, some ten times its usual
 * cost.
 *
 * Memory. The allocator refuses a request beyond the limit. Lua then collects all garbage and tries
 * again before it raises an error. Strings made by string.rep count, too. Such a collection takes
 * time in proportion to all data that the function keeps. If several collections in a row free
 * hardly anything, the call ends as if out of memory; otherwise each record would take
 * milliseconds. That happens when the function keeps nearly its whole memory, or catches memory
 * errors.
 *
 * The same input gives the same output, with two exceptions that Lua imposes: the order of pairs()
 * over text keys and the addresses in tostring({}). */
#include "sandbox.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include <leat/status.h>

#include "core/time/clock.h"

enum { SLICE = 4096 };

/* A collection counts as crowded if less than 1/CROWDED_PART of the memory limit was allocated
 * since the previous one. A call ends after CROWDED_MAX crowded collections in a row. */
enum { CROWDED_MAX = 10, CROWDED_PART = 64 };

static void sandbox_count_hook(lua_State *L, lua_Debug *ar);

static double sandbox_cpu_limit(const struct sandbox *s) { return 1e9 + 50.0 * s->instructions; }

static void sandbox_set_slice(struct sandbox *s, int64_t instructions)
{
    s->slice = instructions < 1 ? 1 : instructions < SLICE ? (int)instructions : SLICE;
    lua_sethook(s->L, sandbox_count_hook, LUA_MASKCOUNT, s->slice);
}

/* Counts the steps of allocated bytes. The allocator must not raise errors, so if no steps are
 * left, the next instruction raises the error. One request counts for at most a quarter of the
 * call's steps, so that a large table may still double. */
static void sandbox_charge_bytes(struct sandbox *s, size_t bytes)
{
    int64_t most = (int64_t)s->instructions * (STEPS_PER_INSTRUCTION / 4);
    int64_t steps = (int64_t)(bytes / BYTES_PER_STEP);
    if (!s->armed || s->expired || s->left < 0) return;
    s->left -= steps < most ? steps : most;
    if (s->left < 0) sandbox_set_slice(s, 1);
}

/* Notes that the allocator refuses a request. Lua will then collect garbage and may repeat the
 * request once. */
static void sandbox_note_refusal(struct sandbox *s)
{
    uint64_t gained = s->given - s->given_before;
    if (!gained && s->collections) return;
    s->collections++;
    s->given_before = s->given;
    s->crowded = gained < s->limit / CROWDED_PART ? s->crowded + 1 : 1;
    if (s->crowded < CROWDED_MAX || !s->armed || s->expired) return;
    s->left = -1;
    sandbox_set_slice(s, 1);
}

static void *sandbox_limited_realloc(void *ud, void *p, size_t old, size_t new)
{
    struct sandbox *s = ud;
    if (!p) old = 0; /* for a new object, Lua passes its type in `old` */
    if (!new) {
        free(p);
        s->bytes -= old;
        return NULL;
    }
    if (new > old && s->bytes + (new - old) > s->limit) {
        sandbox_note_refusal(s);
        return NULL;
    }
    void *q = realloc(p, new);
    s->starved = !q;
    if (!q) return new <= old ? p : NULL; /* shrinking must not fail */
    s->bytes = s->bytes - old + new;
    if (new > old) s->given += new - old;
    if (s->bytes > s->peak) s->peak = s->bytes;
    if (new > old + BYTES_PER_STEP) sandbox_charge_bytes(s, new - old);
    return q;
}

static int sandbox_expire(lua_State *L, bool slow)
{
    struct sandbox *s = sandbox_of(L);
    s->expired = true;
    s->slow = slow;
    lua_sethook(L, sandbox_count_hook, LUA_MASKCOUNT, 1);
    if (s->crowded >= CROWDED_MAX) {
        lua_pushliteral(L, "not enough memory"); /* Lua's own message, which is preallocated */
        return lua_error(L);
    }
    luaL_where(L, 0);
    if (slow)
        lua_pushfstring(L, "the function used up its %f s of processor time",
                        sandbox_cpu_limit(s) / 1e9);
    else
        lua_pushfstring(L, "the function used up its %d instructions", s->instructions);
    lua_concat(L, 2);
    return lua_error(L);
}

static bool sandbox_is_slow(struct sandbox *s)
{
    uint64_t now = clock_thread_ns();
    if (!s->cpu) s->cpu = now;
    return (double)(now - s->cpu) > sandbox_cpu_limit(s);
}

static void sandbox_count_hook(lua_State *L, lua_Debug *ar)
{
    struct sandbox *s = sandbox_of(L);
    if (!s->expired) s->left -= (int64_t)s->slice * STEPS_PER_INSTRUCTION;
    if (s->expired || s->left <= 0) sandbox_expire(L, s->slow);
    if (sandbox_is_slow(s)) sandbox_expire(L, true);
    if (s->left < (int64_t)s->slice * STEPS_PER_INSTRUCTION)
        sandbox_set_slice(s, s->left / STEPS_PER_INSTRUCTION);
}

void sandbox_charge(lua_State *L, uint64_t steps)
{
    struct sandbox *s = sandbox_of(L);
    s->left = steps > INT64_MAX / 2 || s->left < 0 ? -1 : s->left - (int64_t)steps;
    if (s->left < 0) sandbox_expire(L, false);
}

void sandbox_arm(struct sandbox *s)
{
    s->expired = s->slow = false;
    s->undefined[0] = '\0';
    s->armed = true;
    s->cpu = 0;
    s->left = (int64_t)s->instructions * STEPS_PER_INSTRUCTION;
    sandbox_set_slice(s, s->instructions);
}

int sandbox_call(struct sandbox *s, lua_CFunction f, void *argument)
{
    lua_pushcfunction(s->L, f);
    lua_pushlightuserdata(s->L, argument);
    return lua_pcall(s->L, 1, 0, 0);
}

int sandbox_start(struct sandbox *s, size_t limit, int instructions)
{
    assert(instructions > 0);
    *s = (struct sandbox){.limit = limit, .instructions = instructions};
    if (!(s->L = lua_newstate(sandbox_limited_realloc, s))) return LEAT_ENOMEM;
    *(struct sandbox **)lua_getextraspace(s->L) = s;
    lua_gc(s->L, LUA_GCGEN, 0, 0);
    return LEAT_OK;
}

void sandbox_fini(struct sandbox *s)
{
    if (s->L) lua_close(s->L);
    s->L = NULL;
}

/* True if the error on top of the stack is a lack of memory. Buffers of the library (string.rep,
 * table.concat) raise their own error with Lua's text. */
static bool sandbox_is_memory(lua_State *L, int status)
{
    return status == LUA_ERRMEM ||
           (lua_type(L, -1) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), "not enough memory"));
}

int sandbox_error(struct sandbox *s, int status, char *text, size_t cap)
{
    lua_State *L = s->L;
    int type = lua_type(L, -1), memory = sandbox_is_memory(L, status);
    s->full = memory;
    s->crowded = 0;
    s->starved &= memory;
    /* Reads only a string directly, because converting another value may raise an error. */
    if (s->starved)
        snprintf(text, cap, "there is not enough memory for the function");
    else if (memory)
        snprintf(text, cap, "the function used up its %zu KiB of memory", s->limit / 1024);
    else if (type == LUA_TSTRING)
        snprintf(text, cap, "%s", lua_tostring(L, -1));
    else if (type == LUA_TNUMBER)
        snprintf(text, cap, "%.14g", lua_tonumber(L, -1));
    else
        snprintf(text, cap, "the function raised %s%s as an error", type == LUA_TNIL ? "" : "a ",
                 lua_typename(L, type));
    lua_pop(L, 1);
    return s->expired || memory ? LEAT_R_LIMIT : LEAT_R_LUA;
}
