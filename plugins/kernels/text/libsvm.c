/* libsvm.c -- see libsvm.h for the grammar.
 *
 * Two readers of an entry. plain_entry knows "index:1", "index:-d.dddddd" and "index:ddd" of short
 * numbers, and is all that most files need: each number is found and converted in a register, eight
 * bytes at a time; nothing is looped over, and the only branches are those that hardly ever go the
 * other way. Whatever it does not recognise it leaves alone, and any_entry, which follows the
 * grammar word by word, takes it. Where both accept they agree: tests and fuzzing compare both with
 * a naive reader.
 *
 * What bounds the speed is the chain from one entry's start to the next: load, length of the index,
 * load, length of the fraction. All else hangs off it: conversions, signs, checks.
 *
 * Not here: what a label means (the stage decides). */
#include "libsvm.h"

#include "decimal.h"
#include "kernels/base/feature_id.h"

/* plain_entries looks at fewer bytes from an entry's start: 8 of the index with its ":", 10 of the
 * value, 1 after it. */
#define PLAIN_BYTES 24

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static const char *token_end(const char *p, const char *end)
{
    while (p < end && !is_blank(*p))
        p++;
    return p;
}

/* May a number end at p? */
static bool is_boundary(const char *p, const char *end)
{
    return p == end || is_blank(*p) || *p == '#';
}

static enum libsvm_status wrong(struct libsvm_row *row, enum libsvm_status status, const char *p,
                                const char *end)
{
    row->at = p;
    row->at_len = (size_t)(end - p);
    return status;
}

/* The value at p if it is "d.ddd" or "-d.ddd" with few digits; returns where it ends, or NULL. The
 * end must not wait for the sign. So it is looked for in the word after the first two bytes, which
 * is the fraction, or with a sign the point and the fraction; the first byte of the word is
 * skipped. */
static inline const char *plain_value(const char *p, float *value)
{
    uint64_t w = decimal_load8(p + 2);
    uint64_t other = decimal_not_digits(w) & ~UINT64_C(0x80);
    if (!other) return NULL;
    unsigned n = (unsigned)__builtin_ctzll(other) / 8;
    unsigned negative = *p == '-';
    const char *d = p + negative;
    if (!decimal_is_digit(d[0]) || d[1] != '.' || !decimal_is_digit(d[2])) return NULL;
    w &= ~UINT64_C(0) << 8 * negative; /* without the point */
    uint64_t m =
        decimal_eight(w << (64 - 8 * n)) + (uint64_t)(d[0] - '0') * pow10_u64[n - negative];
    double v = (double)(int64_t)m / pow10_f64[n - negative];
    *value = (float)decimal_sign(v, negative);
    return p + 2 + n;
}

/* The value at p if it is a count of up to 7 digits; returns where they end, or NULL. */
static inline const char *plain_count(const char *p, float *value)
{
    uint64_t w = decimal_load8(p), other = decimal_not_digits(w);
    unsigned n = other ? (unsigned)__builtin_ctzll(other) / 8 : 0;
    if (n == 0) return NULL;
    *value = (float)(int64_t)decimal_eight(w << (64 - 8 * n));
    return p + n;
}

/* The entry at p if it has the plain shape; returns where its value ends, or NULL. Reads
 * PLAIN_BYTES. The caller checks what follows. */
static inline const char *plain_entry(const char *p, uint64_t *id, float *value)
{
    uint64_t w = decimal_load8(p), other = decimal_not_digits(w);
    if (!other) return NULL;
    unsigned n = (unsigned)__builtin_ctzll(other) / 8;
    if (n == 0 || p[n] != ':') return NULL;
    *id = decimal_eight(w << (64 - 8 * n));
    if (p[n + 1] == '1' && is_blank(p[n + 2])) {
        *value = 1;
        return p + n + 2;
    }
    const char *q = plain_value(p + n + 1, value);
    return q ? q : plain_count(p + n + 1, value);
}

/* As many plain entries as follow at p, one blank between two. Returns where the first other one
 * begins, or end. */
static const char *plain_entries(const char *p, const char *end, const char *limit,
                                 struct libsvm_row *row)
{
    size_t n = row->n;
    while (limit - p >= PLAIN_BYTES && p < end && n < row->cap) {
        const char *q = plain_entry(p, &row->id[n], &row->value[n]);
        if (!q || q > end || (q < end && !is_blank(*q))) break;
        n++;
        p = q;
        if (p == end) break;
        p++;
    }
    row->n = n;
    return p;
}

static enum libsvm_status put_entry(struct libsvm_row *row, uint64_t id, float value, const char *p,
                                    const char *end)
{
    if (row->n == row->cap) return wrong(row, LIBSVM_FULL, p, end);
    row->id[row->n] = id;
    row->value[row->n++] = value;
    return LIBSVM_OK;
}

/* An entry whose first ":" follows an index and precedes a sound value; else NULL. */
static const char *index_entry(const char *p, const char *end, uint64_t *id, float *value)
{
    const char *q = decimal_u64(p, end, id);
    if (!q || q == end || *q != ':') return NULL;
    if (decimal_parse_float(q + 1, end, value, &q) != DECIMAL_OK || !is_boundary(q, end))
        return NULL;
    return q;
}

/* A value at p that ends where its token does, or at a "#" in it. */
static enum libsvm_status value_at(const char *p, const char *end, float *value, const char **stop,
                                   struct libsvm_row *row)
{
    enum decimal_status status = decimal_parse_float(p, end, value, stop);
    if (status == DECIMAL_NONE || !is_boundary(*stop, end)) return wrong(row, LIBSVM_VALUE, p, end);
    return status == DECIMAL_OK ? LIBSVM_OK : wrong(row, LIBSVM_VALUE_NONFINITE, p, end);
}

/* The entry [p, end) that index_entry refused: a name, or something wrong. */
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
    if (len == 0) return wrong(row, LIBSVM_NO_NAME, p, end);
    if (!row->name && name_end == end) return wrong(row, LIBSVM_NO_COLON, p, end);
    if (!row->name && !is_index) return wrong(row, LIBSVM_NAME, p, name_end);
    float value = 1;
    *stop = end;
    if (name_end < end) {
        enum libsvm_status status = value_at(name_end + 1, end, &value, stop, row);
        if (status != LIBSVM_OK) return status;
    }
    if (!is_index) id = feature_id_name(p, len);
    enum libsvm_status status = put_entry(row, id, value, p, end);
    if (status == LIBSVM_OK && !is_index) row->name(row->self, row->n - 1, p, len);
    return status;
}

static bool is_qid(const char *p, const char *end)
{
    return end - p >= 4 && memcmp(p, "qid:", 4) == 0;
}

/* The query of a ranking set: text up to a blank or "#". */
static enum libsvm_status query(const char *p, const char *end, const char **stop,
                                struct libsvm_row *row)
{
    const char *q = p + 4;
    while (!is_boundary(q, end))
        q++;
    if (q == p + 4) return wrong(row, LIBSVM_VALUE, q, end);
    row->qid = p + 4;
    row->qid_len = (size_t)(q - row->qid);
    *stop = q;
    return LIBSVM_OK;
}

/* Any entry at *p, by the grammar; *p moves to its end. */
static enum libsvm_status any_entry(const char **p, const char *end, struct libsvm_row *row)
{
    uint64_t id;
    float value;
    const char *begin = *p, *stop = index_entry(begin, end, &id, &value);
    if (stop) {
        *p = stop;
        return put_entry(row, id, value, begin, stop);
    }
    end = token_end(begin, end);
    return is_qid(begin, end) ? query(begin, end, p, row) : named_entry(begin, end, p, row);
}

static enum libsvm_status label(const char **p, const char *end, struct libsvm_row *row)
{
    const char *begin = *p;
    enum decimal_status status = decimal_parse(begin, end, &row->label, p);
    if (status == DECIMAL_NONE || !is_boundary(*p, end))
        return wrong(row, LIBSVM_LABEL, begin, token_end(begin, end));
    if (status == DECIMAL_NONFINITE || fabs(row->label) >= DECIMAL_FLOAT_END)
        return wrong(row, LIBSVM_LABEL_NONFINITE, begin, token_end(begin, end));
    return LIBSVM_OK;
}

enum libsvm_status libsvm_parse(const char *p, const char *end, const char *limit,
                                struct libsvm_row *row)
{
    row->n = 0;
    row->qid = NULL;
    row->qid_len = 0;
    while (end > p && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    p = skip_blanks(p, end);
    if (p == end || *p == '#') return LIBSVM_NOTHING;
    enum libsvm_status status = label(&p, end, row);
    while (status == LIBSVM_OK) {
        p = skip_blanks(p, end);
        p = plain_entries(p, end, limit, row);
        p = skip_blanks(p, end);
        if (p == end || *p == '#') break;
        status = any_entry(&p, end, row);
    }
    return status;
}
