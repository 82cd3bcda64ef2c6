/* arrow_schema.c -- reads schemas, and binds the buffers of a batch to its fields (arrow.h). */
#include <string.h>

#include "arrow.h"
#include "kernels/text/uuid_text.h"

enum { ARROW_CUSTOM = 64 /* custom metadata of a field that are looked at */ };

struct schema_reader {
    struct flat *f;
    struct arrow_schema *schema;
    const char *why;
};

static const char *const arrow_unknown[] = {
    [ARROW_INTERVAL] = "it is an interval, which leat does not read",
    [ARROW_UNION] = "it is a union, which leat does not read",
    [ARROW_RUN_END] = "it is run-end encoded, which leat does not read",
    [ARROW_LIST_VIEW] = "it is a list view, which leat does not read",
    [ARROW_LARGE_LIST_VIEW] = "it is a list view, which leat does not read",
};

static bool arrow_width_is(uint32_t width, uint32_t most)
{
    return width && width <= most && !(width & (width - 1));
}

/* Reads the type of a field from its table. Returns false if it is not known. */
static bool arrow_read_type(struct flat *f, uint64_t type, struct arrow_field *x)
{
    static const uint8_t float_width[] = {2, 4, 8};
    switch (x->type) {
    case ARROW_INT: {
        const uint32_t bits = (uint32_t)flat_get(f, type, 0, 4, 0);
        x->width = bits / 8;
        x->is_signed = flat_get(f, type, 1, 1, 0);
        return arrow_width_is(x->width, 8) && bits % 8 == 0;
    }
    case ARROW_FLOAT:
        x->unit = (uint8_t)flat_get(f, type, 0, 2, 0);
        x->width = x->unit < 3 ? float_width[x->unit] : 0;
        return x->width;
    case ARROW_DECIMAL:
        x->scale = (int32_t)flat_get(f, type, 1, 4, 0);
        x->width = (uint32_t)flat_get(f, type, 2, 4, 128) / 8;
        return arrow_width_is(x->width, 32) && x->width > 2 && x->scale > -400 && x->scale < 400;
    case ARROW_DATE:
        x->unit = (uint8_t)flat_get(f, type, 0, 2, 1);
        x->width = x->unit ? 8 : 4;
        return x->unit < 2;
    case ARROW_TIME:
        x->unit = (uint8_t)flat_get(f, type, 0, 2, 1);
        x->width = (uint32_t)flat_get(f, type, 1, 4, 32) / 8;
        return x->unit < 4 && (x->width == 4 || x->width == 8);
    case ARROW_TIMESTAMP:
    case ARROW_DURATION:
        x->unit = (uint8_t)flat_get(f, type, 0, 2, x->type == ARROW_DURATION);
        x->has_zone = x->type == ARROW_TIMESTAMP && flat_field(f, type, 1);
        x->width = 8;
        return x->unit < 4;
    case ARROW_FIXED:
    case ARROW_FIXED_LIST:
        x->width = (uint32_t)flat_get(f, type, 0, 4, 0);
        return x->width <= INT32_MAX;
    default:
        return true;
    }
}

/* Reads how the field is coded by a dictionary. Returns false if that is wrong. */
static bool arrow_read_coding(struct flat *f, uint64_t coding, struct arrow_field *x)
{
    const uint64_t type = flat_table(f, coding, 1);
    x->is_coded = true;
    x->dictionary = (int64_t)flat_get(f, coding, 0, 8, 0);
    x->index_width = (uint8_t)(type ? flat_get(f, type, 0, 4, 0) / 8 : 4);
    x->index_signed = !type || flat_get(f, type, 1, 1, 0);
    return arrow_width_is(x->index_width, 8);
}

/* True if a field of this type has this number of children. */
static bool arrow_has_children(enum arrow_type type, uint64_t n)
{
    bool one = type == ARROW_LIST || type == ARROW_LARGE_LIST || type == ARROW_FIXED_LIST ||
               type == ARROW_MAP;
    return type == ARROW_STRUCT || n == one;
}

/* True if field i of a table is this text. */
static bool arrow_text_is(struct flat *f, uint64_t table, unsigned i, const char *text)
{
    uint64_t n, at = flat_vector(f, table, i, 1, &n);
    return !f->wrong && n == strlen(text) && !memcmp(f->p + at, text, n);
}

/* True if the first custom metadata of a field tell that its values are UUIDs. */
static bool arrow_reads_uuid(struct flat *f, uint64_t field)
{
    uint64_t n, at = flat_vector(f, field, 6, 4, &n);
    bool is = false;
    for (uint64_t i = 0; i < n && i < ARROW_CUSTOM && !f->wrong; i++) {
        const uint64_t one = at + 4 * i, pair = one + flat_number(f, one, 4);
        is |= arrow_text_is(f, pair, 0, "ARROW:extension:name") &&
              arrow_text_is(f, pair, 1, "arrow.uuid");
    }
    return is;
}

static void arrow_read_fields(struct schema_reader *r, uint64_t table, unsigned i, unsigned depth);

static void arrow_read_name(struct schema_reader *r, uint64_t field, struct arrow_field *x)
{
    struct arrow_schema *s = r->schema;
    uint64_t n, at = flat_vector(r->f, field, 0, 1, &n);
    if (r->f->wrong) return;
    if (n > ARROW_NAMES - s->n_names) {
        r->why = "its names have more than 256 KiB";
        return;
    }
    x->name = s->n_names;
    x->n_name = (uint32_t)n;
    if (n) memcpy(s->names + s->n_names, r->f->p + at, n);
    s->n_names += (uint32_t)n;
}

/* Reads a field and its children. */
static void arrow_read_field(struct schema_reader *r, uint64_t field, unsigned depth)
{
    struct arrow_schema *s = r->schema;
    uint64_t coding = flat_table(r->f, field, 4), children;
    if (s->n == ARROW_FIELDS || depth == ARROW_DEPTH) {
        r->why = depth == ARROW_DEPTH ? "its fields are more than 64 deep"
                                      : "it has more than 4096 fields";
        return;
    }
    struct arrow_field *x = &s->field[s->n++];
    *x = (struct arrow_field){.type = (enum arrow_type)flat_get(r->f, field, 2, 1, 0)};
    arrow_read_name(r, field, x);
    bool known = x->type >= ARROW_NULL && x->type <= ARROW_LARGE_LIST_VIEW;
    if (known && (unsigned)x->type < sizeof arrow_unknown / sizeof *arrow_unknown &&
        arrow_unknown[x->type])
        r->why = arrow_unknown[x->type];
    flat_vector(r->f, field, 5, 4, &children);
    if (!r->why &&
        (!known || !arrow_read_type(r->f, flat_table(r->f, field, 3), x) ||
         (coding && !arrow_read_coding(r->f, coding, x)) || !arrow_has_children(x->type, children)))
        r->why = "its type is wrong";
    x->is_uuid = x->type == ARROW_FIXED && x->width == UUID_BYTES && arrow_reads_uuid(r->f, field);
    x->n_children = (uint32_t)children;
    if (!r->why && !r->f->wrong) arrow_read_fields(r, field, 5, depth + 1);
    x->end = s->n;
    const struct arrow_field *entry = x + 1;
    bool is_pair = x->type != ARROW_MAP ||
                   (entry->type == ARROW_STRUCT && !entry->is_coded && entry->n_children == 2);
    if (!r->why && !r->f->wrong && !is_pair) r->why = "it is a map without keys and values";
}

/* Reads the fields in vector i of a table. */
static void arrow_read_fields(struct schema_reader *r, uint64_t table, unsigned i, unsigned depth)
{
    uint64_t n, at = flat_vector(r->f, table, i, 4, &n);
    for (uint64_t k = 0; k < n && !r->why && !r->f->wrong; k++)
        arrow_read_field(r, at + 4 * k + flat_number(r->f, at + 4 * k, 4), depth);
}

const char *arrow_read_schema(struct flat *f, uint64_t schema, struct arrow_schema *s)
{
    struct schema_reader r = {f, s, NULL};
    s->n = s->n_names = 0;
    if (flat_get(f, schema, 0, 2, 0)) return "its data are big-endian, which leat does not read";
    arrow_read_fields(&r, schema, 1, 0);
    return r.why ? r.why : f->wrong ? "its metadata are wrong" : NULL;
}

/* ---- batches ---- */

struct arrow_binder {
    struct arrow_batch *batch;
    const struct arrow_layout *layout;
    uint64_t node, buffer, count; /* the next ones */
};

static struct arrow_buffer arrow_next_buffer(struct arrow_binder *b)
{
    static const struct arrow_buffer none = {(const uint8_t *)"", 0};
    return b->buffer < b->layout->n_buffers ? b->layout->buffer[b->buffer++] : none;
}

/* Returns the bytes of each row in the buffer of values; 0 if it has bits, or there is none. */
static uint32_t arrow_row_bytes(const struct arrow_field *x, bool coded)
{
    if (coded) return x->index_width;
    switch (x->type) {
    case ARROW_BINARY:
    case ARROW_UTF8:
    case ARROW_LIST:
    case ARROW_MAP:
        return 4;
    case ARROW_LARGE_BINARY:
    case ARROW_LARGE_UTF8:
    case ARROW_LARGE_LIST:
        return 8;
    case ARROW_BINARY_VIEW:
    case ARROW_UTF8_VIEW:
        return 16;
    case ARROW_FIXED_LIST:
        return 0;
    default:
        return x->width;
    }
}

static bool arrow_has_offsets(enum arrow_type t)
{
    return t == ARROW_BINARY || t == ARROW_UTF8 || t == ARROW_LIST || t == ARROW_MAP ||
           t == ARROW_LARGE_BINARY || t == ARROW_LARGE_UTF8 || t == ARROW_LARGE_LIST;
}

static bool arrow_has_bytes(enum arrow_type t)
{
    return t == ARROW_BINARY || t == ARROW_UTF8 || t == ARROW_LARGE_BINARY || t == ARROW_LARGE_UTF8;
}

/* Takes the buffers with the bytes of views. Returns false if there are too many. */
static bool arrow_bind_views(struct arrow_binder *b, struct arrow_column *c)
{
    const struct arrow_layout *l = b->layout;
    uint64_t n = b->count < l->n_counts ? flat_number(l->f, l->counts + 8 * b->count, 8) : 0;
    b->count++;
    if (n > ARROW_VARIADIC - b->batch->n_variadic) return false;
    c->variadic = b->batch->n_variadic;
    c->n_variadic = (uint32_t)n;
    while (n--)
        b->batch->variadic[b->batch->n_variadic++] = arrow_next_buffer(b);
    return true;
}

/* Binds one field, without its children. Returns false if a buffer is too short. */
static bool arrow_bind_field(struct arrow_binder *b, const struct arrow_field *x,
                             struct arrow_column *c, bool coded)
{
    const struct arrow_layout *l = b->layout;
    const uint64_t node = l->nodes + 16 * b->node;
    if (b->node++ >= l->n_nodes) return false;
    *c = (struct arrow_column){.rows = flat_number(l->f, node, 8),
                               .is_values = x->is_coded && !coded};
    if (c->rows > INT64_MAX / 32) return false;
    if (x->type == ARROW_NULL && !coded) return true;
    const struct arrow_buffer valid = arrow_next_buffer(b);
    if (flat_number(l->f, node + 8, 8) && valid.n) c->valid = valid.p;
    if (c->valid && valid.n < (c->rows + 7) / 8) return false;
    if (flat_number(l->f, node + 8, 8) && !valid.n) return false;
    if (!coded && (x->type == ARROW_STRUCT || x->type == ARROW_FIXED_LIST)) return true;
    c->values = arrow_next_buffer(b);
    const uint64_t rows = c->rows + (!coded && c->rows && arrow_has_offsets(x->type));
    const uint32_t width = arrow_row_bytes(x, coded);
    if (width && rows > c->values.n / width) return false;
    if (!coded && x->type == ARROW_BOOL && rows > 8 * c->values.n) return false;
    if (!coded && arrow_has_bytes(x->type)) c->bytes = arrow_next_buffer(b);
    bool views = !coded && (x->type == ARROW_BINARY_VIEW || x->type == ARROW_UTF8_VIEW);
    return !views || arrow_bind_views(b, c);
}

/* True if the children of a field, which has no offsets, have enough rows. */
static bool arrow_fits_children(const struct arrow_batch *b, uint32_t i, bool coded)
{
    const struct arrow_field *field = b->schema->field, *x = &field[i];
    const uint64_t rows = b->column[i].rows;
    if (coded || (x->type != ARROW_STRUCT && x->type != ARROW_FIXED_LIST)) return true;
    const uint64_t each = x->type == ARROW_STRUCT ? 1 : x->width;
    for (uint32_t k = i + 1; each && k < x->end; k = field[k].end)
        if (b->column[k].rows / each < rows) return false;
    return true;
}

const char *arrow_bind(struct arrow_batch *b, const struct arrow_layout *l, uint32_t from,
                       uint32_t to, bool values)
{
    struct arrow_binder binder = {.batch = b, .layout = l};
    const struct arrow_field *field = b->schema->field;
    b->n_variadic = 0;
    for (uint32_t i = from; i < to;) {
        const bool coded = field[i].is_coded && !(values && i == from);
        if (!arrow_bind_field(&binder, &field[i], &b->column[i], coded) || l->f->wrong)
            return "a buffer is too short";
        i = coded ? field[i].end : i + 1; /* the children belong to the dictionary */
    }
    for (uint32_t i = from; i < to;) {
        const bool coded = field[i].is_coded && !(values && i == from);
        if (!arrow_fits_children(b, i, coded)) return "a field has fewer rows than its parent";
        i = coded ? field[i].end : i + 1;
    }
    for (uint32_t i = from; !values && i < to; i = field[i].end)
        if (b->column[i].rows < b->rows) return "a field has fewer rows than the batch";
    return NULL;
}
