/* state_codec.c -- the writer of a stage's state, and helpers that the reader shares. */
#include "state_codec.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "state_codec_inside.h"
#include "zero_blocks.h"

const char STATE_MAGIC[8] = {'l', 'e', 'a', 't', 'S', 'T', 'A', 'T'};

size_t state_element_size(uint32_t element)
{
    static const unsigned char size[] = {[LEAT_U8] = 1,  [LEAT_U32] = 4, [LEAT_U64] = 8,
                                         [LEAT_F32] = 4, [LEAT_F64] = 8, [LEAT_I64] = 8};
    return element < sizeof size ? size[element] : 0;
}

const char *state_element_name(uint32_t element)
{
    static const char *const name[] = {[LEAT_U8] = "u8",   [LEAT_U32] = "u32", [LEAT_U64] = "u64",
                                       [LEAT_F32] = "f32", [LEAT_F64] = "f64", [LEAT_I64] = "i64"};
    assert(element < sizeof name / sizeof *name && name[element]);
    return name[element];
}

uint64_t state_checksum(const void *bytes, size_t n)
{
    assert(n >= CHECKSUM);
    return XXH3_64bits(bytes, n - CHECKSUM);
}

bool state_is_name(const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] <= ' ' || p[i] > '~') return false;
    return len > 0 && len <= STATE_MAX_NAME;
}

/* ---- struct state_writer ---- */

static const char no_memory[] = "there is not enough memory for the snapshot";

static int fail_writing(struct state_writer *w, int status, const char *why, const char *name)
{
    if (w->status == LEAT_OK) {
        w->status = status;
        snprintf(w->error, sizeof w->error, "%s%s%s", why, name ? " " : "", name ? name : "");
    }
    return w->status;
}

/* Appends n bytes and returns their place; NULL after a failure. */
static char *state_codec_append(struct state_writer *w, size_t n)
{
    if (n > w->cap - w->n) {
        size_t need = w->n + n, cap = pad_to(need > 2 * w->cap ? need : 2 * w->cap, STATE_ALIGN);
        char *bytes = cap >= need && need >= n ? aligned_alloc(STATE_ALIGN, cap) : NULL;
        if (!bytes) {
            fail_writing(w, LEAT_ENOMEM, no_memory, NULL);
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

/* Makes room for the offset of another field. Returns false after a failure. */
static bool state_codec_has_field(struct state_writer *w)
{
    if (w->n_fields < w->cap_fields) return true;
    uint32_t cap = w->cap_fields ? 2 * w->cap_fields : 64;
    size_t *at = realloc(w->at, cap * sizeof *at);
    if (!at) return fail_writing(w, LEAT_ENOMEM, no_memory, NULL), false;
    w->at = at;
    w->cap_fields = cap;
    return true;
}

static bool name_is_new(const struct state_writer *w, const char *name, size_t len)
{
    for (uint32_t i = 0; i < w->n_fields; i++) {
        const char *f = w->bytes + w->at[i];
        if (le_get32(f + FIELD_NAME_LEN) == len && !memcmp(f + FIELD, name, len)) return false;
    }
    return true;
}

/* Adds the head of a field. Returns the place for its payload of up to `max` bytes; NULL after a
 * failure. */
static char *state_codec_add_head(struct state_writer *w, const char *name, uint32_t element,
                                  int form, uint64_t n, size_t max)
{
    size_t len = strlen(name), start = w->n;
    if (!state_is_name(name, len) || w->n_fields == STATE_MAX_FIELDS) {
        fail_writing(
            w, LEAT_EARG,
            "the stage writes too many fields, or a field whose name is empty, too long or not "
            "printable:",
            name);
        return NULL;
    }
    if (!name_is_new(w, name, len)) {
        fail_writing(w, LEAT_EARG, "the stage writes a field twice:", name);
        return NULL;
    }
    size_t head = payload_at(start, len, (uint64_t)form) - start;
    char *f = state_codec_has_field(w) ? state_codec_append(w, head + max) : NULL;
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

/* Returns the bytes of n elements; SIZE_MAX if the element type is unknown or no memory could hold
 * them. */
static size_t state_codec_bytes_of(struct state_writer *w, const char *name, uint32_t element,
                                   uint64_t n)
{
    size_t each = state_element_size(element);
    if (w->status != LEAT_OK) return SIZE_MAX;
    if (each && n <= (SIZE_MAX / 4 - w->n) / each) return (size_t)n * each;
    if (each)
        fail_writing(w, LEAT_ENOMEM, "there is not enough memory for the snapshot's", name);
    else
        fail_writing(w, LEAT_EARG, "the stage writes a field of an unknown element type:", name);
    return SIZE_MAX;
}

/* Adds a field with n elements and returns their place; the caller fills them. Pads the elements
 * with zeros, a text with at least one. */
static char *state_codec_add_elements(struct state_writer *w, const char *name, uint32_t element,
                                      int form, uint64_t n)
{
    size_t bytes = state_codec_bytes_of(w, name, element, n);
    if (bytes == SIZE_MAX) return NULL;
    size_t whole = pad_to(bytes + (form == TEXT), PAD);
    char *p = state_codec_add_head(w, name, element, form, n, whole);
    if (p) memset(p + bytes, 0, whole - bytes);
    return p;
}

static int state_codec_add_field(struct state_writer *w, const char *name, uint32_t element,
                                 int form, const void *v, uint64_t n)
{
    char *p = state_codec_add_elements(w, name, element, form, n);
    if (p && n) memcpy(p, v, (size_t)n * state_element_size(element));
    return w->status;
}

static int add_sparse(struct state_writer *w, const char *name, uint32_t element, const void *v,
                      uint64_t n)
{
    size_t bytes = (size_t)n * state_element_size(element), max = zero_blocks_max(bytes);
    char *p = state_codec_add_head(w, name, element, SPARSE, n, max);
    if (p) w->n -= max - zero_blocks_put(p, v, bytes);
    return w->status;
}

static int write_u64(struct leat_writer *w, const char *name, uint64_t v)
{
    return state_codec_add_field((struct state_writer *)w, name, LEAT_U64, NUMBER, &v, 1);
}

static int write_i64(struct leat_writer *w, const char *name, int64_t v)
{
    return state_codec_add_field((struct state_writer *)w, name, LEAT_I64, NUMBER, &v, 1);
}

static int write_f64(struct leat_writer *w, const char *name, double v)
{
    return state_codec_add_field((struct state_writer *)w, name, LEAT_F64, NUMBER, &v, 1);
}

static int state_codec_write_text(struct leat_writer *w, const char *name, const char *v,
                                  uint64_t n)
{
    struct state_writer *to = (struct state_writer *)w;
    if (n && memchr(v, 0, (size_t)n))
        return fail_writing(to, LEAT_EARG, "the stage writes a text with a zero byte in it:", name);
    return state_codec_add_field(to, name, LEAT_U8, TEXT, v, n);
}

static int write_array(struct leat_writer *w, const char *name, uint32_t element, const void *v,
                       uint64_t n)
{
    struct state_writer *to = (struct state_writer *)w;
    size_t bytes = state_codec_bytes_of(to, name, element, n);
    if (bytes != SIZE_MAX && zero_blocks_pays(v, bytes)) return add_sparse(to, name, element, v, n);
    return state_codec_add_field(to, name, element, ARRAY, v, n);
}

static void *write_reserved(struct leat_writer *w, const char *name, uint32_t element, uint64_t n)
{
    return state_codec_add_elements((struct state_writer *)w, name, element, ARRAY, n);
}

int state_writer_init(struct state_writer *w, const char *stage, uint32_t version)
{
    w->bytes = NULL;
    w->cap = 0;
    w->at = NULL;
    w->cap_fields = 0;
    return state_writer_begin(w, stage, version);
}

void state_writer_trim(struct state_writer *w)
{
    size_t cap = pad_to(w->n, STATE_ALIGN);
    char *bytes = cap < w->cap ? aligned_alloc(STATE_ALIGN, cap) : NULL;
    free(w->at);
    w->at = NULL;
    w->cap_fields = 0;
    if (!bytes) return;
    memcpy(bytes, w->bytes, w->n);
    free(w->bytes);
    w->bytes = bytes;
    w->cap = cap;
}

int state_writer_begin(struct state_writer *w, const char *stage, uint32_t version)
{
    size_t len = strlen(stage);
    w->base = (struct leat_writer){.size = sizeof w->base,
                                   .u64 = write_u64,
                                   .i64 = write_i64,
                                   .f64 = write_f64,
                                   .text = state_codec_write_text,
                                   .array = write_array,
                                   .reserve = write_reserved};
    w->n = 0;
    w->n_fields = 0;
    w->status = LEAT_OK;
    w->error[0] = 0;
    if (!state_is_name(stage, len))
        return fail_writing(w, LEAT_EARG,
                            "the name of the stage is empty, too long or not printable:", stage);
    size_t head = pad_to(HEADER + len, PAD);
    char *h = state_codec_append(w, head);
    if (!h) return w->status;
    memset(h, 0, head);
    memcpy(h, STATE_MAGIC, sizeof STATE_MAGIC);
    le_put(h + AT_FORMAT, STATE_FORMAT, 4);
    le_put(h + AT_VERSION, version, 4);
    le_put(h + AT_NAME_LEN, len, 4);
    memcpy(h + HEADER, stage, len);
    return LEAT_OK;
}

/* Converts a field to little-endian on big-endian machines. This happens when the state is
 * complete: the stage may fill the memory of write_reserved() at any time before that. */
static void swap_field(char *bytes, size_t start, size_t end)
{
    const char *f = bytes + start;
    size_t each = state_element_size((uint32_t)le_get(f + FIELD_ELEMENT, 2));
    uint64_t form = le_get(f + FIELD_FORM, 2), n = le_get(f + FIELD_COUNT, 8);
    size_t p = payload_at(start, le_get32(f + FIELD_NAME_LEN), form);
    if (form == SPARSE) {
        p += zero_blocks_bitmap((size_t)n * each);
        n = (end - p) / each;
    }
    le_turn(bytes + p, each, n);
}

int state_writer_finish(struct state_writer *w)
{
    assert(w->n > 0 || w->status != LEAT_OK);
    char *end = w->status == LEAT_OK ? state_codec_append(w, CHECKSUM) : NULL;
    if (!end) return w->status;
    for (uint32_t i = 0; !LE_NATIVE && i < w->n_fields; i++)
        swap_field(w->bytes, w->at[i], i + 1 < w->n_fields ? w->at[i + 1] : w->n - CHECKSUM);
    le_put(w->bytes + AT_BYTES, w->n, 8);
    le_put(w->bytes + AT_FIELDS, w->n_fields, 4);
    le_put(end, state_checksum(w->bytes, w->n), CHECKSUM);
    return LEAT_OK;
}

void state_writer_free(struct state_writer *w)
{
    free(w->bytes);
    free(w->at);
    *w = (struct state_writer){.status = LEAT_EARG};
}
