/* naive_libsvm.h -- the libsvm grammar of sparse_text.h by strtok, strtod and copies, as an oracle.
 *
 * The kernel's tests and its fuzz target use it. It shares only the struct that it fills with the
 * kernel, and reads every word as a whole. It needs the C locale. Records have up to NAIVE_MAX
 * bytes. */
#ifndef LEAT_TESTS_SUPPORT_NAIVE_LIBSVM_H
#define LEAT_TESTS_SUPPORT_NAIVE_LIBSVM_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/text/sparse_text.h"
#include "naive_number.h"

#define NAIVE_MAX 4096

struct naive {
    enum libsvm_status status;
    size_t n;
    uint64_t id[NAIVE_MAX];
    float value[NAIVE_MAX];
    bool named[NAIVE_MAX];
    double label;
    char qid[NAIVE_MAX]; /* "" for none */
    size_t at;           /* offset of the error */
};

static inline bool naive_fail(struct naive *out, enum libsvm_status s, size_t at)
{
    out->status = s;
    out->at = at;
    return false;
}

static inline bool naive_put(struct naive *out, size_t cap, size_t at, uint64_t id, double value,
                             bool named)
{
    if (out->n == cap) return naive_fail(out, LIBSVM_FULL, at);
    out->id[out->n] = id;
    out->named[out->n] = named;
    out->value[out->n++] = (float)value;
    return true;
}

/* Reads a word of the record, at offset `at`. Returns false at an error. Sets *comment if one
 * begins in it. */
static inline bool naive_entry(struct naive *out, char *word, size_t at, bool names, size_t cap,
                               bool *comment)
{
    char copy[NAIVE_MAX + 1];
    uint64_t id = 0;
    double value = 1;
    char *hash = strchr(word, '#'), *colon;
    strcpy(copy, word);
    if (hash) copy[hash - word] = 0;
    colon = strchr(copy, ':');
    if (colon) { /* index:value, and perhaps a comment */
        *colon = 0;
        if (naive_index(copy, &id) && naive_number(colon + 1, &value) == NAIVE_OK) {
            *comment = hash != NULL;
            return naive_put(out, cap, at, id, value, false);
        }
    }
    if (strncmp(word, "qid:", 4) == 0) {
        size_t n = strcspn(word + 4, "#");
        if (n == 0) return naive_fail(out, LIBSVM_VALUE, at + 4);
        strcpy(out->qid, word + 4);
        out->qid[n] = 0;
        *comment = hash != NULL;
        return true;
    }
    colon = strrchr(word, ':');
    if (colon == word) return naive_fail(out, LIBSVM_NO_NAME, at);
    if (!colon && !names) return naive_fail(out, LIBSVM_NO_COLON, at);
    if (colon) *colon = 0;
    bool is_index = naive_index(word, &id);
    if (!is_index && !names) return naive_fail(out, LIBSVM_NAME, at);
    if (colon) {
        hash = strchr(colon + 1, '#');
        if (hash) *hash = 0;
        value = 0;
        enum naive_number k = naive_number(colon + 1, &value);
        if (k != NAIVE_OK)
            return naive_fail(out, k == NAIVE_NONE ? LIBSVM_VALUE : LIBSVM_VALUE_NONFINITE,
                              at + (size_t)(colon + 1 - word));
        *comment = hash != NULL;
    }
    return naive_put(out, cap, at, is_index ? id : XXH3_64bits(word, strlen(word)), value,
                     !is_index);
}

static inline bool naive_label(struct naive *out, char *word, size_t at, bool *comment)
{
    char *hash = strchr(word, '#');
    if (hash) *hash = 0;
    *comment = hash != NULL;
    enum naive_number k = naive_number(word, &out->label);
    return k == NAIVE_OK ||
           naive_fail(out, k == NAIVE_NONE ? LIBSVM_LABEL : LIBSVM_LABEL_NONFINITE, at);
}

/* Reads a record without NUL. */
static inline void naive_parse(const char *record, size_t len, bool names, size_t cap,
                               struct naive *out)
{
    char text[NAIVE_MAX + 1], *save = NULL;
    memcpy(text, record, len);
    text[len] = 0;
    while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = 0;
    out->n = 0;
    out->qid[0] = 0;
    out->status = LIBSVM_NOTHING;
    bool comment = false, first = true;
    for (char *w = strtok_r(text, " \t", &save); w && *w != '#' && !comment;
         w = strtok_r(NULL, " \t", &save)) {
        size_t at = (size_t)(w - text);
        if (!(first ? naive_label(out, w, at, &comment)
                    : naive_entry(out, w, at, names, cap, &comment)))
            return;
        first = false;
        out->status = LIBSVM_OK;
    }
}

#endif
