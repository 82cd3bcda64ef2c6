/* json.h -- checks one JSON object, and locates the values of some paths
 *
 * The text comes with the offsets of its tokens: each { } [ ] : and comma outside strings, each
 * opening quote, and the first byte of any other word.
 *
 *   text    {"a": [1, true], "b": "x\ty"}
 *   tokens  ^^  ^ ^^^ ^   ^^ ^  ^ ^     ^
 *   paths   a[1] -> token 6, true      b -> token 11, x\ty
 *
 * json_read walks over the tokens once. It checks the whole text by RFC 8259, including parts that
 * no path names, so which texts are rejected does not depend on the paths. The code that found the
 * tokens has already checked the UTF-8, and that strings are closed and have no control characters.
 * On its way json_read notes where the values of the paths begin. Of equal keys the first counts.
 *
 * The paths form a tree that shares common beginnings:
 *
 *   http.status, http.host, tags[*]      root -- http -- status
 *                                          |      `----- host
 *                                          `---- tags            and then [*]
 *
 * In the tree a path ends before its first [*]; json_each follows the rest, after the walk.
 *
 * Cost: O(bytes + tokens), without allocation. Nesting deeper than JSON_DEPTH is a fault. */
#ifndef LEAT_KERNELS_TEXT_JSON_H
#define LEAT_KERNELS_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_path.h"

enum { JSON_DEPTH = 256 }; /* nested objects and arrays */

#define JSON_NO_TOKEN UINT32_MAX

struct json_text {
    const char *text;
    const uint32_t *at; /* n ascending offsets; at[n] is the length of the text */
    uint32_t n;
    bool escapes; /* the text has a backslash */
};

/* Faults of a text; json_fault_text describes them. */
enum json_fault {
    JSON_OK,
    JSON_BLANK,     /* only blanks                    */
    JSON_UTF8,      /* found by json_check_strings    */
    JSON_CONTROL,   /* found by json_check_strings    */
    JSON_UNCLOSED,  /* found by json_check_strings    */
    JSON_NO_OBJECT, /* another value, or none         */
    JSON_NO_KEY,
    JSON_NO_COLON,
    JSON_NO_VALUE,
    JSON_NO_COMMA, /* in an object */
    JSON_NO_ARRAY_COMMA,
    JSON_WORD, /* neither a number nor true, false, null */
    JSON_ESCAPE,
    JSON_SURROGATE, /* half of a surrogate pair       */
    JSON_DEEP,
    JSON_CUT,     /* the text ends inside the object  */
    JSON_TRAILING /* text follows the object          */
};

const char *json_fault_text(enum json_fault);

/* Finds the fault in the strings of a text, byte by byte: JSON_UTF8, JSON_CONTROL or JSON_UNCLOSED,
 * with its offset. Returns JSON_OK if there is none. */
enum json_fault json_check_strings(const char *text, uint32_t n, uint32_t *at);

/* ---- paths ---- */

/* A point in the tree where paths continue or end. */
struct json_node {
    struct json_step step;
    uint32_t child, sibling; /* nodes, or 0; children are keys and elements     */
    uint32_t last;           /* child found most recently                       */
    uint64_t lengths;        /* set of length_bit() of the children's keys */
    uint64_t found;          /* number of the text in which it was last found   */
    uint32_t token;          /* its token in that text                          */
};

struct json_path {
    uint32_t node;                /* where the path ends, or its [*] begins       */
    const struct json_step *rest; /* the rest, from the [*] on                    */
    uint32_t n_rest;              /* 0 if there is no rest                        */
};

struct json_paths {
    struct json_node *node; /* node[0] is the root */
    struct json_path *path;
    uint32_t n_nodes, n_paths;
    uint64_t texts; /* number of texts walked */
};

/* Adds a path to paths that were zeroed at first. The arrays must have room: one node for each step
 * and one for the root. The steps must outlive the paths. */
void json_paths_add(struct json_paths *, const struct json_step *step, uint32_t n);

/* Walks over a text. Returns JSON_OK, or the fault at offset *at. */
enum json_fault json_read(struct json_paths *, const struct json_text *, uint32_t *at);

/* Returns the token at which path i of the last text begins; JSON_NO_TOKEN if it has no value. */
uint32_t json_found(const struct json_paths *, uint32_t i);

/* ---- values of a text that json_read has accepted ---- */

/* Sets the range [*off, *off + *len) of a token; for a string, without its quotes. */
void json_token(const struct json_text *, uint32_t token, uint32_t *off, uint32_t *len);

/* Returns the token after the value at `token`. */
uint32_t json_after(const struct json_text *, uint32_t token);

/* True if the string of json_token has escapes. */
bool json_is_escaped(const struct json_text *, uint32_t off, uint32_t len);

/* Writes a string without its escapes to `out`, which has room for len bytes. Returns its
 * length. */
uint32_t json_unescape(const char *text, uint32_t len, char *out);

/* Called for each value with its token, or with JSON_NO_TOKEN if an element has no value for the
 * path. Returns false to stop. */
typedef bool json_visit(void *to, uint32_t token);

/* Follows the rest of a path, which begins with [*], from the value at `token`. A value that is not
 * an array counts as an array of one element. Returns false if `visit` did. */
bool json_each(const struct json_text *, uint32_t token, const struct json_step *rest,
               uint32_t n_rest, json_visit *visit, void *to);

#endif
