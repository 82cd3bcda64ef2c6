/* binary.h -- recognises data that are no text by their first bytes, and says what to do with
 * them. */
#ifndef LEAT_COMMON_INPUTS_BINARY_H
#define LEAT_COMMON_INPUTS_BINARY_H

#include <stdbool.h>
#include <stddef.h>

enum {
    BINARY_BYTES = 512,  /* first bytes that show all kinds */
    BINARY_MESSAGE = 420 /* longest message */
};

struct binary_kind;

/* Returns the kind of the data whose first bytes are these n; NULL if they may be text. */
const struct binary_kind *binary_kind(const unsigned char *first, size_t n);
/* True if the data are a capture of packets. */
bool binary_is_capture(const struct binary_kind *k);
/* Writes "a Parquet file: write it as CSV first: …", for a file with this name. Returns `to`. */
const char *binary_message(const struct binary_kind *k, const char *name, char to[BINARY_MESSAGE]);

#endif
