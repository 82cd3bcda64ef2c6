/* helpers.h -- functions to compile into a plugin: numbers, JSON text, UTF-8, heaviest features.
 *
 * Nothing here is part of the ABI. For feature ids that equal those of feature.columns, call
 * leat_host.feature_id. To cut bytes into records, call leat_host.cut.
 */
#ifndef LEAT_HELPERS_H
#define LEAT_HELPERS_H

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <leat/batch.h>
#include <leat/host.h>
#include <leat/state.h>

/* ---- numbers ---- */

enum { LEAT_NUMBER_BYTES = 64 }; /* longer texts are not read as numbers */

/* Reads text[0 .. n) as a decimal number, independent of the locale: a sign, digits with at most
 * one point, an exponent, blanks around them. Returns 1 and sets *value, correctly rounded and
 * finite. Returns 0 if the text is empty or blank, -1 if it is not a number. */
static inline int leat_read_number(const char *text, uint32_t n, double *value)
{
    char copy[LEAT_NUMBER_BYTES + 1], *end;
    uint32_t at = 0, digits = 0, points = 0;
    while (n && (*text == ' ' || *text == '\t'))
        text++, n--;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (!n) return 0;
    if (n > LEAT_NUMBER_BYTES) return -1;
    for (; at < n; at++) {
        const char c = text[at];
        const int signs = !at || (text[at - 1] | 0x20) == 'e';
        digits += c >= '0' && c <= '9';
        points += c == '.';
        if (!((c >= '0' && c <= '9') || c == '.' || ((c == '-' || c == '+') && signs) ||
              ((c | 0x20) == 'e' && digits)))
            return -1;
        copy[at] = c == '.' ? *localeconv()->decimal_point : c;
    }
    copy[n] = '\0';
    if (!digits || points > 1) return -1;
    *value = strtod(copy, &end);
    return end == copy + n && isfinite(*value) ? 1 : -1;
}

/* ---- text ---- */

/* Returns the length in bytes of the UTF-8 sequence at the start of text[0 .. n); 1 if it is not
 * valid UTF-8. n > 0. */
static inline uint32_t leat_utf8_step(const char *text, uint32_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    const uint32_t want = s[0] < 0x80   ? 1
                          : s[0] < 0xc2 ? 1
                          : s[0] < 0xe0 ? 2
                          : s[0] < 0xf0 ? 3
                          : s[0] < 0xf5 ? 4
                                        : 1;
    if (want > n) return 1;
    for (uint32_t i = 1; i < want; i++)
        if ((s[i] & 0xc0) != 0x80) return 1;
    return want;
}

/* Writes text[0 .. n) as a JSON string with its quotes; invalid UTF-8 bytes become U+FFFD. Writes
 * at most cap bytes and no NUL. Returns the full length; if that exceeds cap, the text was cut. */
static inline size_t leat_json_text(const char *text, uint32_t n, char *out, size_t cap)
{
    static const char hex[] = "0123456789abcdef";
    size_t to = 0;
    char piece[8];
#define LEAT_PIECE(P, M)                                                                           \
    do {                                                                                           \
        for (uint32_t j_ = 0; j_ < (M); j_++, to++)                                                \
            if (to < cap) out[to] = (P)[j_];                                                       \
    } while (0)
    LEAT_PIECE("\"", 1);
    for (uint32_t i = 0, step = 0; i < n; i += step) {
        const unsigned char c = (unsigned char)text[i];
        step = leat_utf8_step(text + i, n - i);
        if (c == '"' || c == '\\') {
            piece[0] = '\\', piece[1] = (char)c;
            LEAT_PIECE(piece, 2);
        } else if (c < 0x20) {
            memcpy(piece, "\\u00", 4);
            piece[4] = hex[c >> 4], piece[5] = hex[c & 15];
            LEAT_PIECE(piece, 6);
        } else if (c >= 0x80 && step == 1) {
            LEAT_PIECE("\xef\xbf\xbd", 3);
        } else {
            LEAT_PIECE(text + i, step);
        }
    }
    LEAT_PIECE("\"", 1);
#undef LEAT_PIECE
    return to;
}

/* ---- the k heaviest features, by name ---- */

enum { LEAT_TOP_NAME = 96 }; /* most bytes of a name; the rest is cut */

struct leat_top_entry {
    uint64_t id;
    double weight;
    uint32_t n_name;
    uint32_t slot; /* index in leat_top.slots */
    char name[LEAT_TOP_NAME];
};

/* The k heaviest features. `entry` is a heap with the lightest entry first. `slots` is a hash table
 * from ids to entries. */
struct leat_top {
    uint32_t k, n, n_slots; /* n: entries in use; n_slots: a power of two above 2 k */
    uint32_t reserved;
    struct leat_top_entry *entry; /* k elements                    */
    uint32_t *slots;              /* index + 1 in `entry`; 0: free */
};

static inline uint32_t leat_top_slots(uint32_t k)
{
    uint32_t n = 4;
    while (n <= 2 * k)
        n *= 2;
    return n;
}

/* Returns the bytes that leat_top_open takes from the host, for `plan`. */
static inline uint64_t leat_top_bytes(uint32_t k)
{
    return (uint64_t)k * sizeof(struct leat_top_entry) + (uint64_t)leat_top_slots(k) * 4 + 128;
}

/* Makes an empty table for k > 0 features, in `open`. Returns LEAT_OK or LEAT_ENOMEM. */
static inline int leat_top_open(struct leat_ctx *ctx, struct leat_top *t, uint32_t k)
{
    t->k = k;
    t->n = 0;
    t->n_slots = leat_top_slots(k);
    t->entry = (struct leat_top_entry *)ctx->host->alloc(ctx, k * sizeof *t->entry);
    t->slots = (uint32_t *)ctx->host->alloc(ctx, t->n_slots * sizeof *t->slots);
    return t->entry && t->slots ? LEAT_OK : LEAT_ENOMEM;
}

static inline uint32_t leat_top_home(const struct leat_top *t, uint64_t id)
{
    return (uint32_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (t->n_slots - 1);
}

/* Returns the slot of `id`. If the table does not have `id`, returns the free slot for it. */
static inline uint32_t leat_top_find(const struct leat_top *t, uint64_t id)
{
    uint32_t s = leat_top_home(t, id);
    while (t->slots[s] && t->entry[t->slots[s] - 1].id != id)
        s = (s + 1) & (t->n_slots - 1);
    return s;
}

static inline void leat_top_place(struct leat_top *t, uint32_t i, const struct leat_top_entry *e)
{
    t->entry[i] = *e;
    t->slots[e->slot] = i + 1;
}

/* True if entry a is removed before entry b: a is lighter, or the weights are equal and a has the
 * larger id. So the set of entries does not depend on the heap's order or on snapshots. */
static inline int leat_top_before(const struct leat_top_entry *a, const struct leat_top_entry *b)
{
    const double v = fabs(a->weight), w = fabs(b->weight);
    return v != w ? v < w : a->id > b->id;
}

/* Moves entry i to its place in the heap. */
static inline void leat_top_sift(struct leat_top *t, uint32_t i)
{
    const struct leat_top_entry e = t->entry[i];
    for (; i && leat_top_before(&e, &t->entry[(i - 1) / 2]); i = (i - 1) / 2)
        leat_top_place(t, i, &t->entry[(i - 1) / 2]);
    for (uint32_t c; (c = 2 * i + 1) < t->n; i = c) {
        if (c + 1 < t->n && leat_top_before(&t->entry[c + 1], &t->entry[c])) c++;
        if (!leat_top_before(&t->entry[c], &e)) break;
        leat_top_place(t, i, &t->entry[c]);
    }
    leat_top_place(t, i, &e);
}

/* Frees slot s. Moves entries in the following slots up (linear probing), so that leat_top_find
 * still finds them. */
static inline void leat_top_clear(struct leat_top *t, uint32_t s)
{
    for (uint32_t next = s;;) {
        t->slots[s] = 0;
        for (;;) {
            next = (next + 1) & (t->n_slots - 1);
            if (!t->slots[next]) return;
            const uint32_t home = leat_top_home(t, t->entry[t->slots[next] - 1].id);
            if (((next - home) & (t->n_slots - 1)) >= ((next - s) & (t->n_slots - 1))) break;
        }
        t->slots[s] = t->slots[next];
        t->entry[t->slots[s] - 1].slot = s;
        s = next;
    }
}

/* Sets the weight of feature `id`. Adds the feature if it is among the k heaviest. Its name is the
 * name of entry i of batch b, or name[0 .. n_name) if b is NULL. */
static inline void leat_top_offer(struct leat_top *t, uint64_t id, double weight,
                                  const struct leat_batch *b, uint32_t i, const char *name,
                                  uint32_t n_name)
{
    uint32_t s = leat_top_find(t, id), at = 0;
    if (t->slots[s]) {
        at = t->slots[s] - 1;
        t->entry[at].weight = weight;
        leat_top_sift(t, at);
        return;
    }
    if (t->n == t->k) {
        if (fabs(weight) <= fabs(t->entry[0].weight)) return;
        leat_top_clear(t, t->entry[0].slot);
        s = leat_top_find(t, id);
    } else {
        at = t->n++;
    }
    struct leat_top_entry *e = &t->entry[at];
    e->id = id;
    e->weight = weight;
    e->slot = s;
    const size_t n = b ? leat_name_text(b, i, e->name, sizeof e->name) : n_name;
    e->n_name = (uint32_t)(n < sizeof e->name ? n : sizeof e->name);
    if (!b && name) memcpy(e->name, name, e->n_name);
    t->slots[s] = at + 1;
    leat_top_sift(t, at);
}

/* Order of leat_top_sort, for qsort: heaviest first, equal weights by id. */
static inline int leat_top_compare(const void *x, const void *y)
{
    const struct leat_top_entry *a = (const struct leat_top_entry *)x;
    const struct leat_top_entry *b = (const struct leat_top_entry *)y;
    return leat_top_before(a, b) ? 1 : leat_top_before(b, a) ? -1 : 0;
}
/* Sorts the entries, heaviest first, for `query`. Afterwards the entries are not a heap: call
 * leat_top_rebuild before the next leat_top_offer. */
static inline void leat_top_sort(struct leat_top *t)
{
    qsort(t->entry, t->n, sizeof *t->entry, leat_top_compare);
}
/* Makes the heap and the hash table from the entries, after leat_top_sort or leat_top_read. */
static inline void leat_top_rebuild(struct leat_top *t)
{
    const uint32_t n = t->n;
    memset(t->slots, 0, t->n_slots * sizeof *t->slots);
    for (t->n = 0; t->n < n;) {
        const uint32_t i = t->n++;
        t->entry[i].slot = leat_top_find(t, t->entry[i].id);
        t->slots[t->entry[i].slot] = i + 1;
        leat_top_sift(t, i);
    }
}

/* ---- state of a struct leat_top in snapshots ----
 *
 *     leat_top_write  in snapshot, after leat_top_sort
 *     leat_top_read   in restore: reads the saved entries into entries[0 .. k) and checks them;
 *                     does not change the table
 *     leat_top_take   after leat_top_read: replaces the table's entries by those that were read
 *     leat_top_merge  in merge, after leat_top_read, when the model has the merged weights: keeps
 *                     the heaviest features of both tables */
static inline int leat_top_write(struct leat_writer *w, const struct leat_top *t)
{
    uint64_t *id = (uint64_t *)w->reserve(w, "top.id", LEAT_U64, t->n);
    for (uint32_t i = 0; id && i < t->n; i++)
        id[i] = t->entry[i].id;
    double *weight = (double *)w->reserve(w, "top.weight", LEAT_F64, t->n);
    for (uint32_t i = 0; weight && i < t->n; i++)
        weight[i] = t->entry[i].weight;
    char *name = (char *)w->reserve(w, "top.name", LEAT_U8, (uint64_t)t->n * (LEAT_TOP_NAME + 1));
    for (uint32_t i = 0; name && i < t->n; i++, name += LEAT_TOP_NAME + 1) {
        memset(name, 0, LEAT_TOP_NAME + 1);
        memcpy(name + 1, t->entry[i].name, t->entry[i].n_name);
        name[0] = (char)t->entry[i].n_name;
    }
    return id && weight && name ? LEAT_OK : LEAT_ENOMEM;
}

static inline int leat_top_read(struct leat_reader *r, uint32_t k, struct leat_top_entry *entries,
                                uint32_t *n)
{
    const void *id, *weight, *names;
    uint64_t n_id;
    *n = 0;
    if (r->array_up_to(r, "top.id", LEAT_U64, k, &id, &n_id)) return LEAT_EDATA;
    if (r->array(r, "top.weight", LEAT_F64, n_id, &weight)) return LEAT_EDATA;
    if (r->array(r, "top.name", LEAT_U8, n_id * (LEAT_TOP_NAME + 1), &names)) return LEAT_EDATA;
    for (; *n < n_id; ++*n) {
        struct leat_top_entry *e = &entries[*n];
        const unsigned char *name = (const unsigned char *)names + *n * (LEAT_TOP_NAME + 1u);
        e->id = ((const uint64_t *)id)[*n];
        e->weight = ((const double *)weight)[*n];
        e->n_name = name[0];
        if (!isfinite(e->weight) || e->n_name > LEAT_TOP_NAME)
            return r->refuse(r, "feature %u of top has no weight or name", *n);
        for (uint32_t i = 0; i < *n; i++)
            if (entries[i].id == e->id) return r->refuse(r, "top.id has an id twice");
        memcpy(e->name, name + 1, e->n_name);
    }
    return LEAT_OK;
}

static inline void leat_top_take(struct leat_top *t, const struct leat_top_entry *entries,
                                 uint32_t n)
{
    if (n) memcpy(t->entry, entries, n * sizeof *entries);
    t->n = n;
    leat_top_rebuild(t);
}

static inline void leat_top_merge(struct leat_top *t, const struct leat_top_entry *entries,
                                  uint32_t n, double (*weight_of)(void *model, uint64_t id),
                                  void *model)
{
    for (uint32_t i = 0; i < t->n; i++)
        t->entry[i].weight = weight_of(model, t->entry[i].id);
    leat_top_rebuild(t);
    for (uint32_t i = 0; i < n; i++)
        leat_top_offer(t, entries[i].id, weight_of(model, entries[i].id), NULL, 0, entries[i].name,
                       entries[i].n_name);
}

#endif
