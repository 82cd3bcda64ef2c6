/* flat.c -- lua.flat: a Lua function that makes any number of records from each record.
 *
 * The function's first argument is `emit`; its columns follow. Each call of emit adds a row to a
 * Lua table. When the function returns, its rows go from the table into the output batch. So a
 * call that ends with an error makes no records. If the batch has no space for a row, this row and
 * the ones after it wait in the table for the next batch.
 *
 *     in  r0     r1     r2
 *     rows   a b    -      c d e
 *     out    a b    .      c | d e      | the batch was full
 *
 * Not here: columns and calls (run.c, column.c). */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "column.h"
#include "run.h"

/* NUMBER_TEXT: most bytes of a number as text. KEPT_ROWS: a table with more rows is not reused.
 * FEWEST_CALLS: a warning needs at least this many calls without an emitted row. */
enum { NUMBER_TEXT = 32, KEPT_ROWS = 32, WHY_BYTES = 480, FEWEST_CALLS = 10 };

/* ---- the function `emit` that scripts call ---- */

static bool flat_is_cell(int type)
{
    return type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
}

/* emit(value, …) of the script: takes one value for each output column. */
static int flat_emit(lua_State *L)
{
    struct lua_run *st = lua_touserdata(L, lua_upvalueindex(1));
    int n = lua_gettop(L);
    if (!st->calling)
        return luaL_error(L, "emit is called after the function has returned: "
                             "call it inside the function");
    if (n != (int)st->n_out)
        return luaL_error(L, "emit got %d values for %d columns", n, (int)st->n_out);
    for (int i = 1; i <= n; i++)
        if (!flat_is_cell(lua_type(L, i)))
            return luaL_error(L, "emit: value %d is a %s; a cell is text, a number, true or false",
                              i, luaL_typename(L, i));
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->rows);
    for (int i = 1; i <= n; i++) {
        lua_pushvalue(L, i);
        lua_rawseti(L, -2, (lua_Integer)st->n_rows * n + i);
    }
    st->n_rows++;
    return 0;
}

/* Lua function for a protected call. Its argument is the stage (struct lua_run). */
static int flat_make_emit(lua_State *L)
{
    struct lua_run *st = lua_touserdata(L, 1);
    lua_newtable(L);
    st->rows = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushlightuserdata(L, st);
    lua_pushcclosure(L, flat_emit, 1);
    st->emit = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

int lua_run_flat_open(struct leat_ctx *ctx, void *self)
{
    struct lua_run *st = self;
    char why[WHY_BYTES];
    int status = lua_run_open(ctx, st, HAS_RESULTS | HAS_END);
    if (status != LEAT_OK) return status;
    for (uint32_t i = 0; i < st->n_in; i++)
        st->ends |= st->in[i].from == FROM_END;
    int failed = sandbox_call(&st->box, flat_make_emit, st);
    if (failed == LUA_OK) return LEAT_OK;
    sandbox_error(&st->box, failed, why, sizeof why);
    lua_run_close(ctx, st);
    return ctx->host->fail(ctx, LEAT_ENOMEM, "%s", why);
}

/* ---- moving emitted rows into the batch ---- */

/* Returns the most bytes that the text columns of one row can need. The row's values start after
 * index `before` of the Lua table on top of the stack. A number counts as NUMBER_TEXT bytes. */
static size_t flat_text_bytes(lua_State *L, const struct lua_run *st, lua_Integer before)
{
    size_t n = 0;
    for (uint32_t i = 0; i < st->n_out; i++) {
        if (st->out[i].from != FROM_TEXT) continue;
        int type = lua_rawgeti(L, -1, before + i + 1);
        n += type == LUA_TSTRING ? (size_t)lua_rawlen(L, -1) : type == LUA_TNIL ? 0 : NUMBER_TEXT;
        lua_pop(L, 1);
    }
    return n;
}

/* Adds a record for the next row to the output batch. Returns its index; or LEAT_EFULL if the batch
 * has too little space left, so that the row must wait for an empty batch. The first record of a
 * batch is not checked for space here. */
static int flat_add_row(lua_State *L, const struct lua_run *st, uint32_t from, lua_Integer before)
{
    struct leat_batch *out = st->made;
    uint32_t n_bytes = out->n_bytes;
    int r = leat_add_from(out, st->b, from);
    if (r <= 0 || flat_text_bytes(L, st, before) <= out->cap_bytes - out->n_bytes) return r;
    out->n--;
    out->n_bytes = n_bytes;
    return LEAT_EFULL;
}

static void flat_give_cells(lua_State *L, struct lua_run *st, uint32_t r, lua_Integer before)
{
    bool good = true;
    for (uint32_t i = 0; i < st->n_out && good; i++) {
        lua_rawgeti(L, -1, before + i + 1);
        good = lua_run_store_new(L, lua_gettop(L), st, st->made, r, &st->out[i]);
        lua_pop(L, 1);
    }
}

/* Rejects a new record whose row does not fit even into an empty batch. */
static void flat_refuse_row(struct lua_run *st, uint32_t r, size_t bytes)
{
    st->ctx->host->reject(st->ctx, st->made, r, LEAT_R_TOO_LARGE,
                          "emit got %zu bytes of text, but a batch has room for %u: set a "
                          "larger batch_bytes for the pipeline, such as batch_bytes = \"%zuMB\"",
                          bytes, (unsigned)(st->made->cap_bytes - st->made->n_bytes),
                          bytes / 1048576 + 2);
}

/* Rejects input record `from`: each new record carries a copy of its bytes, and these do not fit
 * even into an empty batch. */
static void flat_refuse_size(struct lua_run *st, uint32_t from)
{
    st->ctx->host->reject(st->ctx, st->b, from, LEAT_R_TOO_LARGE,
                          "the record has %u bytes, and a batch has no room for the records "
                          "that are made of it: raise 'batch_bytes' of the pipeline",
                          st->b->raw[from].len);
}

/* Moves the waiting rows into the output batch. Returns false if the batch is full before the last
 * row. */
static bool flat_give_rows(lua_State *L, struct lua_run *st, uint32_t from)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->rows);
    for (; st->given < st->n_rows; st->given++) {
        lua_Integer before = (lua_Integer)st->given * st->n_out;
        int r = flat_add_row(L, st, from, before);
        if (r < 0 && st->made->n) return false;
        if (r < 0) {
            flat_refuse_size(st, from);
            break;
        }
        size_t bytes = r ? 0 : flat_text_bytes(L, st, before),
               slack = (size_t)NUMBER_TEXT * st->n_out;
        if (bytes > st->made->cap_bytes - st->made->n_bytes + slack)
            flat_refuse_row(st, (uint32_t)r, bytes);
        else
            flat_give_cells(L, st, (uint32_t)r, before);
    }
    lua_pop(L, 1);
    return true;
}

/* ---- calling the function for the records of a batch ---- */

/* Drops all rows. This allocates nothing, so it is safe outside of protected calls. The next call
 * of the function makes a new table. */
static void flat_drop_rows(lua_State *L, struct lua_run *st)
{
    lua_pushboolean(L, 0);
    lua_rawseti(L, LUA_REGISTRYINDEX, st->rows);
    st->n_rows = st->given = 0;
}

/* Forgets all rows after they have moved into the batch. A small table is kept for reuse. */
static void flat_forget_rows(lua_State *L, struct lua_run *st)
{
    if (st->n_rows > KEPT_ROWS || st->box.bytes > st->box.limit / 4) flat_drop_rows(L, st);
    st->n_rows = st->given = 0;
}

static void flat_make_rows(lua_State *L, const struct lua_run *st)
{
    if (lua_rawgeti(L, LUA_REGISTRYINDEX, st->rows) != LUA_TTABLE) {
        lua_newtable(L);
        lua_rawseti(L, LUA_REGISTRYINDEX, st->rows);
    }
    lua_pop(L, 1);
}

/* Returns the record for which call number `at` of a batch is made; LEAT_NULL for the call at the
 * end of the stream. */
static uint32_t flat_record_at(const struct lua_run *st, uint32_t at)
{
    return at < st->b->n_sel ? st->b->sel[at] : LEAT_NULL;
}

static uint32_t flat_count_calls(const struct lua_run *st)
{
    return st->b->n_sel + (st->ends && st->b->kind == LEAT_BATCH_END);
}

static bool flat_push_arguments(lua_State *L, struct lua_run *st, uint32_t r)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->emit);
    if (r != LEAT_NULL) return lua_run_push_columns(L, st, r);
    for (uint32_t i = 0; i < st->n_in; i++)
        if (st->in[i].from == FROM_END)
            lua_pushboolean(L, 1);
        else
            lua_pushnil(L);
    sandbox_arm(&st->box);
    return true;
}

/* Calls the function for record r. Returns false if the record was rejected before the call. */
static bool flat_call_function(lua_State *L, struct lua_run *st, uint32_t r)
{
    flat_make_rows(L, st);
    lua_pushvalue(L, 2);
    if (!flat_push_arguments(L, st, r)) return false;
    st->calling = true;
    lua_call(L, (int)st->n_in + 1, LUA_MULTRET);
    st->calling = false;
    st->calls++;
    st->emits += st->n_rows > 0;
    st->returns += !lua_isnoneornil(L, 3);
    return true;
}

/* Lua function for a protected call. Its argument is the stage (struct lua_run). Continues with
 * call number st->at. Ends when all records are done or the output batch is full. */
static int flat_call_records(lua_State *L)
{
    struct lua_run *st = lua_touserdata(L, 1);
    uint32_t n = flat_count_calls(st);
    luaL_checkstack(L, (int)st->n_in + 12, "the columns");
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->fn);
    for (; st->at < n; st->at++, lua_settop(L, 2)) {
        uint32_t r = flat_record_at(st, st->at);
        if (!st->emitted && !flat_call_function(L, st, r)) continue;
        st->emitted = true;
        if (!flat_give_rows(L, st, r)) return 0;
        st->emitted = false;
        flat_forget_rows(L, st);
    }
    return 0;
}

/* Handles an error in call number st->at: drops the rows that it emitted and rejects its record. */
static int flat_refuse_call(struct lua_run *st, int status)
{
    char why[WHY_BYTES];
    uint32_t r = flat_record_at(st, st->at);
    st->calling = st->emitted = false;
    flat_drop_rows(st->box.L, st);
    if (r != LEAT_NULL) return lua_run_reject(st, r, status);
    sandbox_error(&st->box, status, why, sizeof why);
    return st->ctx->host->fail(st->ctx, LEAT_EDATA, "the call at the end of the stream: %s", why);
}

static int flat_expand(struct lua_run *st)
{
    uint32_t n = flat_count_calls(st);
    for (; st->at < n; st->at++) {
        uint32_t from = st->at;
        int status = sandbox_call(&st->box, flat_call_records, st);
        if (st->at > from) st->used_up = 0; /* at least one call succeeded before this error */
        if (status == LUA_OK) break;
        int failed = flat_refuse_call(st, status);
        if (failed != LEAT_OK) return failed;
    }
    return st->at < n ? LEAT_AGAIN : LEAT_OK;
}

int lua_run_flat_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                        struct leat_batch *out)
{
    struct lua_run *st = self;
    st->b = in;
    st->made = out;
    int status = flat_expand(st);
    if (status != LEAT_AGAIN) st->at = 0;
    st->b = st->made = NULL;
    return status;
}

void lua_run_flat_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct lua_run *st = self[0];
    if (st->emits || (!st->returns && st->calls < FEWEST_CALLS)) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "made no records out of %llu: the function never called `emit`, its first "
                   "argument%s",
                   (unsigned long long)st->calls,
                   st->returns ? "; the values that it returns are not used" : "");
}
