/* json_names.c -- see json_names.h. */
#include "json_names.h"

#include <string.h>

struct names {
    const struct json_text *t;
    json_name *name;
    void *to;
    char path[JSON_NAME_BYTES]; /* of the value at hand */
};

enum { TOO_LONG = JSON_NAME_BYTES + 1 };

static char kind_of(const struct names *w, uint32_t token) { return w->t->text[w->t->at[token]]; }

static uint32_t put(struct names *w, uint32_t at, const char *text, uint32_t n)
{
    if (at + n > JSON_NAME_BYTES) return TOO_LONG;
    memcpy(w->path + at, text, n);
    return at + n;
}

static bool is_plain(const char *key, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strchr(".[]=\"", key[i])) return false;
    return n > 0;
}

static uint32_t put_quoted(struct names *w, uint32_t at, const char *key, uint32_t n)
{
    at = put(w, at, "\"", 1);
    for (uint32_t i = 0; i < n; i++)
        at = put(w, at, key[i] == '"' ? "\"\"" : key + i, 1 + (key[i] == '"'));
    return put(w, at, "\"", 1);
}

/* The key at `token` after the path, of which there are `at` bytes; returns how many there are
 * then. */
static uint32_t put_key(struct names *w, uint32_t at, uint32_t token)
{
    char key[JSON_NAME_BYTES];
    uint32_t off, n;
    json_token(w->t, token, &off, &n);
    if (n > sizeof key) return TOO_LONG;
    n = json_unescape(w->t->text + off, n, key);
    if (at) at = put(w, at, ".", 1);
    return is_plain(key, n) ? put(w, at, key, n) : put_quoted(w, at, key, n);
}

/* The value at `token`, whose path has `at` bytes; returns the token after it. */
static uint32_t walk(struct names *w, uint32_t token, uint32_t at);

static uint32_t walk_object(struct names *w, uint32_t token, uint32_t at)
{
    while (kind_of(w, token) != '}' && kind_of(w, token + 1) != '}') /* at { or a comma */
        token = walk(w, token + 3, put_key(w, at, token + 1));
    return token + 1 + (kind_of(w, token) != '}');
}

static uint32_t walk_array(struct names *w, uint32_t token, uint32_t at)
{
    if (kind_of(w, token + 1) != ']') walk(w, token + 1, put(w, at, "[*]", 3));
    return json_after(w->t, token);
}

static uint32_t walk(struct names *w, uint32_t token, uint32_t at)
{
    if (at == TOO_LONG) return json_after(w->t, token);
    if (kind_of(w, token) == '{') return walk_object(w, token, at);
    if (kind_of(w, token) == '[') return walk_array(w, token, at);
    w->name(w->to, w->path, at);
    return token + 1;
}

void json_names(const struct json_text *t, json_name *name, void *to)
{
    struct names w = {.t = t, .name = name, .to = to};
    walk(&w, 0, 0);
}
