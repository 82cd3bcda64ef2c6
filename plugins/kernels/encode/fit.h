/* fit.h -- fits values of columns into the fields of a schema.
 *
 *   column        field            written
 *   number 3      int              3
 *   number 3.5    int              nothing: FIT_NO_INTEGER
 *   text "3"      double           3
 *   text ""       double           nothing: FIT_NO_VALUE
 *   integer 2^53 + 1    double     nothing: FIT_INEXACT
 *   time          timestamp, ms    the time without the digits that its unit lacks
 *
 * Writers (kernels/avro/avro_write.h, json_write.h) ask these functions for a value in the type of
 * a field. A value that does not fit has a fault, with which a record is rejected. No function
 * rounds a value, but for numbers that become floats, and for times. */
#ifndef LEAT_KERNELS_ENCODE_FIT_H
#define LEAT_KERNELS_ENCODE_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text/grouped.h"

enum fit_kind { FIT_MISSING, FIT_BOOLEAN, FIT_INTEGER, FIT_REAL, FIT_TIME, FIT_TEXT, FIT_BYTES };
enum { FIT_KINDS = FIT_BYTES + 1, FIT_SHOWN = 40 /* most bytes of a value in a message */ };

/* "numbers", "texts" */
extern const char *const fit_kind_names[FIT_KINDS];

struct fit_column {
    const char *name; /* of the field to which it belongs */
    enum fit_kind kind;
    struct grouped form; /* FIT_TEXT: how numbers are written in it */
    const char *shown;   /* name for messages; NULL: `name` */
};

static inline const char *fit_column_shown(const struct fit_column *c)
{
    return c->shown ? c->shown : c->name;
}

struct fit_value {
    enum fit_kind kind;
    uint32_t n; /* FIT_TEXT, FIT_BYTES: bytes of `text` */
    union {
        int64_t integer; /* FIT_BOOLEAN: 0 or 1; FIT_TIME: ns since 1970 */
        double real;     /* FIT_REAL: may be infinite */
        const char *text;
    } is;
};

enum fit_fault {
    FIT_OK,
    FIT_NO_VALUE, /* it is missing, or a blank text for a field that is no text */
    FIT_NO_NUMBER,
    FIT_NO_INTEGER,
    FIT_RANGE,
    FIT_INEXACT, /* a float of this size does not hold the whole number */
    FIT_NOT_FINITE,
    FIT_NO_BOOLEAN,
    FIT_NO_TIME,
    FIT_NO_SYMBOL,
    FIT_NO_UUID,
    FIT_NO_UTF8,
    FIT_SIZE,  /* the field has another number of bytes */
    FIT_PLACES /* more digits after the point than the field has */
};

/* Field at which a writer has found a fault. */
struct fit_place {
    const char *field, *type; /* path of the field, and its type for messages */
    uint32_t column;
};

/* Writes "field 'amount' (int): column 'amount' has '1.5', which is not a whole number". */
void fit_describe(enum fit_fault, const struct fit_column *, const struct fit_value *,
                  const struct fit_place *, char *out, size_t cap);

/* ---- values in the type of a field; the result is set only with FIT_OK ---- */

enum fit_fault fit_boolean(const struct fit_value *, bool *out);
enum fit_fault fit_integer(const struct fit_column *, const struct fit_value *, int64_t min,
                           int64_t max, int64_t *out);
/* single: the result is that of a float. It may be infinite if the column has numbers. */
enum fit_fault fit_real(const struct fit_column *, const struct fit_value *, bool single,
                        double *out);

enum { FIT_TEXT_BYTES = 48 };
struct fit_slice {
    const char *at;
    uint32_t n;
};
/* Returns the value as text, as sinks write it; bytes must be UTF-8 if `utf8`. `made` has room for
 * values of columns that are not texts. */
enum fit_fault fit_text(const struct fit_value *, bool utf8, char made[FIT_TEXT_BYTES],
                        struct fit_slice *out);

/* True for a UUID in the form of RFC 4122: f81d4fae-7dec-11d0-a765-00a0c91e6bf6. */
bool fit_is_uuid(const char *text, size_t n);

enum { FIT_DECIMAL_BYTES = 16, FIT_DECIMAL_DIGITS = 38 };
/* Reads a decimal number as an integer with `scale` digits after the point, at most `precision`
 * digits in all, as a big-endian integer in two's complement. precision and scale are at most
 * FIT_DECIMAL_DIGITS. */
enum fit_fault fit_decimal(const struct fit_column *, const struct fit_value *, uint32_t precision,
                           uint32_t scale, uint8_t out[FIT_DECIMAL_BYTES]);

/* Times as numbers of units of 10^-digits s. A time of a column, and a text in ISO 8601, are
 * converted; a number is the number of units. */
enum fit_clock {
    FIT_INSTANT, /* since 1970-01-01 UTC; a text without an offset is in UTC */
    FIT_LOCAL,   /* without a zone: for texts without an offset, not for columns of times */
    FIT_OF_DAY   /* since midnight: 23:59:59.999; a number is less than a day */
};
enum fit_fault fit_time(const struct fit_column *, const struct fit_value *, enum fit_clock,
                        uint32_t digits, int64_t max, int64_t *out);
/* Seconds since 1970-01-01 UTC and ns from 0 on, for the years 1 to 9999. A number is ns. */
enum fit_fault fit_instant(const struct fit_column *, const struct fit_value *, int64_t *second,
                           int32_t *ns);
/* Days since 1970-01-01. */
enum fit_fault fit_date(const struct fit_column *, const struct fit_value *, int64_t *out);

#endif
