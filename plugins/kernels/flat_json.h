/* flat_json.h -- JSON objects of one level: members that are strings, numbers, true, false, null.
 *
 * Nothing is copied: names and values are slices of the text, strings without their quotes but with
 * their escapes (flat_json_unescape). Objects and arrays within the object are refused, and so is
 * whatever stands behind it. RFC 8259, but that UTF-8 is not checked and the form of a number only
 * roughly (its characters). */
#ifndef LEAT_KERNELS_FLAT_JSON_H
#define LEAT_KERNELS_FLAT_JSON_H

#include <stddef.h>

struct flat_json {
    const char *at, *end;
    int begun;
};

struct flat_member {
    const char *name, *value;
    size_t n_name, n_value;
    int is_string;
};

void flat_json_begin(struct flat_json *j, const char *text, size_t n);
/* The next member: 1; 0: the object has ended, and the text with it; -1: this is no such object. */
int flat_json_next(struct flat_json *j, struct flat_member *m);
/* The bytes that a string stands for, at most n; returns how many. -1: an escape is none. `out` may
 * be NULL: only count. */
long flat_json_unescape(const char *s, size_t n, char *out);

#endif
