/* naive_vw.h -- the VW grammar of sparse_text.h by strchr, strtok, strtod and copies, as an oracle.
 *
 * The kernel's tests and its fuzz target use it. It cuts the record at each "|", and the pieces at
 * blanks, before it reads any of them. It needs the C locale. Records have up to NAIVE_VW_MAX bytes
 * without NUL. */
#ifndef LEAT_TESTS_SUPPORT_NAIVE_VW_H
#define LEAT_TESTS_SUPPORT_NAIVE_VW_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/text/sparse_text.h"
#include "naive_number.h"

#define NAIVE_VW_MAX 4096

struct naive_vw {
    enum vw_status status;
    size_t n;
    uint64_t id[NAIVE_VW_MAX];
    float value[NAIVE_VW_MAX];
    char name[NAIVE_VW_MAX][80]; /* "namespace^name", cut; "" for an index */
    bool has_label;
    double label, importance, base;
    char tag[NAIVE_VW_MAX + 1];
    size_t at; /* offset of the error */
};

static inline bool naive_vw_fail(struct naive_vw *out, enum vw_status s, size_t at)
{
    out->status = s;
    out->at = at;
    return false;
}

/* Reads a word as a number. `none`: status of a word that is not a number; none + 1 is the status
 * of an infinite number. */
static inline bool naive_vw_number(struct naive_vw *out, const char *word, size_t at,
                                   enum vw_status none, double *value)
{
    enum naive_number k = naive_number(word, value);
    return k == NAIVE_OK || naive_vw_fail(out, k == NAIVE_NONE ? none : none + 1, at);
}

/* Reads word i of the head. */
static inline bool naive_vw_head_word(struct naive_vw *out, const char *word, size_t at, int i)
{
    if (i == 0) {
        out->has_label = true;
        return naive_vw_number(out, word, at, VW_LABEL, &out->label);
    }
    if (i == 1) {
        if (!naive_vw_number(out, word, at, VW_IMPORTANCE, &out->importance)) return false;
        return out->importance >= 0 || naive_vw_fail(out, VW_IMPORTANCE_NEGATIVE, at);
    }
    if (i == 2) return naive_vw_number(out, word, at, VW_BASE, &out->base);
    return naive_vw_fail(out, VW_HEAD, at);
}

/* Reads the head, text[from .. to). */
static inline bool naive_vw_head(struct naive_vw *out, const char *text, size_t from, size_t to)
{
    char copy[NAIVE_VW_MAX + 1], *save = NULL, *word[NAIVE_VW_MAX];
    double number;
    int n = 0;
    memcpy(copy, text, to);
    copy[to] = 0;
    for (char *w = strtok_r(copy + from, " \t", &save); w; w = strtok_r(NULL, " \t", &save))
        word[n++] = w;
    bool touches = to > from && text[to - 1] != ' ' && text[to - 1] != '\t';
    bool tag = n && (touches || word[n - 1][0] == '\'');
    for (int i = 0; i < n - tag; i++)
        if (!naive_vw_head_word(out, word[i], (size_t)(word[i] - copy), i)) return false;
    if (!tag) return true;
    const char *t = word[n - 1];
    if (n == 1 && *t != '\'' && naive_number(t, &number) != NAIVE_NONE)
        return naive_vw_fail(out, VW_LABEL_TOUCHES, (size_t)(t - copy));
    strcpy(out->tag, *t == '\'' ? t + 1 : t);
    return true;
}

static inline bool naive_vw_feature(struct naive_vw *out, const char *space, float scale,
                                    char *word, size_t at, size_t cap)
{
    double value = 1;
    char *colon = strchr(word, ':');
    size_t value_at = at + strlen(word);
    if (colon == word) return naive_vw_fail(out, VW_NO_NAME, at);
    if (colon) {
        *colon = 0;
        value_at = at + (size_t)(colon + 1 - word);
        if (!naive_vw_number(out, colon + 1, value_at, VW_VALUE, &value)) return false;
    }
    float scaled = (float)value * scale;
    if (!isfinite(scaled)) return naive_vw_fail(out, VW_VALUE_NONFINITE, value_at);
    if (out->n == cap) return naive_vw_fail(out, VW_FULL, at);
    size_t i = out->n++;
    out->value[i] = scaled;
    out->name[i][0] = 0;
    if (!*space && naive_index(word, &out->id[i])) return true;
    XXH64_hash_t seed = XXH3_64bits(space, strlen(space));
    out->id[i] =
        *space ? XXH3_64bits_withSeed(word, strlen(word), seed) : XXH3_64bits(word, strlen(word));
    snprintf(out->name[i], sizeof out->name[i], "%s%s%s", space, *space ? "^" : "", word);
    return true;
}

/* Reads text[from .. to), which follows a "|". */
static inline bool naive_vw_space(struct naive_vw *out, const char *text, size_t from, size_t to,
                                  size_t cap)
{
    char copy[NAIVE_VW_MAX + 1], *save = NULL, *space = "";
    double scale = 1;
    memcpy(copy, text, to);
    copy[to] = 0;
    bool named = from < to && text[from] != ' ' && text[from] != '\t';
    char *w = strtok_r(copy + from, " \t", &save);
    if (named) {
        char *colon = strchr(w, ':');
        space = w;
        if (colon == w) return naive_vw_fail(out, VW_NO_NAME, from);
        if (colon) {
            *colon = 0;
            if (!naive_vw_number(out, colon + 1, (size_t)(colon + 1 - copy), VW_SCALE, &scale))
                return false;
        }
        w = strtok_r(NULL, " \t", &save);
    }
    for (; w; w = strtok_r(NULL, " \t", &save))
        if (!naive_vw_feature(out, space, (float)scale, w, (size_t)(w - copy), cap)) return false;
    return true;
}

static inline void naive_vw_parse(const char *record, size_t len, size_t cap, struct naive_vw *out)
{
    char text[NAIVE_VW_MAX + 1];
    memcpy(text, record, len);
    text[len] = 0;
    while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = 0;
    size_t from = strspn(text, " \t"), to = strcspn(text, "|");
    out->n = 0;
    out->has_label = false;
    out->importance = 1;
    out->base = 0;
    out->tag[0] = 0;
    out->status = from == len ? VW_NOTHING : VW_OK;
    if (from == len || !naive_vw_head(out, text, from < to ? from : to, to)) return;
    while (to < len) {
        from = to + 1;
        to = from + strcspn(text + from, "|");
        if (!naive_vw_space(out, text, from, to, cap)) return;
    }
}

#endif
