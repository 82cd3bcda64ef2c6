/* naive_libffm.h -- the libffm grammar of sparse_text.h by strtok, strchr and copies, as an oracle.
 *
 * The kernel's tests and its fuzz target use it. It needs the C locale. Records have up to
 * NAIVE_LIBFFM_MAX bytes without NUL. */
#ifndef LEAT_TESTS_SUPPORT_NAIVE_LIBFFM_H
#define LEAT_TESTS_SUPPORT_NAIVE_LIBFFM_H

#include "kernels/text/sparse_text.h"
#include "naive_number.h"

#define NAIVE_LIBFFM_MAX 4096

struct naive_libffm {
    enum libffm_status status;
    size_t n;
    uint64_t field[NAIVE_LIBFFM_MAX], index[NAIVE_LIBFFM_MAX];
    float value[NAIVE_LIBFFM_MAX];
    double label;
    size_t at; /* offset of the error */
};

static inline bool naive_libffm_fail(struct naive_libffm *out, enum libffm_status s, size_t at)
{
    out->status = s;
    out->at = at;
    return false;
}

static inline bool naive_libffm_label(struct naive_libffm *out, const char *word, size_t at)
{
    enum naive_number k = naive_number(word, &out->label);
    return k == NAIVE_OK ||
           naive_libffm_fail(out, k == NAIVE_NONE ? LIBFFM_LABEL : LIBFFM_LABEL_NONFINITE, at);
}

/* Reads the word "field:index:value" at offset `at`. */
static inline bool naive_libffm_entry(struct naive_libffm *out, char *word, size_t at, size_t cap)
{
    uint64_t field, index;
    double value;
    char *second = strchr(word, ':');
    if (second) *second++ = 0;
    if (!second || !naive_index(word, &field)) return naive_libffm_fail(out, LIBFFM_FIELD, at);
    char *third = strchr(second, ':');
    if (third) *third++ = 0;
    if (!third || !naive_index(second, &index))
        return naive_libffm_fail(out, LIBFFM_INDEX, at + (size_t)(second - word));
    enum naive_number k = naive_number(third, &value);
    if (k != NAIVE_OK)
        return naive_libffm_fail(out, k == NAIVE_NONE ? LIBFFM_VALUE : LIBFFM_VALUE_NONFINITE,
                                 at + (size_t)(third - word));
    if (out->n == cap) return naive_libffm_fail(out, LIBFFM_FULL, at);
    out->field[out->n] = field;
    out->index[out->n] = index;
    out->value[out->n++] = (float)value;
    return true;
}

static inline void naive_libffm_parse(const char *record, size_t len, size_t cap,
                                      struct naive_libffm *out)
{
    char text[NAIVE_LIBFFM_MAX + 1], *save = NULL;
    memcpy(text, record, len);
    text[len] = 0;
    while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = 0;
    out->n = 0;
    out->status = LIBFFM_NOTHING;
    for (char *w = strtok_r(text, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        size_t at = (size_t)(w - text);
        bool first = out->status == LIBFFM_NOTHING;
        if (!(first ? naive_libffm_label(out, w, at) : naive_libffm_entry(out, w, at, cap))) return;
        out->status = LIBFFM_OK;
    }
}

#endif
