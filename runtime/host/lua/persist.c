/* persist.c -- implementation of persist.h. */
#include "persist.h"

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "host/log/diag.h"
#include "function.h"
#include "run.h"

enum { RANDOM_WORDS = 4, FIELD_BYTES = 64, MAX_NAMES = 64 };

/* ---- checking the names in `state` before a run ---- */

static void persist_no_variable(const struct leat_function *fn, const char *name,
                                struct leat_diag *diag)
{
    const char *have[MAX_NAMES], *v;
    size_t n = 0;
    for (int i = 1; n < MAX_NAMES && (v = function_variable(fn, i)); i++)
        if (strcmp(v, "_ENV")) have[n++] = v;
    const char *near = diag_suggest(name, have, n);
    diag->error(diag, "state", "the function uses no local variable '%s' of the script%s%s%s", name,
                near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void lua_persist_validate(const struct leat_function *fn, const struct leat_strings *names,
                          struct leat_diag *diag)
{
    for (uint32_t k = 0; k < names->n && fn; k++) {
        const char *name = names->v[k], *v;
        int i = 1;
        while ((v = function_variable(fn, i)) && strcmp(v, name))
            i++;
        if (!v || !strcmp(v, "_ENV")) persist_no_variable(fn, name, diag);
        if (strlen(name) + sizeof "state." > FIELD_BYTES)
            diag->error(diag, "state", "'%s' is too long: at most %d bytes", name,
                        FIELD_BYTES - (int)sizeof "state.");
        for (uint32_t j = 0; j < k; j++)
            if (!strcmp(names->v[j], name)) diag->error(diag, "state", "'%s' is named twice", name);
    }
}

/* ---- variables in the stage's Lua state ---- */

/* Returns the index of upvalue `name` of the function on top of the stack. The upvalue exists,
 * because lua_persist_validate() has checked it. */
static int persist_slot_of(lua_State *L, const char *name)
{
    const char *v;
    int i = 1;
    for (; (v = lua_getupvalue(L, -1, i)); i++) {
        lua_pop(L, 1);
        if (!strcmp(v, name)) break;
    }
    return i;
}

/* Returns the memory where Lua keeps the state of math.random; NULL if this Lua version keeps it
 * elsewhere. */
static void *persist_random_state(lua_State *L)
{
    void *state = NULL;
    int top = lua_gettop(L);
    lua_getglobal(L, "math");
    if (lua_istable(L, -1) && lua_getfield(L, -1, "random") == LUA_TFUNCTION &&
        lua_getupvalue(L, -1, 1) && lua_rawlen(L, -1) == RANDOM_WORDS * sizeof(uint64_t))
        state = lua_touserdata(L, -1);
    lua_settop(L, top);
    return state;
}

static void persist_field_name(char field[FIELD_BYTES], const char *name)
{
    snprintf(field, FIELD_BYTES, "state.%s", name);
}

/* Argument of the protected calls below: one snapshot or restore. */
struct transfer {
    struct lua_run *st;
    struct leat_writer *w; /* NULL to only check that the values can be stored */
    struct leat_reader *r;
    int status;
};

/* Lua function for a protected call. Its argument is a struct transfer. */
static int persist_write_all(lua_State *L)
{
    struct transfer *t = lua_touserdata(L, 1);
    struct lua_run *st = t->st;
    const struct leat_strings *names = &st->cfg->state;
    uint64_t random[RANDOM_WORDS] = {0};
    const void *state = persist_random_state(L);
    char field[FIELD_BYTES];
    if (state) memcpy(random, state, sizeof random);
    if (t->w) t->w->array(t->w, "random", LEAT_U64, random, RANDOM_WORDS);
    for (uint32_t i = 0; i < names->n; i++) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, st->fn);
        lua_getupvalue(L, -1, persist_slot_of(L, names->v[i]));
        if (!lua_value_write(L, names->v[i], &st->kept)) {
            t->status = LEAT_EDATA;
            return 0;
        }
        persist_field_name(field, names->v[i]);
        if (t->w) t->w->array(t->w, field, LEAT_U8, st->kept.p, st->kept.n);
        lua_settop(L, 1);
    }
    return 0;
}

/* Lua function for a protected call. Its argument is a struct transfer. Reads all values before it
 * changes any variable. */
static int persist_read_all(lua_State *L)
{
    struct transfer *t = lua_touserdata(L, 1);
    struct lua_run *st = t->st;
    const struct leat_strings *names = &st->cfg->state;
    const void *random = NULL, *bytes = NULL;
    uint64_t n;
    char field[FIELD_BYTES];
    t->status = t->r->array(t->r, "random", LEAT_U64, RANDOM_WORDS, &random);
    luaL_checkstack(L, (int)names->n + 8, "what was kept");
    for (uint32_t i = 0; i < names->n && t->status == LEAT_OK; i++) {
        persist_field_name(field, names->v[i]);
        t->status = t->r->array_up_to(t->r, field, LEAT_U8, SIZE_MAX, &bytes, &n);
        if (t->status == LEAT_OK && !lua_value_read(L, bytes, (size_t)n))
            t->status = t->r->refuse(t->r, "%s does not hold a Lua value", field);
    }
    if (t->status != LEAT_OK) return 0;
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->fn);
    for (uint32_t i = 0; i < names->n; i++) {
        int slot = persist_slot_of(L, names->v[i]);
        lua_pushvalue(L, 2 + (int)i);
        lua_setupvalue(L, -2, slot);
    }
    void *state = persist_random_state(L);
    if (state) memcpy(state, random, RANDOM_WORDS * sizeof(uint64_t));
    return 0;
}

/* ---- snapshot, restore and check ---- */

static int persist_call(struct leat_ctx *ctx, lua_CFunction what, struct transfer *t)
{
    char why[256];
    sandbox_arm(&t->st->box);
    int status = sandbox_call(&t->st->box, what, t);
    if (status == LUA_OK) return t->status;
    sandbox_error(&t->st->box, status, why, sizeof why);
    return ctx->host->fail(ctx, LEAT_EDATA, "its Lua state cannot be restored: %s", why);
}

static int persist_write_out(struct leat_ctx *ctx, struct transfer *t)
{
    const struct lua_bytes *b = &t->st->kept;
    int status = persist_call(ctx, persist_write_all, t);
    if (status == LEAT_OK || !b->wrong) return status;
    return ctx->host->fail(ctx, status, "state '%s' is %s: a snapshot can hold only plain data",
                           b->path, b->wrong);
}

int lua_persist_check(struct leat_ctx *ctx, void *self)
{
    struct transfer t = {.st = self};
    return persist_write_out(ctx, &t);
}

/* Doubles the memory limit during the snapshot. The snapshot marks all tables that it has visited,
 * and this memory should not count as the function's. */
int lua_persist_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct transfer t = {.st = self, .w = w};
    struct sandbox *box = &t.st->box;
    size_t limit = box->limit;
    box->limit = 2 * limit;
    int status = persist_write_out(ctx, &t);
    if (box->bytes > limit) lua_gc(box->L, LUA_GCCOLLECT);
    box->limit = limit;
    return status;
}

int lua_persist_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct transfer t = {.st = self, .r = r};
    return persist_call(ctx, persist_read_all, &t);
}
