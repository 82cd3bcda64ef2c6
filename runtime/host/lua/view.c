/* view.c -- methods of a batch in Lua.
 *
 * Rows are numbered 1 .. #b: the records that were selected when the call began. The numbers do not
 * change during the call. rows(), count() and where() skip records that the call has dropped or
 * rejected.
 *
 * A column name costs one table lookup. view_open() fills a table that maps each column name, also
 * with ":number" and ":text", to a code. So a call allocates nothing for names, and a name that is
 * not in the table is wrong.
 *
 * After its call, a view's `b` is NULL. If the function keeps the view in an upvalue and uses it
 * later, this raises an error and never reads another batch.
 *
 * Errors. Wrong use raises an error, which rejects the batch (run.c). A value that does not fit its
 * column, such as text in a number column, rejects only its record. */
#include "view.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

#include "core/exact_number.h"
#include "core/text/number_cure.h"
#include "host/log/diag.h"
#include "column.h"
#include "sandbox.h"

#define VIEW_TYPE "leat.batch"

/* ---- reading the arguments of a method ---- */

static struct batch_view *view_check_view(lua_State *L)
{
    struct batch_view *v = luaL_checkudata(L, 1, VIEW_TYPE);
    if (!v->b)
        luaL_error(L, "this batch is no longer valid: use it only during the call of the function");
    return v;
}

static uint32_t view_check_row(lua_State *L, const struct batch_view *v, int arg)
{
    lua_Integer i = luaL_checkinteger(L, arg);
    if (i < 1 || i > (lua_Integer)v->b->n_sel)
        luaL_error(L, "row %I is not among the %I of this batch", i, (lua_Integer)v->b->n_sel);
    return v->b->sel[i - 1];
}

/* Packs a column into one integer: its index, `from` and `as`. */
static lua_Integer view_column_code(const struct column *c, enum column_as as)
{
    return (lua_Integer)c->index << 6 | (lua_Integer)c->from << 2 | (lua_Integer)as;
}

_Static_assert(FROM_TIME < 16 && AS_NUMBER < 4, "both fit into column_code");

static struct column view_column_of_code(lua_Integer code)
{
    return (struct column){.index = (uint32_t)(code >> 6),
                           .from = (enum column_from)(code >> 2 & 15),
                           .as = (enum column_as)(code & 3)};
}

static int view_no_such_column(lua_State *L, const struct view_env *env, const char *name)
{
    struct column c;
    column_parse(&c, name);
    lua_pushlstring(L, name, c.n_name);
    const char *meant = diag_suggest(lua_tostring(L, -1), env->names, env->n_names);
    if (meant)
        return luaL_error(L, "no column '%s': did you mean '%s'?", lua_tostring(L, -1), meant);
    return luaL_error(L, "no column '%s'", lua_tostring(L, -1));
}

/* Returns the column that argument `arg` names. Upvalue 1 of the calling method is the table of
 * codes. */
static struct column view_check_column(lua_State *L, const struct batch_view *v, int arg)
{
    luaL_checktype(L, arg, LUA_TSTRING);
    lua_pushvalue(L, arg);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNUMBER)
        view_no_such_column(L, v->env, lua_tostring(L, arg));
    struct column c = view_column_of_code(lua_tointeger(L, -1));
    lua_pop(L, 1);
    return c;
}

/* Sets the column's name, which is needed only for messages. */
static void view_name_column(lua_State *L, struct column *c, int arg)
{
    struct column parsed;
    column_parse(&parsed, lua_tostring(L, arg));
    c->name = parsed.name;
    c->n_name = parsed.n_name;
}

static void view_reject_cell(const struct batch_view *v, uint32_t r, int reason, const char *why)
{
    v->env->ctx->host->reject(v->env->ctx, v->b, r, reason, "%s", why);
}

static void view_reject_no_number(lua_State *L, const struct batch_view *v, uint32_t r,
                                  struct column *c, int arg)
{
    char why[NUMBER_REFUSAL + 160];
    view_name_column(L, c, arg);
    column_no_number(v->b, r, c, why, sizeof why);
    view_reject_cell(v, r, LEAT_R_NUMBER, why);
}

/* Counts the records that are still selected. This counts as half a step of work for each record,
 * because checking 16 records takes as long as one instruction. */
static lua_Integer view_count_kept(lua_State *L, const struct leat_batch *b)
{
    lua_Integer n = 0;
    sandbox_charge(L, b->n_sel / 2);
    for (uint32_t k = 0; k < b->n_sel; k++)
        n += b->status[b->sel[k]] == LEAT_ROW_OK;
    return n;
}

/* ---- methods of a batch, except where() ---- */

static int view_n(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)view_check_view(L)->b->n_sel);
    return 1;
}

static int view_count(lua_State *L)
{
    lua_pushinteger(L, view_count_kept(L, view_check_view(L)->b));
    return 1;
}

static int view_examples(lua_State *L)
{
    const struct batch_view *v = view_check_view(L);
    int there = (v->env->ctx->in->has & LEAT_HAS_EXAMPLES) != 0;
    lua_pushinteger(L, there ? (lua_Integer)v->b->n_ex_sel : 0);
    return 1;
}

static int view_get(lua_State *L)
{
    const struct batch_view *v = view_check_view(L);
    uint32_t r = view_check_row(L, v, 2);
    struct column c = view_check_column(L, v, 3);
    if (!column_push(L, v->b, r, &c)) {
        view_reject_no_number(L, v, r, &c, 3);
        lua_pushnil(L);
    }
    return 1;
}

static void view_check_may_label(lua_State *L, const struct batch_view *v)
{
    if (!v->env->may_label) luaL_error(L, "to set labels, the stage needs labels = true");
}

static void view_store(lua_State *L, const struct batch_view *v, int arg, uint32_t r,
                       const struct column *c)
{
    char why[200];
    int reason = column_store(L, arg, v->b, r, c, why, sizeof why);
    if (reason) view_reject_cell(v, r, reason, why);
}

static int view_set(lua_State *L)
{
    const struct batch_view *v = view_check_view(L);
    uint32_t r = view_check_row(L, v, 2);
    struct column c = view_check_column(L, v, 3);
    luaL_checkany(L, 4);
    if (c.from == FROM_RAW) return luaL_error(L, "@raw is read only, because dead letters show it");
    if (c.from == FROM_LABEL) view_check_may_label(L, v);
    view_name_column(L, &c, 3);
    view_store(L, v, 4, r, &c);
    return 0;
}

static const struct column label_column = {.name = "@label", .n_name = 6, .from = FROM_LABEL};

static int view_label(lua_State *L)
{
    const struct batch_view *v = view_check_view(L);
    column_push(L, v->b, view_check_row(L, v, 2), &label_column);
    return 1;
}

static int view_set_label(lua_State *L)
{
    const struct batch_view *v = view_check_view(L);
    uint32_t r = view_check_row(L, v, 2);
    luaL_checkany(L, 3);
    view_check_may_label(L, v);
    view_store(L, v, 3, r, &label_column);
    return 0;
}

static int view_drop(lua_State *L)
{
    const struct batch_view *v = view_check_view(L);
    leat_filter(v->b, view_check_row(L, v, 2));
    return 0;
}

static int view_reject(lua_State *L)
{
    const struct batch_view *v = view_check_view(L);
    uint32_t r = view_check_row(L, v, 2);
    view_reject_cell(v, r, LEAT_R_OTHER, luaL_checkstring(L, 3));
    return 0;
}

static int view_next_row(lua_State *L)
{
    const struct leat_batch *b = view_check_view(L)->b;
    lua_Integer i = luaL_checkinteger(L, 2);
    if (i < 0) return 0;
    while (i < (lua_Integer)b->n_sel && b->status[b->sel[i]] != LEAT_ROW_OK)
        i++;
    if (i >= (lua_Integer)b->n_sel) return 0;
    lua_pushinteger(L, i + 1);
    return 1;
}

static int view_rows(lua_State *L)
{
    view_check_view(L);
    lua_pushcfunction(L, view_next_row);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

static int view_tostring(lua_State *L)
{
    const struct batch_view *v = luaL_checkudata(L, 1, VIEW_TYPE);
    if (v->b)
        lua_pushfstring(L, "batch of %I records", (lua_Integer)v->b->n_sel);
    else
        lua_pushliteral(L, "batch (gone)");
    return 1;
}

/* ---- the method where() ---- */

enum op { LT, LE, GT, GE, EQ, NE };
static const char *const view_op_names[] = {"<", "<=", ">", ">=", "==", "~=", NULL};

static bool view_holds(enum op op, struct exact_number x, struct exact_number y)
{
    int order = exact_order(x, y);
    switch (op) {
    case LT:
        return order == -1;
    case LE:
        return order <= 0;
    case GT:
        return order == 1;
    case GE:
        return order == 0 || order == 1;
    case EQ:
        return order == 0;
    default:
        return order != 0;
    }
}

/* Drops each selected record r for which COND is false. */
#define KEEP(COND)                                                                                 \
    for (LEAT_EACH_RECORD(b, r))                                                                   \
        if (!(COND)) leat_filter(b, r)

/* Filters by a number column. Each operator has its own loop, so that no loop contains a branch on
 * the operator. All operators drop missing values (NaN). */
static void view_where_numbers(struct leat_batch *b, const double *x, enum op op, double y)
{
    switch (op) {
    case LT:
        KEEP(x[r] < y);
        break;
    case LE:
        KEEP(x[r] <= y);
        break;
    case GT:
        KEEP(x[r] > y);
        break;
    case GE:
        KEEP(x[r] >= y);
        break;
    case EQ:
        KEEP(x[r] == y);
        break;
    case NE:
        KEEP(x[r] < y || x[r] > y);
        break;
    }
}

/* Filters by labels, integers, or text parsed as numbers. Whole numbers are compared exactly, even
 * where a double would round them. */
static void view_where_parsed(lua_State *L, const struct batch_view *v, struct column *c,
                              enum op op, struct exact_number y)
{
    struct leat_batch *b = v->b;
    for (LEAT_EACH_RECORD(b, r)) {
        double x = 0;
        int64_t whole;
        if (b->status[r] != LEAT_ROW_OK) continue;
        int found = column_number(b, r, c, &x);
        bool large = found > 0 && fabs(x) >= 0x1p53 && column_whole(b, r, c, &whole);
        if (found < 0)
            view_reject_no_number(L, v, r, c, 2);
        else if (!found || !view_holds(op, large ? exact_integer(whole) : exact_double(x), y))
            leat_filter(b, r);
    }
}

static struct exact_number view_number_argument(lua_State *L, int k)
{
    return lua_isinteger(L, k) ? exact_integer(lua_tointeger(L, k))
                               : exact_double(lua_tonumber(L, k));
}

static void view_where_text(struct leat_batch *b, const struct column *c, int equal, const char *s,
                            size_t n)
{
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str x = column_text(b, r, c);
        int same = x.len == n && x.len != LEAT_NULL && !memcmp(leat_text(b, x), s, n);
        if (x.len == LEAT_NULL || same != equal) leat_filter(b, r);
    }
}

static void view_where_nil(struct leat_batch *b, const struct column *c, bool equal)
{
    for (LEAT_EACH_RECORD(b, r))
        if (column_is_missing(b, r, c) != equal) leat_filter(b, r);
}

static int view_where(lua_State *L)
{
    const struct batch_view *v = view_check_view(L);
    struct column c = view_check_column(L, v, 2);
    enum op op = (enum op)luaL_checkoption(L, 3, NULL, view_op_names);
    int type = lua_type(L, 4), text = c.from == FROM_TEXT || c.from == FROM_RAW;
    size_t n = 0;
    if (type != LUA_TNUMBER && op != EQ && op != NE)
        return luaL_error(L, "'%s' compares numbers only, not a %s", view_op_names[op],
                          luaL_typename(L, 4));
    if (type == LUA_TNUMBER) {
        struct exact_number y = view_number_argument(L, 4);
        if (c.from == FROM_NUMBER && (y.whole ? exact_fits_double(y.n) : !isnan(y.x)))
            view_where_numbers(v->b, v->b->column[c.index].number, op, lua_tonumber(L, 4));
        else
            view_where_parsed(L, v, &c, op, y);
    } else if (type == LUA_TSTRING && text && c.as != AS_NUMBER) {
        const char *s = lua_tolstring(L, 4, &n);
        view_where_text(v->b, &c, op == EQ, s, n);
    } else if (type == LUA_TBOOLEAN && c.from == FROM_BOOLEAN)
        view_where_parsed(L, v, &c, op, exact_integer(lua_toboolean(L, 4)));
    else if (type == LUA_TNIL)
        view_where_nil(v->b, &c, op == EQ);
    else
        return luaL_error(L, "'%s' holds %s and cannot be compared with a %s", lua_tostring(L, 2),
                          text && c.as != AS_NUMBER ? "text" : "numbers", luaL_typename(L, 4));
    lua_pushinteger(L, view_count_kept(L, v->b));
    return 1;
}

/* ---- view_open and view_push ---- */

static void view_add_code(lua_State *L, const struct column *c, enum column_as as,
                          const char *suffix)
{
    lua_pushlstring(L, c->name, c->n_name);
    lua_pushstring(L, suffix);
    lua_concat(L, 2);
    lua_pushinteger(L, view_column_code(c, as));
    lua_rawset(L, -3);
}

static void view_add_codes(lua_State *L, const struct column *c)
{
    view_add_code(L, c, AS_IT_IS, "");
    view_add_code(L, c, AS_NUMBER, ":number");
    view_add_code(L, c, AS_TEXT, ":text");
}

static void view_push_codes(lua_State *L, const struct leat_schema *schema)
{
    struct column c;
    lua_createtable(L, 0, (int)schema->n_columns * 3 + 6);
    for (uint32_t i = 0; i < schema->n_columns; i++) {
        const struct leat_column *s = &schema->column[i];
        c = (struct column){.name = s->name,
                            .n_name = (uint32_t)strlen(s->name),
                            .index = i,
                            .from = column_from_type(s->type)};
        view_add_codes(L, &c);
    }
    column_parse(&c, "@raw");
    view_add_codes(L, &c);
    column_parse(&c, "@label");
    view_add_codes(L, &c);
}

void view_open(lua_State *L, const struct view_env *env)
{
    static const luaL_Reg methods[] = {{"n", view_n},
                                       {"count", view_count},
                                       {"examples", view_examples},
                                       {"get", view_get},
                                       {"set", view_set},
                                       {"label", view_label},
                                       {"drop", view_drop},
                                       {"set_label", view_set_label},
                                       {"reject", view_reject},
                                       {"where", view_where},
                                       {"rows", view_rows},
                                       {NULL, NULL}};
    luaL_newmetatable(L, VIEW_TYPE);
    lua_newtable(L);
    view_push_codes(L, env->ctx->in);
    luaL_setfuncs(L, methods, 1);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, view_n);
    lua_setfield(L, -2, "__len");
    lua_pushcfunction(L, view_tostring);
    lua_setfield(L, -2, "__tostring");
    lua_pushliteral(L, "a batch");
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

struct batch_view *view_push(lua_State *L, const struct view_env *env, struct leat_batch *b)
{
    struct batch_view *v = lua_newuserdatauv(L, sizeof *v, 0);
    *v = (struct batch_view){.env = env, .b = NULL};
    luaL_setmetatable(L, VIEW_TYPE);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, env);
    v->b = b;
    return v;
}
