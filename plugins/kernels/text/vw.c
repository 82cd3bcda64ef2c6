/* vw.c -- see vw.h for the grammar.
 *
 * The end of a name is looked for eight bytes at a time: it is the first of four bytes, and each is
 * found in a register by one subtraction. The number after it is decimal's.
 *
 * Not here: what a label means, and how a name is shown (the stage decides). */
#include "vw.h"

#include <math.h>
#include <string.h>

#include "decimal.h"
#include "kernels/base/feature_id.h"

/* The namespace at hand. */
struct space {
    struct vw_text name;
    uint64_t seed; /* of its features' ids */
    float scale;
    bool kept;
};

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* May a feature or a namespace end at p? */
static bool is_boundary(const char *p, const char *end)
{
    return p == end || is_blank(*p) || *p == '|';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static const char *word_end(const char *p, const char *end)
{
    while (!is_boundary(p, end))
        p++;
    return p;
}

/* The high bit of the first byte of w that is c. Bits above it mean nothing. */
static inline uint64_t bytes_equal(uint64_t w, char c)
{
    uint64_t x = w ^ UINT64_C(0x0101010101010101) * (uint8_t)c;
    return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

/* Where the name at p ends: at a blank, ":", "|" or end. */
static inline const char *name_end(const char *p, const char *end, const char *limit)
{
    for (; limit - p >= 8; p += 8) {
        if (p >= end) return end;
        uint64_t w = decimal_load8(p);
        uint64_t stop =
            bytes_equal(w, ' ') | bytes_equal(w, ':') | bytes_equal(w, '|') | bytes_equal(w, '\t');
        if (!stop) continue;
        p += __builtin_ctzll(stop) / 8;
        return p < end ? p : end;
    }
    while (p < end && !is_boundary(p, end) && *p != ':')
        p++;
    return p < end ? p : end;
}

static enum vw_status wrong(struct vw_row *row, enum vw_status status, const char *p,
                            const char *end)
{
    row->wrong = (struct vw_text){p, (size_t)(end - p)};
    return status;
}

/* The number at *p, which ends where its word does; *p moves there. `none` is the status where it
 * is no number, and the next one where it is not finite. */
static enum vw_status number(const char **p, const char *end, float *value, enum vw_status none,
                             struct vw_row *row)
{
    const char *begin = *p;
    enum decimal_status status = decimal_parse_float(begin, end, value, p);
    if (status == DECIMAL_OK && is_boundary(*p, end)) return VW_OK;
    bool finite = status != DECIMAL_NONFINITE || !is_boundary(*p, end);
    return wrong(row, finite ? none : none + 1, begin, word_end(begin, end));
}

/* ---- the head ---- */

/* The same of a word of the head as a double, as far as a float can hold it. */
static enum vw_status head_number(struct vw_text w, double *value, enum vw_status none,
                                  struct vw_row *row)
{
    const char *end = w.at + w.len;
    enum decimal_status status = decimal_whole(w.at, end, value);
    if (status == DECIMAL_OK && fabs(*value) < DECIMAL_FLOAT_END) return VW_OK;
    return wrong(row, status == DECIMAL_NONE ? none : none + 1, w.at, end);
}

/* The word number i of the head, which is no tag. */
static enum vw_status head_word(struct vw_text w, unsigned i, struct vw_row *row)
{
    enum vw_status status;
    switch (i) {
    case 0:
        row->has_label = true;
        return head_number(w, &row->label, VW_LABEL, row);
    case 1:
        status = head_number(w, &row->importance, VW_IMPORTANCE, row);
        if (status != VW_OK || row->importance >= 0) return status;
        return wrong(row, VW_IMPORTANCE_NEGATIVE, w.at, w.at + w.len);
    case 2:
        return head_number(w, &row->base, VW_BASE, row);
    default:
        return wrong(row, VW_HEAD, w.at, w.at + w.len);
    }
}

/* The last word of the head, w, is its tag. */
static enum vw_status tag(struct vw_text w, struct vw_row *row)
{
    double value;
    bool quoted = *w.at == '\'';
    if (!quoted && !row->has_label && decimal_whole(w.at, w.at + w.len, &value) != DECIMAL_NONE)
        return wrong(row, VW_LABEL_TOUCHES, w.at, w.at + w.len);
    row->tag = (struct vw_text){w.at + quoted, w.len - quoted};
    return VW_OK;
}

/* All before the first "|", or before end; *p moves there. */
static enum vw_status head(const char **p, const char *end, struct vw_row *row)
{
    enum vw_status status = VW_OK;
    for (unsigned i = 0; status == VW_OK && !(*p == end || **p == '|'); i++) {
        const char *begin = *p, *stop = word_end(begin, end), *next = skip_blanks(stop, end);
        struct vw_text w = {begin, (size_t)(stop - begin)};
        bool last = next == end || *next == '|', touches = stop < end && *stop == '|';
        status = last && (touches || *begin == '\'') ? tag(w, row) : head_word(w, i, row);
        *p = next;
    }
    return status;
}

/* ---- features ---- */

/* A namespace begins at *p, after its "|"; *p moves to its first feature. */
static enum vw_status begin_space(const char **p, const char *end, const char *limit,
                                  struct space *s, struct vw_row *row)
{
    const char *begin = *p, *stop = name_end(begin, end, limit);
    enum vw_status status = VW_OK;
    *s = (struct space){.name = {begin, (size_t)(stop - begin)}, .scale = 1};
    *p = stop;
    if (stop < end && *stop == ':') {
        if (!s->name.len) return wrong(row, VW_NO_NAME, begin, word_end(begin, end));
        ++*p;
        status = number(p, end, &s->scale, VW_SCALE, row);
    }
    s->seed = feature_id_name(s->name.at, s->name.len);
    s->kept = !row->keeps || row->keeps(row->self, s->name);
    return status;
}

/* A name that is an index: digits in the namespace without a name. */
static inline bool is_index(const struct space *s, struct vw_text name, uint64_t *id)
{
    const char *end = name.at + name.len;
    return !s->name.len && decimal_is_digit(*name.at) && decimal_u64(name.at, end, id) == end;
}

static inline enum vw_status put_entry(const struct space *s, struct vw_text name, float value,
                                       struct vw_row *row)
{
    if (row->n == row->cap) return wrong(row, VW_FULL, name.at, name.at + name.len);
    size_t i = row->n++;
    row->value[i] = value;
    if (is_index(s, name, &row->id[i])) return VW_OK;
    row->id[i] = s->name.len ? feature_id_value(s->seed, name.at, name.len)
                             : feature_id_name(name.at, name.len);
    if (row->name) row->name(row->self, i, s->name, name);
    return VW_OK;
}

/* The feature at *p; *p moves behind it. */
static inline enum vw_status feature(const char **p, const char *end, const char *limit,
                                     const struct space *s, struct vw_row *row)
{
    const char *begin = *p, *stop = name_end(begin, end, limit), *text = stop;
    struct vw_text name = {begin, (size_t)(stop - begin)};
    float value = 1;
    *p = stop;
    if (!name.len) return wrong(row, VW_NO_NAME, begin, word_end(begin, end));
    if (stop < end && *stop == ':') {
        text = *p = stop + 1;
        enum vw_status status = number(p, end, &value, VW_VALUE, row);
        if (status != VW_OK) return status;
    }
    value *= s->scale;
    if (!isfinite(value)) return wrong(row, VW_VALUE_NONFINITE, text, *p);
    return s->kept ? put_entry(s, name, value, row) : VW_OK;
}

enum vw_status vw_parse(const char *p, const char *end, const char *limit, struct vw_row *row)
{
    struct space s;
    row->n = 0;
    row->has_label = false;
    row->importance = 1;
    row->base = 0;
    row->tag = (struct vw_text){p, 0};
    while (end > p && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    p = skip_blanks(p, end);
    if (p == end) return VW_NOTHING;
    enum vw_status status = head(&p, end, row);
    while (status == VW_OK && p < end) {
        if (*p == '|') {
            p++;
            status = begin_space(&p, end, limit, &s, row);
        } else {
            status = feature(&p, end, limit, &s, row);
        }
        p = skip_blanks(p, end);
    }
    return status;
}
