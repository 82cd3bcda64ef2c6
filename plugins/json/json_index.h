/* json_index.h -- the offsets of a JSON text's tokens (kernels/text/json.h), found by simdjson.
 *
 * simdjson reads a text in two stages: the first finds the tokens with vector instructions, a block
 * of 64 bytes a step, and the second makes values of them. Only the first is taken, whose interface
 * simdjson offers for implementations of its own. Its readers on top ("on demand") skip what is not
 * asked for without checking it, so what they reject depends on the question; they must read some
 * bytes after the text; and without compiler flags for one machine they take scalar code. The first
 * stage is chosen for the machine when the program runs.
 *
 * This is the only C++ of leat: it throws nothing, and allocates in json_index_new only. Without a
 * byte of memory left, loading libstdc++ ends the process, and so does simdjson's first choice of
 * the machine: both before a record is read. */
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
    JSON_INDEX_UTF8,     /* the text is not UTF-8              */
    JSON_INDEX_CONTROL,  /* a control character is in a string */
    JSON_INDEX_UNCLOSED, /* a string does not end              */
    JSON_INDEX_LONG      /* the text is longer than max_bytes  */
};

/* Makes one for texts of at most max_bytes. Returns NULL if there is not enough memory. */
struct json_index *json_index_new(size_t max_bytes);
void json_index_free(struct json_index *);

/* Returns the bytes that one takes. */
uint64_t json_index_bytes(size_t max_bytes);

/* Finds the tokens of text[0 .. len) and reads nothing else. *at are n offsets and at[n] = len,
 * lent until the next call; no tokens if the text is blank. */
enum json_index_status json_index_make(struct json_index *, const char *text, size_t len,
                                       const uint32_t **at, uint32_t *n);

#ifdef __cplusplus
}
#endif

#endif
