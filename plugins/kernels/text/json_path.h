/* json_path.h -- where a value lies in a JSON object: "http.status", "items[2].name", "tags[*]".
 *
 *   column = [ name "=" ] path
 *   path   = key { "." key | "[" digits "]" | "[*]" }
 *   key    = one or more bytes but . [ ] = "
 *          | '"' bytes, with "" for a quote in them '"'
 *
 * A name stands before the first "=" outside quotes; without one the column is named by its path as
 * it is written.
 *
 *   example   code=http."a.b"[2]   name "code"; steps: key http, key a.b, element 2
 *
 * And the paths of all values in an object, as columns are written (json_names):
 *
 *   {"http": {"status": 404}, "tags": ["x", "y"], "a.b": []}     http.status, tags[*]
 *
 * The first element of an array stands for all: it is [*]. A member without a value, as "a.b" here,
 * has no path. Paths longer than JSON_NAME_BYTES are left out, with all that is within them; that
 * bounds the depth, too. */
#ifndef LEAT_KERNELS_TEXT_JSON_PATH_H
#define LEAT_KERNELS_TEXT_JSON_PATH_H

#include <stdint.h>

enum json_step_kind {
    JSON_KEY,     /* the value of a key      */
    JSON_ELEMENT, /* an element of an array  */
    JSON_ALL      /* each element of it      */
};

struct json_step {
    enum json_step_kind kind;
    uint32_t index;  /* JSON_ELEMENT: from 0 */
    uint32_t len;    /* JSON_KEY: of key     */
    const char *key; /* not ended by NUL     */
};

/* Where a path is wrong. */
struct json_path_fault {
    uint32_t at;     /* offset */
    const char *why; /* a sentence: what must stand there */
};

/* Returns the offset of the path in a column "name=path"; the name has one byte less. Returns 0 if
 * the column has no name. */
uint32_t json_path_offset(const char *column);

/* Reads the path text[0, n): writes its steps to `step`, which has room for n, and the keys' bytes
 * to `keys`, likewise. Returns the number of steps; 0 if the path is wrong, as *fault says. */
uint32_t json_path_read(const char *text, uint32_t n, struct json_step *step, char *keys,
                        struct json_path_fault *fault);

enum { JSON_NAME_BYTES = 240 };

/* Called for each path, which is not ended by NUL. */
typedef void json_name(void *to, const char *path, uint32_t n);

/* Calls `name` for the paths of a text that json_read accepts. */
struct json_text;
void json_names(const struct json_text *, json_name *name, void *to);

#endif
