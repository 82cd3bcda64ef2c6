/* fuzz_json.c -- any bytes as a record of JSON, and as paths in it.
 *
 * No read is out of bounds, and values lie in the record. Decoded texts are no longer than encoded
 * ones. jansson agrees on objects. The listed paths of a record lead to values. The first byte of
 * the input is the length of the paths, which line ends separate.
 *
 * sources: plugins/kernels/text/{json,json_path}.c plugins/json/json_index.cpp
 *          -lsimdjson -lstdc++ -ljansson
 */
#include <jansson.h>

#include "fuzz.h"
#include "json/json_index.h"
#include "kernels/text/json.h"
#include "kernels/text/json_path.h"

enum { MAX_BYTES = 4096, PATHS = 256 };

struct reading {
    struct json_text text;
    uint32_t len;
};

/* Checks a value, and returns true, unless it is an object or array. */
static bool look(void *to, uint32_t token)
{
    const struct reading *r = to;
    uint32_t off, len;
    char out[MAX_BYTES];
    if (token == JSON_NO_TOKEN) return true;
    must(token < r->text.n);
    if (r->text.text[r->text.at[token]] == '{' || r->text.text[r->text.at[token]] == '[')
        return false;
    json_token(&r->text, token, &off, &len);
    must(off <= r->len && len <= r->len - off);
    if (json_is_escaped(&r->text, off, len))
        must(json_unescape(r->text.text + off, len, out) < len);
    return true;
}

static void check_paths(const struct json_paths *paths, struct reading *r)
{
    for (uint32_t i = 0; i < paths->n_paths; i++) {
        const struct json_path *path = &paths->path[i];
        uint32_t token = json_found(paths, i);
        if (token == JSON_NO_TOKEN) continue;
        if (path->n_rest)
            json_each(&r->text, token, path->rest, path->n_rest, look, r);
        else
            look(r, token);
    }
}

/* Notes whether a value is at the path's end. */
static bool has_value(void *to, uint32_t token)
{
    *(bool *)to |= token != JSON_NO_TOKEN;
    return true;
}

/* Checks that the path of a name leads to a value. No key of the record is repeated. */
static void follow_name(void *to, const char *name, uint32_t n)
{
    const struct reading *r = to;
    struct json_node node[JSON_NAME_BYTES + 1];
    struct json_step step[JSON_NAME_BYTES];
    struct json_path path;
    struct json_path_fault fault;
    char keys[JSON_NAME_BYTES];
    struct json_paths paths = {.node = node, .path = &path};
    uint32_t at, steps = json_path_read(name, n, step, keys, &fault);
    bool found = false;
    must(n <= JSON_NAME_BYTES && steps > 0);
    json_paths_add(&paths, step, steps);
    must(json_read(&paths, &r->text, &at) == JSON_OK);
    uint32_t token = json_found(&paths, 0);
    if (token != JSON_NO_TOKEN)
        json_each(&r->text, token, path.rest, path.n_rest, has_value, &found);
    must(found);
}

static void check_names(struct reading *r)
{
    json_error_t error;
    json_t *root =
        json_loadb(r->text.text, r->len,
                   JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);
    if (root) json_names(&r->text, follow_name, r);
    json_decref(root);
}

/* True for a limit that only one of the two parsers has. */
static bool is_excepted(enum json_fault fault, const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return fault == JSON_DEEP || code == json_error_numeric_overflow ||
           code == json_error_null_byte_in_key || code == json_error_stack_overflow;
}

static void compare(const struct reading *r, enum json_fault fault)
{
    json_error_t error = {.line = 0};
    if (memchr(r->text.text, '\0', r->len)) return; /* jansson accepts one after a word */
    json_t *root =
        json_loadb(r->text.text, r->len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    if (root || !is_excepted(fault, &error))
        must(json_is_object(root) == (fault == JSON_OK) || fault == JSON_DEEP);
    json_decref(root);
}

static enum json_fault read_text(struct json_paths *paths, struct reading *r)
{
    struct json_index *index = json_index_new(MAX_BYTES);
    must(index != NULL);
    enum json_fault fault = JSON_UTF8;
    uint32_t at = 0;
    enum json_index_status status =
        json_index_make(index, r->text.text, r->len, &r->text.at, &r->text.n);
    r->text.escapes = memchr(r->text.text, '\\', r->len) != NULL;
    enum json_fault strings = json_check_strings(r->text.text, r->len, &at);
    must(at <= r->len && (strings == JSON_OK || status != JSON_INDEX_OK));
    if (status == JSON_INDEX_OK) fault = json_read(paths, &r->text, &at);
    must(at <= r->len);
    if (fault == JSON_OK) check_paths(paths, r);
    if (fault == JSON_OK) check_names(r);
    json_index_free(index);
    return fault;
}

/* Adds the well-formed paths. */
static void add_paths(struct json_paths *paths, const char *text, uint32_t n,
                      struct json_step *step, char *keys)
{
    struct json_path_fault fault;
    for (uint32_t from = 0, to; from < n; from = to + 1) {
        const char *end = memchr(text + from, '\n', n - from);
        to = end ? (uint32_t)(end - text) : n;
        uint32_t steps = json_path_read(text + from, to - from, step + from, keys + from, &fault);
        if (steps)
            json_paths_add(paths, step + from, steps);
        else
            must(fault.at <= to - from && fault.why);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct json_node node[PATHS + 1];
    static struct json_path path[PATHS];
    static struct json_step step[PATHS];
    static char keys[PATHS];
    if (!size || size > MAX_BYTES || data[0] >= size) return 0;
    struct json_paths paths = {.node = node, .path = path};
    char *named = exactly(data + 1, data[0]);
    struct reading r = {.len = (uint32_t)(size - 1 - data[0])};
    char *text = exactly(data + 1 + data[0], r.len);
    r.text.text = text;
    node[0] = (struct json_node){.child = 0};
    paths.n_nodes = 1;
    add_paths(&paths, named, data[0], step, keys);
    if (r.len) compare(&r, read_text(&paths, &r));
    free(text);
    free(named);
    return 0;
}
