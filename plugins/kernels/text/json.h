/* json.h -- checks a JSON object, and finds the values at given paths
 *
 * The caller passes the text with the offsets of its tokens. A token begins at each { } [ ] : and
 * comma outside strings, at each opening quote, and at the first byte of any other word.
 *
 *   text    {"a": [1, true], "b": "x\ty"}
 *   tokens  ^^  ^ ^^^ ^   ^^ ^  ^ ^     ^
 *   paths   a[1] -> token 6, true      b -> token 11, x\ty
 *
 * json_read() visits the tokens once. It checks the whole text by RFC 8259, including parts that no
 * path names, so whether a text is valid does not depend on the paths. The code that found the
 * tokens has already checked the UTF-8, and that strings are closed and have no control characters.
 * json_read() also stores at which token the value of each path begins. If an object has a key
 * twice, the first one counts.
 *
 * The paths form a tree, in which common beginnings are shared:
 *
 *   http.status, http.host, tags[*]      root -- http -- status
 *                                          |      `----- host
 *                                          `---- tags            and then [*]
 *
 * In the tree a path ends before its first [*]. json_each() follows the rest of the path, after
 * json_read().
 *
 * Cost: O(bytes + tokens), without allocation. A text with deeper nesting than JSON_DEPTH
 * is rejected. */
#ifndef LEAT_KERNELS_TEXT_JSON_H
#define LEAT_KERNELS_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_path.h"

enum { JSON_DEPTH = 256 }; /* limit of nested objects and arrays */

#define JSON_NO_TOKEN UINT32_MAX

struct json_text {
    const char *text;
    const uint32_t *at; /* n ascending offsets; at[n] is the length of the text */
    uint32_t n;
    bool escapes; /* true if the text has a backslash */
};

/* Faults of a text; json_fault_text() describes them. */
enum json_fault {
    JSON_OK,
    JSON_BLANK,     /* only blanks                         */
    JSON_UTF8,      /* found by json_check_strings         */
    JSON_CONTROL,   /* found by json_check_strings         */
    JSON_UNCLOSED,  /* found by json_check_strings         */
    JSON_NO_OBJECT, /* the text is another value, or empty */
    JSON_NO_KEY,
    JSON_NO_COLON,
    JSON_NO_VALUE,
    JSON_NO_COMMA, /* between two members of an object */
    JSON_NO_ARRAY_COMMA,
    JSON_WORD,      /* neither a number nor true, false, null        */
    JSON_NONFINITE, /* NaN, Infinity or -Infinity                    */
    JSON_ESCAPE,
    JSON_SURROGATE, /* an escape is half of a surrogate pair */
    JSON_DEEP,
    JSON_CUT,     /* the text ends inside the object  */
    JSON_TRAILING /* text follows the object          */
};

const char *json_fault_text(enum json_fault);

/* Finds the first fault in the strings of a text, byte by byte, and sets *at to its offset:
 * JSON_UTF8, JSON_CONTROL or JSON_UNCLOSED. Returns JSON_OK if there is none. */
enum json_fault json_check_strings(const char *text, uint32_t n, uint32_t *at);

/* ---- paths ---- */

/* Node of the tree of paths: a step after which paths continue or end. */
struct json_node {
    struct json_step step;
    uint32_t child, sibling; /* indices of nodes, or 0; children are keys and elements */
    uint32_t last;           /* child found most recently                              */
    uint64_t lengths;        /* set of length_bit() of the children's keys             */
    uint64_t found;          /* number of the last text that has a value for this node */
    uint32_t token;          /* first token of the value in that text                  */
};

struct json_path {
    uint32_t node;                /* node at which the path ends, or its first [*] begins */
    const struct json_step *rest; /* steps from the first [*] on                          */
    uint32_t n_rest;              /* 0 if the path has no [*]                             */
};

struct json_paths {
    struct json_node *node; /* node[0] is the root */
    struct json_path *path;
    uint32_t n_nodes, n_paths;
    uint64_t texts;       /* number of texts read                            */
    bool takes_nonfinite; /* NaN, Infinity and -Infinity are values, not faults */
};

/* Adds a path. Before the first call, the struct is zeroed except for its arrays, which have room
 * for the root and one node per step. `step` must outlive the paths. */
void json_paths_add(struct json_paths *, const struct json_step *step, uint32_t n);

/* Checks a text and finds the values of all paths. Returns JSON_OK, or the fault and sets *at to
 * its offset. */
enum json_fault json_read(struct json_paths *, const struct json_text *, uint32_t *at);

/* Does the same with an object at the beginning of a text of many records. Sets *tokens to the
 * number of its tokens. Returns false if there is a fault, or if the object or what follows it in
 * the record does not end at `end`. json_read() of the record alone then tells the fault. */
bool json_read_first(struct json_paths *, const struct json_text *, uint32_t end, uint32_t *tokens);

/* Returns the token at which the value of path i begins, in the text read last; JSON_NO_TOKEN if
 * there is no value. */
uint32_t json_found(const struct json_paths *, uint32_t i);

/* ---- values of a text that json_read has accepted ---- */

/* Sets the range of a token in the text to [*off, *off + *len). The range of a string excludes
 * its quotes. */
void json_token(const struct json_text *, uint32_t token, uint32_t *off, uint32_t *len);

/* Returns the token after the value at `token`. */
uint32_t json_after(const struct json_text *, uint32_t token);

/* True if the value at `token` is NaN, Infinity or -Infinity, as Python and DuckDB write them. */
bool json_is_nonfinite(const struct json_text *, uint32_t token);

/* True if the string in this range, set by json_token(), has escapes. */
bool json_is_escaped(const struct json_text *, uint32_t off, uint32_t len);

/* Writes a string to `out`, with its escapes decoded. `out` has room for len bytes. Returns the
 * number of bytes written. */
uint32_t json_unescape(const char *text, uint32_t len, char *out);

/* Called for each value with its first token, or with JSON_NO_TOKEN if the path leads to no value
 * in an element. Returns false to stop. */
typedef bool json_visit(void *to, uint32_t token);

/* Calls `visit` for the values of a path's `rest`, which begins with [*], starting from the value
 * at `token`. If that value is not an array, it counts as an array of one element. Returns false if
 * `visit` did. */
bool json_each(const struct json_text *, uint32_t token, const struct json_step *rest,
               uint32_t n_rest, json_visit *visit, void *to);

#endif
