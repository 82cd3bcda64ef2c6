/* contrast_sample.c -- implementation of contrast_sample.h. */
#include "contrast_sample.h"

#include <string.h>

#include "kernels/base/feature_id.h"

enum { HASH, SIZE, IDS }; /* offsets in the words of a record */

void contrast_sample_init(struct contrast_sample *s, uint32_t *word, uint32_t capacity)
{
    *s = (struct contrast_sample){
        .word = word, .capacity = capacity, .open = CONTRAST_NOT_SAMPLED, .limit = 1ull << 32};
}

static uint32_t words_of(const struct contrast_sample *s, uint32_t at)
{
    return IDS + s->word[at + SIZE];
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

void contrast_sample_begin(struct contrast_sample *s, uint32_t hash, bool sampled)
{
    s->open = CONTRAST_NOT_SAMPLED;
    if (!sampled || hash >= s->limit || s->capacity < IDS + 1) return;
    if (!contrast_sample_make_room(s, IDS) || hash >= s->limit) return;
    s->open = s->used;
    s->word[s->open + HASH] = hash;
    s->word[s->open + SIZE] = 0;
    s->used += IDS;
}

void contrast_sample_grow(struct contrast_sample *s, uint32_t id)
{
    if (s->word[s->open + SIZE] + IDS >= s->capacity) { /* the record alone is too long */
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

/* Returns the position of an id in the table `place`, or the empty position where it belongs. */
static uint32_t contrast_sample_probe(const uint32_t *place, uint32_t slots, const uint32_t *ids,
                                      uint32_t id)
{
    uint32_t h = (uint32_t)mix64(id) & (slots - 1);
    while (place[h] && ids[place[h] - 1] != id)
        h = (h + 1) & (slots - 1);
    return h;
}

uint32_t contrast_sample_first(const struct contrast_sample *s, uint32_t n, const uint32_t *ids,
                               uint32_t slots, uint32_t *place, uint32_t *first)
{
    uint32_t records = 0;
    for (uint32_t i = n; i--;)
        place[contrast_sample_probe(place, slots, ids, ids[i])] =
            i + 1; /* of equal ids, the first one stays */
    for (uint32_t at = 0; at < s->used; at += words_of(s, at)) {
        first[records] = n;
        for (uint32_t i = 0; i < s->word[at + SIZE]; i++) {
            uint32_t row = place[contrast_sample_probe(place, slots, ids, s->word[at + IDS + i])];
            if (row && row - 1 < first[records]) first[records] = row - 1;
        }
        records++;
    }
    return records;
}

/* ---- copies ---- */

static void contrast_sample_take(struct contrast_sample *m, const struct contrast_sample *from)
{
    for (uint32_t at = 0; at < from->used; at += words_of(from, at)) {
        uint32_t n = words_of(from, at);
        if (from->word[at + HASH] >= m->limit || !contrast_sample_make_room(m, n)) continue;
        if (from->word[at + HASH] >= m->limit) continue; /* the limit was lowered */
        memcpy(m->word + m->used, from->word + at, n * sizeof *m->word);
        m->used += n;
    }
}

/* Compares two samples, so that a merge does not depend on the order of a and b. */
static int contrast_sample_compare(const struct contrast_sample *a, const struct contrast_sample *b)
{
    if (a->used != b->used) return a->used < b->used ? -1 : 1;
    for (uint32_t i = 0; i < a->used; i++)
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

void contrast_sample_merge(struct contrast_sample *m, const struct contrast_sample *a,
                           const struct contrast_sample *b)
{
    bool a_first = contrast_sample_compare(a, b) <= 0;
    m->limit = a->limit < b->limit ? a->limit : b->limit;
    contrast_sample_take(m, a_first ? a : b);
    contrast_sample_take(m, a_first ? b : a);
}

const char *contrast_sample_check(const struct contrast_sample *s)
{
    uint32_t at = 0;
    while (at < s->used) {
        if (s->used - at < IDS || s->word[at + SIZE] > s->used - at - IDS)
            return "sample ends inside a record";
        if (s->word[at + HASH] >= s->limit) return "sample has a record above its limit";
        at += words_of(s, at);
    }
    return NULL;
}
