/* json_path.h -- paths of values in a JSON object: "http.status", "items[2].name", "tags[*]"
 *
 *   column = [ name "=" ] path
 *   path   = key { "." key | "[" digits "]" | "[*]" }
 *   key    = one or more bytes except . [ ] = "
 *          | '"' bytes '"'            where "" in the bytes means one quote
 *
 * The text before the first "=" outside quotes is the name of the column. Without an
 * "=", the path is the name.
 *
 *   example   code=http."a.b"[2]   name "code"; steps: key http, key a.b, element 2
 *
 * json_names() finds the paths of all values in an object, written as columns:
 *
 *   {"http": {"status": 404}, "tags": ["x", "y"], "a.b": []}     http.status, tags[*]
 *
 * The first element of an array represents all elements: its path has [*]. A member that contains
 * no value, such as "a.b" here, has no path. Values whose path would be longer than JSON_NAME_BYTES
 * are left out, so the depth is limited, too. */
#ifndef LEAT_KERNELS_TEXT_JSON_PATH_H
#define LEAT_KERNELS_TEXT_JSON_PATH_H

#include <stdint.h>

enum json_step_kind {
    JSON_KEY,     /* the value of a key       */
    JSON_ELEMENT, /* one element of an array  */
    JSON_ALL      /* all elements of an array */
};

struct json_step {
    enum json_step_kind kind;
    uint32_t index;  /* JSON_ELEMENT: from 0               */
    uint32_t len;    /* JSON_KEY: number of bytes of `key` */
    const char *key; /* bytes without a NUL at the end     */
};

/* Position of a fault in a path, and its reason. */
struct json_path_fault {
    uint32_t at;     /* offset                                      */
    const char *why; /* sentence that states what is expected there */
};

/* Returns the offset of the path in a column "name=path"; the name ends one byte before it. Returns
 * 0 if the column has no name. */
uint32_t json_path_offset(const char *column);

/* Reads the path text[0, n). Writes its steps to `step` and the bytes of their keys to `keys`, each
 * with room for n. Returns the number of steps. If the path is wrong, sets *fault and returns 0. */
uint32_t json_path_read(const char *text, uint32_t n, struct json_step *step, char *keys,
                        struct json_path_fault *fault);

enum { JSON_NAME_BYTES = 240 };

/* Called for each path, which is not NUL-terminated. */
typedef void json_name(void *to, const char *path, uint32_t n);

/* Calls `name` for the path of each value in a text that json_read() accepts. */
struct json_text;
void json_names(const struct json_text *, json_name *name, void *to);

#endif
