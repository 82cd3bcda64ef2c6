/* state_codec.c -- the bytes of a stage's state, written and read; the format is in state.h.
 *
 * Reading is in two steps. The first goes over the whole once, checks every length and makes the
 * table of fields; the second, what a stage asks for, only looks things up in that table. Stages
 * ask in the order in which they wrote, so a search starts behind the field found last.
 */
#define XXH_INLINE_ALL
#include "state_codec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "zero_blocks.h"
#include "base/le.h"

static const char MAGIC[8] = {'l', 'e', 'a', 't', 'S', 'T', 'A', 'T'};

enum { HEADER = 32, FIELD = 16, CHECKSUM = 8, PAD = 8 };
enum { AT_FORMAT = 8, AT_VERSION = 12, AT_BYTES = 16, AT_FIELDS = 24, AT_NAME_LEN = 28 };
enum { NUMBER = 0, ARRAY = 1, SPARSE = 2 };
enum { FIELD_ELEMENT = 0, FIELD_FORM = 2, FIELD_NAME_LEN = 4, FIELD_COUNT = 8 };

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { SWAP = 0 };
#else
enum { SWAP = 1 };
#endif

/* ---- numbers ---- */

static size_t pad_to(size_t n, size_t align) { return (n + align - 1) & ~(align - 1); }

/* Bytes of an element, 0: there is no such type. */
static size_t element_size(uint32_t element)
{
    static const unsigned char size[] = {
        [LEAT_U8] = 1, [LEAT_U32] = 4, [LEAT_U64] = 8, [LEAT_F32] = 4, [LEAT_F64] = 8};
    return element < sizeof size ? size[element] : 0;
}

const char *state_element_name(uint32_t element)
{
    static const char *const name[] = {[LEAT_U8] = "u8",
                                       [LEAT_U32] = "u32",
                                       [LEAT_U64] = "u64",
                                       [LEAT_F32] = "f32",
                                       [LEAT_F64] = "f64"};
    return name[element];
}

/* Between this machine's order and little endian, on machines where they differ. */
static void swap_elements(char *p, size_t each, uint64_t n)
{
    for (char *end = p + n * each; p < end; p += each)
        for (size_t i = 0; i < each / 2; i++) {
            char c = p[i];
            p[i] = p[each - 1 - i];
            p[each - 1 - i] = c;
        }
}

uint64_t state_checksum(const void *bytes, size_t n) { return XXH3_64bits(bytes, n - CHECKSUM); }

/* ---- writing ---- */

static int fail_writing(struct state_writer *w, int status, const char *why, const char *name)
{
    if (w->status == LEAT_OK) {
        w->status = status;
        snprintf(w->error, sizeof w->error, "%s%s%s", why, name ? " " : "", name ? name : "");
    }
    return w->status;
}

/* n bytes at the end, or NULL. */
static char *room(struct state_writer *w, size_t n)
{
    if (n > w->cap - w->n) {
        size_t need = w->n + n, cap = pad_to(need > 2 * w->cap ? need : 2 * w->cap, STATE_ALIGN);
        char *bytes = cap >= need && need >= n ? aligned_alloc(STATE_ALIGN, cap) : NULL;
        if (!bytes) {
            fail_writing(w, LEAT_ENOMEM, "no memory for the snapshot", NULL);
            return NULL;
        }
        if (w->n) memcpy(bytes, w->bytes, w->n);
        free(w->bytes);
        w->bytes = bytes;
        w->cap = cap;
    }
    char *p = w->bytes + w->n;
    w->n += n;
    return p;
}

static int name_is_new(const struct state_writer *w, const char *name, size_t len)
{
    for (uint32_t i = 0; i < w->n_fields; i++) {
        const char *f = w->bytes + w->at[i];
        if (le_get32(f + FIELD_NAME_LEN) == len && !memcmp(f + FIELD, name, len)) return 0;
    }
    return 1;
}

/* A field's head; where its payload goes, of at most `most` bytes, or NULL. */
static char *add_head(struct state_writer *w, const char *name, uint32_t element, int form,
                      uint64_t n, size_t most)
{
    size_t len = strlen(name), start = w->n;
    if (!len || len > STATE_MAX_NAME || w->n_fields == STATE_MAX_FIELDS) {
        fail_writing(w, LEAT_EARG, "the stage writes a field that cannot be:", name);
        return NULL;
    }
    if (!name_is_new(w, name, len)) {
        fail_writing(w, LEAT_EARG, "the stage writes a field twice:", name);
        return NULL;
    }
    size_t head = pad_to(start + FIELD + len, form == NUMBER ? PAD : STATE_ALIGN) - start;
    char *f = room(w, head + most);
    if (!f) return NULL;
    memset(f, 0, head);
    le_put(f + FIELD_ELEMENT, element, 2);
    le_put(f + FIELD_FORM, (uint64_t)form, 2);
    le_put(f + FIELD_NAME_LEN, len, 4);
    le_put(f + FIELD_COUNT, n, 8);
    memcpy(f + FIELD, name, len);
    w->at[w->n_fields++] = start;
    return f + head;
}

/* Bytes of n elements, or SIZE_MAX: far beyond any memory, or no such element. */
static size_t bytes_of(struct state_writer *w, const char *name, uint32_t element, uint64_t n)
{
    size_t each = element_size(element);
    if (w->status != LEAT_OK) return SIZE_MAX;
    if (each && n <= (SIZE_MAX / 4 - w->n) / each) return (size_t)n * each;
    if (each)
        fail_writing(w, LEAT_ENOMEM, "no memory for the snapshot's", name);
    else
        fail_writing(w, LEAT_EARG, "the stage writes a field that cannot be:", name);
    return SIZE_MAX;
}

/* n elements that somebody is about to write; the bytes behind them are zeros. */
static char *add_room(struct state_writer *w, const char *name, uint32_t element, int form,
                      uint64_t n)
{
    size_t bytes = bytes_of(w, name, element, n);
    if (bytes == SIZE_MAX) return NULL;
    char *p = add_head(w, name, element, form, n, pad_to(bytes, PAD));
    if (p) memset(p + bytes, 0, pad_to(bytes, PAD) - bytes);
    return p;
}

static int add_field(struct state_writer *w, const char *name, uint32_t element, int form,
                     const void *v, uint64_t n)
{
    char *p = add_room(w, name, element, form, n);
    if (p && n) memcpy(p, v, (size_t)n * element_size(element));
    return w->status;
}

static int add_sparse(struct state_writer *w, const char *name, uint32_t element, const void *v,
                      uint64_t n)
{
    size_t bytes = (size_t)n * element_size(element), most = zero_blocks_most(bytes);
    char *p = add_head(w, name, element, SPARSE, n, most);
    if (p) w->n -= most - zero_blocks_put(p, v, bytes);
    return w->status;
}

static int write_u64(struct leat_writer *w, const char *name, uint64_t v)
{
    return add_field((struct state_writer *)w, name, LEAT_U64, NUMBER, &v, 1);
}

static int write_f64(struct leat_writer *w, const char *name, double v)
{
    return add_field((struct state_writer *)w, name, LEAT_F64, NUMBER, &v, 1);
}

static int write_array(struct leat_writer *w, const char *name, uint32_t element, const void *v,
                       uint64_t n)
{
    struct state_writer *to = (struct state_writer *)w;
    size_t bytes = bytes_of(to, name, element, n);
    if (bytes != SIZE_MAX && zero_blocks_pays(v, bytes)) return add_sparse(to, name, element, v, n);
    return add_field(to, name, element, ARRAY, v, n);
}

static void *write_room(struct leat_writer *w, const char *name, uint32_t element, uint64_t n)
{
    return add_room((struct state_writer *)w, name, element, ARRAY, n);
}

int state_writer_init(struct state_writer *w, const char *stage, uint32_t version)
{
    *w = (struct state_writer){0};
    return state_writer_begin(w, stage, version);
}

int state_writer_begin(struct state_writer *w, const char *stage, uint32_t version)
{
    size_t len = strlen(stage);
    w->base = (struct leat_writer){.size = sizeof w->base,
                                   .u64 = write_u64,
                                   .f64 = write_f64,
                                   .array = write_array,
                                   .room = write_room};
    w->n = 0;
    w->n_fields = 0;
    w->status = LEAT_OK;
    w->error[0] = 0;
    if (!len || len > STATE_MAX_NAME)
        return fail_writing(w, LEAT_EARG, "no name for a stage:", stage);
    size_t head = pad_to(HEADER + len, PAD);
    char *h = room(w, head);
    if (!h) return w->status;
    memset(h, 0, head);
    memcpy(h, MAGIC, sizeof MAGIC);
    le_put(h + AT_FORMAT, STATE_FORMAT, 4);
    le_put(h + AT_VERSION, version, 4);
    le_put(h + AT_NAME_LEN, len, 4);
    memcpy(h + HEADER, stage, len);
    return LEAT_OK;
}

/* Only here: of room that was given out nobody says when it is written. */
static void swap_field(char *bytes, size_t start, size_t end)
{
    const char *f = bytes + start;
    size_t each = element_size((uint32_t)le_get(f + FIELD_ELEMENT, 2));
    uint64_t form = le_get(f + FIELD_FORM, 2), n = le_get(f + FIELD_COUNT, 8);
    size_t p =
        pad_to(start + FIELD + le_get32(f + FIELD_NAME_LEN), form == NUMBER ? PAD : STATE_ALIGN);
    if (form == SPARSE) {
        p += zero_blocks_bitmap((size_t)n * each);
        n = (end - p) / each;
    }
    swap_elements(bytes + p, each, n);
}

int state_writer_finish(struct state_writer *w)
{
    char *end = w->status == LEAT_OK ? room(w, CHECKSUM) : NULL;
    if (!end) return w->status;
    for (uint32_t i = 0; SWAP && i < w->n_fields; i++)
        swap_field(w->bytes, w->at[i], i + 1 < w->n_fields ? w->at[i + 1] : w->n - CHECKSUM);
    le_put(w->bytes + AT_BYTES, w->n, 8);
    le_put(w->bytes + AT_FIELDS, w->n_fields, 4);
    le_put(end, state_checksum(w->bytes, w->n), CHECKSUM);
    return LEAT_OK;
}

void state_writer_free(struct state_writer *w)
{
    free(w->bytes);
    *w = (struct state_writer){.status = LEAT_EARG};
}

/* ---- refusing ---- */

static int refuse(struct leat_reader *base, const char *format, ...)
{
    struct state_reader *r = (struct state_reader *)base;
    va_list args;
    if (r->error[0]) return LEAT_EDATA; /* the first one is the reason */
    va_start(args, format);
    vsnprintf(r->error, sizeof r->error, format, args);
    va_end(args);
    return LEAT_EDATA;
}

/* ---- the first step: check all, make the table ---- */

static int check_whole(struct state_reader *r, const char *p, size_t n)
{
    struct leat_reader *b = &r->base;
    if (n < HEADER + CHECKSUM || memcmp(p, MAGIC, sizeof MAGIC) != 0)
        return refuse(b, "%zu bytes that are no state", n);
    uint64_t told = le_get(p + AT_BYTES, 8);
    if (le_get(p + n - CHECKSUM, CHECKSUM) != state_checksum(p, n)) {
        if (told > n) return refuse(b, "cut short: %zu of %llu bytes", n, (unsigned long long)told);
        return refuse(b, "damaged: the checksum does not fit the %zu bytes", n);
    }
    if (le_get32(p + AT_FORMAT) != STATE_FORMAT)
        return refuse(b, "format %u; this version of leat reads %d", le_get32(p + AT_FORMAT),
                      STATE_FORMAT);
    if (told != n) return refuse(b, "%zu bytes that should be %llu", n, (unsigned long long)told);
    return LEAT_OK;
}

/* Names go into messages. */
static int is_name(const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] <= ' ' || p[i] > '~') return 0;
    return len > 0 && len <= STATE_MAX_NAME;
}

static int read_stage_name(struct state_reader *r, const char *p, size_t end, size_t *at)
{
    uint32_t len = le_get32(p + AT_NAME_LEN);
    if (len > STATE_MAX_NAME || pad_to(HEADER + len, PAD) > end || !is_name(p + HEADER, len))
        return refuse(&r->base, "malformed: the stage has no proper name");
    memcpy(r->stage, p + HEADER, len);
    *at = pad_to(HEADER + len, PAD);
    return LEAT_OK;
}

/* What the elements take, SIZE_MAX: more than there is. A bit stands for a block at most. */
static size_t payload_bytes(const struct stored_field *f, const char *p, size_t room, size_t each)
{
    if (!f->sparse) return f->count > room / each ? SIZE_MAX : (size_t)f->count * each;
    if (f->count / ZERO_BLOCKS_BLOCK / 8 > room) return SIZE_MAX;
    size_t length = zero_blocks_length(p, room, (size_t)f->count * each);
    return length || !f->count ? length : SIZE_MAX;
}

/* The field at *at, which is then where the next one starts. */
static int read_field(struct state_reader *r, const char *p, size_t end, size_t *at)
{
    struct stored_field *f = &r->field[r->n_fields];
    const char *h = p + *at;
    static const char malformed[] = "malformed: field %u";
    if (end - *at < FIELD) return refuse(&r->base, malformed, r->n_fields + 1);
    f->element = (uint16_t)le_get(h + FIELD_ELEMENT, 2);
    uint64_t form = le_get(h + FIELD_FORM, 2);
    f->array = form != NUMBER;
    f->sparse = form == SPARSE;
    f->name_len = le_get32(h + FIELD_NAME_LEN);
    f->count = le_get(h + FIELD_COUNT, 8);
    f->name = h + FIELD;
    size_t each = element_size(f->element);
    if (!each || form > SPARSE || f->name_len > STATE_MAX_NAME || end - *at - FIELD < f->name_len ||
        !is_name(f->name, f->name_len) || (!f->array && (f->count != 1 || each != 8)))
        return refuse(&r->base, malformed, r->n_fields + 1);
    size_t payload = pad_to(*at + FIELD + f->name_len, f->array ? STATE_ALIGN : PAD);
    size_t bytes = payload > end ? SIZE_MAX : payload_bytes(f, p + payload, end - payload, each);
    if (bytes == SIZE_MAX)
        return refuse(&r->base, "malformed: %.*s is longer than the state", (int)f->name_len,
                      f->name);
    f->payload = p + payload;
    *at = pad_to(payload + bytes, PAD); /* end is a multiple of PAD */
    return LEAT_OK;
}

static int same_name(const struct stored_field *f, const char *name, size_t len)
{
    return f->name_len == len && !memcmp(f->name, name, len);
}

static int read_fields(struct state_reader *r, const char *p, size_t end, size_t at)
{
    uint32_t n = le_get32(p + AT_FIELDS);
    if (n > STATE_MAX_FIELDS) return refuse(&r->base, "malformed: %u fields", n);
    while (r->n_fields < n) {
        if (read_field(r, p, end, &at) != LEAT_OK) return LEAT_EDATA;
        const struct stored_field *f = &r->field[r->n_fields];
        for (uint32_t i = 0; i < r->n_fields; i++)
            if (same_name(&r->field[i], f->name, f->name_len))
                return refuse(&r->base, "malformed: there are two fields %.*s", (int)f->name_len,
                              f->name);
        r->n_fields++;
    }
    if (at != end) return refuse(&r->base, "malformed: %zu bytes behind the fields", end - at);
    return LEAT_OK;
}

/* ---- the second step: what a stage asks for ---- */

static const struct stored_field *find(struct state_reader *r, const char *name)
{
    size_t len = strlen(name);
    for (uint32_t k = 0; k < r->n_fields; k++) {
        uint32_t i = (r->next + k) % r->n_fields;
        if (!same_name(&r->field[i], name, len)) continue;
        r->next = i + 1;
        return &r->field[i];
    }
    refuse(&r->base, "there is no field %s", name);
    return NULL;
}

/* The field, if it is what it must be: a number, an array of that element type. */
static const struct stored_field *find_typed(struct state_reader *r, const char *name,
                                             uint32_t element, int array)
{
    const struct stored_field *f = find(r, name);
    if (f && f->element == element && f->array == array) return f;
    if (f && element_size(element))
        refuse(&r->base, "%s is %s %s there and %s %s here", name, f->array ? "an array of" : "a",
               state_element_name(f->element), array ? "an array of" : "a",
               state_element_name(element));
    else if (f)
        refuse(&r->base, "%s is asked for as element type %u, which there is not", name, element);
    return NULL;
}

static int read_number(struct leat_reader *base, const char *name, uint32_t element, void *v)
{
    const struct stored_field *f = find_typed((struct state_reader *)base, name, element, 0);
    if (!f) return LEAT_EDATA;
    memcpy(v, f->payload, 8);
    return LEAT_OK;
}

static int read_u64(struct leat_reader *r, const char *name, uint64_t *v)
{
    return read_number(r, name, LEAT_U64, v);
}

static int read_f64(struct leat_reader *r, const char *name, double *v)
{
    return read_number(r, name, LEAT_F64, v);
}

static int read_array(struct leat_reader *base, const char *name, uint32_t element, const void **v,
                      uint64_t *n)
{
    const struct stored_field *f = find_typed((struct state_reader *)base, name, element, 1);
    if (!f) return LEAT_EDATA;
    if (*n && f->count != *n)
        return refuse(base, "%s has %llu elements there and %llu here", name,
                      (unsigned long long)f->count, (unsigned long long)*n);
    *n = f->count;
    *v = f->payload;
    return LEAT_OK;
}

static int same_u64(struct leat_reader *r, const char *name, uint64_t v)
{
    uint64_t there;
    if (read_u64(r, name, &there) != LEAT_OK) return LEAT_EDATA;
    if (there == v) return LEAT_OK;
    return refuse(r, "%s is %llu there and %llu here", name, (unsigned long long)there,
                  (unsigned long long)v);
}

static int same_f64(struct leat_reader *r, const char *name, double v)
{
    double there;
    char a[32], b[32];
    if (read_f64(r, name, &there) != LEAT_OK) return LEAT_EDATA;
    if (!memcmp(&there, &v, sizeof v) || there == v) return LEAT_OK;
    snprintf(a, sizeof a, "%g", there);
    snprintf(b, sizeof b, "%g", v);
    if (!strcmp(a, b)) { /* they differ further back */
        snprintf(a, sizeof a, "%.17g", there);
        snprintf(b, sizeof b, "%.17g", v);
    }
    return refuse(r, "%s is %s there and %s here", name, a, b);
}

/* ---- a reader's life ---- */

static size_t whole_bytes(const struct stored_field *f)
{
    return (size_t)f->count * element_size(f->element);
}

/* Sparse arrays as they were; what is zero in them is memory that nobody has touched. */
static int make_whole(struct state_reader *r)
{
    size_t total = 0;
    for (uint32_t i = 0; i < r->n_fields; i++)
        if (r->field[i].sparse) total += pad_to(whole_bytes(&r->field[i]), STATE_ALIGN);
    if (!total) return LEAT_OK;
    r->whole = calloc(1, total + STATE_ALIGN);
    if (!r->whole) {
        snprintf(r->error, sizeof r->error, "no memory for %zu bytes of state", total);
        return LEAT_ENOMEM;
    }
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

/* Where the bytes can be read: as they lie, or in a copy that is aligned and of this machine's
 * order. */
static const char *place(struct state_reader *r, const void *bytes, size_t n)
{
    if (!SWAP && (uintptr_t)bytes % STATE_ALIGN == 0) return bytes;
    r->copy = aligned_alloc(STATE_ALIGN, pad_to(n + 1, STATE_ALIGN));
    return r->copy ? memcpy(r->copy, bytes, n) : NULL;
}

int state_reader_init(struct state_reader *r, const void *bytes, size_t n)
{
    *r = (struct state_reader){.base = {.size = sizeof r->base,
                                        .u64 = read_u64,
                                        .f64 = read_f64,
                                        .array = read_array,
                                        .same_u64 = same_u64,
                                        .same_f64 = same_f64,
                                        .refuse = refuse}};
    size_t at = 0;
    if (check_whole(r, bytes, n) != LEAT_OK) return LEAT_EDATA;
    const char *p = place(r, bytes, n);
    if (!p) {
        snprintf(r->error, sizeof r->error, "no memory for %zu bytes of state", n);
        return LEAT_ENOMEM;
    }
    size_t end = n - CHECKSUM;
    if (end % PAD) return refuse(&r->base, "malformed: %zu bytes", n);
    r->version = le_get32(p + AT_VERSION);
    if (read_stage_name(r, p, end, &at) != LEAT_OK || read_fields(r, p, end, at) != LEAT_OK)
        return LEAT_EDATA;
    int status = make_whole(r);
    for (uint32_t i = 0; SWAP && status == LEAT_OK && i < r->n_fields; i++)
        swap_elements((char *)r->field[i].payload, element_size(r->field[i].element),
                      r->field[i].count);
    return status;
}

int state_reader_expect(struct state_reader *r, const char *stage, uint32_t version, int exact)
{
    if (strcmp(r->stage, stage) != 0)
        return refuse(&r->base, "state of %s, not of %s", r->stage, stage);
    if (r->version > version || (exact && r->version != version))
        return refuse(&r->base, "state version %u of %s; this version of leat has %u", r->version,
                      stage, version);
    return LEAT_OK;
}

void state_reader_free(struct state_reader *r)
{
    free(r->copy);
    free(r->whole);
    r->copy = r->whole = NULL;
    r->n_fields = 0;
}
