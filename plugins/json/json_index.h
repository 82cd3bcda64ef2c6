/* json_index.h -- finds the offsets of a JSON text's tokens (kernels/text/json.h) with simdjson.
 *
 * simdjson reads a text in two stages. The first stage finds the tokens with vector instructions,
 * 64 bytes a step. The second stage makes values of the tokens. leat uses only the first stage,
 * through the interface that simdjson offers for other implementations. simdjson's "on demand"
 * readers do not fit, for three reasons. They skip unread parts without a check, so the errors that
 * they find depend on the paths that are read. They must read some bytes after the text. They use
 * scalar code unless they are compiled for one type of machine. The first stage is chosen for the
 * machine when the program starts.
 *
 * It throws nothing, and allocates only in json_index_new(). If there is no free memory, the
 * process ends while it loads libstdc++, or while simdjson chooses its code for the machine. Both
 * happen before a record is read. */
#ifndef LEAT_JSON_INDEX_H
#define LEAT_JSON_INDEX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_index;

enum json_index_status {
    JSON_INDEX_OK,
    JSON_INDEX_UTF8,     /* the text is not UTF-8 */
    JSON_INDEX_CONTROL,  /* a string contains a control character */
    JSON_INDEX_UNCLOSED, /* a string has no end */
    JSON_INDEX_LONG      /* the text is longer than max_bytes */
};

/* Allocates an index for texts of at most max_bytes. Returns NULL if there is not enough memory. */
struct json_index *json_index_new(size_t max_bytes);
void json_index_free(struct json_index *);

/* Returns the size in bytes of an index for texts of at most max_bytes. */
uint64_t json_index_bytes(size_t max_bytes);

/* Finds the tokens of text[0 .. len). Reads no byte outside of it. Sets *at to n offsets and at[n]
 * = len, which are valid until the next call. A blank text has no tokens. */
enum json_index_status json_index_make(struct json_index *, const char *text, size_t len,
                                       const uint32_t **at, uint32_t *n);

#ifdef __cplusplus
}
#endif

#endif
