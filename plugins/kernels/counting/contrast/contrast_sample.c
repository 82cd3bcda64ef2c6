/* contrast_sample.c -- implementation of contrast_sample.h. */
#include "contrast_sample.h"

#include <stdlib.h>
#include <string.h>

/* Offsets in the words of a record. The amount takes two words, if there is one. */
enum { HASH, SIZE, AMOUNT, AMOUNT_WORDS = 2 };

void contrast_sample_init(struct contrast_sample *s, uint32_t *word, uint32_t capacity,
                          bool amounts)
{
    *s = (struct contrast_sample){.word = word,
                                  .capacity = capacity,
                                  .head = AMOUNT + (amounts ? AMOUNT_WORDS : 0),
                                  .open = CONTRAST_NOT_SAMPLED,
                                  .limit = 1ull << 32};
}

static uint32_t words_of(const struct contrast_sample *s, uint32_t at)
{
    return s->head + s->word[at + SIZE];
}

/* Drops the records whose hash is not below the limit. */
static void contrast_sample_drop(struct contrast_sample *s)
{
    uint32_t kept = 0, open = CONTRAST_NOT_SAMPLED;
    for (uint32_t at = 0, n; at < s->used; at += n) {
        n = words_of(s, at);
        if (s->word[at + HASH] >= s->limit) continue;
        if (at == s->open) open = kept;
        memmove(s->word + kept, s->word + at, n * sizeof *s->word);
        kept += n;
    }
    s->used = kept;
    s->open = open;
}

/* Makes room for n more words by lowering the limit, which drops records, perhaps also the current
 * one. Returns false if there is still no room. */
static bool contrast_sample_make_room(struct contrast_sample *s, uint32_t n)
{
    while (s->capacity - s->used < n && s->limit > 1) {
        s->limit /= 2;
        contrast_sample_drop(s);
    }
    return s->capacity - s->used >= n;
}

void contrast_sample_begin(struct contrast_sample *s, uint32_t hash, bool sampled, uint64_t amount)
{
    s->open = CONTRAST_NOT_SAMPLED;
    if (!sampled || hash >= s->limit || s->capacity < s->head + 1) return;
    if (!contrast_sample_make_room(s, s->head) || hash >= s->limit) return;
    s->open = s->used;
    s->word[s->open + HASH] = hash;
    s->word[s->open + SIZE] = 0;
    if (s->head > AMOUNT) {
        s->word[s->open + AMOUNT] = (uint32_t)amount;
        s->word[s->open + AMOUNT + 1] = (uint32_t)(amount >> 32);
    }
    s->used += s->head;
}

void contrast_sample_grow(struct contrast_sample *s, uint32_t id)
{
    if (s->word[s->open + SIZE] + s->head >= s->capacity) { /* the record alone is too long */
        s->used = s->open;
        s->open = CONTRAST_NOT_SAMPLED;
        return;
    }
    contrast_sample_make_room(s, 1);
    if (s->open == CONTRAST_NOT_SAMPLED) return; /* the current record was dropped */
    s->word[s->used++] = id;
    s->word[s->open + SIZE]++;
}

/* ---- reading ---- */

static int contrast_sample_by_id(const void *x, const void *y)
{
    const struct contrast_sample_entry *a = x, *b = y;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

struct contrast_sample_index contrast_sample_index(const struct contrast_sample *s,
                                                   struct contrast_sample_entry *entry)
{
    struct contrast_sample_index x = {.entry = entry};
    for (uint32_t at = 0; at < s->used; at += words_of(s, at), x.records++)
        for (uint32_t i = 0; i < s->word[at + SIZE]; i++)
            entry[x.n++] = (struct contrast_sample_entry){s->word[at + s->head + i], x.records};
    if (x.n) qsort(entry, x.n, sizeof *entry, contrast_sample_by_id);
    return x;
}

uint64_t contrast_sample_amounts(const struct contrast_sample *s, uint64_t *amount)
{
    uint64_t sum = 0;
    for (uint32_t at = 0; at < s->used; at += words_of(s, at), amount++) {
        const uint32_t *word = &s->word[at + AMOUNT];
        *amount = s->head > AMOUNT ? word[0] | (uint64_t)word[1] << 32 : 1;
        sum += *amount;
    }
    return sum;
}

/* Returns the first entry from `from` on that is not before (id, record). */
static uint32_t contrast_sample_seek(const struct contrast_sample_index *x, uint32_t from,
                                     uint32_t id, uint32_t record)
{
    const struct contrast_sample_entry wanted = {id, record};
    uint32_t end = x->n;
    while (from < end) {
        uint32_t middle = from + (end - from) / 2;
        if (contrast_sample_by_id(&x->entry[middle], &wanted) < 0)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

uint32_t contrast_sample_find(const struct contrast_sample_index *x, const uint32_t *id,
                              uint32_t parts, uint32_t *record)
{
    uint32_t n = 0, at[3] = {contrast_sample_seek(x, 0, id[0], 0)};
    for (uint32_t k = 1; k < parts; k++)
        at[k] = contrast_sample_seek(x, 0, id[k], 0);
    for (; at[0] < x->n && x->entry[at[0]].id == id[0]; at[0]++) {
        uint32_t r = x->entry[at[0]].record, has = 1;
        if (n && record[n - 1] == r) continue; /* a record may contain an id twice */
        for (uint32_t k = 1; k < parts; k++) {
            while (at[k] < x->n && x->entry[at[k]].id == id[k] && x->entry[at[k]].record < r)
                at[k]++;
            has += at[k] < x->n && x->entry[at[k]].id == id[k] && x->entry[at[k]].record == r;
        }
        if (has == parts) record[n++] = r;
    }
    return n;
}

/* ---- copies ---- */

/* Most times that a limit is halved: from 2^32 to 0. */
enum { CONTRAST_SAMPLE_HALVINGS = 33 };

/* Returns how often a limit, at most 2^32, can be halved until it is not above the hash. The hash
 * is below the limit. */
static int contrast_sample_halvings(uint64_t hash, uint64_t limit)
{
    int k = __builtin_clzll(hash + 1) - __builtin_clzll(limit);
    return k - ((hash + 1) << k > limit);
}

/* Adds the words of records, each `times` times, to words[k], where the record is below the limit
 * halved k times, but not k + 1 times. */
static void contrast_sample_weigh(const struct contrast_sample *s, uint64_t limit, uint32_t times,
                                  uint64_t words[CONTRAST_SAMPLE_HALVINGS])
{
    for (uint32_t at = 0; at < s->used; at += words_of(s, at)) {
        uint64_t hash = s->word[at + HASH];
        if (hash >= limit) continue;
        words[contrast_sample_halvings(hash, limit)] += (uint64_t)times * words_of(s, at);
    }
}

void contrast_sample_unite(struct contrast_sample *m, const struct contrast_sample *from,
                           uint32_t times)
{
    uint64_t words[CONTRAST_SAMPLE_HALVINGS] = {0}, all = 0;
    uint64_t limit = m->limit < from->limit ? m->limit : from->limit;
    contrast_sample_weigh(m, limit, 1, words);
    contrast_sample_weigh(from, limit, times, words);
    int k = CONTRAST_SAMPLE_HALVINGS;
    while (k && all + words[k - 1] <= m->capacity)
        all += words[--k];
    m->limit = limit >> k;
    contrast_sample_drop(m);
    for (uint32_t i = 0; i < times; i++)
        for (uint32_t at = 0, n; at < from->used; at += n) {
            n = words_of(from, at);
            if (from->word[at + HASH] >= m->limit) continue;
            memcpy(m->word + m->used, from->word + at, n * sizeof *m->word);
            m->used += n;
        }
}

static int contrast_sample_by_words(const void *x, const void *y)
{
    const struct contrast_sample_place *a = x, *b = y;
    for (uint32_t i = 0; i < a->n && i < b->n; i++)
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

void contrast_sample_sort(struct contrast_sample *s, const struct contrast_sample_order *order)
{
    uint32_t n = 0, to = 0;
    for (uint32_t at = 0; at < s->used; at += words_of(s, at))
        order->place[n++] = (struct contrast_sample_place){s->word + at, words_of(s, at)};
    if (n) qsort(order->place, n, sizeof *order->place, contrast_sample_by_words);
    for (uint32_t i = 0; i < n; to += order->place[i++].n)
        memcpy(order->spare + to, order->place[i].word, order->place[i].n * sizeof *s->word);
    if (to) memcpy(s->word, order->spare, to * sizeof *s->word);
}

const char *contrast_sample_check(const struct contrast_sample *s)
{
    uint32_t at = 0;
    while (at < s->used) {
        if (s->used - at < s->head || s->word[at + SIZE] > s->used - at - s->head)
            return "sample ends inside a record";
        if (s->word[at + HASH] >= s->limit) return "sample has a record above its limit";
        at += words_of(s, at);
    }
    return NULL;
}
