/* column.c -- implementation of column.h.
 *
 * core/text/number_text.h defines how text is parsed as a number.
 *
 * A number that is stored in a text column reads back as the same number. A whole number is stored
 * without a decimal point: 3, not 3.0.
 *
 * Not here: rejecting records (run.c, view.c). */
#include "column.h"

#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "core/text/number_cure.h"
#include "core/text/number_text.h"
#include "core/time/utc.h"
#include "core/report/text_out.h"

enum { SHOWN_BYTES = 40 };

void column_parse(struct column *c, const char *spec)
{
    const char *colon = strrchr(spec, ':');
    *c = (struct column){.name = spec};
    if (colon && !strcmp(colon, ":number"))
        c->as = AS_NUMBER;
    else if (colon && !strcmp(colon, ":text"))
        c->as = AS_TEXT;
    c->n_name = (uint32_t)(c->as ? (size_t)(colon - spec) : strlen(spec));
    if (c->n_name == 4 && !memcmp(spec, "@raw", 4)) c->from = FROM_RAW;
    if (c->n_name == 6 && !memcmp(spec, "@label", 6)) c->from = FROM_LABEL;
}

enum column_from column_from_type(uint32_t type)
{
    static const enum column_from from[] = {
        [LEAT_TEXT] = FROM_TEXT,  [LEAT_NUMBER] = FROM_NUMBER,   [LEAT_INT64] = FROM_INT64,
        [LEAT_BYTES] = FROM_TEXT, [LEAT_BOOLEAN] = FROM_BOOLEAN, [LEAT_TIME] = FROM_TIME};
    assert(type && type < sizeof from / sizeof *from);
    return from[type];
}

bool column_find(struct column *c, const struct leat_schema *schema)
{
    if (c->from != FROM_COLUMN) return true;
    for (uint32_t i = 0; i < schema->n_columns; i++) {
        const struct leat_column *s = &schema->column[i];
        if (strncmp(s->name, c->name, c->n_name) || s->name[c->n_name]) continue;
        c->from = column_from_type(s->type);
        c->index = i;
        c->form = (struct grouped){s->decimal, s->thousands};
        return true;
    }
    return false;
}

/* ---- reading cells ---- */

struct leat_str column_text(const struct leat_batch *b, uint32_t r, const struct column *c)
{
    return c->from == FROM_RAW ? b->raw[r] : b->column[c->index].text[r];
}

int column_number(const struct leat_batch *b, uint32_t r, const struct column *c, double *out)
{
    struct leat_str s;
    switch (c->from) {
    case FROM_NUMBER:
        *out = b->column[c->index].number[r];
        return !isnan(*out);
    case FROM_LABEL:
        *out = (double)b->label[r];
        return !isnan(*out);
    case FROM_BOOLEAN:
        *out = b->column[c->index].boolean[r];
        return b->column[c->index].boolean[r] != LEAT_NO_BOOLEAN;
    case FROM_INT64:
    case FROM_TIME:
        *out = (double)b->column[c->index].int64[r];
        if (c->from == FROM_TIME && c->as == AS_NUMBER)
            *out = utc_seconds(b->column[c->index].int64[r]);
        return b->column[c->index].int64[r] != LEAT_NO_INT64;
    default:
        s = column_text(b, r, c);
        return s.len == LEAT_NULL
                   ? 0
                   : number_text_double_as(&c->form, leat_text(b, s), leat_text(b, s) + s.len, out);
    }
}

bool column_whole(const struct leat_batch *b, uint32_t r, const struct column *c, int64_t *out)
{
    if (c->from == FROM_INT64 || (c->from == FROM_TIME && c->as != AS_NUMBER)) {
        *out = b->column[c->index].int64[r];
        return true;
    }
    if (c->from != FROM_TEXT && c->from != FROM_RAW) return false;
    struct leat_str s = column_text(b, r, c);
    const char *text = leat_text(b, s);
    return number_text_int64_as(&c->form, text, text + s.len, out) > 0;
}

bool column_is_missing(const struct leat_batch *b, uint32_t r, const struct column *c)
{
    double v;
    if (c->from == FROM_END) return false;
    if (column_is_text(c)) return column_text(b, r, c).len == LEAT_NULL;
    return column_number(b, r, c, &v) == 0;
}

/* Pushes a value that is not missing as a string. `v` is the value as a double. */
static void column_push_text(lua_State *L, const struct leat_batch *b, uint32_t r,
                             const struct column *c, double v)
{
    char text[UTC_TEXT > TEXT_NUMBER ? UTC_TEXT : TEXT_NUMBER];
    if (c->from == FROM_BOOLEAN)
        lua_pushstring(L, v != 0 ? "true" : "false");
    else if (c->from == FROM_INT64)
        lua_pushlstring(L, text, text_format_int(text, b->column[c->index].int64[r]));
    else if (c->from == FROM_TIME)
        lua_pushlstring(L, text, utc_write(text, b->column[c->index].int64[r]));
    else
        lua_pushlstring(L, text, text_format_double(text, v));
}

bool column_push(lua_State *L, const struct leat_batch *b, uint32_t r, const struct column *c)
{
    double v = 0;
    if (c->from == FROM_END) {
        lua_pushnil(L);
        return true;
    }
    if (column_is_text(c)) {
        struct leat_str s = column_text(b, r, c);
        if (s.len == LEAT_NULL)
            lua_pushnil(L);
        else
            lua_pushlstring(L, leat_text(b, s), s.len);
        return true;
    }
    int found = column_number(b, r, c, &v);
    if (found < 0) return false;
    if (!found)
        lua_pushnil(L);
    else if (c->as == AS_NUMBER)
        lua_pushnumber(L, v);
    else if (c->as == AS_TEXT)
        column_push_text(L, b, r, c, v);
    else if (c->from == FROM_BOOLEAN)
        lua_pushboolean(L, b->column[c->index].boolean[r]);
    else if (c->from == FROM_INT64 || c->from == FROM_TIME)
        lua_pushinteger(L, b->column[c->index].int64[r]);
    else
        lua_pushnumber(L, v);
    return true;
}

void column_no_number(const struct leat_batch *b, uint32_t r, const struct column *c, char *why,
                      size_t cap)
{
    struct leat_str s = column_text(b, r, c);
    char said[NUMBER_REFUSAL];
    bool cured;
    const struct number_refused refused = {
        .column = c->name, .n_column = c->n_name, .form = c->form, leat_text(b, s), s.len};
    snprintf(why, cap, "column '%.*s': '%.*s'%s is %s", (int)c->n_name, c->name,
             (int)(s.len < SHOWN_BYTES ? s.len : SHOWN_BYTES), leat_text(b, s),
             s.len > SHOWN_BYTES ? "..." : "", number_refusal(&refused, said, &cured));
}

/* ---- writing cells ---- */

static int column_store_text(struct leat_batch *b, uint32_t r, const struct column *c,
                             const char *s, size_t n, char *why, size_t cap)
{
    struct leat_str *cell = &b->column[c->index].text[r];
    if (cell->len == n && !memcmp(leat_text(b, *cell), s, n)) return LEAT_R_NONE;
    uint32_t off = n < LEAT_NULL ? leat_add_bytes(b, (uint32_t)n) : LEAT_NULL;
    if (off == LEAT_NULL) {
        snprintf(
            why, cap,
            "column '%.*s': the batch has no room for %zu more bytes of text: raise 'text_bytes'",
            (int)c->n_name, c->name, n);
        return LEAT_R_TOO_LARGE;
    }
    memcpy(b->bytes + off, s, n);
    *cell = (struct leat_str){off, (uint32_t)n};
    return LEAT_R_NONE;
}

/* Stores an integer in a text column with all its digits; a double would lose some. */
static int column_store_digits(struct leat_batch *b, uint32_t r, const struct column *c, int64_t v,
                               char *why, size_t cap)
{
    char text[TEXT_NUMBER];
    size_t n = text_format_int(text, v);
    return column_store_text(b, r, c, text, n, why, cap);
}

static int column_store_number(struct leat_batch *b, uint32_t r, const struct column *c, double v,
                               char *why, size_t cap)
{
    char text[TEXT_NUMBER];
    int fits = c->from == FROM_LABEL ? fabs(v) <= (double)FLT_MAX : isfinite(v);
    if (!fits && !isnan(v)) {
        snprintf(why, cap, "column '%.*s': the function returned an infinite number",
                 (int)c->n_name, c->name);
        return LEAT_R_NONFINITE;
    }
    if (c->from == FROM_LABEL)
        b->label[r] = (float)v;
    else if (c->from == FROM_NUMBER)
        b->column[c->index].number[r] = v;
    else if (isnan(v))
        b->column[c->index].text[r] = (struct leat_str){0, LEAT_NULL};
    else
        return column_store_text(b, r, c, text, text_format_double(text, v), why, cap);
    return LEAT_R_NONE;
}

/* Stores the string at stack position `index`. A text column takes the text; any other column takes
 * the number that the text is parsed to. */
static int column_store_string(lua_State *L, int index, struct leat_batch *b, uint32_t r,
                               const struct column *c, char *why, size_t cap)
{
    size_t n;
    double v = (double)NAN;
    const char *s = lua_tolstring(L, index, &n);
    if (c->from == FROM_TEXT) return column_store_text(b, r, c, s, n, why, cap);
    if (number_text_double(s, s + n, &v) >= 0) return column_store_number(b, r, c, v, why, cap);
    snprintf(why, cap, "column '%.*s' holds numbers, but the function returned '%.*s'",
             (int)c->n_name, c->name, (int)(n < SHOWN_BYTES ? n : SHOWN_BYTES), s);
    return LEAT_R_NUMBER;
}

static int column_store_boolean(struct leat_batch *b, uint32_t r, const struct column *c, int yes,
                                char *why, size_t cap)
{
    if (c->from == FROM_TEXT)
        return column_store_text(b, r, c, yes ? "true" : "false", yes ? 4 : 5, why, cap);
    /* Learners expect -1 and +1 as the labels of two classes, so false is -1 here. */
    return column_store_number(b, r, c, yes ? 1 : c->from == FROM_LABEL ? -1 : 0, why, cap);
}

/* Reads the Lua value at `index` as an integer. Returns false if it is not an integer. */
static bool column_is_integer(lua_State *L, int index, int64_t *out)
{
    int fits = 0;
    const char *s;
    size_t n;
    switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
        *out = lua_toboolean(L, index);
        return true;
    case LUA_TNUMBER:
        *out = lua_tointegerx(L, index, &fits);
        return fits;
    default:
        s = lua_tolstring(L, index, &n);
        return number_text_int64(s, s + n, out) > 0;
    }
}

/* Stores a boolean, number or string in a column of integers, times or booleans. */
static int column_store_fixed(lua_State *L, int index, struct leat_batch *b, uint32_t r,
                              const struct column *c, char *why, size_t cap)
{
    union leat_cells cells = b->column[c->index];
    bool boolean = c->from == FROM_BOOLEAN;
    int64_t v;
    if (!column_is_integer(L, index, &v) || v == LEAT_NO_INT64 || (boolean && v != 0 && v != 1)) {
        snprintf(why, cap, "column '%.*s' holds %s; the function returned '%.*s'", (int)c->n_name,
                 c->name, boolean ? "booleans" : "integers", SHOWN_BYTES,
                 luaL_tolstring(L, index, NULL));
        lua_pop(L, 1);
        return LEAT_R_NUMBER;
    }
    if (boolean)
        cells.boolean[r] = (uint8_t)v;
    else
        cells.int64[r] = v;
    return LEAT_R_NONE;
}

static void column_store_nothing(struct leat_batch *b, uint32_t r, const struct column *c)
{
    union leat_cells cells = b->column[c->index];
    if (c->from == FROM_BOOLEAN)
        cells.boolean[r] = LEAT_NO_BOOLEAN;
    else
        cells.int64[r] = LEAT_NO_INT64;
}

static bool column_is_fixed(const struct column *c)
{
    return c->from == FROM_INT64 || c->from == FROM_TIME || c->from == FROM_BOOLEAN;
}

int column_store(lua_State *L, int index, struct leat_batch *b, uint32_t r, const struct column *c,
                 char *why, size_t cap)
{
    int type = lua_type(L, index);
    if (column_is_fixed(c) && type == LUA_TNIL) {
        column_store_nothing(b, r, c);
        return LEAT_R_NONE;
    }
    if (column_is_fixed(c) && (type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING))
        return column_store_fixed(L, index, b, r, c, why, cap);
    switch (type) {
    case LUA_TNIL:
        return column_store_number(b, r, c, (double)NAN, why, cap);
    case LUA_TBOOLEAN:
        return column_store_boolean(b, r, c, lua_toboolean(L, index), why, cap);
    case LUA_TNUMBER:
        if (c->from == FROM_TEXT && lua_isinteger(L, index))
            return column_store_digits(b, r, c, lua_tointeger(L, index), why, cap);
        return column_store_number(b, r, c, lua_tonumber(L, index), why, cap);
    case LUA_TSTRING:
        return column_store_string(L, index, b, r, c, why, cap);
    default:
        lua_pushlstring(L, c->name, c->n_name);
        return luaL_error(L, "a %s cannot be stored in column '%s'", luaL_typename(L, index),
                          lua_tostring(L, -1));
    }
}
