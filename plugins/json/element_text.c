/* element_text.c -- implementation of element_text.h. */
#include "element_text.h"

#include <string.h>

/* ---- tokens ---- */

char element_kind(const struct element_text *t, uint32_t token)
{
    return t->text.text[t->text.at[token]];
}

uint32_t element_first(const struct element_text *t, uint32_t token)
{
    char next = element_kind(t, token + 1);
    return next == '}' || next == ']' ? JSON_NO_TOKEN : token + 1;
}

uint32_t element_next(const struct element_text *t, uint32_t token)
{
    uint32_t end = json_after(&t->text, token);
    return element_kind(t, end) == ',' ? end + 1 : JSON_NO_TOKEN;
}

static struct leat_str element_string(const struct element_text *t, uint32_t token)
{
    struct leat_str s;
    json_token(&t->text, token, &s.off, &s.len);
    return s;
}

enum { ELEMENT_KEY = 256, ELEMENT_ESCAPE = 6 /* most bytes of a character with escapes */ };

bool element_is(const struct element_text *t, uint32_t token, const char *key, size_t n)
{
    char plain[ELEMENT_ESCAPE * ELEMENT_KEY];
    struct leat_str s = element_string(t, token);
    const char *text = t->text.text + s.off;
    if (s.len == n && !memcmp(text, key, n)) return !memchr(text, '\\', n);
    if (s.len <= n || n > ELEMENT_KEY || s.len > sizeof plain || !memchr(text, '\\', s.len))
        return false;
    return json_unescape(text, s.len, plain) == n && !memcmp(plain, key, n);
}

/* ---- writing ---- */

void element_put(struct element_text *t, const char *text, size_t n)
{
    memcpy(t->to, text, n);
    t->to += n;
}

/* Copies the text from one token up to another. */
static void element_copy(struct element_text *t, uint32_t token, uint32_t end)
{
    element_put(t, t->text.text + t->text.at[token], t->text.at[end] - (size_t)t->text.at[token]);
}

static const char *const element_single[] = {"stringValue", "intValue",   "doubleValue",
                                             "boolValue",   "bytesValue", "arrayValue",
                                             "kvlistValue"};
enum { N_SINGLE = 5, N_VALUES = 7 }; /* the first N_SINGLE have a value, the others `values` */

/* Returns the token of the only member's value in an object; JSON_NO_TOKEN if it has none or
 * several. */
static uint32_t element_only(const struct element_text *t, uint32_t object)
{
    if (element_kind(t, object) != '{') return JSON_NO_TOKEN;
    uint32_t key = element_first(t, object);
    if (key == JSON_NO_TOKEN || element_next(t, key + 2) != JSON_NO_TOKEN) return JSON_NO_TOKEN;
    return key + 2;
}

/* Returns the token of the value in a value of OpenTelemetry; JSON_NO_TOKEN if it is none. */
static uint32_t element_bare(const struct element_text *t, uint32_t token)
{
    uint32_t value = element_only(t, token);
    for (int i = 0; value != JSON_NO_TOKEN && i < N_VALUES; i++) {
        const char *name = element_single[i];
        if (!element_is(t, token + 1, name, strlen(name))) continue;
        if (i < N_SINGLE) return value;
        uint32_t values = element_only(t, value);
        return values != JSON_NO_TOKEN && element_is(t, value + 1, "values", 6) ? values
                                                                                : JSON_NO_TOKEN;
    }
    return JSON_NO_TOKEN;
}

/* Returns the text of an array or object of OpenTelemetry without parts, in which `values` is left
 * out; NULL if the value is another one. */
static const char *element_empty(const struct element_text *t, uint32_t token)
{
    uint32_t value = element_only(t, token);
    if (value == JSON_NO_TOKEN || element_kind(t, value) != '{' ||
        element_first(t, value) != JSON_NO_TOKEN)
        return NULL;
    if (element_is(t, token + 1, "arrayValue", 10)) return "[]";
    return element_is(t, token + 1, "kvlistValue", 11) ? "{}" : NULL;
}

/* Finds key and value of a pair, an object with `key`, a text, and perhaps `value`. Returns false
 * if it is none. *value is JSON_NO_TOKEN if it has no value. */
static bool element_pair(const struct element_text *t, uint32_t token, uint32_t *key,
                         uint32_t *value)
{
    *key = *value = JSON_NO_TOKEN;
    if (element_kind(t, token) != '{') return false;
    for (uint32_t k = element_first(t, token); k != JSON_NO_TOKEN; k = element_next(t, k + 2)) {
        if (element_is(t, k, "key", 3) && *key == JSON_NO_TOKEN)
            *key = k + 2;
        else if (element_is(t, k, "value", 5) && *value == JSON_NO_TOKEN)
            *value = k + 2;
        else
            return false;
    }
    return *key != JSON_NO_TOKEN && element_kind(t, *key) == '"';
}

static bool element_are_pairs(const struct element_text *t, uint32_t array)
{
    uint32_t key, value, e = element_first(t, array);
    if (e == JSON_NO_TOKEN) return false;
    for (; e != JSON_NO_TOKEN; e = element_next(t, e))
        if (!element_pair(t, e, &key, &value)) return false;
    return true;
}

void element_write_string(struct element_text *t, uint32_t token)
{
    struct leat_str s = element_string(t, token);
    element_put(t, t->text.text + s.off - 1, s.len + (size_t)2);
}

/* Writes an array of pairs as an object. */
static void element_write_pairs(struct element_text *t, uint32_t array)
{
    uint32_t key, value;
    char before = '{';
    for (uint32_t e = element_first(t, array); e != JSON_NO_TOKEN; e = element_next(t, e)) {
        element_pair(t, e, &key, &value);
        element_put(t, &before, 1);
        element_write_string(t, key);
        element_put(t, ":", 1);
        bool none = value == JSON_NO_TOKEN ||
                    (element_kind(t, value) == '{' && element_first(t, value) == JSON_NO_TOKEN);
        none ? element_put(t, "null", 4) : element_write(t, value);
        before = ',';
    }
    element_put(t, "}", 1);
}

/* Writes an object or array whose parts may have pairs. */
static void element_write_parts(struct element_text *t, uint32_t token)
{
    bool object = element_kind(t, token) == '{';
    char before = object ? '{' : '[', end = object ? '}' : ']';
    uint32_t part = element_first(t, token);
    if (part == JSON_NO_TOKEN) element_put(t, &before, 1);
    for (; part != JSON_NO_TOKEN; part = element_next(t, object ? part + 2 : part)) {
        element_put(t, &before, 1);
        before = ',';
        if (object) {
            element_write_string(t, part);
            element_put(t, ":", 1);
        }
        element_write(t, object ? part + 2 : part);
    }
    element_put(t, &end, 1);
}

void element_write(struct element_text *t, uint32_t token)
{
    char kind = element_kind(t, token);
    const char *empty = t->pairs ? element_empty(t, token) : NULL;
    uint32_t bare = t->pairs ? element_bare(t, token) : JSON_NO_TOKEN;
    if (empty)
        element_put(t, empty, 2);
    else if (bare != JSON_NO_TOKEN)
        element_write(t, bare);
    else if (kind == '"')
        element_write_string(t, token);
    else if (kind != '{' && kind != '[') {
        struct leat_str s = element_string(t, token);
        element_put(t, t->text.text + s.off, s.len);
    } else if (!t->pairs)
        element_copy(t, token, json_after(&t->text, token));
    else if (kind == '[' && element_are_pairs(t, token))
        element_write_pairs(t, token);
    else
        element_write_parts(t, token);
}
