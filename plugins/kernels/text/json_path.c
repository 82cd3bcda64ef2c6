/* json_path.c -- implementation of json_path.h */
#include "json_path.h"

#include <stdbool.h>
#include <string.h>

#include "json.h"

struct path_reader {
    const char *text;
    uint32_t at, n;
    struct json_step *step;
    uint32_t steps;
    char *keys; /* where the bytes of the next key go */
    struct json_path_fault *fault;
};

uint32_t json_path_offset(const char *column)
{
    bool quoted = false;
    for (const char *p = column; *p; p++) {
        quoted ^= *p == '"';
        if (*p == '=' && !quoted) return (uint32_t)(p - column) + 1;
    }
    return 0;
}

static bool path_wrong(struct path_reader *p, const char *why)
{
    *p->fault = (struct json_path_fault){p->at, why};
    return false;
}

static bool is_next(const struct path_reader *p, char c)
{
    return p->at < p->n && p->text[p->at] == c;
}

static void add_key(struct path_reader *p, const char *key, uint32_t len)
{
    p->step[p->steps++] = (struct json_step){.kind = JSON_KEY, .key = key, .len = len};
}

/* Reads a quoted key, in which a doubled quote means one quote. */
static bool json_path_read_quoted(struct path_reader *p)
{
    const char *key = p->keys;
    for (p->at++; p->at < p->n; *p->keys++ = p->text[p->at++]) {
        if (p->text[p->at] != '"') continue;
        p->at++;
        if (is_next(p, '"')) continue;
        add_key(p, key, (uint32_t)(p->keys - key));
        return true;
    }
    return path_wrong(p, "the quote that closes the key");
}

static bool json_path_read_plain(struct path_reader *p)
{
    const char *from = p->text + p->at, *key = p->keys;
    uint32_t len = 0;
    while (p->at + len < p->n && !strchr(".[]=\"", from[len]))
        len++;
    if (!len) return path_wrong(p, "a key (in quotes where it holds . [ ] = or is empty)");
    memcpy(p->keys, from, len);
    p->keys += len;
    p->at += len;
    add_key(p, key, len);
    return true;
}

static bool read_key(struct path_reader *p)
{
    return is_next(p, '"') ? json_path_read_quoted(p) : json_path_read_plain(p);
}

static bool json_path_read_index(struct path_reader *p, struct json_step *step)
{
    uint64_t index = 0;
    uint32_t from = p->at;
    for (; p->at < p->n && p->text[p->at] >= '0' && p->text[p->at] <= '9'; p->at++)
        if (index <= UINT32_MAX) index = index * 10 + (uint64_t)(p->text[p->at] - '0');
    if (p->at == from || index > UINT32_MAX) {
        p->at = from;
        return path_wrong(p, "the number of an element, from 0, or *");
    }
    *step = (struct json_step){.kind = JSON_ELEMENT, .index = (uint32_t)index};
    return true;
}

static bool read_element(struct path_reader *p)
{
    struct json_step *step = &p->step[p->steps++];
    p->at++;
    if (is_next(p, '*')) {
        *step = (struct json_step){.kind = JSON_ALL};
        p->at++;
    } else if (!json_path_read_index(p, step)) {
        return false;
    }
    if (!is_next(p, ']')) return path_wrong(p, "a ]");
    p->at++;
    return true;
}

static bool read_step(struct path_reader *p)
{
    if (is_next(p, '[')) return read_element(p);
    if (!is_next(p, '.')) return path_wrong(p, "a . or [");
    p->at++;
    return read_key(p);
}

uint32_t json_path_read(const char *text, uint32_t n, struct json_step *step, char *keys,
                        struct json_path_fault *fault)
{
    struct path_reader p = {.text = text, .n = n, .step = step, .keys = keys, .fault = fault};
    bool good = read_key(&p);
    while (good && p.at < n)
        good = read_step(&p);
    return good ? p.steps : 0;
}

/* ---- paths of all values ---- */

struct name_walk {
    const struct json_text *t;
    json_name *name;
    void *to;
    char path[JSON_NAME_BYTES]; /* path of the current value */
};

enum { TOO_LONG = JSON_NAME_BYTES + 1 };

static char json_path_kind_of(const struct name_walk *w, uint32_t token)
{
    return w->t->text[w->t->at[token]];
}

static uint32_t json_path_put(struct name_walk *w, uint32_t at, const char *text, uint32_t n)
{
    if (at + n > JSON_NAME_BYTES) return TOO_LONG;
    memcpy(w->path + at, text, n);
    return at + n;
}

static bool json_path_is_plain(const char *key, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strchr(".[]=\"", key[i])) return false;
    return n > 0;
}

static uint32_t put_quoted(struct name_walk *w, uint32_t at, const char *key, uint32_t n)
{
    at = json_path_put(w, at, "\"", 1);
    for (uint32_t i = 0; i < n; i++)
        at = json_path_put(w, at, key[i] == '"' ? "\"\"" : key + i, 1 + (key[i] == '"'));
    return json_path_put(w, at, "\"", 1);
}

/* Appends the key at `token` to w->path, which has `at` bytes. Returns the new number of bytes. */
static uint32_t json_path_put_key(struct name_walk *w, uint32_t at, uint32_t token)
{
    char key[JSON_NAME_BYTES];
    uint32_t off, n;
    json_token(w->t, token, &off, &n);
    if (n > sizeof key) return TOO_LONG;
    n = json_unescape(w->t->text + off, n, key);
    if (at) at = json_path_put(w, at, ".", 1);
    return json_path_is_plain(key, n) ? json_path_put(w, at, key, n) : put_quoted(w, at, key, n);
}

/* Finds the paths in the value at `token`, whose own path is the first `at` bytes of w->path.
 * Returns the token after the value. */
static uint32_t json_path_walk(struct name_walk *w, uint32_t token, uint32_t at);

static uint32_t json_path_walk_object(struct name_walk *w, uint32_t token, uint32_t at)
{
    while (json_path_kind_of(w, token) != '}' &&
           json_path_kind_of(w, token + 1) != '}') /* token is { or a comma */
        token = json_path_walk(w, token + 3, json_path_put_key(w, at, token + 1));
    return token + 1 + (json_path_kind_of(w, token) != '}');
}

static uint32_t json_path_walk_array(struct name_walk *w, uint32_t token, uint32_t at)
{
    if (json_path_kind_of(w, token + 1) != ']')
        json_path_walk(w, token + 1, json_path_put(w, at, "[*]", 3));
    return json_after(w->t, token);
}

static uint32_t json_path_walk(struct name_walk *w, uint32_t token, uint32_t at)
{
    if (at == TOO_LONG) return json_after(w->t, token);
    if (json_path_kind_of(w, token) == '{') return json_path_walk_object(w, token, at);
    if (json_path_kind_of(w, token) == '[') return json_path_walk_array(w, token, at);
    w->name(w->to, w->path, at);
    return token + 1;
}

void json_names(const struct json_text *t, json_name *name, void *to)
{
    struct name_walk w = {.t = t, .name = name, .to = to};
    json_path_walk(&w, 0, 0);
}
