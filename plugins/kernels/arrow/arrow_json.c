/* arrow_json.c -- writes rows of batches as JSON (arrow.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arrow.h"
#include "core/bits.h"
#include "core/text/utf8.h"
#include "kernels/text/base64.h"
#include "kernels/text/iso_text.h"
#include "kernels/text/uuid_text.h"

enum { ARROW_DIGITS = 100, ARROW_VIEW_INLINE = 12 };

static const char arrow_wrong_offset[] = "an offset is wrong";

/* ---- numbers ---- */

static int64_t arrow_signed(uint64_t bits, unsigned bytes)
{
    const unsigned shift = 64 - 8 * bytes;
    return (int64_t)(bits << shift) >> shift;
}

static uint64_t arrow_bits(const struct arrow_column *c, uint64_t row, unsigned bytes)
{
    return le_get(c->values.p + row * bytes, bytes);
}

static void arrow_integer(struct text_out *o, uint64_t bits, unsigned bytes, bool is_signed)
{
    if (is_signed)
        text_int(o, arrow_signed(bits, bytes));
    else
        text_uint(o, bits);
}

static void arrow_float(struct text_out *o, uint64_t bits, unsigned bytes)
{
    char text[TEXT_NUMBER];
    const uint32_t low = (uint32_t)bits;
    const float narrow = bytes == 2 ? float_of_half(low) : float_of_bits(low);
    const double value = bytes < 8 ? (double)narrow : double_of_bits(bits);
    text_bytes(o, text, text_format_real(text, value, bytes < 8));
}

/* Writes an integer of up to 32 bytes times 10^-scale, with a point among its digits. */
static void arrow_decimal(struct text_out *o, const uint8_t *p, uint32_t bytes, int32_t scale)
{
    uint8_t v[32] = {0};
    char digits[ARROW_DIGITS];
    const bool negative = p[bytes - 1] & 0x80;
    unsigned carry = negative; /* two's complement: -x = ~x + 1 */
    size_t n = 0, rest = bytes, at = sizeof digits;
    for (uint32_t i = 0; i < bytes; i++) {
        unsigned byte = negative ? (uint8_t)~p[i] + carry : p[i];
        carry = byte >> 8;
        v[i] = (uint8_t)byte;
    }
    while (rest && !v[rest - 1])
        rest--;
    for (; rest || !n; n++) {
        unsigned left = 0;
        for (size_t i = rest; i-- > 0;) {
            left = left << 8 | v[i];
            v[i] = (uint8_t)(left / 10);
            left %= 10;
        }
        digits[--at] = (char)('0' + left);
        while (rest && !v[rest - 1])
            rest--;
    }
    if (negative) text_char(o, '-');
    for (int32_t zeros = scale; zeros > (int32_t)n - 1; zeros--)
        text_str(o, zeros == scale ? "0." : "0");
    for (size_t i = 0; i < n; i++) {
        if (scale > 0 && i && (int64_t)(n - i) == scale) text_char(o, '.');
        text_char(o, digits[at + i]);
    }
    for (; scale < 0 && digits[at] != '0'; scale++)
        text_char(o, '0');
}

/* ---- times ---- */

static int64_t arrow_units(uint8_t unit)
{
    static const int64_t units[] = {1, 1000, 1000000, 1000000000};
    return units[unit];
}

/* Writes a date, a time of day or a timestamp. Returns false if it is out of range. */
static bool arrow_time(struct text_out *o, const struct arrow_field *x, int64_t value)
{
    char text[ISO_TEXT], *to = text;
    const bool is_time = x->type == ARROW_TIME, is_date = x->type == ARROW_DATE;
    const int64_t day = is_date && !x->unit ? 1 : CIVIL_DAY * arrow_units(x->unit);
    const int64_t days = civil_floor_div(value, day), left = value % day;
    const int64_t rest = left < 0 ? left + day : left;
    if (is_time && days) return false;
    if (!is_time && !iso_date(&to, days)) return false;
    if (!is_time && !is_date) *to++ = 'T';
    const int64_t units = arrow_units(x->unit);
    if (!is_date) iso_clock(&to, (unsigned)(rest / units), (unsigned)(rest % units), 3 * x->unit);
    if (x->has_zone) *to++ = 'Z';
    text_json(o, text, (size_t)(to - text));
    return true;
}

/* ---- texts and bytes ---- */

static const char *arrow_text(struct text_out *o, const uint8_t *p, uint64_t n, bool is_text)
{
    if (is_text && utf8_prefix(p, (size_t)n) < n) return "a text is not UTF-8";
    if (is_text)
        text_json(o, (const char *)p, (size_t)n);
    else
        base64_json(o, p, (size_t)n);
    return NULL;
}

static const char *arrow_fixed(struct text_out *o, const struct arrow_field *x, const uint8_t *p)
{
    char text[UUID_TEXT];
    if (!x->is_uuid) return arrow_text(o, p, x->width, false);
    return arrow_text(o, (const uint8_t *)text, uuid_text(p, text), true);
}

/* Reads two offsets. Returns false if they are not in 0 to `most`. */
static bool arrow_offsets(const struct arrow_column *c, uint64_t row, unsigned bytes, uint64_t most,
                          uint64_t *from, uint64_t *to)
{
    *from = arrow_bits(c, row, bytes);
    *to = arrow_bits(c, row + 1, bytes);
    return *from <= *to && *to <= most;
}

/* view   bytes 4 | up to 12 bytes, or: their first 4, number of a buffer 4, place in it 4 */
static const char *arrow_view(const struct arrow_batch *b, const struct arrow_column *c,
                              uint64_t row, bool is_text, struct text_out *o)
{
    const uint8_t *view = c->values.p + 16 * row;
    const uint32_t n = le_get32(view), buffer = le_get32(view + 8), at = le_get32(view + 12);
    if (n <= ARROW_VIEW_INLINE) return arrow_text(o, view + 4, n, is_text);
    if (buffer >= c->n_variadic) return arrow_wrong_offset;
    const struct arrow_buffer *from = &b->variadic[c->variadic + buffer];
    if (n > from->n || at > from->n - n) return arrow_wrong_offset;
    return arrow_text(o, from->p + at, n, is_text);
}

/* ---- values ---- */

/* Writes the values [from, to) of a list's element. */
static const char *arrow_list(const struct arrow_batch *b, uint32_t field, uint64_t from,
                              uint64_t to, struct text_out *o)
{
    const char *why = NULL;
    text_char(o, '[');
    for (uint64_t i = from; i < to && !why && !o->failed; i++) {
        if (i > from) text_char(o, ',');
        why = arrow_write_value(b, field, i, o);
    }
    text_char(o, ']');
    return why;
}

/* Writes the members [from, to) of the fields up to `end` as an object. */
static const char *arrow_object(const struct arrow_batch *b, uint32_t from, uint32_t end,
                                uint64_t row, struct text_out *o)
{
    const struct arrow_schema *s = b->schema;
    const char *why = NULL;
    text_char(o, '{');
    for (uint32_t i = from; i < end && !why; i = s->field[i].end) {
        if (i > from) text_char(o, ',');
        text_json(o, s->names + s->field[i].name, s->field[i].n_name);
        text_char(o, ':');
        why = arrow_write_value(b, i, row, o);
    }
    text_char(o, '}');
    return why;
}

static const char *arrow_map(const struct arrow_batch *b, uint32_t field, uint64_t from,
                             uint64_t to, struct text_out *o)
{
    const uint32_t key = field + 2, value = b->schema->field[key].end;
    const struct arrow_field *k = &b->schema->field[key];
    const bool quoted = k->type == ARROW_UTF8 || k->type == ARROW_LARGE_UTF8;
    const bool number = k->type == ARROW_INT || k->type == ARROW_BOOL;
    const char *why = k->is_coded || (!quoted && !number)
                          ? "a map has keys that are neither texts nor whole numbers"
                          : NULL;
    text_char(o, '{');
    for (uint64_t i = from; i < to && !why && !o->failed; i++) {
        if (i > from) text_char(o, ',');
        if (!quoted) text_char(o, '"');
        why = arrow_write_value(b, key, i, o);
        text_str(o, quoted ? ":" : "\":");
        if (!why) why = arrow_write_value(b, value, i, o);
    }
    text_char(o, '}');
    return why;
}

static const char *arrow_of_dictionary(const struct arrow_batch *b, const struct arrow_field *x,
                                       const struct arrow_column *c, uint64_t row,
                                       struct text_out *o)
{
    const uint64_t index = arrow_bits(c, row, x->index_width);
    for (uint32_t i = 0; i < b->n_dictionaries; i++) {
        const struct arrow_dictionary *d = &b->dictionaries[i];
        if (d->id != x->dictionary) continue;
        if (index >= d->n) return "an index of a dictionary is wrong";
        text_bytes(o, d->text + d->start[index], (size_t)(d->start[index + 1] - d->start[index]));
        return NULL;
    }
    return "a dictionary is missing, or comes after its first use";
}

/* Writes a value that has offsets. */
static const char *arrow_write_part(const struct arrow_batch *b, uint32_t field, uint64_t row,
                                    struct text_out *o)
{
    const struct arrow_field *x = &b->schema->field[field];
    const struct arrow_column *c = &b->column[field];
    const bool is_large =
        x->type == ARROW_LARGE_BINARY || x->type == ARROW_LARGE_UTF8 || x->type == ARROW_LARGE_LIST;
    const bool is_text = x->type == ARROW_UTF8 || x->type == ARROW_LARGE_UTF8;
    uint64_t from, to, most = x->n_children ? b->column[field + 1].rows : c->bytes.n;
    if (!arrow_offsets(c, row, is_large ? 8 : 4, most, &from, &to)) return arrow_wrong_offset;
    if (x->type == ARROW_MAP) return arrow_map(b, field, from, to, o);
    if (x->n_children) return arrow_list(b, field + 1, from, to, o);
    return arrow_text(o, c->bytes.p + from, to - from, is_text);
}

const char *arrow_write_value(const struct arrow_batch *b, uint32_t field, uint64_t row,
                              struct text_out *o)
{
    const struct arrow_field *x = &b->schema->field[field];
    const struct arrow_column *c = &b->column[field];
    const bool coded = x->is_coded && !c->is_values;
    if (x->type == ARROW_NULL || (c->valid && !(c->valid[row / 8] >> row % 8 & 1)))
        return text_str(o, "null"), NULL;
    if (coded) return arrow_of_dictionary(b, x, c, row, o);
    switch (x->type) {
    case ARROW_INT:
        arrow_integer(o, arrow_bits(c, row, x->width), x->width, x->is_signed);
        return NULL;
    case ARROW_FLOAT:
        arrow_float(o, arrow_bits(c, row, x->width), x->width);
        return NULL;
    case ARROW_BOOL:
        text_str(o, c->values.p[row / 8] >> row % 8 & 1 ? "true" : "false");
        return NULL;
    case ARROW_DECIMAL:
        arrow_decimal(o, c->values.p + row * x->width, x->width, x->scale);
        return NULL;
    case ARROW_DURATION:
        text_int(o, (int64_t)arrow_bits(c, row, 8));
        return NULL;
    case ARROW_DATE:
    case ARROW_TIME:
    case ARROW_TIMESTAMP:
        return arrow_time(o, x, arrow_signed(arrow_bits(c, row, x->width), x->width))
                   ? NULL
                   : "a time is out of range";
    case ARROW_FIXED:
        return arrow_fixed(o, x, c->values.p + row * x->width);
    case ARROW_BINARY_VIEW:
    case ARROW_UTF8_VIEW:
        return arrow_view(b, c, row, x->type == ARROW_UTF8_VIEW, o);
    case ARROW_STRUCT:
        return arrow_object(b, field + 1, x->end, row, o);
    case ARROW_FIXED_LIST:
        return arrow_list(b, field + 1, row * x->width, (row + 1) * x->width, o);
    default:
        return arrow_write_part(b, field, row, o);
    }
}

const char *arrow_write_row(const struct arrow_batch *b, uint64_t row, struct text_out *o)
{
    return arrow_object(b, 0, b->schema->n, row, o);
}
