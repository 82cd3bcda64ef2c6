/* quantity.h -- numbers with units, as people write them: "64Ki", "32KB", "250ms".
 *
 * The format is [+-]digits[.digits][e[+-]digits], optional spaces, an optional unit. There is no
 * hexadecimal and no "inf". The decimal point is '.' in every locale.
 *
 *     count     K M G T are thousands (64K = 64000); Ki Mi Gi Ti are 1024s (64Ki = 65536)
 *     bytes     K, KB, Ki and KiB all mean 1024 bytes, in upper or lower case; M, G and T in the
 *               same way; B means bytes
 *     duration  ns us ms s min h d; without a unit: seconds
 *
 * K has two meanings because people count memory in 1024s, and things in thousands. */
#ifndef LEAT_HOST_PARAMS_QUANTITY_H
#define LEAT_HOST_PARAMS_QUANTITY_H

#include <stdint.h>

enum quantity_status {
    QUANTITY_OK = 0,
    QUANTITY_WRONG, /* no number, unknown unit, or a fraction or sign that is not allowed */
    QUANTITY_LARGE  /* does not fit into 64 bits or a double */
};

/* Parse a whole text. On failure *out is undefined. */
enum quantity_status quantity_float(const char *text, double *out);
enum quantity_status quantity_count(const char *text, int64_t *out);
enum quantity_status quantity_bytes(const char *text, int64_t *out);
enum quantity_status quantity_ns(const char *text, int64_t *out);

/* Convert a number that a script writes without quotes. On failure *out is undefined. */
enum quantity_status quantity_whole(double x, int64_t *out);
enum quantity_status quantity_seconds(double seconds, int64_t *ns);

/* Write a value so that the functions above read exactly this value. Return `out`, which gets at
 * most 31 bytes. */
enum { QUANTITY_TEXT = 32 };
const char *quantity_show_float(double x, char out[QUANTITY_TEXT]);
const char *quantity_show_bytes(int64_t bytes, char out[QUANTITY_TEXT]);
const char *quantity_show_ns(int64_t ns, char out[QUANTITY_TEXT]);

#endif
