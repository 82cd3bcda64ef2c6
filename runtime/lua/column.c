/* column.c -- between the cells of a batch and Lua's values.
 *
 * A number in text has optional blanks around it, an optional sign, decimal digits with at most one
 * point, and an optional exponent; it is finite. No hexadecimal, no "inf", no "nan", in any locale.
 * Up to 15 digits and a power of ten up to 22 are exact doubles, so their product or quotient is
 * correctly rounded; strtod reads all other numbers.
 *
 * A number stored as text reads back as the same number; a whole one has no point: 3, not 3.0.
 *
 * Not here: rejecting records (run.c, view.c). */
#include "column.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/pow10.h"
#include "report/text_out.h"

enum { NUMBER_TEXT_MAX = 200, EXACT_DIGITS = 15, EXACT_POWER = 22, SHOWN_BYTES = 40 };

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

bool column_find(struct column *c, const struct leat_schema *schema)
{
    if (c->from != FROM_COLUMN) return true;
    for (uint32_t i = 0; i < schema->n_columns; i++) {
        const struct leat_column *s = &schema->column[i];
        if (strncmp(s->name, c->name, c->n_name) || s->name[c->n_name]) continue;
        c->from = s->type == LEAT_NUMBER ? FROM_NUMBER : FROM_TEXT;
        c->index = i;
        return true;
    }
    return false;
}

/* ---- text to number ---- */

static bool is_digit(char ch) { return ch >= '0' && ch <= '9'; }

static const char *skip_digits(const char *p, const char *end, uint64_t *value, int *digits)
{
    for (; p < end && is_digit(*p); p++) {
        if (*digits || *p != '0') ++*digits;
        if (*digits <= EXACT_DIGITS) *value = *value * 10 + (uint64_t)(*p - '0');
    }
    return p;
}

/* [eE][+-]?digits at p; where it ends, or p when there is none. */
static const char *skip_exponent(const char *p, const char *end, int *exponent)
{
    const char *q = p;
    if (q == end || (*q | 0x20) != 'e') return p;
    q++;
    int negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+')) q++;
    if (q == end || !is_digit(*q)) return p;
    int e = 0;
    for (; q < end && is_digit(*q); q++)
        e = e < 10000 ? e * 10 + (*q - '0') : e;
    *exponent = negative ? -e : e;
    return q;
}

static int slow_number(const char *p, const char *end, double *out)
{
    char copy[NUMBER_TEXT_MAX + 1];
    size_t n = (size_t)(end - p);
    if (n > NUMBER_TEXT_MAX) return -1;
    memcpy(copy, p, n);
    copy[n] = '\0';
    *out = strtod(copy, NULL);
    return isfinite(*out) ? 1 : -1;
}

/* 1: a number; 0: nothing but blanks; -1: something else. */
static int parse_number(const char *p, const char *end, double *out)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (p < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (p == end) return 0;
    const char *start = p;
    int negative = *p == '-', digits = 0, exponent = 0;
    uint64_t value = 0;
    if (*p == '-' || *p == '+') p++;
    const char *whole = p;
    p = skip_digits(p, end, &value, &digits);
    ptrdiff_t seen = p - whole, places = 0;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = skip_digits(p, end, &value, &digits);
        places = p - fraction;
    }
    if (seen + places == 0) return -1;
    p = skip_exponent(p, end, &exponent);
    if (p != end) return -1;
    ptrdiff_t e = exponent - places;
    if (digits > EXACT_DIGITS || e < -EXACT_POWER || e > EXACT_POWER)
        return slow_number(start, end, out);
    double v = e < 0 ? (double)value / pow10_f64[-e] : (double)value * pow10_f64[e];
    *out = negative ? -v : v;
    return 1;
}

/* ---- cells ---- */

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
    default:
        s = column_text(b, r, c);
        return s.len == LEAT_NULL ? 0 : parse_number(leat_text(b, s), leat_text(b, s) + s.len, out);
    }
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
    else if (c->as != AS_TEXT)
        lua_pushnumber(L, v);
    else {
        char text[TEXT_NUMBER];
        lua_pushlstring(L, text, text_format_double(text, v));
    }
    return true;
}

void column_no_number(const struct leat_batch *b, uint32_t r, const struct column *c, char *why,
                      size_t cap)
{
    struct leat_str s = column_text(b, r, c);
    snprintf(why, cap, "column '%.*s': '%.*s'%s is not a number", (int)c->n_name, c->name,
             (int)(s.len < SHOWN_BYTES ? s.len : SHOWN_BYTES), leat_text(b, s),
             s.len > SHOWN_BYTES ? "..." : "");
}

/* ---- writing ---- */

static int store_text(struct leat_batch *b, uint32_t r, const struct column *c, const char *s,
                      size_t n, char *why, size_t cap)
{
    struct leat_str *cell = &b->column[c->index].text[r];
    if (cell->len == n && !memcmp(leat_text(b, *cell), s, n)) return LEAT_R_NONE;
    uint32_t off = n < LEAT_NULL ? leat_add_bytes(b, (uint32_t)n) : LEAT_NULL;
    if (off == LEAT_NULL) {
        snprintf(
            why, cap,
            "column '%.*s': %zu more bytes of text exceed the batch's share: raise 'text_bytes'",
            (int)c->n_name, c->name, n);
        return LEAT_R_TOO_LARGE;
    }
    memcpy(b->bytes + off, s, n);
    *cell = (struct leat_str){off, (uint32_t)n};
    return LEAT_R_NONE;
}

static int store_number(struct leat_batch *b, uint32_t r, const struct column *c, double v,
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
        return store_text(b, r, c, text, text_format_double(text, v), why, cap);
    return LEAT_R_NONE;
}

/* A string on the stack: as text into a text column, as a number into any other. */
static int store_string(lua_State *L, int index, struct leat_batch *b, uint32_t r,
                        const struct column *c, char *why, size_t cap)
{
    size_t n;
    double v = (double)NAN;
    const char *s = lua_tolstring(L, index, &n);
    if (c->from == FROM_TEXT) return store_text(b, r, c, s, n, why, cap);
    if (parse_number(s, s + n, &v) >= 0) return store_number(b, r, c, v, why, cap);
    snprintf(why, cap, "column '%.*s' holds numbers; the function returned '%.*s'", (int)c->n_name,
             c->name, (int)(n < SHOWN_BYTES ? n : SHOWN_BYTES), s);
    return LEAT_R_NUMBER;
}

static int store_boolean(struct leat_batch *b, uint32_t r, const struct column *c, int yes,
                         char *why, size_t cap)
{
    if (c->from == FROM_TEXT)
        return store_text(b, r, c, yes ? "true" : "false", yes ? 4 : 5, why, cap);
    /* A label of two classes is +1 or -1 for every learner. */
    return store_number(b, r, c, yes ? 1 : c->from == FROM_LABEL ? -1 : 0, why, cap);
}

int column_store(lua_State *L, int index, struct leat_batch *b, uint32_t r, const struct column *c,
                 char *why, size_t cap)
{
    switch (lua_type(L, index)) {
    case LUA_TNIL:
        return store_number(b, r, c, (double)NAN, why, cap);
    case LUA_TBOOLEAN:
        return store_boolean(b, r, c, lua_toboolean(L, index), why, cap);
    case LUA_TNUMBER:
        return store_number(b, r, c, lua_tonumber(L, index), why, cap);
    case LUA_TSTRING:
        return store_string(L, index, b, r, c, why, cap);
    default:
        lua_pushlstring(L, c->name, c->n_name);
        return luaL_error(L, "a %s cannot be stored in column '%s'", luaL_typename(L, index),
                          lua_tostring(L, -1));
    }
}
