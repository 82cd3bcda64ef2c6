/* item_json.c -- implementation of item_json.h. */
#include "item_json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text/utf8.h"
#include "kernels/text/base64.h"
#include "kernels/text/iso_text.h"

/* Tags of CBOR with a meaning for numbers. */
enum { ITEM_TAG_BIGNUM = 2, ITEM_TAG_NEGATIVE = 3, ITEM_TAG_DECIMAL = 4 };
/* Types of extensions of MessagePack, and their bytes. */
enum { ITEM_EXT_TIME = -1, ITEM_EXT_EVENT = 0, ITEM_EVENT_BYTES = 8 };
enum { ITEM_DIGITS = 320 /* of a bignum, and a sign */, ITEM_ZEROS = 6 /* before a decimal */ };

struct item_writer {
    enum item_format format;
    const uint8_t *begin, *p, *end; /* the next head is at p */
    struct text_out *o;
    enum item_fault fault;
    size_t fault_at;
    bool is_key; /* the next value is a key of an object */
};

static void item_write(struct item_writer *w);

static void item_refuse(struct item_writer *w, enum item_fault fault, const uint8_t *at)
{
    if (w->fault) return;
    w->fault = fault;
    w->fault_at = (size_t)(at - w->begin);
}

/* Reads a head. After item_scan() there is always one, so a fault is a mistake of the caller. */
static struct item_head item_next(struct item_writer *w)
{
    struct item_head h = {.kind = ITEM_BREAK};
    enum item_fault fault = item_head(w->format, w->p, (size_t)(w->end - w->p), &h);
    assert(!fault && item_payload(&h) <= (size_t)(w->end - w->p) - h.n);
    if (fault) item_refuse(w, fault, w->p);
    w->p += h.n;
    return h;
}

/* True if a container has another item. At the end of an indefinite one, passes its break. */
static bool item_has_next(struct item_writer *w, const struct item_head *of, uint64_t done)
{
    if (w->fault || w->o->failed) return false;
    if (!of->indefinite) return done < of->value;
    const uint8_t *at = w->p;
    if (item_next(w).kind == ITEM_BREAK) return false;
    w->p = at;
    return true;
}

/* ---- single values ---- */

/* Writes a value that has no quotes in JSON. */
static void item_bare(struct item_writer *w, const char *text, size_t n)
{
    if (w->is_key) text_char(w->o, '"');
    text_bytes(w->o, text, n);
    if (w->is_key) text_char(w->o, '"');
}

static void item_word(struct item_writer *w, const char *word) { item_bare(w, word, strlen(word)); }

/* Writes a number's digits: of value, or of -1 - value. */
static size_t item_integer(const struct item_head *h, char out[ITEM_DIGITS])
{
    if (h->kind == ITEM_UINT) return (size_t)sprintf(out, "%llu", (unsigned long long)h->value);
    if (h->value == UINT64_MAX) return (size_t)sprintf(out, "-18446744073709551616");
    return (size_t)sprintf(out, "-%llu", (unsigned long long)h->value + 1);
}

static void item_real(struct item_writer *w, const struct item_head *h)
{
    char text[TEXT_NUMBER];
    double value;
    float narrow;
    uint32_t bits = (uint32_t)h->value;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&value, &h->value, sizeof value);
    if (h->kind == ITEM_FLOAT) value = (double)narrow;
    item_bare(w, text, text_format_real(text, value, h->kind == ITEM_FLOAT));
}

static void item_text_part(struct item_writer *w, const struct item_head *h)
{
    if (utf8_prefix(w->p, (size_t)h->value) < h->value) item_refuse(w, ITEM_NO_UTF8, w->p);
    text_json_part(w->o, (const char *)w->p, (size_t)h->value);
    w->p += h->value;
}

static void item_text(struct item_writer *w, const struct item_head *h)
{
    text_char(w->o, '"');
    if (!h->indefinite) item_text_part(w, h);
    while (h->indefinite && item_has_next(w, h, 0)) {
        struct item_head part = item_next(w);
        item_text_part(w, &part);
    }
    text_char(w->o, '"');
}

static void item_bytes_part(struct item_writer *w, struct base64 *b, const struct item_head *h)
{
    base64_add(b, w->o, w->p, (size_t)h->value);
    w->p += h->value;
}

static void item_bytes(struct item_writer *w, const struct item_head *h)
{
    struct base64 b = {.n = 0};
    text_char(w->o, '"');
    if (!h->indefinite) item_bytes_part(w, &b, h);
    while (h->indefinite && item_has_next(w, h, 0)) {
        struct item_head part = item_next(w);
        item_bytes_part(w, &b, &part);
    }
    base64_end(&b, w->o);
    text_char(w->o, '"');
}

/* ---- times ---- */

/* Writes a time, `s` seconds and `ns` nanoseconds after 1970. */
static void item_time(struct item_writer *w, int64_t s, uint32_t ns)
{
    const int64_t left = s % CIVIL_DAY;
    char text[ISO_TEXT], *to = text;
    if (ns > 999999999 || !iso_date(&to, civil_floor_div(s, CIVIL_DAY))) {
        item_refuse(w, ITEM_TIME, w->p);
        return;
    }
    *to++ = 'T';
    iso_clock(&to, (unsigned)(left < 0 ? left + CIVIL_DAY : left), ns, ns ? 9 : 0);
    *to++ = 'Z';
    text_json(w->o, text, (size_t)(to - text));
}

/* bytes of a timestamp   4: s;   8: ns 30 bits, s 34 bits;   12: ns 4 bytes, s 8 bytes */
static void item_ext(struct item_writer *w, const struct item_head *h)
{
    const uint8_t *p = w->p;
    const size_t n = (size_t)h->value;
    if (h->type != ITEM_EXT_TIME || (n != 4 && n != 8 && n != 12)) {
        item_bytes(w, h);
        return;
    }
    const uint64_t last = item_number(p + n - (n == 4 ? 4 : 8), n == 4 ? 4 : 8);
    if (n == 8)
        item_time(w, (int64_t)(last & (((uint64_t)1 << 34) - 1)), (uint32_t)(last >> 34));
    else
        item_time(w, (int64_t)last, n == 12 ? (uint32_t)item_number(p, 4) : 0);
    w->p += n;
}

/* ---- bignums and decimal fractions of CBOR ---- */

/* Whole number, highest byte first, with room for a carry. */
struct item_big {
    uint8_t v[ITEM_BIGNUM + 1];
    size_t n;
    bool negative; /* the number is -1 - v */
};

/* Appends the bytes of a byte string. Returns false if there are too many. */
static bool item_big_read(struct item_writer *w, const struct item_head *h, struct item_big *b)
{
    struct item_head part = *h;
    while (h->indefinite && item_has_next(w, h, 0)) {
        part = item_next(w);
        if (!item_big_read(w, &part, b)) return false;
    }
    if (h->indefinite) return true;
    for (; part.value; part.value--, w->p++) {
        if (b->n == 1 && !*w->p) continue; /* a leading zero */
        if (b->n == sizeof b->v) return false;
        b->v[b->n++] = *w->p;
    }
    return true;
}

/* Writes the digits of a number. Divides it by ten for each digit. Returns how many there are. */
static size_t item_big_digits(struct item_big *b, char out[ITEM_DIGITS])
{
    size_t n = 0, from = 0;
    for (size_t i = b->n; b->negative && i-- && !++b->v[i];) {
    }
    while (from < b->n || !n) {
        unsigned rest = 0;
        for (size_t i = from; i < b->n; i++) {
            rest = rest << 8 | b->v[i];
            b->v[i] = (uint8_t)(rest / 10);
            rest %= 10;
        }
        out[n++] = (char)('0' + rest);
        while (from < b->n && !b->v[from])
            from++;
    }
    if (b->negative) out[n++] = '-';
    for (size_t i = 0; i < n / 2; i++) {
        char c = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = c;
    }
    return n;
}

/* Reads a bignum whose tag has been read. Returns the length of its digits; 0 if the item is no
 * byte string, or too long: w->p is then where it was. */
static size_t item_bignum(struct item_writer *w, uint64_t tag, char out[ITEM_DIGITS])
{
    const uint8_t *at = w->p;
    struct item_big big = {.n = 1, .negative = tag == ITEM_TAG_NEGATIVE};
    const struct item_head h = item_next(w);
    if (h.kind == ITEM_BYTES && item_big_read(w, &h, &big)) return item_big_digits(&big, out);
    w->p = at;
    return 0;
}

/* Reads an integer or a bignum. Returns the length of its digits; 0 if the item is neither. */
static size_t item_whole(struct item_writer *w, char out[ITEM_DIGITS])
{
    const struct item_head h = item_next(w);
    if (h.kind == ITEM_UINT || h.kind == ITEM_NINT) return item_integer(&h, out);
    bool is_big =
        h.kind == ITEM_TAG && (h.value == ITEM_TAG_BIGNUM || h.value == ITEM_TAG_NEGATIVE);
    return is_big ? item_bignum(w, h.value, out) : 0;
}

/* Writes digits times a power of ten, with a point among or shortly before the digits. */
static void item_scaled(struct item_writer *w, const char *digits, size_t n, int64_t exponent)
{
    char text[ITEM_DIGITS + 32];
    size_t sign = *digits == '-', count = n - sign, after = exponent < 0 ? (size_t)-exponent : 0;
    if (!exponent) {
        item_bare(w, digits, n);
    } else if (exponent > 0 || after > count + ITEM_ZEROS) {
        item_bare(w, text, (size_t)sprintf(text, "%.*se%lld", (int)n, digits, (long long)exponent));
    } else {
        size_t zeros = after < count ? 0 : after - count + 1, before = sign + count + zeros - after;
        char all[ITEM_DIGITS + ITEM_ZEROS + 1];
        memcpy(all, digits, sign);
        memset(all + sign, '0', zeros);
        memcpy(all + sign + zeros, digits + sign, count);
        int size = sprintf(text, "%.*s.%.*s", (int)before, all, (int)after, all + before);
        item_bare(w, text, (size_t)size);
    }
}

/* Writes a decimal fraction, [exponent, mantissa]. Returns false if the item is none; w->p is then
 * where it was. */
static bool item_decimal(struct item_writer *w)
{
    char digits[ITEM_DIGITS];
    const uint8_t *at = w->p;
    const struct item_head pair = item_next(w);
    const bool is_pair = pair.kind == ITEM_ARRAY && (pair.indefinite || pair.value == 2);
    const struct item_head e = is_pair ? item_next(w) : pair;
    const bool is_small = (e.kind == ITEM_UINT || e.kind == ITEM_NINT) && e.value < 1000000;
    size_t n = is_pair && is_small ? item_whole(w, digits) : 0;
    bool is_whole = n && !(pair.indefinite && item_has_next(w, &pair, 0));
    if (is_whole)
        item_scaled(w, digits, n, e.kind == ITEM_UINT ? (int64_t)e.value : -1 - (int64_t)e.value);
    else
        w->p = at;
    return is_whole;
}

static void item_tagged(struct item_writer *w, const struct item_head *h)
{
    char digits[ITEM_DIGITS];
    size_t n = 0;
    if (h->value == ITEM_TAG_DECIMAL && item_decimal(w)) return;
    if (h->value == ITEM_TAG_BIGNUM || h->value == ITEM_TAG_NEGATIVE)
        n = item_bignum(w, h->value, digits);
    if (n)
        item_bare(w, digits, n);
    else
        item_write(w);
}

/* ---- arrays and maps ---- */

static void item_array(struct item_writer *w, const struct item_head *h)
{
    text_char(w->o, '[');
    for (uint64_t i = 0; item_has_next(w, h, i); i++) {
        if (i) text_char(w->o, ',');
        item_write(w);
    }
    text_char(w->o, ']');
}

static void item_map(struct item_writer *w, const struct item_head *h)
{
    text_char(w->o, '{');
    for (uint64_t i = 0; item_has_next(w, h, i); i++) {
        if (i) text_char(w->o, ',');
        w->is_key = true;
        item_write(w);
        w->is_key = false;
        text_char(w->o, ':');
        if (!w->fault) item_write(w);
    }
    text_char(w->o, '}');
}

static void item_write(struct item_writer *w)
{
    char digits[ITEM_DIGITS];
    const uint8_t *at = w->p;
    const struct item_head h = item_next(w);
    switch (h.kind) {
    case ITEM_UINT:
    case ITEM_NINT:
        item_bare(w, digits, item_integer(&h, digits));
        return;
    case ITEM_FLOAT:
    case ITEM_DOUBLE:
        item_real(w, &h);
        return;
    case ITEM_BYTES:
        item_bytes(w, &h);
        return;
    case ITEM_TEXT:
        item_text(w, &h);
        return;
    case ITEM_EXT:
        item_ext(w, &h);
        return;
    case ITEM_TAG:
        item_tagged(w, &h);
        return;
    case ITEM_ARRAY:
    case ITEM_MAP:
        if (w->is_key)
            item_refuse(w, ITEM_COMPOUND_KEY, at);
        else
            (h.kind == ITEM_MAP ? item_map : item_array)(w, &h);
        return;
    default:
        item_word(w, h.kind == ITEM_FALSE ? "false" : h.kind == ITEM_TRUE ? "true" : "null");
    }
}

/* ---- entries of Fluentd and Fluent Bit ---- */

/* Reads the head of an array of two. Returns false if the item is another one. */
static bool item_is_pair(struct item_writer *w)
{
    const struct item_head h = item_next(w);
    return h.kind == ITEM_ARRAY && h.value == 2;
}

/* Writes an entry: [time, record], or [[time, metadata], record]. A time is whole seconds, or an
 * EventTime: an extension of type 0 with 4 bytes of seconds and 4 of nanoseconds. Returns false if
 * the item is no entry; nothing is then written. */
static bool item_entry(struct item_writer *w)
{
    bool is_entry = item_is_pair(w), has_more = false;
    struct item_head time = is_entry ? item_next(w) : (struct item_head){.kind = ITEM_NULL};
    if (is_entry && time.kind == ITEM_ARRAY && time.value == 2) {
        has_more = true;
        time = item_next(w);
    }
    const uint8_t *p = w->p;
    const bool is_event =
        time.kind == ITEM_EXT && time.type == ITEM_EXT_EVENT && time.value == ITEM_EVENT_BYTES;
    w->p += is_event ? ITEM_EVENT_BYTES : 0;
    struct item_head record;
    is_entry = is_entry && (is_event || (time.kind == ITEM_UINT && time.value <= INT64_MAX)) &&
               w->p < w->end && !item_head(w->format, w->p, (size_t)(w->end - w->p), &record) &&
               record.kind == ITEM_MAP;
    if (!is_entry) {
        w->p = w->begin;
        return false;
    }
    text_str(w->o, "{\"time\":");
    if (is_event)
        item_time(w, (int64_t)item_number(p, 4), (uint32_t)item_number(p + 4, 4));
    else
        item_time(w, (int64_t)time.value, 0);
    if (has_more) {
        text_str(w->o, ",\"metadata\":");
        item_write(w);
    }
    text_str(w->o, ",\"record\":");
    item_write(w);
    text_char(w->o, '}');
    return true;
}

enum item_fault item_json(enum item_format format, const uint8_t *p, size_t n, struct text_out *o,
                          size_t *at)
{
    struct item_writer w = {.format = format, .begin = p, .p = p, .end = p + n, .o = o};
    if (format != ITEM_MSGPACK || !item_entry(&w)) item_write(&w);
    assert(w.fault || o->failed || w.p == w.end);
    *at = w.fault_at;
    return w.fault;
}
