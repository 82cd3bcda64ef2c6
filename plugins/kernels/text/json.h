/* json.h -- one JSON object: is it one, and where do the values of some paths lie?
 *
 * The text comes with the offsets of its tokens: of each { } [ ] : and comma outside strings, of
 * each opening quote, and of the first byte of whatever else stands between these and blanks.
 *
 *   text    {"a": [1, true], "b": "x\ty"}
 *   tokens  ^^  ^ ^^^ ^   ^^ ^  ^ ^     ^
 *
 * json_read walks over the tokens once. It checks the whole text by RFC 8259, also what no path
 * names, so which texts are rejected does not depend on the paths; whoever found the tokens has
 * checked that it is UTF-8, that its strings are closed and that they hold no control characters.
 * On its way it notes where the values of the paths begin. Of equal keys the first counts.
 *
 * The paths are a tree that shares their beginnings:
 *
 *   http.status, http.host, tags[*]      root -- http -- status
 *                                          |      `----- host
 *                                          `---- tags            and then [*]
 *
 * A path ends in the tree before its first [*]; json_each follows the rest of it, after the walk.
 *
 * Cost: O(bytes + tokens), without allocation. Deeper than JSON_DEPTH is a fault. */
#ifndef LEAT_KERNELS_TEXT_JSON_H
#define LEAT_KERNELS_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_path.h"

enum { JSON_DEPTH = 256 }; /* objects and arrays within each other */

#define JSON_NO_TOKEN UINT32_MAX

struct json_text {
    const char *text;
    const uint32_t *at; /* n offsets, ascending; at[n] is the length of the text */
    uint32_t n;
    bool escapes; /* a backslash occurs in it */
};

/* The faults of a text; json_fault_text has their words. */
enum json_fault {
    JSON_OK,
    JSON_BLANK,     /* there is nothing but blanks    */
    JSON_UTF8,      /* found before the walk, as …    */
    JSON_CONTROL,   /* … is this                      */
    JSON_UNCLOSED,  /* … and this                     */
    JSON_NO_OBJECT, /* another value, or none         */
    JSON_NO_KEY,
    JSON_NO_COLON,
    JSON_NO_VALUE,
    JSON_NO_COMMA, /* in an object */
    JSON_NO_ARRAY_COMMA,
    JSON_WORD, /* neither a number nor true, false, null */
    JSON_ESCAPE,
    JSON_SURROGATE, /* half of a pair                 */
    JSON_DEEP,
    JSON_CUT,     /* the text ends inside the object  */
    JSON_TRAILING /* text follows the object          */
};

const char *json_fault_text(enum json_fault);

/* Finds again, byte by byte, what is wrong with the strings of a text: JSON_UTF8, JSON_CONTROL or
 * JSON_UNCLOSED, with its offset; JSON_OK: nothing. */
enum json_fault json_check_strings(const char *text, uint32_t n, uint32_t *at);

/* ---- paths ---- */

/* A place where a path goes on, or ends. */
struct json_node {
    struct json_step step;
    uint32_t child, sibling; /* nodes; 0: none. Children are keys and elements  */
    uint32_t last;           /* the child that was found last                   */
    uint64_t lengths;        /* of the keys of the children    */
    uint64_t found;          /* the text in which it was found last             */
    uint32_t token;          /* where, then                                     */
};

struct json_path {
    uint32_t node;                /* where it ends, or is followed by [*]         */
    const struct json_step *rest; /* what follows, from the [*] on                */
    uint32_t n_rest;              /* 0: nothing                                   */
};

struct json_paths {
    struct json_node *node; /* node[0] is the root */
    struct json_path *path;
    uint32_t n_nodes, n_paths;
    uint64_t texts; /* walked so far */
};

/* Adds a path to zeroed paths whose arrays have room for it: a node for each step and one for the
 * root. The steps are kept. */
void json_paths_add(struct json_paths *, const struct json_step *step, uint32_t n);

/* Walks over a text. JSON_OK, or what is wrong, at offset *at. */
enum json_fault json_read(struct json_paths *, const struct json_text *, uint32_t *at);

/* Where path i of the text walked last begins; JSON_NO_TOKEN: it is not there. */
uint32_t json_found(const struct json_paths *, uint32_t i);

/* ---- values, of a text that json_read has found right ---- */

/* The bytes of the token [*off, *off + *len): without the quotes of a string. */
void json_token(const struct json_text *, uint32_t token, uint32_t *off, uint32_t *len);

/* The token after the value at `token`. */
uint32_t json_after(const struct json_text *, uint32_t token);

/* True if the string of json_token holds escapes. */
bool json_is_escaped(const struct json_text *, uint32_t off, uint32_t len);

/* Writes it to `out`, which has room for len bytes, without escapes; returns its length. */
uint32_t json_unescape(const char *text, uint32_t len, char *out);

/* Called for each value with its token, or JSON_NO_TOKEN where a path has no value in an element.
 * Returns false to end. */
typedef bool json_visit(void *to, uint32_t token);

/* Follows a rest of a path, which begins with [*], from the value at `token`. A value that is not
 * an array counts as an array of one element. Returns false if `visit` did. */
bool json_each(const struct json_text *, uint32_t token, const struct json_step *rest,
               uint32_t n_rest, json_visit *visit, void *to);

#endif
