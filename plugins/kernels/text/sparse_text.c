/* sparse_text.c -- parsers of libsvm, libffm and Vowpal Wabbit records
 *
 * A libsvm entry has two readers. plain_entries() reads runs of entries in the usual forms. All
 * other entries are read word by word, as in the grammar. If both accept an entry, their results
 * are equal; tests and fuzzing compare both with a naive reader.
 *
 * Out of scope: the meaning of a label, which the stage defines. */
#include "sparse_text.h"

#include <math.h>
#include <string.h>

#include "decimal.h"
#include "kernels/base/feature_id.h"
#include "plain_entries.h"

/* ---- libsvm ---- */

static bool sparse_text_is_blank(char c) { return c == ' ' || c == '\t'; }

static const char *sparse_text_skip_blanks(const char *p, const char *end)
{
    while (p < end && sparse_text_is_blank(*p))
        p++;
    return p;
}

static const char *sparse_text_token_end(const char *p, const char *end)
{
    while (p < end && !sparse_text_is_blank(*p))
        p++;
    return p;
}

/* True if a number may end at p. */
static bool may_number_end(const char *p, const char *end)
{
    return p == end || sparse_text_is_blank(*p) || *p == '#';
}

static enum libsvm_status libsvm_wrong(struct libsvm_row *row, enum libsvm_status status,
                                       const char *p, const char *end)
{
    row->at = p;
    row->at_len = (size_t)(end - p);
    return status;
}

static enum libsvm_status libsvm_put(struct libsvm_row *row, uint64_t id, float value,
                                     const char *p, const char *end)
{
    if (row->n == row->cap) return libsvm_wrong(row, LIBSVM_FULL, p, end);
    row->id[row->n] = id;
    row->value[row->n++] = value;
    return LIBSVM_OK;
}

/* Reads the entry at p if it is an index, ":" and a valid value. Returns its end, or NULL. */
static const char *index_entry(const char *p, const char *end, uint64_t *id, float *value)
{
    const char *q = decimal_u64(p, end, id);
    if (!q || q == end || *q != ':') return NULL;
    if (decimal_parse_float(q + 1, end, value, &q) != DECIMAL_OK || !may_number_end(q, end))
        return NULL;
    return q;
}

/* Reads entries of an index and a value from p on, separated by one blank. Returns the start of the
 * first other entry, or end. */
static const char *index_entries(const char *p, const char *end, const char *limit,
                                 struct libsvm_row *row)
{
    struct plain_room room = {row->id, row->value, row->n, row->cap};
    for (;;) {
        p = plain_entries(p, end, limit, &room);
        if (p == end || room.n == room.cap) break;
        const char *stop = index_entry(p, end, &room.id[room.n], &room.value[room.n]);
        if (!stop || (stop < end && !sparse_text_is_blank(*stop))) break;
        room.n++;
        p = stop < end ? stop + 1 : end;
    }
    row->n = room.n;
    return p;
}

/* Reads the value at p, which must end with its token or before a "#" in the token. */
static enum libsvm_status sparse_text_value_at(const char *p, const char *end, float *value,
                                               const char **stop, struct libsvm_row *row)
{
    enum decimal_status status = decimal_parse_float(p, end, value, stop);
    if (status == DECIMAL_NONE || !may_number_end(*stop, end))
        return libsvm_wrong(row, LIBSVM_VALUE, p, end);
    return status == DECIMAL_OK ? LIBSVM_OK : libsvm_wrong(row, LIBSVM_VALUE_NONFINITE, p, end);
}

/* Reads the entry [p, end), which index_entry() refused because it has a name or is faulty. */
static enum libsvm_status named_entry(const char *p, const char *end, const char **stop,
                                      struct libsvm_row *row)
{
    const char *name_end = end;
    for (const char *q = end; q > p; q--)
        if (q[-1] == ':') {
            name_end = q - 1;
            break;
        }
    size_t len = (size_t)(name_end - p);
    uint64_t id = 0;
    bool is_index = decimal_u64(p, name_end, &id) == name_end;
    if (len == 0) return libsvm_wrong(row, LIBSVM_NO_NAME, p, end);
    if (!row->name && name_end == end) return libsvm_wrong(row, LIBSVM_NO_COLON, p, end);
    if (!row->name && !is_index) return libsvm_wrong(row, LIBSVM_NAME, p, name_end);
    float value = 1;
    *stop = end;
    if (name_end < end) {
        enum libsvm_status status = sparse_text_value_at(name_end + 1, end, &value, stop, row);
        if (status != LIBSVM_OK) return status;
    }
    if (!is_index) id = feature_id_name(p, len);
    enum libsvm_status status = libsvm_put(row, id, value, p, end);
    if (status == LIBSVM_OK && !is_index) row->name(row->self, row->n - 1, p, len);
    return status;
}

static bool is_qid(const char *p, const char *end)
{
    return end - p >= 4 && memcmp(p, "qid:", 4) == 0;
}

/* Reads the query id of a ranking data set, "qid:" and text up to a blank or "#". */
static enum libsvm_status libsvm_query(const char *p, const char *end, const char **stop,
                                       struct libsvm_row *row)
{
    const char *q = p + 4;
    while (!may_number_end(q, end))
        q++;
    if (q == p + 4) return libsvm_wrong(row, LIBSVM_VALUE, q, end);
    row->qid = p + 4;
    row->qid_len = (size_t)(q - row->qid);
    *stop = q;
    return LIBSVM_OK;
}

/* Reads the entry at *p, in any form of the grammar. Moves *p to its end. */
static enum libsvm_status any_entry(const char **p, const char *end, struct libsvm_row *row)
{
    uint64_t id;
    float value;
    const char *begin = *p, *stop = index_entry(begin, end, &id, &value);
    if (stop) {
        *p = stop;
        return libsvm_put(row, id, value, begin, stop);
    }
    end = sparse_text_token_end(begin, end);
    return is_qid(begin, end) ? libsvm_query(begin, end, p, row) : named_entry(begin, end, p, row);
}

static enum libsvm_status libsvm_label_at(const char **p, const char *end, struct libsvm_row *row)
{
    const char *begin = *p;
    enum decimal_status status = decimal_parse(begin, end, &row->label, p);
    if (status == DECIMAL_NONE || !may_number_end(*p, end))
        return libsvm_wrong(row, LIBSVM_LABEL, begin, sparse_text_token_end(begin, end));
    if (status == DECIMAL_NONFINITE || fabs(row->label) >= DECIMAL_FLOAT_END)
        return libsvm_wrong(row, LIBSVM_LABEL_NONFINITE, begin, sparse_text_token_end(begin, end));
    return LIBSVM_OK;
}

enum libsvm_status libsvm_parse(const char *p, const char *end, const char *limit,
                                struct libsvm_row *row)
{
    row->n = 0;
    row->qid = NULL;
    row->qid_len = 0;
    row->comment = NULL;
    while (end > p && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    while (end > p && sparse_text_is_blank(end[-1]))
        end--;
    p = sparse_text_skip_blanks(p, end);
    if (p == end || *p == '#') return LIBSVM_NOTHING;
    enum libsvm_status status = libsvm_label_at(&p, end, row);
    while (status == LIBSVM_OK) {
        p = sparse_text_skip_blanks(p, end);
        p = index_entries(p, end, limit, row);
        p = sparse_text_skip_blanks(p, end);
        if (p < end && *p == '#') row->comment = p;
        if (p == end || row->comment) break;
        status = any_entry(&p, end, row);
    }
    return status;
}

/* ---- libffm ---- */

static bool is_blank_or_end(const char *p, const char *end)
{
    return p == end || sparse_text_is_blank(*p);
}

/* Reports the word that begins at p as faulty. Returns `status`. */
static enum libffm_status libffm_wrong(struct libffm_row *row, enum libffm_status status,
                                       const char *p, const char *end)
{
    row->at = p;
    while (!is_blank_or_end(p, end))
        p++;
    row->at_len = (size_t)(p - row->at);
    return status;
}

/* Reads digits and ":" at p. Returns the text after the ":", or NULL if p has other text. */
static inline const char *number_colon(const char *p, const char *end, uint64_t *n)
{
    const char *q = decimal_u64(p, end, n);
    return q && q < end && *q == ':' ? q + 1 : NULL;
}

/* Reads the entry at *p and moves *p after it. */
static inline enum libffm_status libffm_entry(const char **p, const char *end,
                                              struct libffm_row *row)
{
    uint64_t field, index;
    float value;
    const char *begin = *p, *second = number_colon(begin, end, &field);
    if (!second) return libffm_wrong(row, LIBFFM_FIELD, begin, end);
    const char *third = number_colon(second, end, &index);
    if (!third) return libffm_wrong(row, LIBFFM_INDEX, second, end);
    enum decimal_status status = decimal_parse_float(third, end, &value, p);
    if (status == DECIMAL_NONE || !is_blank_or_end(*p, end))
        return libffm_wrong(row, LIBFFM_VALUE, third, end);
    if (status != DECIMAL_OK) return libffm_wrong(row, LIBFFM_VALUE_NONFINITE, third, end);
    if (row->n == row->cap) return libffm_wrong(row, LIBFFM_FULL, begin, end);
    row->id[row->n] = libffm_id(field, index);
    row->value[row->n] = value;
    if (row->name) row->name(row->self, row->n, begin, (size_t)(third - 1 - begin));
    row->n++;
    return LIBFFM_OK;
}

static enum libffm_status libffm_label_at(const char **p, const char *end, struct libffm_row *row)
{
    const char *begin = *p;
    enum decimal_status status = decimal_parse(begin, end, &row->label, p);
    if (status == DECIMAL_NONE || !is_blank_or_end(*p, end))
        return libffm_wrong(row, LIBFFM_LABEL, begin, end);
    if (status == DECIMAL_NONFINITE || fabs(row->label) >= DECIMAL_FLOAT_END)
        return libffm_wrong(row, LIBFFM_LABEL_NONFINITE, begin, end);
    return LIBFFM_OK;
}

enum libffm_status libffm_parse(const char *p, const char *end, struct libffm_row *row)
{
    row->n = 0;
    while (end > p && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    p = sparse_text_skip_blanks(p, end);
    if (p == end) return LIBFFM_NOTHING;
    enum libffm_status status = libffm_label_at(&p, end, row);
    for (p = sparse_text_skip_blanks(p, end); status == LIBFFM_OK && p < end;
         p = sparse_text_skip_blanks(p, end))
        status = libffm_entry(&p, end, row);
    return status;
}

/* ---- vw ---- */

/* Current namespace. */
struct vw_space {
    struct vw_text name;
    uint64_t seed; /* seed of the ids of its features */
    float scale;
    bool kept;
};

/* True if a feature or a namespace may end at p. */
static bool may_word_end(const char *p, const char *end)
{
    return p == end || sparse_text_is_blank(*p) || *p == '|';
}

static const char *word_end(const char *p, const char *end)
{
    while (!may_word_end(p, end))
        p++;
    return p;
}

/* Returns a word whose lowest set bit is the high bit of the first byte of w that equals c. Bits
 * above it are meaningless. */
static inline uint64_t bytes_equal(uint64_t w, char c)
{
    uint64_t x = w ^ UINT64_C(0x0101010101010101) * (uint8_t)c;
    return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

/* Returns the end of the name at p: the first blank, ":" or "|", or end. */
static inline const char *name_end(const char *p, const char *end, const char *limit)
{
    for (; limit - p >= 8; p += 8) {
        if (p >= end) return end;
        uint64_t w = eight_bytes(p);
        uint64_t stop =
            bytes_equal(w, ' ') | bytes_equal(w, ':') | bytes_equal(w, '|') | bytes_equal(w, '\t');
        if (!stop) continue;
        p += __builtin_ctzll(stop) / 8;
        return p < end ? p : end;
    }
    while (p < end && !may_word_end(p, end) && *p != ':')
        p++;
    return p < end ? p : end;
}

static enum vw_status vw_wrong(struct vw_row *row, enum vw_status status, const char *p,
                               const char *end)
{
    row->wrong = (struct vw_text){p, (size_t)(end - p)};
    return status;
}

/* Reads the number at *p, which must be the whole word, and moves *p to its end. Returns `none` if
 * it is not a number, and none + 1 if it is not finite. */
static enum vw_status vw_number(const char **p, const char *end, float *value, enum vw_status none,
                                struct vw_row *row)
{
    const char *begin = *p;
    enum decimal_status status = decimal_parse_float(begin, end, value, p);
    if (status == DECIMAL_OK && may_word_end(*p, end)) return VW_OK;
    bool finite = status != DECIMAL_NONFINITE || !may_word_end(*p, end);
    return vw_wrong(row, finite ? none : none + 1, begin, word_end(begin, end));
}

/* ---- the head ---- */

/* Reads a word of the head as a number. It must be finite as a float. */
static enum vw_status head_number(struct vw_text w, double *value, enum vw_status none,
                                  struct vw_row *row)
{
    const char *end = w.at + w.len;
    enum decimal_status status = decimal_whole(w.at, end, value);
    if (status == DECIMAL_OK && fabs(*value) < DECIMAL_FLOAT_END) return VW_OK;
    return vw_wrong(row, status == DECIMAL_NONE ? none : none + 1, w.at, end);
}

/* Reads word number i of the head: the label, importance or base. */
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
        return vw_wrong(row, VW_IMPORTANCE_NEGATIVE, w.at, w.at + w.len);
    case 2:
        return head_number(w, &row->base, VW_BASE, row);
    default:
        return vw_wrong(row, VW_HEAD, w.at, w.at + w.len);
    }
}

/* Reads w, the last word of the head, as the tag. */
static enum vw_status vw_tag(struct vw_text w, struct vw_row *row)
{
    double value;
    bool quoted = *w.at == '\'';
    if (!quoted && !row->has_label && decimal_whole(w.at, w.at + w.len, &value) != DECIMAL_NONE)
        return vw_wrong(row, VW_LABEL_TOUCHES, w.at, w.at + w.len);
    row->tag = (struct vw_text){w.at + quoted, w.len - quoted};
    return VW_OK;
}

/* Reads the head, up to the first "|" or `end`. Moves *p to its end. */
static enum vw_status vw_head(const char **p, const char *end, struct vw_row *row)
{
    enum vw_status status = VW_OK;
    for (unsigned i = 0; status == VW_OK && !(*p == end || **p == '|'); i++) {
        const char *begin = *p, *stop = word_end(begin, end),
                   *next = sparse_text_skip_blanks(stop, end);
        struct vw_text w = {begin, (size_t)(stop - begin)};
        bool last = next == end || *next == '|', touches = stop == end || *stop == '|';
        status = last && (touches || *begin == '\'') ? vw_tag(w, row) : head_word(w, i, row);
        *p = next;
    }
    return status;
}

/* ---- features ---- */

/* Begins the namespace whose "|" is before *p. Moves *p to its first feature. */
static enum vw_status begin_space(const char **p, const char *end, const char *limit,
                                  struct vw_space *s, struct vw_row *row)
{
    const char *begin = *p, *stop = name_end(begin, end, limit);
    enum vw_status status = VW_OK;
    *s = (struct vw_space){.name = {begin, (size_t)(stop - begin)}, .scale = 1};
    *p = stop;
    if (stop < end && *stop == ':') {
        if (!s->name.len) return vw_wrong(row, VW_NO_NAME, begin, word_end(begin, end));
        ++*p;
        status = vw_number(p, end, &s->scale, VW_SCALE, row);
    }
    s->seed = feature_id_name(s->name.at, s->name.len);
    s->kept = !row->keeps || row->keeps(row->self, s->name);
    return status;
}

/* True if a name is an index: digits in a namespace without a name. Sets *id to the number. */
static inline bool is_index(const struct vw_space *s, struct vw_text name, uint64_t *id)
{
    const char *end = name.at + name.len;
    return !s->name.len && decimal_is_digit(*name.at) && decimal_u64(name.at, end, id) == end;
}

static inline enum vw_status vw_put(const struct vw_space *s, struct vw_text name, float value,
                                    struct vw_row *row)
{
    if (row->n == row->cap) return vw_wrong(row, VW_FULL, name.at, name.at + name.len);
    size_t i = row->n++;
    row->value[i] = value;
    if (is_index(s, name, &row->id[i])) return VW_OK;
    row->id[i] = s->name.len ? feature_id_value(s->seed, name.at, name.len)
                             : feature_id_name(name.at, name.len);
    if (row->name) row->name(row->self, i, s->name, name);
    return VW_OK;
}

/* Reads the feature at *p and moves *p after it. */
static inline enum vw_status vw_feature(const char **p, const char *end, const char *limit,
                                        const struct vw_space *s, struct vw_row *row)
{
    const char *begin = *p, *stop = name_end(begin, end, limit), *text = stop;
    struct vw_text name = {begin, (size_t)(stop - begin)};
    float value = 1;
    *p = stop;
    if (!name.len) return vw_wrong(row, VW_NO_NAME, begin, word_end(begin, end));
    if (stop < end && *stop == ':') {
        text = *p = stop + 1;
        enum vw_status status = vw_number(p, end, &value, VW_VALUE, row);
        if (status != VW_OK) return status;
    }
    value *= s->scale;
    if (!isfinite(value)) return vw_wrong(row, VW_VALUE_NONFINITE, text, *p);
    return s->kept ? vw_put(s, name, value, row) : VW_OK;
}

enum vw_status vw_parse(const char *p, const char *end, const char *limit, struct vw_row *row)
{
    struct vw_space s;
    row->n = 0;
    row->has_label = false;
    row->importance = 1;
    row->base = 0;
    row->tag = (struct vw_text){p, 0};
    while (end > p && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    p = sparse_text_skip_blanks(p, end);
    if (p == end) return VW_NOTHING;
    enum vw_status status = vw_head(&p, end, row);
    while (status == VW_OK && p < end) {
        if (*p == '|') {
            p++;
            status = begin_space(&p, end, limit, &s, row);
        } else {
            status = vw_feature(&p, end, limit, &s, row);
        }
        p = sparse_text_skip_blanks(p, end);
    }
    return status;
}
