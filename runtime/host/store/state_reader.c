/* state_reader.c -- reads a stage's state from untrusted bytes; see state_codec.h.
 *
 * Reading has two steps. The first goes over all bytes once, checks every length and makes the
 * table of fields. The second step serves the stage's requests and only looks up that table. A
 * stage reads its fields in the order in which it wrote them, so a search starts after the last
 * field found. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state_codec_inside.h"
#include "zero_blocks.h"

static int state_reader_refuse(struct leat_reader *base, const char *format, ...)
{
    struct state_reader *r = (struct state_reader *)base;
    va_list args;
    if (r->error[0]) return LEAT_EDATA; /* keeps the message of the first failure */
    va_start(args, format);
    vsnprintf(r->error, sizeof r->error, format, args);
    va_end(args);
    return LEAT_EDATA;
}

static int state_reader_no_memory(struct state_reader *r, size_t n)
{
    snprintf(r->error, sizeof r->error, "there is not enough memory for %zu bytes of state", n);
    return LEAT_ENOMEM;
}

/* ---- first step: check everything, make the table ---- */

static int check_whole(struct state_reader *r, const char *p, size_t n)
{
    struct leat_reader *b = &r->base;
    if (n < HEADER + CHECKSUM || memcmp(p, STATE_MAGIC, sizeof STATE_MAGIC) != 0)
        return state_reader_refuse(b, "not a state (%zu bytes)", n);
    uint64_t bytes = le_get(p + AT_BYTES, 8);
    if (le_get(p + n - CHECKSUM, CHECKSUM) != state_checksum(p, n)) {
        if (bytes > n)
            return state_reader_refuse(b, "cut short: %zu of %llu bytes", n,
                                       (unsigned long long)bytes);
        return state_reader_refuse(b, "damaged: the checksum does not fit the %zu bytes", n);
    }
    if (le_get32(p + AT_FORMAT) != STATE_FORMAT)
        return state_reader_refuse(b, "format %u; this version of leat reads %d",
                                   le_get32(p + AT_FORMAT), STATE_FORMAT);
    if (bytes != n)
        return state_reader_refuse(b, "%zu bytes instead of %llu", n, (unsigned long long)bytes);
    return LEAT_OK;
}

static int read_stage_name(struct state_reader *r, const char *p, size_t end, size_t *at)
{
    uint32_t len = le_get32(p + AT_NAME_LEN);
    if (len > STATE_MAX_NAME || pad_to(HEADER + len, PAD) > end || !state_is_name(p + HEADER, len))
        return state_reader_refuse(&r->base, "malformed: the stage has no valid name");
    memcpy(r->stage, p + HEADER, len);
    *at = pad_to(HEADER + len, PAD);
    return LEAT_OK;
}

/* Returns the bytes of the field's elements at p; SIZE_MAX if they exceed the available bytes. In a
 * sparse array, each bit of the bitmap adds at most one block. */
static size_t payload_bytes(const struct stored_field *f, const char *p, size_t available,
                            size_t each)
{
    if (!f->sparse) return f->count > available / each ? SIZE_MAX : (size_t)f->count * each;
    if (f->count / ZERO_BLOCKS_BLOCK / 8 > available) return SIZE_MAX;
    size_t length = zero_blocks_length(p, available, (size_t)f->count * each);
    return length || !f->count ? length : SIZE_MAX;
}

/* True if the n bytes contain no zero and a zero follows them. */
static bool state_reader_is_text(const char *p, size_t n, size_t available)
{
    return n < available && memchr(p, 0, n + 1) == p + n;
}

/* Reads the field at offset *at and advances *at to the next field. */
static int state_reader_read_field(struct state_reader *r, const char *p, size_t end, size_t *at)
{
    struct stored_field *f = &r->field[r->n_fields];
    const char *h = p + *at;
    static const char malformed[] = "malformed: field %u";
    if (end - *at < FIELD) return state_reader_refuse(&r->base, malformed, r->n_fields + 1);
    f->element = (uint16_t)le_get(h + FIELD_ELEMENT, 2);
    uint64_t form = le_get(h + FIELD_FORM, 2);
    f->array = form == ARRAY || form == SPARSE;
    f->sparse = form == SPARSE;
    f->text = form == TEXT;
    f->name_len = le_get32(h + FIELD_NAME_LEN);
    f->count = le_get(h + FIELD_COUNT, 8);
    f->name = h + FIELD;
    size_t each = state_element_size(f->element);
    if (!each || form > TEXT || f->name_len > STATE_MAX_NAME || end - *at - FIELD < f->name_len ||
        !state_is_name(f->name, f->name_len) || (form == NUMBER && (f->count != 1 || each != 8)) ||
        (f->text && f->element != LEAT_U8))
        return state_reader_refuse(&r->base, malformed, r->n_fields + 1);
    size_t payload = payload_at(*at, f->name_len, form);
    size_t bytes = payload > end ? SIZE_MAX : payload_bytes(f, p + payload, end - payload, each);
    if (bytes == SIZE_MAX)
        return state_reader_refuse(&r->base, "malformed: %.*s is longer than the state",
                                   (int)f->name_len, f->name);
    f->payload = p + payload;
    if (f->text && !state_reader_is_text(f->payload, bytes++, end - payload))
        return state_reader_refuse(&r->base,
                                   "malformed: %.*s is not a text that ends with a zero byte",
                                   (int)f->name_len, f->name);
    *at = pad_to(payload + bytes, PAD); /* `end` is a multiple of PAD, so this is at most `end` */
    return LEAT_OK;
}

static bool same_name(const struct stored_field *f, const char *name, size_t len)
{
    return f->name_len == len && !memcmp(f->name, name, len);
}

static int read_fields(struct state_reader *r, const char *p, size_t end, size_t at)
{
    uint32_t n = le_get32(p + AT_FIELDS);
    if (n > STATE_MAX_FIELDS) return state_reader_refuse(&r->base, "malformed: %u fields", n);
    r->field = malloc((n + 1) * sizeof *r->field); /* the last is for a field that is refused */
    if (!r->field) return state_reader_no_memory(r, (n + 1) * sizeof *r->field);
    while (r->n_fields < n) {
        if (state_reader_read_field(r, p, end, &at) != LEAT_OK) return LEAT_EDATA;
        const struct stored_field *f = &r->field[r->n_fields];
        for (uint32_t i = 0; i < r->n_fields; i++)
            if (same_name(&r->field[i], f->name, f->name_len))
                return state_reader_refuse(&r->base, "malformed: there are two fields %.*s",
                                           (int)f->name_len, f->name);
        r->n_fields++;
    }
    if (at != end)
        return state_reader_refuse(&r->base, "malformed: %zu bytes after the fields", end - at);
    return LEAT_OK;
}

/* ---- second step: requests of a stage ---- */

static const struct stored_field *state_reader_find(struct state_reader *r, const char *name)
{
    size_t len = strlen(name);
    for (uint32_t k = 0; k < r->n_fields; k++) {
        uint32_t i = (r->next + k) % r->n_fields;
        if (!same_name(&r->field[i], name, len)) continue;
        r->next = i + 1;
        return &r->field[i];
    }
    state_reader_refuse(&r->base, "field %s is missing", name);
    return NULL;
}

/* Returns a description for messages: "a text", "an array of f32", "a u64". */
static const char *state_reader_kind_of(bool text, bool array, uint32_t element, char out[32])
{
    if (text) return "a text";
    snprintf(out, 32, "%s %s",
             array                 ? "an array of"
             : element == LEAT_I64 ? "an"
                                   : "a",
             state_element_name(element));
    return out;
}

/* Returns the field if it has the expected form (number, array or text) and element type. Otherwise
 * refuses the state and returns NULL. */
static const struct stored_field *find_typed(struct state_reader *r, const char *name,
                                             uint32_t element, uint64_t form)
{
    const struct stored_field *f = state_reader_find(r, name);
    bool array = form == ARRAY, text = form == TEXT;
    char there[32], here[32];
    if (f && f->element == element && f->array == array && f->text == text) return f;
    if (f && state_element_size(element))
        state_reader_refuse(&r->base, "%s is %s in the saved state and %s here", name,
                            state_reader_kind_of(f->text, f->array, f->element, there),
                            state_reader_kind_of(text, array, element, here));
    else if (f)
        state_reader_refuse(&r->base,
                            "the stage asks for %s with element type %u, which does not exist",
                            name, element);
    return NULL;
}

static int state_reader_read_number(struct leat_reader *base, const char *name, uint32_t element,
                                    void *v)
{
    const struct stored_field *f = find_typed((struct state_reader *)base, name, element, NUMBER);
    if (!f) return LEAT_EDATA;
    memcpy(v, f->payload, 8);
    return LEAT_OK;
}

static int read_u64(struct leat_reader *r, const char *name, uint64_t *v)
{
    return state_reader_read_number(r, name, LEAT_U64, v);
}

static int read_i64(struct leat_reader *r, const char *name, int64_t *v)
{
    return state_reader_read_number(r, name, LEAT_I64, v);
}

static int read_f64(struct leat_reader *r, const char *name, double *v)
{
    return state_reader_read_number(r, name, LEAT_F64, v);
}

static int state_reader_read_text(struct leat_reader *base, const char *name, uint64_t max,
                                  const char **v, uint64_t *n)
{
    const struct stored_field *f = find_typed((struct state_reader *)base, name, LEAT_U8, TEXT);
    if (!f) return LEAT_EDATA;
    if (f->count > max)
        return state_reader_refuse(base, "%s has %llu bytes; there must be 0 to %llu", name,
                                   (unsigned long long)f->count, (unsigned long long)max);
    *v = f->payload;
    if (n) *n = f->count;
    return LEAT_OK;
}

static int state_reader_read_array(struct leat_reader *base, const char *name, uint32_t element,
                                   uint64_t n, const void **v)
{
    const struct stored_field *f = find_typed((struct state_reader *)base, name, element, ARRAY);
    if (!f) return LEAT_EDATA;
    if (f->count != n)
        return state_reader_refuse(base, "%s has %llu elements in the saved state and %llu here",
                                   name, (unsigned long long)f->count, (unsigned long long)n);
    *v = f->payload;
    return LEAT_OK;
}

static int read_array_up_to(struct leat_reader *base, const char *name, uint32_t element,
                            uint64_t max, const void **v, uint64_t *n)
{
    const struct stored_field *f = find_typed((struct state_reader *)base, name, element, ARRAY);
    if (!f) return LEAT_EDATA;
    if (f->count > max)
        return state_reader_refuse(base, "%s has %llu elements; there must be 0 to %llu", name,
                                   (unsigned long long)f->count, (unsigned long long)max);
    *n = f->count;
    *v = f->payload;
    return LEAT_OK;
}

static int same_u64(struct leat_reader *r, const char *name, uint64_t v)
{
    uint64_t there;
    if (read_u64(r, name, &there) != LEAT_OK) return LEAT_EDATA;
    if (there == v) return LEAT_OK;
    return state_reader_refuse(r, "%s is %llu in the saved state and %llu here", name,
                               (unsigned long long)there, (unsigned long long)v);
}

static int same_i64(struct leat_reader *r, const char *name, int64_t v)
{
    int64_t there;
    if (read_i64(r, name, &there) != LEAT_OK) return LEAT_EDATA;
    if (there == v) return LEAT_OK;
    return state_reader_refuse(r, "%s is %lld in the saved state and %lld here", name,
                               (long long)there, (long long)v);
}

static int same_f64(struct leat_reader *r, const char *name, double v)
{
    double there;
    char a[32], b[32];
    if (read_f64(r, name, &there) != LEAT_OK) return LEAT_EDATA;
    if (!memcmp(&there, &v, sizeof v) || there == v) return LEAT_OK;
    snprintf(a, sizeof a, "%g", there);
    snprintf(b, sizeof b, "%g", v);
    if (!strcmp(a, b)) { /* the first digits are equal, so show more */
        snprintf(a, sizeof a, "%.17g", there);
        snprintf(b, sizeof b, "%.17g", v);
    }
    return state_reader_refuse(r, "%s is %s in the saved state and %s here", name, a, b);
}

enum { SHOWN = 60 }; /* most bytes of a text in a message */

static int state_reader_shown(uint64_t n) { return n > SHOWN ? SHOWN : (int)n; }

static int same_text(struct leat_reader *r, const char *name, const char *v, uint64_t n)
{
    const char *there;
    uint64_t n_there;
    if (state_reader_read_text(r, name, UINT64_MAX, &there, &n_there) != LEAT_OK) return LEAT_EDATA;
    if (n_there == n && (!n || !memcmp(there, v, (size_t)n))) return LEAT_OK;
    return state_reader_refuse(r, "%s is '%.*s%s' in the saved state and '%.*s%s' here", name,
                               state_reader_shown(n_there), there, n_there > SHOWN ? "…" : "",
                               state_reader_shown(n), n ? v : "", n > SHOWN ? "…" : "");
}

/* ---- making and freeing a reader ---- */

static size_t whole_bytes(const struct stored_field *f)
{
    return (size_t)f->count * state_element_size(f->element);
}

/* Expands all sparse arrays. calloc provides their zeros, so pages of zeros stay untouched. */
static int make_whole(struct state_reader *r)
{
    size_t total = 0;
    for (uint32_t i = 0; i < r->n_fields; i++)
        if (r->field[i].sparse) total += pad_to(whole_bytes(&r->field[i]), STATE_ALIGN);
    if (!total) return LEAT_OK;
    r->whole = calloc(1, total + STATE_ALIGN);
    if (!r->whole) return state_reader_no_memory(r, total);
    char *to = r->whole + (pad_to((uintptr_t)r->whole, STATE_ALIGN) - (uintptr_t)r->whole);
    for (uint32_t i = 0; i < r->n_fields; i++) {
        struct stored_field *f = &r->field[i];
        if (!f->sparse) continue;
        zero_blocks_get(to, f->payload, whole_bytes(f));
        f->payload = to;
        to += pad_to(whole_bytes(f), STATE_ALIGN);
    }
    return LEAT_OK;
}

/* Returns the bytes if they are aligned and have this machine's byte order; otherwise an aligned
 * copy, whose elements state_reader_init() converts. */
static const char *readable(struct state_reader *r, const void *bytes, size_t n)
{
    if (LE_NATIVE && (uintptr_t)bytes % STATE_ALIGN == 0) return bytes;
    r->copy = aligned_alloc(STATE_ALIGN, pad_to(n + 1, STATE_ALIGN));
    return r->copy ? memcpy(r->copy, bytes, n) : NULL;
}

int state_reader_init(struct state_reader *r, const void *bytes, size_t n)
{
    size_t at = 0;
    *r = (struct state_reader){0};
    r->base = (struct leat_reader){.size = sizeof r->base,
                                   .u64 = read_u64,
                                   .i64 = read_i64,
                                   .f64 = read_f64,
                                   .text = state_reader_read_text,
                                   .array = state_reader_read_array,
                                   .array_up_to = read_array_up_to,
                                   .same_u64 = same_u64,
                                   .same_i64 = same_i64,
                                   .same_f64 = same_f64,
                                   .same_text = same_text,
                                   .refuse = state_reader_refuse};
    if (check_whole(r, bytes, n) != LEAT_OK) return LEAT_EDATA;
    const char *p = readable(r, bytes, n);
    if (!p) return state_reader_no_memory(r, n);
    size_t end = n - CHECKSUM;
    if (end % PAD) return state_reader_refuse(&r->base, "malformed: %zu bytes", n);
    r->version = le_get32(p + AT_VERSION);
    int status = read_stage_name(r, p, end, &at);
    if (status == LEAT_OK) status = read_fields(r, p, end, at);
    if (status == LEAT_OK) status = make_whole(r);
    for (uint32_t i = 0; !LE_NATIVE && status == LEAT_OK && i < r->n_fields; i++)
        le_turn((char *)r->field[i].payload, state_element_size(r->field[i].element),
                r->field[i].count);
    return status;
}

int state_reader_expect(struct state_reader *r, const char *stage, uint32_t version, bool exact,
                        const char *whose)
{
    if (strcmp(r->stage, stage) != 0)
        return state_reader_refuse(&r->base, "the state is from %s, not from %s", r->stage, stage);
    if (r->version > version || (exact && r->version != version))
        return state_reader_refuse(&r->base, "the state of %s has version %u; %s has %u", stage,
                                   r->version, whose, version);
    return LEAT_OK;
}

uint64_t state_reader_bytes(const struct state_reader *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n_fields; i++)
        sum += whole_bytes(&r->field[i]);
    return sum;
}

void state_reader_free(struct state_reader *r)
{
    free(r->field);
    free(r->copy);
    free(r->whole);
    r->field = NULL;
    r->copy = r->whole = NULL;
    r->n_fields = 0;
}
