/* value_text.c -- implementation of value_text.h. */
#include "value_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/time/civil.h"
#include "core/report/text_out.h"
#include "kernels/text/uuid_text.h"

enum { DECIMAL_BYTES = 16, DECIMAL_WORDS = DECIMAL_BYTES / 4 };
#define BILLION UINT32_C(1000000000)

/* ---- decimals ---- */

/* Converts a big-endian integer in two's complement to its magnitude in words, highest first.
 * Returns false if the integer has more than DECIMAL_BYTES. */
static bool magnitude_of(struct avro_bytes b, uint32_t word[DECIMAL_WORDS], bool *negative)
{
    uint8_t byte[DECIMAL_BYTES];
    *negative = b.n && b.at[0] & 0x80;
    uint8_t sign = *negative ? 0xff : 0;
    while (b.n > DECIMAL_BYTES && b.at[0] == sign && (b.at[1] ^ sign) < 0x80)
        b = (struct avro_bytes){b.at + 1, b.n - 1};
    if (b.n > DECIMAL_BYTES) return false;
    memset(byte, sign, sizeof byte);
    if (b.n) memcpy(byte + DECIMAL_BYTES - b.n, b.at, b.n);
    uint32_t carry = *negative; /* two's complement: -x = ~x + 1 */
    for (int i = DECIMAL_WORDS - 1; i >= 0; i--) {
        const uint8_t *p = byte + 4 * i;
        uint32_t w = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        word[i] = *negative ? ~w + carry : w;
        carry = carry && !word[i];
    }
    return true;
}

/* Divides the number by 10^9. Returns the remainder. */
static uint32_t value_text_divide(uint32_t word[DECIMAL_WORDS])
{
    uint64_t rest = 0;
    for (int i = 0; i < DECIMAL_WORDS; i++) {
        rest = rest << 32 | word[i];
        word[i] = (uint32_t)(rest / BILLION);
        rest %= BILLION;
    }
    return (uint32_t)rest;
}

/* Writes the decimal digits of the number, without leading zeros. Returns how many there are. */
static size_t value_text_digits_of(uint32_t word[DECIMAL_WORDS], char out[64])
{
    char all[46]; /* 45 digits, nine for each division, and a spare byte */
    for (int i = 4; i >= 0; i--) {
        uint32_t nine = value_text_divide(word);
        for (int k = 8; k >= 0; k--, nine /= 10)
            all[9 * i + k] = (char)('0' + nine % 10);
    }
    size_t zeros = 0;
    while (zeros < 45 && all[zeros] == '0')
        zeros++;
    memcpy(out, all + zeros, 45 - zeros);
    return 45 - zeros;
}

static size_t value_text_decimal_text(struct avro_bytes b, uint32_t scale,
                                      char out[VALUE_TEXT_BYTES])
{
    uint32_t word[DECIMAL_WORDS];
    char digits[64];
    bool negative;
    if (scale > VALUE_TEXT_DIGITS || !magnitude_of(b, word, &negative)) return 0;
    size_t n = value_text_digits_of(word, digits), at = 0;
    if (n > VALUE_TEXT_DIGITS) return 0;
    if (negative) out[at++] = '-';
    if (n <= scale) out[at++] = '0';
    for (size_t i = 0; i < n || i < scale; i++) {
        size_t place = n > scale ? n - i : scale - i; /* number of digits from this one on */
        if (place == scale) out[at++] = '.';
        out[at++] = place > n ? '0' : digits[n - place];
    }
    return at;
}

/* Writes a big-decimal: its bytes are those of two Avro values, the integer and the scale. A scale
 * below 0 appends zeros. */
static size_t value_text_big_decimal(struct avro_bytes b, char out[VALUE_TEXT_BYTES])
{
    struct avro_bytes integer;
    int64_t scale;
    if (!avro_big_decimal(b, &integer, &scale)) return 0;
    if (scale > 0) return value_text_decimal_text(integer, (uint32_t)scale, out);
    size_t n = value_text_decimal_text(integer, 0, out), zeros = (size_t)-scale;
    if (!n || *out == '0') return n;
    if (zeros > VALUE_TEXT_DIGITS || n - (*out == '-') + zeros > VALUE_TEXT_DIGITS) return 0;
    memset(out + n, '0', zeros);
    return n + zeros;
}

/* ---- times ---- */

/* Writes a date. The year has four digits; before 0 or after 9999 it also has a sign. */
static size_t date_text(int64_t days, char *out)
{
    struct civil date = civil_of_days(days);
    const char *format = date.year < 0 || date.year > 9999 ? "%+05d-%02d-%02d" : "%04d-%02d-%02d";
    return (size_t)sprintf(out, format, date.year, date.month, date.day);
}

static int64_t units(uint8_t digits)
{
    return digits == 3 ? 1000 : digits == 6 ? 1000000 : 1000000000;
}

/* Writes a time of day. `value` is from 0 up to a day. */
static size_t clock_text(int64_t value, uint8_t digits, char *out)
{
    int64_t second = value / units(digits), part = value % units(digits);
    return (size_t)sprintf(out, "%02d:%02d:%02d.%0*lld", (int)(second / 3600),
                           (int)(second / 60 % 60), (int)(second % 60), (int)digits,
                           (long long)part);
}

static size_t timestamp_text(int64_t value, const struct avro_type *t, char *out)
{
    int64_t day = CIVIL_DAY * units(t->digits), days = value / day, rest = value % day;
    if (rest < 0) {
        rest += day;
        days--;
    }
    size_t n = date_text(days, out);
    out[n++] = 'T';
    n += clock_text(rest, t->digits, out + n);
    if (t->logical == AVRO_TIMESTAMP) out[n++] = 'Z';
    return n;
}

static size_t integer_text(int64_t value, const struct avro_type *t, char *out)
{
    if (t->logical == AVRO_DATE) return date_text(value, out);
    if (t->logical == AVRO_TIMESTAMP || t->logical == AVRO_LOCAL_TIMESTAMP)
        return timestamp_text(value, t, out);
    bool of_day = value >= 0 && value < CIVIL_DAY * units(t->digits);
    if (t->logical == AVRO_TIME && of_day) return clock_text(value, t->digits, out);
    return (size_t)sprintf(out, "%lld", (long long)value);
}

/* Loads a little-endian number of four bytes. */
static unsigned value_text_load_le(const uint8_t *p)
{
    return p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
}

/* Writes a duration as ISO 8601 does. */
static size_t duration_text(const uint8_t *p, char *out)
{
    unsigned ms = value_text_load_le(p + 8);
    return (size_t)sprintf(out, "P%uM%uDT%u.%03uS", value_text_load_le(p),
                           value_text_load_le(p + 4), ms / 1000, ms % 1000);
}

/* ---- all values ---- */

/* Writes a float or a double: nan, inf and -inf as in texts, not as in JSON5. */
static size_t real_text(struct avro_bytes b, struct avro_value v, char *out)
{
    double value = avro_real(b, v);
    return isfinite(value) ? text_format_real(out, value, v.type->kind == AVRO_FLOAT)
                           : text_format_double(out, value);
}

static size_t boolean_text(bool value, char *out)
{
    memcpy(out, value ? "true" : "false", value ? 4 : 5);
    return value ? 4 : 5;
}

size_t value_text(struct avro_bytes b, struct avro_value v, char out[VALUE_TEXT_BYTES])
{
    switch (v.type->kind) {
    case AVRO_BOOLEAN:
        return boolean_text(avro_integer(b, v), out);
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
        return real_text(b, v, out);
    case AVRO_INT:
    case AVRO_LONG:
        return integer_text(avro_integer(b, v), v.type, out);
    default:
        break;
    }
    switch (v.type->logical) {
    case AVRO_UUID:
        return uuid_text(b.at + v.at, out);
    case AVRO_DURATION:
        return duration_text(b.at + v.at, out);
    case AVRO_BIG_DECIMAL:
        return value_text_big_decimal(avro_slice(b, v), out);
    default:
        return value_text_decimal_text(avro_slice(b, v), v.type->scale, out);
    }
}
