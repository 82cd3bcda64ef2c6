/* json_path.h -- the path of a value in a JSON object: "http.status", "items[2].name", "tags[*]"
 *
 *   column = [ name "=" ] path
 *   path   = key { "." key | "[" digits "]" | "[*]" }
 *   key    = one or more bytes but . [ ] = "
 *          | '"' bytes, with "" for a quote in them '"'
 *
 * A name stands before the first "=" outside quotes. Without a name, the path as written names the
 * column.
 *
 *   example   code=http."a.b"[2]   name "code"; steps: key http, key a.b, element 2
 *
 * json_names gives the paths of all values in an object, in the form of columns:
 *
 *   {"http": {"status": 404}, "tags": ["x", "y"], "a.b": []}     http.status, tags[*]
 *
 * The first element of an array represents all elements: it is [*]. A member without a value, such
 * as "a.b" here, has no path. Paths longer than JSON_NAME_BYTES are left out, with everything
 * inside them, which also bounds the depth. */
#ifndef LEAT_KERNELS_TEXT_JSON_PATH_H
#define LEAT_KERNELS_TEXT_JSON_PATH_H

#include <stdint.h>

enum json_step_kind {
    JSON_KEY,     /* value of a key          */
    JSON_ELEMENT, /* one element of an array */
    JSON_ALL      /* all elements of an array */
};

struct json_step {
    enum json_step_kind kind;
    uint32_t index;  /* JSON_ELEMENT: from 0 */
    uint32_t len;    /* JSON_KEY: bytes of key */
    const char *key; /* no NUL at its end   */
};

/* Place and reason of a fault in a path. */
struct json_path_fault {
    uint32_t at;     /* offset */
    const char *why; /* sentence that names what is expected there */
};

/* Returns the offset of the path in a column "name=path"; the name has one byte less. Returns 0 if
 * the column has no name. */
uint32_t json_path_offset(const char *column);

/* Reads the path text[0, n). Writes its steps to `step` and the keys' bytes to `keys`, each with
 * room for n. Returns the number of steps; 0 if the path is wrong, with the reason in *fault. */
uint32_t json_path_read(const char *text, uint32_t n, struct json_step *step, char *keys,
                        struct json_path_fault *fault);

enum { JSON_NAME_BYTES = 240 };

/* Called for each path, which is not NUL-terminated. */
typedef void json_name(void *to, const char *path, uint32_t n);

/* Calls `name` for the paths of a text that json_read accepts. */
struct json_text;
void json_names(const struct json_text *, json_name *name, void *to);

#endif
