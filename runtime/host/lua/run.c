/* run.c -- calls a Lua function on batches.
 *
 * Each instance of a stage has its own Lua state (sandbox.c) with a copy of the function
 * (function.c). Opening the instance makes both. From then on only the instance's thread uses them.
 *
 * Rows. lua.filter and lua.map call the function for each selected record. The loop over the
 * records runs inside one protected call for the whole batch, because a protected call costs as
 * much as a small function. If the function raises an error, the loop ends. The host then rejects
 * record sel[at] and continues with the next record in a new protected call.
 *
 * An error never lets a half-processed record pass: an error in a row rejects that record. An error
 * in lua.batch rejects all records of the call, even records that the call had dropped.
 *
 * Not here: hints added to Lua's messages (hint.c), cells (column.c), methods of a batch (view.c),
 * declarations of the stages (stages.c). */
#include "run.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "column.h"
#include "function.h"
#include "hint.h"
#include "host/log/log.h"
#include "persist.h"

/* LIMITS_MAX: number of calls that may use up a limit before the run fails */
enum { WHY_BYTES = 480, LIMITS_MAX = 10 };
enum { TRUTHS_LOOKED_AT = 64 }; /* most records to search for the texts "true" and "false" */

const struct leat_strings *lua_targets(const struct lua_cfg *cfg)
{
    return cfg->into.n ? &cfg->into : &cfg->columns;
}

bool lua_is_end(const char *column) { return !strcmp(column, "@end"); }

/* ---- opening a stage ---- */

static int run_no_memory(struct leat_ctx *ctx, uint32_t columns)
{
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u columns", columns);
}

static int run_find_columns(struct leat_ctx *ctx, const struct leat_strings *names,
                            const struct leat_schema *schema, int has, struct column **out,
                            uint32_t *n)
{
    if (!names->n) return LEAT_OK;
    if (!(*out = ctx->host->alloc(ctx, names->n * sizeof **out)))
        return run_no_memory(ctx, names->n);
    *n = names->n;
    for (uint32_t i = 0; i < names->n; i++) {
        column_parse(&(*out)[i], names->v[i]);
        if (has & HAS_END && lua_is_end(names->v[i])) (*out)[i].from = FROM_END;
        if (!column_find(&(*out)[i], schema))
            return ctx->host->fail(ctx, LEAT_EARG, "there is no column '%s'", names->v[i]);
    }
    return LEAT_OK;
}

static int run_name_candidates(struct leat_ctx *ctx, struct view_env *env)
{
    const struct leat_schema *in = ctx->in;
    env->names = ctx->host->alloc(ctx, (in->n_columns + 2) * sizeof *env->names);
    if (!env->names) return run_no_memory(ctx, in->n_columns);
    for (uint32_t i = 0; i < in->n_columns; i++)
        env->names[i] = in->column[i].name;
    env->names[in->n_columns] = "@raw";
    env->names[in->n_columns + 1] = "@label";
    env->n_names = in->n_columns + 2;
    return LEAT_OK;
}

/* Lua function for a protected call. Its argument is the stage (struct lua_run). */
static int run_set_up(lua_State *L)
{
    struct lua_run *st = lua_touserdata(L, 1);
    if (st->env.ctx) view_open(L, &st->env);
    function_push(L, st->cfg->fn);
    st->fn = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

void lua_run_close(struct leat_ctx *ctx, void *self)
{
    struct lua_run *st = self;
    sandbox_fini(&st->box);
    lua_bytes_free(&st->kept);
    ctx->host->free(ctx, st->in);
    ctx->host->free(ctx, st->out);
    ctx->host->free(ctx, st->env.names);
    ctx->host->free(ctx, st->feature);
}

/* Prints a line of the script's print(), such as "filter: data.csv:2: text", with the place of the
 * current record. */
static void run_say(void *stage, const char *text)
{
    const struct lua_run *st = stage;
    const struct leat_batch *b = st->b;
    const char *input = NULL;
    uint64_t offset, line = 0;
    if (b && !st->view && st->at < b->n_sel)
        st->ctx->host->where(st->ctx, b, b->sel[st->at], &input, &offset, &line);
    char whole[1200], place[24] = "";
    if (line) snprintf(place, sizeof place, ":%llu", (unsigned long long)line);
    if (input && !line) snprintf(place, sizeof place, " (record %llu)", (unsigned long long)offset);
    snprintf(whole, sizeof whole, "leat: %s: %s%s%s%s", st->ctx->id, input ? input : "", place,
             input ? ": " : "", text);
    log_line(whole);
}

/* Makes the Lua state and pushes the function into it. If this fails, everything is released. */
static int run_open_state(struct leat_ctx *ctx, struct lua_run *st)
{
    char why[WHY_BYTES];
    size_t memory = (size_t)st->cfg->memory;
    int status = sandbox_init(&st->box, memory, (int)st->cfg->instructions, ctx->host->seed(ctx));
    if (status != LEAT_OK)
        return ctx->host->fail(ctx, status,
                               "a Lua state does not fit into %zu bytes: raise 'memory'", memory);
    st->print = (struct print){.to = st, .say = run_say};
    st->box.print = &st->print;
    status = sandbox_call(&st->box, run_set_up, st);
    if (status == LUA_OK) return LEAT_OK;
    sandbox_error(&st->box, status, why, sizeof why);
    return ctx->host->fail(ctx, status == LUA_ERRMEM ? LEAT_ENOMEM : LEAT_EARG, "%s", why);
}

int lua_run_open(struct leat_ctx *ctx, struct lua_run *st, int has)
{
    st->ctx = ctx;
    st->cfg = ctx->cfg;
    int status = run_find_columns(ctx, &st->cfg->columns, ctx->in, has, &st->in, &st->n_in);
    if (status == LEAT_OK && has & HAS_RESULTS)
        status = run_find_columns(ctx, lua_targets(st->cfg), ctx->out, 0, &st->out, &st->n_out);
    if (status == LEAT_OK && has & HAS_VIEWS) {
        st->env = (struct view_env){.ctx = ctx, .may_label = st->cfg->labels};
        status = run_name_candidates(ctx, &st->env);
    }
    if (status == LEAT_OK) status = run_open_state(ctx, st);
    if (status == LEAT_OK) status = lua_persist_check(ctx, st);
    if (status != LEAT_OK) lua_run_close(ctx, st);
    return status;
}

int lua_run_filter_open(struct leat_ctx *ctx, void *self) { return lua_run_open(ctx, self, 0); }

int lua_run_map_open(struct leat_ctx *ctx, void *self)
{
    return lua_run_open(ctx, self, HAS_RESULTS);
}

int lua_run_batch_open(struct leat_ctx *ctx, void *self)
{
    return lua_run_open(ctx, self, HAS_VIEWS);
}

int lua_run_stop(struct leat_ctx *ctx, void *self)
{
    const struct lua_run *st = self;
    ctx->host->metric(ctx, "lua_peak_bytes", (double)st->box.peak);
    ctx->host->metric(ctx, "lua_full_collections", (double)st->box.collections);
    print_end(&st->print, PRINT_STREAM);
    return LEAT_OK;
}

/* ---- errors of a call of the function ---- */

/* True if data that the function keeps between calls uses up the memory. Every further call would
 * then fail, too, after a slow garbage collection. If only one record took too much, the collection
 * frees nearly everything. It runs repeatedly because Lua shrinks the stack of a deep recursion
 * only by half each time. */
static bool run_keeps_too_much(struct lua_run *st)
{
    size_t before;
    do {
        before = st->box.bytes;
        lua_gc(st->box.L, LUA_GCCOLLECT);
    } while (st->box.bytes < before - before / 8);
    return ++st->full >= LIMITS_MAX || st->box.bytes > st->box.limit / 4;
}

/* Handles a call that used up a limit. Returns LEAT_OK if the run may go on; fails the run if
 * further calls would use up the limit, too. */
static int run_check_limit(struct lua_run *st, const char *why)
{
    if (st->box.full && run_keeps_too_much(st))
        return st->ctx->host->fail(
            st->ctx, LEAT_ENOMEM,
            "%s: keep less in it, or give the stage more, such as memory = \"%zuMB\"", why,
            (4 * st->box.limit + 1048575) / 1048576);
    if (!st->box.expired || ++st->used_up < LIMITS_MAX) return LEAT_OK;
    return st->ctx->host->fail(st->ctx, LEAT_EDATA,
                               "%s %d times in a row: check that the function ends, or raise "
                               "'instructions'",
                               why, LIMITS_MAX);
}

int lua_run_reject(struct lua_run *st, uint32_t r, int status)
{
    char why[WHY_BYTES], more[HINT_BYTES] = "";
    int reason = sandbox_error(&st->box, status, why, sizeof why);
    if (st->box.starved) return st->ctx->host->fail(st->ctx, LEAT_ENOMEM, "%s", why);
    if (reason == LEAT_R_LUA) {
        st->used_up = 0;
        hint_of(st, r, why, more);
    }
    st->ctx->host->reject(st->ctx, st->b, r, reason, "%s%s", why, more);
    return reason == LEAT_R_LIMIT ? run_check_limit(st, why) : LEAT_OK;
}

/* ---- stages that call the function for each record ---- */

bool lua_run_push_columns(lua_State *L, struct lua_run *st, uint32_t r)
{
    char why[WHY_BYTES];
    for (uint32_t i = 0; i < st->n_in; i++) {
        if (column_push(L, st->b, r, &st->in[i])) continue;
        column_no_number(st->b, r, &st->in[i], why, sizeof why);
        st->ctx->host->reject(st->ctx, st->b, r, LEAT_R_NUMBER, "%s", why);
        return false;
    }
    sandbox_arm(&st->box);
    return true;
}

static bool run_store(lua_State *L, int index, struct lua_run *st, struct leat_batch *b, uint32_t r,
                      const struct column *c)
{
    char why[WHY_BYTES];
    int reason = column_store(L, index, b, r, c, why, sizeof why);
    if (reason) st->ctx->host->reject(st->ctx, b, r, reason, "%s", why);
    return !reason;
}

/* First clears a text cell. The cell's memory may hold a text of an earlier batch, and
 * column_store() skips the copy if the new text equals the old. */
bool lua_run_store_new(lua_State *L, int index, struct lua_run *st, struct leat_batch *b,
                       uint32_t r, const struct column *c)
{
    if (c->from == FROM_TEXT) b->column[c->index].text[r] = (struct leat_str){0, LEAT_NULL};
    return run_store(L, index, st, b, r, c);
}

/* Stores the function's results, which start at stack index 3, into the output columns. */
static void run_store_results(lua_State *L, struct lua_run *st, uint32_t r)
{
    int n = lua_gettop(L) - 2;
    bool good = true;
    if (n != (int)st->n_out)
        luaL_error(L,
                   "%s:%d: the function returned %d value%s for %d column%s: return one for each, "
                   "or name the columns in 'into'",
                   st->cfg->fn->source, st->cfg->fn->line, n, n == 1 ? "" : "s", (int)st->n_out,
                   st->n_out == 1 ? "" : "s");
    for (uint32_t i = 0; i < st->n_out && good; i++)
        good = st->cfg->into.n ? lua_run_store_new(L, 3 + (int)i, st, st->b, r, &st->out[i])
                               : run_store(L, 3 + (int)i, st, st->b, r, &st->out[i]);
}

/* Returns a name for a result that Lua treats as true although its author most likely means false:
 * 0, "false", a table. Other numbers and texts are fine, since string.find and string.match return
 * them. Returns NULL for a value that is no such mistake. */
static const char *run_mistaken_for_true(lua_State *L, int index, int type)
{
    switch (type) {
    case LUA_TNUMBER:
        return lua_tonumber(L, index) == 0 ? "0" : NULL;
    case LUA_TSTRING:
        return strcasecmp(lua_tostring(L, index), "false") ? NULL : "the text \"false\"";
    case LUA_TTABLE:
        return "a table";
    case LUA_TFUNCTION:
        return "a function";
    default:
        return NULL;
    }
}

/* Returns an input column whose text in record r is "true" or "false", as JSON parsers write
 * booleans; NULL if there is none. */
static const struct column *run_find_truth(const struct lua_run *st, uint32_t r)
{
    for (uint32_t i = 0; i < st->n_in; i++) {
        if (!column_is_text(&st->in[i])) continue;
        struct leat_str s = column_text(st->b, r, &st->in[i]);
        const char *text = leat_text(st->b, s);
        if ((s.len == 4 && !memcmp(text, "true", 4)) || (s.len == 5 && !memcmp(text, "false", 5)))
            return &st->in[i];
    }
    return NULL;
}

static void run_keep_or_filter(lua_State *L, struct lua_run *st, uint32_t r, int type, bool yes)
{
    const char *mistaken = type == LUA_TBOOLEAN ? NULL : run_mistaken_for_true(L, 3, type);
    if (mistaken)
        luaL_error(L,
                   "%s:%d: the function returned %s, which Lua takes for true: return true or "
                   "false, for example by a comparison",
                   st->cfg->fn->source, st->cfg->fn->line, mistaken);
    st->calls++;
    st->silent += type == LUA_TNONE;
    if (yes)
        st->passed++;
    else
        leat_filter(st->b, r);
    if (st->calls < TRUTHS_LOOKED_AT && !st->truth) st->truth = run_find_truth(st, r);
}

/* Takes the function's results, which start at stack index 3. Looks up the type of the first result
 * only once, because each lookup is a library call. */
static void run_take_results(lua_State *L, struct lua_run *st, uint32_t r)
{
    int type = lua_type(L, 3);
    bool some = type > LUA_TNIL, yes = type == LUA_TBOOLEAN ? lua_toboolean(L, 3) : some;
    if (st->n_out)
        run_store_results(L, st, r);
    else
        run_keep_or_filter(L, st, r, type, yes);
}

/* Number of results to request from the function. A filter normally needs only the first. Until a
 * filter has returned something, all results are counted, to detect a filter that never returns
 * anything (`silent`). */
static int run_wanted_results(const struct lua_run *st)
{
    bool one = !st->n_out && !st->take && st->silent < st->calls;
    return one ? 1 : LUA_MULTRET;
}

/* Lua function for a protected call. Its argument is the stage (struct lua_run). Starts with record
 * sel[st->at]. lua.map stores the results in columns; lua.filter has no result columns. */
static int run_call_rows(lua_State *L)
{
    struct lua_run *st = lua_touserdata(L, 1);
    struct leat_batch *b = st->b;
    luaL_checkstack(L, (int)st->n_in + 8, "the columns");
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->fn);
    for (; st->at < b->n_sel; st->at++, lua_settop(L, 2)) {
        uint32_t r = b->sel[st->at];
        lua_pushvalue(L, 2);
        if (!lua_run_push_columns(L, st, r)) continue;
        lua_call(L, (int)st->n_in, run_wanted_results(st));
        if (st->take)
            st->take(L, st, r);
        else
            run_take_results(L, st, r);
    }
    return 0;
}

int lua_run_rows_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct lua_run *st = self;
    int failed = LEAT_OK;
    st->b = b;
    for (st->at = 0; st->at < b->n_sel && failed == LEAT_OK; st->at++) {
        uint32_t from = st->at;
        int status = sandbox_call(&st->box, run_call_rows, st);
        if (st->at > from) st->used_up = 0; /* at least one call succeeded before this error */
        if (status == LUA_OK) break;
        failed = lua_run_reject(st, b->sel[st->at], status);
    }
    st->b = NULL;
    return failed;
}

/* ---- lua.batch, which calls the function for each batch ---- */

/* Lua function for a protected call. Its argument is the stage (struct lua_run). */
static int run_call_batch(lua_State *L)
{
    struct lua_run *st = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->fn);
    st->view = view_push(L, &st->env, st->b);
    sandbox_arm(&st->box);
    lua_call(L, 1, 0);
    return 0;
}

static int run_reject_batch(struct lua_run *st, int status)
{
    char why[WHY_BYTES], more[HINT_BYTES] = "";
    struct leat_batch *b = st->b;
    int reason = sandbox_error(&st->box, status, why, sizeof why);
    if (st->box.starved) return st->ctx->host->fail(st->ctx, LEAT_ENOMEM, "%s", why);
    if (reason == LEAT_R_LUA) hint_of(st, 0, why, more);
    for (LEAT_EACH_RECORD(b, r)) {
        if (b->status[r] == LEAT_ROW_FILTERED) /* dropped by the function before it failed */
            b->status[r] = LEAT_ROW_OK;
        st->ctx->host->reject(st->ctx, b, r, reason, "%s%s (all %u records of the batch)", why,
                              more, b->n_sel);
    }
    return reason == LEAT_R_LIMIT ? run_check_limit(st, why) : LEAT_OK;
}

int lua_run_batch_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct lua_run *st = self;
    if (!b->n_sel) return LEAT_OK;
    st->b = b;
    int status = sandbox_call(&st->box, run_call_batch, st);
    if (st->view) st->view->b = NULL;
    st->view = NULL;
    int failed = LEAT_OK;
    if (status != LUA_OK)
        failed = run_reject_batch(st, status);
    else
        st->used_up = 0;
    st->b = NULL;
    return failed;
}

/* ---- lua.label ---- */

const char *const lua_missing_names[] = {"none", "filter", "reject", NULL};
enum { MISSING_NONE, MISSING_FILTER, MISSING_REJECT };
enum { SHOWN_BYTES = 60 };

static void label_take_none(const struct lua_run *st, uint32_t r)
{
    if (st->cfg->missing == MISSING_FILTER)
        leat_filter(st->b, r);
    else if (st->cfg->missing == MISSING_REJECT)
        st->ctx->host->reject(st->ctx, st->b, r, LEAT_R_LABEL, "the function returned no label");
    else
        st->b->label[r] = NAN;
}

/* Sets the label of record r to the class called `name`. If `classes` is not set, the name is a
 * number, which column_store() parses. */
static void label_take_class(const struct lua_run *st, uint32_t r, const char *name, size_t n)
{
    const struct leat_strings *classes = &st->cfg->classes;
    uint32_t i = 0;
    while (i < classes->n && (strlen(classes->v[i]) != n || memcmp(classes->v[i], name, n) != 0))
        i++;
    if (i < classes->n)
        st->b->label[r] = (float)i;
    else
        st->ctx->host->reject(st->ctx, st->b, r, LEAT_R_LABEL,
                              "the function returned '%.*s', which is not one of the %u classes "
                              "in `classes`",
                              (int)(n < SHOWN_BYTES ? n : SHOWN_BYTES), name, (unsigned)classes->n);
}

static void label_take_value(lua_State *L, const struct lua_run *st, uint32_t r)
{
    static const struct column label = {.name = "@label", .n_name = 6, .from = FROM_LABEL};
    char why[WHY_BYTES];
    int reason = column_store(L, 3, st->b, r, &label, why, sizeof why);
    if (reason == LEAT_R_NUMBER)
        st->ctx->host->reject(st->ctx, st->b, r, LEAT_R_LABEL,
                              "the function returned the text '%.*s': return a number, or name the "
                              "classes, as in { classes = { \"low\", \"high\" } }",
                              SHOWN_BYTES, lua_tostring(L, 3));
    else if (reason)
        st->ctx->host->reject(st->ctx, st->b, r, reason, "%s", why);
}

static void label_take_label(lua_State *L, struct lua_run *st, uint32_t r)
{
    size_t n;
    int values = lua_gettop(L) - 2;
    if (values > 1)
        luaL_error(L, "%s:%d: the function returned %d values: a label is one", st->cfg->fn->source,
                   st->cfg->fn->line, values);
    if (lua_isnoneornil(L, 3))
        label_take_none(st, r);
    else if (st->cfg->classes.n && lua_type(L, 3) != LUA_TSTRING)
        luaL_error(L, "%s:%d: the function returned a %s: return one of the texts in `classes`",
                   st->cfg->fn->source, st->cfg->fn->line, luaL_typename(L, 3));
    else if (st->cfg->classes.n) {
        const char *name = lua_tolstring(L, 3, &n);
        label_take_class(st, r, name, n);
    } else
        label_take_value(L, st, r);
}

int lua_run_label_open(struct leat_ctx *ctx, void *self)
{
    struct lua_run *st = self;
    st->take = label_take_label;
    return lua_run_open(ctx, st, 0);
}

/* ---- warnings at the end of the run ---- */

enum { FEWEST_RECORDS = 10 }; /* with fewer records there is no warning */

void lua_run_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct lua_run *st = self[0];
    if (st->silent >= FEWEST_RECORDS && st->silent == st->calls)
        ctx->host->log(ctx, LEAT_WARN,
                       "the function returned nothing for all %llu records, so no record "
                       "passes: write return before the condition",
                       (unsigned long long)st->calls);
    if (st->truth && !st->passed && st->calls >= FEWEST_RECORDS)
        ctx->host->log(ctx, LEAT_WARN,
                       "no record passes: in column '%.*s', true and false are texts: compare with "
                       "\"true\", as in x == \"true\"",
                       (int)st->truth->n_name, st->truth->name);
}
