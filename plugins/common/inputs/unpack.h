/* unpack.h -- unpacks a whole block of an Avro container. */
#ifndef LEAT_COMMON_INPUTS_UNPACK_H
#define LEAT_COMMON_INPUTS_UNPACK_H

#include <stddef.h>
#include <stdint.h>

enum unpack_status {
    UNPACK_DONE,
    UNPACK_FULL, /* the text has more than cap bytes */
    UNPACK_WRONG /* damaged, or no memory */
};

/* Unpacks in[0, n) to out[0, cap), and sets *got to the bytes of the text. */
typedef enum unpack_status unpack(const uint8_t *in, size_t n, uint8_t *out, size_t cap,
                                  size_t *got);

/* Returns the function for a codec of Avro, such as "deflate"; NULL if the codec is unknown. */
unpack *unpack_of(const char *codec, size_t n);

#endif
