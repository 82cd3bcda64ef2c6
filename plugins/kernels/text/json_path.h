/* json_path.h -- where a value lies in a JSON object: "http.status", "items[2].name", "tags[*]".
 *
 *   column = [ name "=" ] path
 *   path   = key { "." key | "[" digits "]" | "[*]" }
 *   key    = one or more bytes but . [ ] = "
 *          | '"' bytes, with "" for a quote in them '"'
 *
 * A name is what stands before the first "=" outside quotes; without one the column is named by its
 * path as it is written. */
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
    const char *why; /* what must stand there */
};

/* The offset of the path in a column "name=path"; the name has one byte less. 0: it has no name. */
uint32_t json_path_offset(const char *column);

/* Reads the path text[0, n): writes its steps to `step`, which has room for n, and the keys' bytes
 * to `keys`, likewise. Returns the number of steps; 0: the path is wrong, as *fault says. */
uint32_t json_path_read(const char *text, uint32_t n, struct json_step *step, char *keys,
                        struct json_path_fault *fault);

#endif
