/* json_path.c -- see json_path.h. */
#include "json_path.h"

#include <stdbool.h>
#include <string.h>

struct path {
    const char *text;
    uint32_t at, n;
    struct json_step *step;
    uint32_t steps;
    char *keys; /* where the next key goes */
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

static bool wrong(struct path *p, const char *why)
{
    *p->fault = (struct json_path_fault){p->at, why};
    return false;
}

static bool is_next(const struct path *p, char c) { return p->at < p->n && p->text[p->at] == c; }

static void add_key(struct path *p, const char *key, uint32_t len)
{
    p->step[p->steps++] = (struct json_step){.kind = JSON_KEY, .key = key, .len = len};
}

/* A doubled quote is one. */
static bool read_quoted(struct path *p)
{
    const char *key = p->keys;
    for (p->at++; p->at < p->n; *p->keys++ = p->text[p->at++]) {
        if (p->text[p->at] != '"') continue;
        p->at++;
        if (is_next(p, '"')) continue;
        add_key(p, key, (uint32_t)(p->keys - key));
        return true;
    }
    return wrong(p, "the quote that closes the key");
}

static bool read_plain(struct path *p)
{
    const char *from = p->text + p->at, *key = p->keys;
    uint32_t len = 0;
    while (p->at + len < p->n && !strchr(".[]=\"", from[len]))
        len++;
    if (!len) return wrong(p, "a key (in quotes where it holds . [ ] = or is empty)");
    memcpy(p->keys, from, len);
    p->keys += len;
    p->at += len;
    add_key(p, key, len);
    return true;
}

static bool read_key(struct path *p) { return is_next(p, '"') ? read_quoted(p) : read_plain(p); }

static bool read_index(struct path *p, struct json_step *step)
{
    uint64_t index = 0;
    uint32_t from = p->at;
    for (; p->at < p->n && p->text[p->at] >= '0' && p->text[p->at] <= '9'; p->at++)
        if (index <= UINT32_MAX) index = index * 10 + (uint64_t)(p->text[p->at] - '0');
    if (p->at == from || index > UINT32_MAX) {
        p->at = from;
        return wrong(p, "the number of an element, from 0, or *");
    }
    *step = (struct json_step){.kind = JSON_ELEMENT, .index = (uint32_t)index};
    return true;
}

static bool read_element(struct path *p)
{
    struct json_step *step = &p->step[p->steps++];
    p->at++;
    if (is_next(p, '*')) {
        *step = (struct json_step){.kind = JSON_ALL};
        p->at++;
    } else if (!read_index(p, step)) {
        return false;
    }
    if (!is_next(p, ']')) return wrong(p, "a ]");
    p->at++;
    return true;
}

static bool read_step(struct path *p)
{
    if (is_next(p, '[')) return read_element(p);
    if (!is_next(p, '.')) return wrong(p, "a . or [");
    p->at++;
    return read_key(p);
}

uint32_t json_path_read(const char *text, uint32_t n, struct json_step *step, char *keys,
                        struct json_path_fault *fault)
{
    struct path p = {.text = text, .n = n, .step = step, .keys = keys, .fault = fault};
    bool good = read_key(&p);
    while (good && p.at < n)
        good = read_step(&p);
    return good ? p.steps : 0;
}
