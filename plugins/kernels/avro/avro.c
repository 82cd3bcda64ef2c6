/* avro.c -- implementation of avro.h */
#include "avro.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "avro_plan.h"
#include "core/text/utf8.h"

const char *avro_fault_text(enum avro_fault fault)
{
    static const char *const text[] = {
        [AVRO_OK] = "nothing",
        [AVRO_CUT] = "the record ends inside a value",
        [AVRO_LONG_INT] = "an integer is too long for its type",
        [AVRO_LENGTH] = "a length is negative, or greater than the rest of the record",
        [AVRO_COUNT] = "a block has more items than the rest of the record can hold",
        [AVRO_BLOCK] = "the length of a block is wrong",
        [AVRO_NO_BOOLEAN] = "a boolean is neither 0 nor 1",
        [AVRO_NO_BRANCH] = "the union has no such branch",
        [AVRO_NO_SYMBOL] = "the enum has no such symbol",
        [AVRO_NO_UTF8] = "a text is not UTF-8",
        [AVRO_DEEP] = "values are nested too deep",
        [AVRO_TRAILING] = "bytes follow the record"};
    return text[fault];
}

/* ---- reading bytes ---- */

struct avro_reader {
    const uint8_t *p, *end, *begin;
    const struct avro_plan *plan;
    struct avro_value *found;
    const char *field; /* innermost field that contains the fault */
    uint32_t empties;
    int depth;
    enum avro_fault fault;
};

static bool avro_fail(struct avro_reader *r, enum avro_fault fault)
{
    r->fault = fault;
    return false;
}

/* Reads a zigzag integer: seven bits per byte, lowest bits first. */
static bool read_long(struct avro_reader *r, int64_t *value)
{
    uint64_t bits = 0;
    for (unsigned shift = 0; r->p < r->end; shift += 7) {
        uint8_t byte = *r->p;
        if (shift == 63 && byte > 1) return avro_fail(r, AVRO_LONG_INT);
        r->p++;
        bits |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
            return true;
        }
    }
    return avro_fail(r, AVRO_CUT);
}

static bool avro_read_int(struct avro_reader *r, int64_t *value)
{
    const uint8_t *from = r->p;
    if (!read_long(r, value)) return false;
    if (*value >= INT32_MIN && *value <= INT32_MAX) return true;
    r->p = from;
    return avro_fail(r, AVRO_LONG_INT);
}

static size_t left(const struct avro_reader *r) { return (size_t)(r->end - r->p); }

static bool avro_skip(struct avro_reader *r, size_t n)
{
    if (n > left(r)) return avro_fail(r, AVRO_CUT);
    r->p += n;
    return true;
}

/* Reads a length, and then that many bytes. */
static bool read_bytes(struct avro_reader *r, const uint8_t **at, size_t *n)
{
    int64_t length;
    const uint8_t *from = r->p;
    if (!read_long(r, &length)) return false;
    if (length < 0 || (uint64_t)length > left(r)) {
        r->p = from;
        return avro_fail(r, AVRO_LENGTH);
    }
    *at = r->p;
    *n = (size_t)length;
    r->p += length;
    return true;
}

static bool avro_read_text(struct avro_reader *r, const uint8_t **at, size_t *n)
{
    if (!read_bytes(r, at, n)) return false;
    size_t wrong = utf8_prefix(*at, *n);
    if (wrong == *n) return true;
    r->p = *at + wrong;
    return avro_fail(r, AVRO_NO_UTF8);
}

/* Reads the index of a union's branch or of an enum's symbol. The index must be below n. */
static bool avro_read_index(struct avro_reader *r, uint32_t n, enum avro_fault fault,
                            uint32_t *index)
{
    int64_t value;
    const uint8_t *from = r->p;
    if (!read_long(r, &value)) return false;
    *index = (uint32_t)value;
    if (value >= 0 && value < (int64_t)n) return true;
    r->p = from;
    return avro_fail(r, fault);
}

/* ---- blocks of arrays and maps ---- */

/* Block of items. The last block of an array or map has 0 items. A negative count in its header
 * means that the header also states the size in bytes. */
struct avro_block {
    uint64_t items;
    const uint8_t *end; /* end of the block; NULL if the header states no size */
};

static bool count_fits(struct avro_reader *r, uint64_t items, bool empty)
{
    if (!empty) return items <= left(r);
    if (items > AVRO_EMPTIES - r->empties) return false;
    r->empties += (uint32_t)items;
    return true;
}

/* Reads the header of a block. `empty`: whether an item takes no bytes. */
static bool read_block(struct avro_reader *r, bool empty, struct avro_block *b)
{
    int64_t count, size = 0;
    const uint8_t *from = r->p;
    if (!read_long(r, &count)) return false;
    bool sized = count < 0;
    if (sized && !read_long(r, &size)) return false;
    if (size < 0 || (uint64_t)size > left(r)) {
        r->p = from;
        return avro_fail(r, AVRO_LENGTH);
    }
    b->items = sized ? 0 - (uint64_t)count : (uint64_t)count;
    b->end = sized ? r->p + size : NULL;
    if (count_fits(r, b->items, empty)) return true;
    r->p = from;
    return avro_fail(r, AVRO_COUNT);
}

static bool end_block(struct avro_reader *r, const struct avro_block *b)
{
    return !b->end || b->end == r->p || avro_fail(r, AVRO_BLOCK);
}

/* ---- values ---- */

static bool read_value(struct avro_reader *r, const struct avro_type *t, uint32_t want);

static bool avro_read_record(struct avro_reader *r, const struct avro_type *t,
                             const uint32_t *child)
{
    for (uint32_t i = 0; i < t->n; i++) {
        if (read_value(r, t->member[i].type, child ? child[i] : 0)) continue;
        if (!r->field) r->field = t->member[i].name;
        return false;
    }
    return true;
}

/* Returns the index of the want of element `index` of an array, or 0 if no path
 * needs this element. */
static uint32_t want_of_element(const struct avro_reader *r, uint32_t want, uint64_t index)
{
    const struct json_node *node = r->plan->paths->node;
    const uint32_t *child = r->plan->want[want].child;
    uint32_t c = node[r->plan->want[want].node].child;
    while (c && !(*child && node[c].step.index == index)) {
        c = node[c].sibling;
        child++;
    }
    return c ? *child : 0;
}

static bool avro_read_array(struct avro_reader *r, const struct avro_type *t, uint32_t want)
{
    const struct avro_type *item = t->member[0].type;
    struct avro_block b;
    uint64_t index = 0;
    do {
        if (!read_block(r, item->empty, &b)) return false;
        for (uint64_t i = 0; i < b.items; i++, index++)
            if (!read_value(r, item, want ? want_of_element(r, want, index) : 0)) return false;
        if (!end_block(r, &b)) return false;
    } while (b.items);
    return true;
}

/* Returns the index of the want of a key in a map, or 0 if no path needs the key. Also returns 0 if
 * the key occurs a second time. */
static uint32_t want_of_key(const struct avro_reader *r, uint32_t want, const uint8_t *key,
                            size_t n)
{
    const struct json_node *node = r->plan->paths->node;
    const uint32_t *child = r->plan->want[want].child;
    for (uint32_t c = node[r->plan->want[want].node].child; c; c = node[c].sibling, child++)
        if (*child && avro_is_key(&node[c].step, (const char *)key, n))
            return r->found[c].type ? 0 : *child;
    return 0;
}

static bool read_map(struct avro_reader *r, const struct avro_type *t, uint32_t want)
{
    struct avro_block b;
    do {
        if (!read_block(r, false, &b)) return false;
        for (uint64_t i = 0; i < b.items; i++) {
            const uint8_t *key;
            size_t n;
            if (!avro_read_text(r, &key, &n)) return false;
            if (!read_value(r, t->member[0].type, want ? want_of_key(r, want, key, n) : 0))
                return false;
        }
        if (!end_block(r, &b)) return false;
    } while (b.items);
    return true;
}

static bool avro_read_union(struct avro_reader *r, const struct avro_type *t, const uint32_t *child)
{
    uint32_t branch;
    return avro_read_index(r, t->n, AVRO_NO_BRANCH, &branch) &&
           read_value(r, t->member[branch].type, child ? child[branch] : 0);
}

static bool read_boolean(struct avro_reader *r)
{
    if (left(r) && *r->p > 1) return avro_fail(r, AVRO_NO_BOOLEAN);
    return avro_skip(r, 1);
}

static bool read_single(struct avro_reader *r, const struct avro_type *t)
{
    int64_t integer;
    uint32_t index;
    const uint8_t *at;
    size_t n;
    switch (t->kind) {
    case AVRO_BOOLEAN:
        return read_boolean(r);
    case AVRO_INT:
        return avro_read_int(r, &integer);
    case AVRO_LONG:
        return read_long(r, &integer);
    case AVRO_FLOAT:
        return avro_skip(r, 4);
    case AVRO_DOUBLE:
        return avro_skip(r, 8);
    case AVRO_BYTES:
        return read_bytes(r, &at, &n);
    case AVRO_STRING:
        return avro_read_text(r, &at, &n);
    case AVRO_FIXED:
        return avro_skip(r, t->n);
    case AVRO_ENUM:
        return avro_read_index(r, t->n, AVRO_NO_SYMBOL, &index);
    default:
        return true;
    }
}

static bool read_compound(struct avro_reader *r, const struct avro_type *t, uint32_t want)
{
    const uint32_t *child = want ? r->plan->want[want].child : NULL;
    switch (t->kind) {
    case AVRO_RECORD:
        return avro_read_record(r, t, child);
    case AVRO_ARRAY:
        return avro_read_array(r, t, want);
    case AVRO_MAP:
        return read_map(r, t, want);
    default:
        return avro_read_union(r, t, child);
    }
}

static bool read_value(struct avro_reader *r, const struct avro_type *t, uint32_t want)
{
    if (want && t->kind != AVRO_UNION)
        r->found[r->plan->want[want].node] = (struct avro_value){t, (uint32_t)(r->p - r->begin)};
    if (t->kind < AVRO_RECORD) return read_single(r, t);
    if (t->empty && !want) return true; /* a record type may have too many empty fields to visit */
    if (r->depth == AVRO_DEPTH) return avro_fail(r, AVRO_DEEP);
    r->depth++;
    bool good = read_compound(r, t, want);
    r->depth--;
    return good;
}

enum avro_fault avro_read(const struct avro_plan *plan, struct avro_bytes b,
                          struct avro_value *found, uint32_t *at, const char **field)
{
    struct avro_reader r = {
        .p = b.at, .begin = b.at, .end = b.at + b.n, .plan = plan, .found = found};
    memset(found, 0, plan->paths->n_nodes * sizeof *found);
    if (read_value(&r, plan->root, 1) && r.p < r.end) avro_fail(&r, AVRO_TRAILING);
    *at = (uint32_t)(r.p - b.at);
    *field = r.field;
    return r.fault;
}

/* ---- all values ---- */

struct avro_walker {
    struct avro_reader r;
    avro_tell *tell;
    void *to;
};

static bool avro_walk_value(struct avro_walker *w, const struct avro_type *t);

static bool avro_walk_record(struct avro_walker *w, const struct avro_type *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct avro_member *m = &t->member[i];
        w->tell(w->to, AVRO_KEY, (struct avro_value){NULL, 0}, m->name, strlen(m->name));
        if (avro_walk_value(w, m->type)) continue;
        if (!w->r.field) w->r.field = m->name;
        return false;
    }
    return true;
}

/* Walks an array or a map. */
static bool avro_walk_blocks(struct avro_walker *w, const struct avro_type *t)
{
    const struct avro_type *item = t->member[0].type;
    bool is_map = t->kind == AVRO_MAP;
    struct avro_block b;
    do {
        if (!read_block(&w->r, item->empty && !is_map, &b)) return false;
        for (uint64_t i = 0; i < b.items; i++) {
            const uint8_t *key = NULL;
            size_t n = 0;
            if (is_map && !avro_read_text(&w->r, &key, &n)) return false;
            if (is_map)
                w->tell(w->to, AVRO_KEY, (struct avro_value){NULL, 0}, (const char *)key, n);
            if (!avro_walk_value(w, item)) return false;
        }
        if (!end_block(&w->r, &b)) return false;
    } while (b.items);
    return true;
}

static bool avro_walk_compound(struct avro_walker *w, struct avro_value v)
{
    if (w->r.depth == AVRO_DEPTH) return avro_fail(&w->r, AVRO_DEEP);
    w->r.depth++;
    w->tell(w->to, AVRO_BEGIN, v, NULL, 0);
    bool good =
        v.type->kind == AVRO_RECORD ? avro_walk_record(w, v.type) : avro_walk_blocks(w, v.type);
    w->tell(w->to, AVRO_END, v, NULL, 0);
    w->r.depth--;
    return good;
}

static bool avro_walk_value(struct avro_walker *w, const struct avro_type *t)
{
    uint32_t branch;
    if (t->empty && ++w->r.empties > 2 * AVRO_EMPTIES) /* read_block() counts elements, too */
        return avro_fail(&w->r, AVRO_COUNT);
    for (; t->kind == AVRO_UNION; t = t->member[branch].type)
        if (!avro_read_index(&w->r, t->n, AVRO_NO_BRANCH, &branch)) return false;
    struct avro_value v = {t, (uint32_t)(w->r.p - w->r.begin)};
    if (t->kind >= AVRO_RECORD) return avro_walk_compound(w, v);
    if (!read_single(&w->r, t)) return false;
    w->tell(w->to, AVRO_SINGLE, v, NULL, 0);
    return true;
}

enum avro_fault avro_tell_all(const struct avro_type *t, struct avro_bytes b, avro_tell *tell,
                              void *to, uint32_t *at, const char **field)
{
    struct avro_walker w = {{.p = b.at, .begin = b.at, .end = b.at + b.n}, tell, to};
    (void)avro_walk_value(&w, t);
    *at = (uint32_t)(w.r.p - b.at);
    *field = w.r.field;
    return w.r.fault;
}

/* ---- single values ---- */

static struct avro_reader reader_at(struct avro_bytes b, uint32_t at)
{
    return (struct avro_reader){.p = b.at + at, .begin = b.at, .end = b.at + b.n};
}

int64_t avro_integer(struct avro_bytes b, struct avro_value v)
{
    int64_t value = 0;
    struct avro_reader r = reader_at(b, v.at);
    if (v.type->kind == AVRO_BOOLEAN) return *r.p;
    read_long(&r, &value);
    assert(!r.fault);
    return value;
}

/* Loads a little-endian number, as Avro stores it. */
static uint64_t load_le(const uint8_t *p, int bytes)
{
    uint64_t bits = 0;
    while (bytes--)
        bits = bits << 8 | p[bytes];
    return bits;
}

double avro_real(struct avro_bytes b, struct avro_value v)
{
    double wide;
    float narrow;
    if (v.type->kind == AVRO_DOUBLE) {
        uint64_t bits = load_le(b.at + v.at, 8);
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    uint32_t bits = (uint32_t)load_le(b.at + v.at, 4);
    memcpy(&narrow, &bits, sizeof narrow);
    return (double)narrow;
}

struct avro_bytes avro_slice(struct avro_bytes b, struct avro_value v)
{
    const uint8_t *at = b.at + v.at;
    size_t n = v.type->n;
    struct avro_reader r = reader_at(b, v.at);
    if (v.type->kind != AVRO_FIXED) read_bytes(&r, &at, &n);
    assert(!r.fault);
    return (struct avro_bytes){at, (uint32_t)n};
}

bool avro_big_decimal(struct avro_bytes slice, struct avro_bytes *integer, int64_t *scale)
{
    struct avro_reader r = reader_at(slice, 0);
    size_t n;
    if (!read_bytes(&r, &integer->at, &n) || !avro_read_int(&r, scale)) return false;
    integer->n = (uint32_t)n;
    return r.p == r.end;
}

/* ---- the rest of a path, from its first [*] on ---- */

static const struct avro_value NOTHING = {NULL, 0};

/* Moves the reader past a value that avro_read() has accepted. */
static void pass(struct avro_reader *r, const struct avro_type *t)
{
    r->empties = 0; /* avro_read() has checked their number */
    bool good = read_value(r, t, 0);
    assert(good);
    (void)good;
}

/* Returns the value at the position of the reader; for a union, the value of its branch. Does not
 * move the reader. */
static struct avro_value avro_value_at(struct avro_reader r, const struct avro_type *t)
{
    uint32_t branch;
    if (t->kind == AVRO_UNION && avro_read_index(&r, t->n, AVRO_NO_BRANCH, &branch))
        t = t->member[branch].type;
    return (struct avro_value){t, (uint32_t)(r.p - r.begin)};
}

static struct avro_value field_of(struct avro_reader *r, const struct avro_type *t,
                                  const struct json_step *step)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct avro_member *m = &t->member[i];
        if (avro_is_key(step, m->name, strlen(m->name))) return avro_value_at(*r, m->type);
        pass(r, m->type);
    }
    return NOTHING;
}

/* Reads the header of the next block of an array or map. Returns false after the last block. */
static bool next_block(struct avro_reader *r, const struct avro_type *item, struct avro_block *b)
{
    r->empties = 0;
    return read_block(r, item->empty, b) && b->items;
}

static struct avro_value element_of(struct avro_reader *r, const struct avro_type *t,
                                    const struct json_step *step)
{
    const struct avro_type *item = t->member[0].type;
    struct avro_block b;
    uint64_t index = 0;
    while (next_block(r, item, &b))
        for (uint64_t i = 0; i < b.items; i++, pass(r, item))
            if (index++ == step->index) return avro_value_at(*r, item);
    return NOTHING;
}

static struct avro_value avro_key_of(struct avro_reader *r, const struct avro_type *t,
                                     const struct json_step *step)
{
    const struct avro_type *item = t->member[0].type;
    struct avro_block b;
    while (next_block(r, item, &b))
        for (uint64_t i = 0; i < b.items; i++, pass(r, item)) {
            const uint8_t *key = NULL;
            size_t n = 0;
            if (read_bytes(r, &key, &n) && avro_is_key(step, (const char *)key, n))
                return avro_value_at(*r, item);
        }
    return NOTHING;
}

/* Follows one step, a key or an index, from a value. Returns NOTHING if there is no such value. */
static struct avro_value avro_follow(struct avro_bytes b, struct avro_value v,
                                     const struct json_step *step)
{
    struct avro_reader r = reader_at(b, v.at);
    bool key = step->kind == JSON_KEY;
    if (v.type->kind == AVRO_RECORD && key) return field_of(&r, v.type, step);
    if (v.type->kind == AVRO_MAP && key) return avro_key_of(&r, v.type, step);
    if (v.type->kind == AVRO_ARRAY && !key) return element_of(&r, v.type, step);
    return NOTHING;
}

bool avro_each(struct avro_bytes bytes, struct avro_value v, const struct json_step *rest,
               uint32_t n_rest, avro_visit *visit, void *to)
{
    for (; n_rest && rest->kind != JSON_ALL && v.type; n_rest--)
        v = avro_follow(bytes, v, rest++);
    if (!n_rest || !v.type) return visit(to, v);
    if (v.type->kind != AVRO_ARRAY) return avro_each(bytes, v, rest + 1, n_rest - 1, visit, to);
    const struct avro_type *item = v.type->member[0].type;
    struct avro_reader r = reader_at(bytes, v.at);
    struct avro_block b;
    while (next_block(&r, item, &b))
        for (uint64_t i = 0; i < b.items; i++, pass(&r, item))
            if (!avro_each(bytes, avro_value_at(r, item), rest + 1, n_rest - 1, visit, to))
                return false;
    return true;
}
