/* param_type.c -- reads and shows one value of each type of <leat/param.h>.
 *
 * Each type has a reader. It gets the value as the script wrote it, and either fills the cell or
 * returns the fault. Text and typed values go through the same reader, so both must be in the same
 * range. */
#include "param_type.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "host/log/diag.h"
#include "param_entries.h"
#include "quantity.h"

enum { SHOWN_MAX = 40 };
#define UNBOUNDED 9e18 /* a .min or .max beyond this is no bound */

struct param_type_reading {
    const struct leat_param *p;
    const struct value *v;
    struct arena *a;
    union param_cell *out;
};

struct type {
    const char *name;
    size_t size;
    const char *wants; /* text for "…" in the message "budget wants …, not true" */
    const char *(*read)(const struct param_type_reading *);
};

static const struct type *type_of(uint32_t type);

/* Returns the text in quotes, as Lua would write it. Control characters become \ddd. */
static const char *quoted(const char *s, struct arena *a)
{
    char *out = arena_alloc(a, 4 * strlen(s) + 3), *o = out;
    *o++ = '"';
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 32 || c == 127) {
            *o++ = '\\';
            *o++ = (char)('0' + c / 100);
            *o++ = (char)('0' + c / 10 % 10);
            *o++ = (char)('0' + c % 10);
        } else {
            if (c == '"' || c == '\\') *o++ = '\\';
            *o++ = *s;
        }
    }
    *o = '"';
    return out;
}

static const char *shown_text(const struct value *v, struct arena *a)
{
    if (v->n <= SHOWN_MAX) return quoted(v->text, a);
    size_t n = SHOWN_MAX;
    while (n && (v->text[n] & 0xc0) == 0x80) /* do not cut inside a UTF-8 character */
        n--;
    return arena_printf(a, "%s…", quoted(arena_strndup(a, v->text, n), a));
}

/* Returns the value as the script wrote it, shortened for a message; "***" for a secret. */
static const char *param_type_shown(const struct leat_param *p, const struct value *v,
                                    struct arena *a)
{
    char number[QUANTITY_TEXT];
    if (p->flags & LEAT_SECRET) return "***";
    switch (v->type) {
    case VALUE_NIL:
        return "nil";
    case VALUE_BOOL:
        return v->integer ? "true" : "false";
    case VALUE_INT:
        return arena_printf(a, "%" PRId64, v->integer);
    case VALUE_FLOAT:
        return arena_strdup(a, quantity_show_float(v->number, number));
    case VALUE_TEXT:
        return shown_text(v, a);
    case VALUE_LIST:
        if (v->n_keyed) return arena_printf(a, "a table with the key %s", quoted(v->keyed->key, a));
        return v->n == 1 ? "a list of one value" : arena_printf(a, "a list of %zu values", v->n);
    case VALUE_FUNCTION:
        return "a function";
    }
    return "something else";
}

static const char *must_be(const struct param_type_reading *r, const char *what)
{
    return arena_printf(r->a, "%s must be %s, not %s", r->p->name, what,
                        param_type_shown(r->p, r->v, r->a));
}

static const char *unwanted(const struct param_type_reading *r)
{
    return must_be(r, type_of(r->p->type)->wants);
}

static bool has_range(const struct leat_param *p) { return p->min != 0 || p->max != 0; }

static bool within(const struct leat_param *p, double x)
{
    return !has_range(p) || (x >= p->min && x <= p->max);
}

/* True if x is out of the parameter's range 0 to 1, but x percent would be valid. */
static bool is_percent(const struct leat_param *p, double x)
{
    return p->type == LEAT_FLOAT && p->min >= 0 && p->max <= 1 && x > 1 && within(p, x / 100);
}

static const char *out_of_range(const struct param_type_reading *r, const char *range, double x)
{
    const char *fault = must_be(r, range);
    return is_percent(r->p, x) ? arena_printf(r->a, "%s: for %g %%, write %g", fault, x, x / 100)
                               : fault;
}

/* Last step of all readers of numbers. `s` is the result of reading x, which has the unit of .min
 * and .max. Returns the fault; NULL if x is valid. */
static const char *check_range(const struct param_type_reading *r, enum quantity_status s, double x)
{
    const char *range = param_range(r->p, r->a);
    if (s == QUANTITY_OK) return within(r->p, x) ? NULL : out_of_range(r, range, x);
    if (s == QUANTITY_WRONG) return unwanted(r);
    if (range) return must_be(r, range);
    return arena_printf(r->a, "%s: %s is too large", r->p->name,
                        param_type_shown(r->p, r->v, r->a));
}

static const char *read_bool(const struct param_type_reading *r)
{
    static const char *const words[] = {"false", "true", "no", "yes", "0", "1"};
    if (r->v->type == VALUE_BOOL) {
        r->out->small = r->v->integer != 0;
        return NULL;
    }
    for (int32_t i = 0; r->v->type == VALUE_TEXT && i < 6; i++)
        if (!strcmp(r->v->text, words[i])) {
            r->out->small = i % 2;
            return NULL;
        }
    return unwanted(r);
}

/* Reads a whole number. If the script wrote it as text, from_text() parses the text. */
static const char *read_whole(const struct param_type_reading *r,
                              enum quantity_status (*from_text)(const char *, int64_t *))
{
    int64_t x = 0;
    enum quantity_status s = QUANTITY_WRONG;
    if (r->v->type == VALUE_INT) {
        x = r->v->integer;
        s = QUANTITY_OK;
    } else if (r->v->type == VALUE_FLOAT) {
        s = quantity_whole(r->v->number, &x);
    } else if (r->v->type == VALUE_TEXT) {
        s = from_text(r->v->text, &x);
    }
    r->out->integer = x;
    return check_range(r, s, (double)x);
}

static const char *param_type_read_int(const struct param_type_reading *r)
{
    return read_whole(r, quantity_count);
}

static const char *read_size(const struct param_type_reading *r)
{
    const char *fault = read_whole(r, quantity_bytes);
    return fault || r->out->integer >= 0 ? fault : unwanted(r);
}

static const char *read_float(const struct param_type_reading *r)
{
    double x = 0;
    enum quantity_status s = QUANTITY_WRONG;
    if (r->v->type == VALUE_INT || r->v->type == VALUE_FLOAT) {
        x = r->v->type == VALUE_INT ? (double)r->v->integer : r->v->number;
        s = isfinite(x) ? QUANTITY_OK : QUANTITY_WRONG;
    } else if (r->v->type == VALUE_TEXT) {
        s = quantity_float(r->v->text, &x);
    }
    r->out->number = x;
    return check_range(r, s, x);
}

static const char *read_duration(const struct param_type_reading *r)
{
    int64_t ns = 0;
    enum quantity_status s = QUANTITY_WRONG;
    if (r->v->type == VALUE_INT)
        s = quantity_seconds((double)r->v->integer, &ns);
    else if (r->v->type == VALUE_FLOAT)
        s = quantity_seconds(r->v->number, &ns);
    else if (r->v->type == VALUE_TEXT)
        s = quantity_ns(r->v->text, &ns);
    r->out->integer = ns;
    return check_range(r, s, (double)ns / 1e9);
}

/* True if the value is text that ends in a letter, and so may be a time: "10s" has a unit of time,
 * "100K" is a number of examples. */
static bool ends_in_letter(const struct value *v)
{
    return v->type == VALUE_TEXT && v->n && isalpha((unsigned char)v->text[v->n - 1]);
}

static const char *read_interval(const struct param_type_reading *r)
{
    union param_cell whole = {.integer = 0};
    const struct param_type_reading part = {r->p, r->v, r->a,
                                            &whole}; /* read_whole() checks its range */
    int64_t ns;
    if (ends_in_letter(r->v) && quantity_ns(r->v->text, &ns) == QUANTITY_OK) {
        r->out->interval = (struct leat_interval){ns, 0};
        return NULL;
    }
    const char *fault = read_whole(&part, quantity_count);
    if (fault) return fault;
    r->out->interval = (struct leat_interval){0, whole.integer};
    return whole.integer < 0 ? unwanted(r) : NULL;
}

static const char *read_string(const struct param_type_reading *r)
{
    if (r->v->type != VALUE_TEXT) return unwanted(r);
    if (memchr(r->v->text, 0, r->v->n))
        return arena_printf(r->a, "%s must not contain a zero byte", r->p->name);
    r->out->text = arena_strndup(r->a, r->v->text, r->v->n);
    return NULL;
}

/* True if the n bytes at `at` are part of a longer word, with a letter or digit before or after. */
static bool is_in_word(const char *text, const char *at, size_t n)
{
    return (at > text && isalnum((unsigned char)at[-1])) || isalnum((unsigned char)at[n]);
}

/* Returns the choice that comes last before `word` in the parameter's documentation, such as
 * combined for nginx in "combined (nginx)". Returns NULL if there is none. */
static const char *choice_of_word(const struct leat_param *p, const char *word)
{
    const char *at = *word && p->doc ? strcasestr(p->doc, word) : NULL;
    const char *last = NULL, *found = NULL;
    for (size_t i = 0; at && p->choices[i]; i++) {
        size_t n = strlen(p->choices[i]);
        for (const char *c = p->doc; (c = strstr(c, p->choices[i])) && c < at; c++) {
            if (is_in_word(p->doc, c, n) || c < last) continue;
            found = p->choices[i];
            last = c;
        }
    }
    return found;
}

static const char *read_choice(const struct param_type_reading *r)
{
    size_t n = 0;
    for (; r->p->choices[n]; n++)
        if (r->v->type == VALUE_TEXT && !strcmp(r->p->choices[n], r->v->text)) {
            r->out->small = (int32_t)n;
            return NULL;
        }
    const char *near = r->v->type == VALUE_TEXT ? diag_suggest(r->v->text, r->p->choices, n) : NULL;
    if (!near && r->v->type == VALUE_TEXT) near = choice_of_word(r->p, r->v->text);
    const char *not_one = must_be(r, param_choices(r->p, r->a));
    return near ? arena_printf(r->a, "%s: did you mean \"%s\"?", not_one, near) : not_one;
}

static const char *read_function(const struct param_type_reading *r)
{
    r->out->function = r->v->function;
    return r->v->type == VALUE_FUNCTION ? NULL : unwanted(r);
}

/* Reads an item in double quotes that holds a comma; a doubled quote inside is one quote. Returns
 * NULL if `s` begins with something else (as lua/leat/init.lua, quoted()). *end is the comma or the
 * end of the text behind it. */
static const char *quoted_item(const char *s, const char **end, struct arena *a)
{
    s += strspn(s, " ");
    if (*s++ != '"') return NULL;
    char *item = arena_alloc(a, strlen(s) + 1), *to = item;
    for (; *s && (*s != '"' || s[1] == '"'); s++) {
        if (*s == '"') s++;
        *to++ = *s;
    }
    *to = 0;
    if (*s != '"' || !strchr(item, ',')) return NULL;
    s += 1 + strspn(s + 1, " ");
    *end = s;
    return !*s || *s == ',' ? item : NULL;
}

/* Returns the item at `s` without the spaces around it; "" if there is nothing else. */
static const char *list_item(const char *s, const char **end, struct arena *a)
{
    const char *item = quoted_item(s, end, a);
    if (item) return item;
    *end = strchrnul(s, ',');
    const char *first = s + strspn(s, " "), *last = *end;
    while (last > first && last[-1] == ' ')
        last--;
    return last > first ? arena_strndup(a, first, (size_t)(last - first)) : "";
}

/* Splits a text such as "a, b" at its commas and trims the spaces. Text with only spaces gives an
 * empty list. */
static const char *cut_list(const struct param_type_reading *r)
{
    const char *s = r->v->text;
    size_t capacity = 1;
    for (const char *c = s; *c; c++)
        capacity += *c == ',';
    const char **item = arena_alloc(r->a, capacity * sizeof *item);
    uint32_t n = 0;
    for (const char *end; s; s = *end ? end + 1 : NULL) {
        const char *one = list_item(s, &end, r->a);
        if (!*one && capacity > 1)
            return arena_printf(r->a, "%s has an empty value between two commas in %s", r->p->name,
                                param_type_shown(r->p, r->v, r->a));
        if (*one) item[n++] = one;
    }
    r->out->strings = (struct leat_strings){item, n, 0};
    return NULL;
}

/* Returns the list that the script most likely means when it wrote a key in a list: { "city" } for
 * { city = true }; or { "name=value" } if the parameter takes such texts. Returns NULL if no guess
 * is possible. */
static const char *without_key(const struct param_type_reading *r)
{
    const struct value *v = &r->v->keyed->value;
    const char *key = r->v->keyed->key, *text = v->type == VALUE_TEXT ? v->text : NULL;
    if (v->type == VALUE_BOOL && v->integer) return arena_printf(r->a, "{ %s }", quoted(key, r->a));
    if (!r->p->unit) return text ? arena_printf(r->a, "{ %s }", quoted(text, r->a)) : NULL;
    if (r->p->flags & LEAT_SECRET) text = "…";
    if (!text) text = param_type_shown(r->p, v, r->a);
    return arena_printf(r->a, "{ %s }", quoted(arena_printf(r->a, "%s=%s", key, text), r->a));
}

static const char *keyed_list(const struct param_type_reading *r)
{
    const char *meant = without_key(r);
    return arena_printf(r->a, "%s must be %s, without keys such as %s%s%s", r->p->name,
                        type_of(r->p->type)->wants, quoted(r->v->keyed->key, r->a),
                        meant ? ": write " : "", meant ? meant : "");
}

/* Reads { [0] = 12, orders = { [1] = "x" } } as the texts "0=12" and "orders/1=x". */
static const char *read_entries(const struct param_type_reading *r)
{
    const struct value *wrong = NULL;
    const char *key = param_entries(r->v, r->a, &r->out->strings, &wrong);
    return key ? arena_printf(r->a, "%s: the value of %s must be a text or a whole number, not %s",
                              r->p->name, key, param_type_shown(r->p, wrong, r->a))
               : NULL;
}

static const char *read_strings(const struct param_type_reading *r)
{
    if (r->v->type == VALUE_TEXT && !memchr(r->v->text, 0, r->v->n)) return cut_list(r);
    if (r->p->flags & LEAT_KEYED)
        return r->v->type == VALUE_LIST
                   ? read_entries(r)
                   : must_be(r, "a text, or a table such as { [0] = 12, [1] = \"a\" }");
    if (r->v->type != VALUE_LIST || r->v->n > UINT32_MAX) return unwanted(r);
    if (r->v->n_keyed) return keyed_list(r);
    const char **item = arena_alloc(r->a, (r->v->n + 1) * sizeof *item);
    for (size_t i = 0; i < r->v->n; i++) {
        const struct value *v = &r->v->list[i];
        if (v->type != VALUE_TEXT || memchr(v->text, 0, v->n))
            return arena_printf(r->a, "%s must be %s; value %zu is %s", r->p->name,
                                type_of(r->p->type)->wants, i + 1, param_type_shown(r->p, v, r->a));
        item[i] = arena_strndup(r->a, v->text, v->n);
    }
    r->out->strings = (struct leat_strings){item, (uint32_t)r->v->n, 0};
    return NULL;
}

static const char *show_strings(const struct leat_strings *all, struct arena *a)
{
    const char *text = "{";
    for (uint32_t i = 0; i < all->n; i++)
        text = arena_printf(a, "%s%s %s", text, i ? "," : "", quoted(all->v[i], a));
    return arena_printf(a, "%s }", text);
}

/* Returns the entries of a list with keys as one text with commas; NULL if there are none. */
static const char *show_entries(const struct leat_strings *all, struct arena *a)
{
    const char *text = all->n ? all->v[0] : NULL;
    for (uint32_t i = 1; i < all->n; i++)
        text = arena_printf(a, "%s,%s", text, all->v[i]);
    return text ? quoted(text, a) : NULL;
}

static const char *param_type_show(const struct leat_param *p, const union param_cell *c,
                                   struct arena *a)
{
    char text[QUANTITY_TEXT];
    switch (p->type) {
    case LEAT_BOOL:
        return c->small ? "true" : "false";
    case LEAT_INT:
        return arena_printf(a, "%" PRId64, c->integer);
    case LEAT_FLOAT:
        return arena_strdup(a, quantity_show_float(c->number, text));
    case LEAT_STRING:
    case LEAT_PATH:
        return c->text ? quoted(c->text, a) : NULL;
    case LEAT_CHOICE:
        return quoted(p->choices[c->small], a);
    case LEAT_SIZE:
        return quoted(quantity_show_bytes(c->integer, text), a);
    case LEAT_DURATION:
        return quoted(quantity_show_ns(c->integer, text), a);
    case LEAT_INTERVAL:
        return c->interval.ns ? quoted(quantity_show_ns(c->interval.ns, text), a)
                              : arena_printf(a, "%" PRId64, c->interval.examples);
    case LEAT_STRINGS:
        return p->flags & LEAT_KEYED ? show_entries(&c->strings, a) : show_strings(&c->strings, a);
    default:
        return c->function ? "function" : NULL;
    }
}

static const struct type types[] = {
    [LEAT_BOOL] = {"bool", sizeof(int32_t), "true or false", read_bool},
    [LEAT_INT] = {"integer", sizeof(int64_t), "a whole number such as 3, \"64Ki\" or \"2M\"",
                  param_type_read_int},
    [LEAT_FLOAT] = {"number", sizeof(double), "a finite number such as 0.5 or \"1e-6\"",
                    read_float},
    [LEAT_STRING] = {"text", sizeof(char *), "text in quotes such as \"name\"", read_string},
    [LEAT_PATH] = {"path", sizeof(char *), "a path in quotes such as \"data/a.csv\"", read_string},
    [LEAT_CHOICE] = {"choice", sizeof(int32_t), "one of its choices", read_choice},
    [LEAT_SIZE] = {"size", sizeof(int64_t),
                   "a size such as \"32KB\" (units B KB MB GB TB, or bytes without one)",
                   read_size},
    [LEAT_DURATION] =
        {"duration", sizeof(int64_t),
         "a duration such as \"10s\" (units ns us ms s min h d, or seconds without one)",
         read_duration},
    [LEAT_INTERVAL] = {"interval", sizeof(struct leat_interval),
                       "an interval such as \"10s\" (units ns us ms s min h d) or a number of "
                       "examples such as 100000",
                       read_interval},
    [LEAT_STRINGS] = {"list", sizeof(struct leat_strings),
                      "a list such as { \"a\", \"b\" } or \"a,b\"", read_strings},
    [LEAT_FUNCTION] = {"function", sizeof(void *), "a Lua function", read_function},
};

static const struct type *type_of(uint32_t type)
{
    return type >= 1 && type < sizeof types / sizeof *types ? &types[type] : NULL;
}

const char *param_type_name(uint32_t type) { return type_of(type) ? type_of(type)->name : NULL; }

size_t param_type_size(uint32_t type) { return type_of(type) ? type_of(type)->size : 0; }

const char *param_read(const struct leat_param *p, const struct value *v, struct arena *a,
                       union param_cell *out)
{
    memset(out, 0, sizeof *out);
    return type_of(p->type)->read(&(struct param_type_reading){p, v, a, out});
}

const char *param_default(const struct leat_param *p, struct arena *a, union param_cell *out)
{
    memset(out, 0, sizeof *out);
    if (!p->def) return NULL;
    struct value v = {.type = VALUE_TEXT, .text = p->def, .n = strlen(p->def)};
    return param_read(p, &v, a, out);
}

const char *param_show(const struct leat_param *p, const void *cfg, struct arena *a)
{
    union param_cell cell = {.integer = 0};
    if (p->flags & LEAT_SECRET) return "\"***\"";
    memcpy(&cell, (const char *)cfg + p->offset, type_of(p->type)->size);
    return param_type_show(p, &cell, a);
}

/* Returns a bound of the range with the type's unit, as text without quotes. */
static const char *bound(const struct leat_param *p, double x, struct arena *a)
{
    char text[QUANTITY_TEXT];
    int64_t ns;
    if (p->type == LEAT_SIZE) return arena_strdup(a, quantity_show_bytes((int64_t)x, text));
    if (p->type == LEAT_DURATION && quantity_seconds(x, &ns) == QUANTITY_OK)
        return arena_strdup(a, quantity_show_ns(ns, text));
    return arena_strdup(a, quantity_show_float(x, text));
}

const char *param_range(const struct leat_param *p, struct arena *a)
{
    if (!has_range(p)) return NULL;
    bool counted = p->type == LEAT_INT || p->type == LEAT_FLOAT;
    const char *gap = counted && p->unit ? " " : "", *unit = *gap ? p->unit : "";
    bool low = p->min > -UNBOUNDED, high = p->max < UNBOUNDED;
    if (low && high)
        return arena_printf(a, "%s to %s%s%s", bound(p, p->min, a), bound(p, p->max, a), gap, unit);
    if (low) return arena_printf(a, "at least %s%s%s", bound(p, p->min, a), gap, unit);
    if (high) return arena_printf(a, "at most %s%s%s", bound(p, p->max, a), gap, unit);
    return NULL;
}

const char *param_choices(const struct leat_param *p, struct arena *a)
{
    const char *text = "";
    for (size_t i = 0; p->choices && p->choices[i]; i++) {
        const char *join = i == 0 ? "" : p->choices[i + 1] ? ", " : " or ";
        text = arena_printf(a, "%s%s\"%s\"", text, join, p->choices[i]);
    }
    return text;
}

/* ---- reading back a value that param_show() wrote ----
 *
 * The text has one of three forms: "text" with the escapes \" \\ and \ddd; a list { "a", "b" }; or
 * a bare word. A bare word is taken unchanged as text, because numbers and true can be read from
 * text. */

static bool param_type_is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads a byte, possibly escaped, of a quoted text and advances *s past it. */
static char take_byte(const char **s)
{
    const char *p = *s;
    if (*p == '\\' && param_type_is_digit(p[1]) && param_type_is_digit(p[2]) &&
        param_type_is_digit(p[3])) {
        *s += 4;
        return (char)((p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0'));
    }
    if (*p == '\\' && p[1]) p++;
    *s = p + 1;
    return *p;
}

/* Reads a quoted text. *s advances from the opening quote past the closing one. */
static struct value take_quoted(const char **s, struct arena *a)
{
    char *text = arena_alloc(a, strlen(*s) + 1);
    size_t n = 0;
    for (++*s; **s && **s != '"';)
        text[n++] = take_byte(s);
    *s += **s == '"';
    return (struct value){.type = VALUE_TEXT, .text = text, .n = n};
}

static struct value take_list(const char *s, struct arena *a)
{
    struct value all = {.type = VALUE_LIST};
    all.list = arena_alloc(a, (strlen(s) + 1) * sizeof *all.list);
    while ((s = strchr(s, '"')))
        all.list[all.n++] = take_quoted(&s, a);
    return all;
}

struct value param_unshow(const char *shown, struct arena *a)
{
    if (*shown == '"') return take_quoted(&shown, a);
    if (*shown == '{') return take_list(shown, a);
    return (struct value){.type = VALUE_TEXT, .text = arena_strdup(a, shown), .n = strlen(shown)};
}
