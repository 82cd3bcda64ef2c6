/* aggregate_texts.c -- see aggregate_texts.h. */
#include "aggregate_texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/base/sort.h"

/* ---- texts of several cells together ---- */

/* Equal texts have equal hashes, and stand beside each other. */
#define HASH_BEFORE(a, b) ((a).hash < (b).hash)
SORT(by_hash, struct united_text, HASH_BEFORE)

static uint32_t shown_bytes(const struct united_text *t)
{
    return t->len < TALLY_TEXT ? t->len : TALLY_TEXT;
}

static bool more_before(const struct united_text *a, const struct united_text *b)
{
    if (a->count != b->count) return a->count > b->count;
    uint32_t n_a = shown_bytes(a), n_b = shown_bytes(b);
    int by = memcmp(a->text, b->text, n_a < n_b ? n_a : n_b);
    if (by) return by < 0;
    return n_a != n_b ? n_a < n_b : a->hash < b->hash;
}
#define COUNT_BEFORE(a, b) more_before(&(a), &(b))
SORT(by_count, struct united_text, COUNT_BEFORE)

/* Each text once, with its counts and excesses added up; how many. */
static uint32_t unite(struct united_text *all, uint32_t n)
{
    uint32_t kept = 0;
    by_hash_sort(all, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!kept || all[kept - 1].hash != all[i].hash) {
            all[kept++] = all[i];
            continue;
        }
        all[kept - 1].count += all[i].count;
        all[kept - 1].excess += all[i].excess;
    }
    return kept;
}

/* ---- distinct ---- */

#define IS_LESS(a, b) ((a) < (b))
SORT(hashes, uint64_t, IS_LESS)

/* The hashes of all texts of an exact profile; how many. */
static uint32_t hashes_of(const struct column_profile *p, uint64_t *out)
{
    if (p->listed) {
        memcpy(out, p->texts_had.hash, p->listed * sizeof *out);
        return p->listed;
    }
    for (uint32_t i = 0; i < p->n_kept; i++)
        out[i] = mix64(p->kept[i].hash);
    return p->n_kept;
}

static uint32_t count_different(uint64_t *hash, uint32_t n)
{
    uint32_t different = 0;
    if (n) hashes_sort(hash, n);
    for (uint32_t i = 0; i < n; i++)
        different += !i || hash[i] != hash[i - 1];
    return different;
}

double aggregate_distinct(const struct aggregates *s, const struct aggregate *a, void *const *cell,
                          uint32_t n)
{
    uint8_t registers[DISTINCT_REGISTERS] = {0};
    uint64_t texts = 0, *hash = s->work.hash;
    uint32_t found = 0;
    bool exact = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct column_profile *p = aggregate_part(a, cell[i]);
        texts += p->texts;
        exact &= column_profile_is_exact(p);
        if (column_profile_is_exact(p))
            found += hashes_of(p, hash + found);
        else
            distinct_unite(registers, p->texts_had.registers);
    }
    if (exact) return count_different(hash, found);
    for (uint32_t i = 0; i < found; i++)
        distinct_add(registers, hash[i]);
    return fmin(round(distinct_count(registers)), (double)texts);
}

/* ---- top ---- */

/* A text that a pane does not have may have come there as often as the pane's bound says: the sum
 * of all bounds is added to each, and what a pane that has it counts is what is above its bound. */
static uint32_t unite_tallies(const struct aggregates *s, const struct aggregate *a,
                              void *const *cell, uint32_t n, uint64_t *bound)
{
    struct united_text *all = s->work.text;
    uint32_t found = 0;
    *bound = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct tally *of = aggregate_part(a, cell[i]);
        *bound += of->bound;
        for (const struct tallied *t = NULL; (t = tallies_next(&s->tallies, of, t));)
            all[found++] = (struct united_text){.hash = t->hash,
                                                .count = t->count - of->bound,
                                                .excess = t->excess - of->bound, /* wraps */
                                                .text = t->text,
                                                .len = t->len};
    }
    found = unite(all, found);
    for (uint32_t i = 0; i < found; i++) {
        all[i].count += *bound;
        all[i].excess += *bound;
    }
    return found;
}

/* Nothing that is not among the first `given` can have come more often than the last of them. */
static void note_certainty(struct aggregates *s, uint32_t given, uint32_t k, uint64_t bound)
{
    const struct united_text *all = s->work.text;
    bool certain = !bound || (given == k && all[k - 1].count > bound);
    for (uint32_t i = 0; i < given; i++) {
        certain &= !all[i].excess;
        if (all[i].excess > s->farthest) s->farthest = all[i].excess;
    }
    s->estimated += !certain;
    s->pressed |= !certain && s->tallies.limit < s->tallies.most;
}

struct leat_str aggregate_top(struct aggregates *s, const struct aggregate *a, void *const *cell,
                              uint32_t n, struct leat_batch *out)
{
    uint64_t bound;
    uint32_t found = unite_tallies(s, a, cell, n, &bound), i = 0;
    char *from = out->bytes + out->n_bytes, *at = from;
    by_count_sort(s->work.text, found);
    for (; i < a->k && i < found; i++) {
        const struct united_text *t = &s->work.text[i];
        uint32_t bytes = shown_bytes(t);
        at +=
            sprintf(at, "%s%.*s%s (%s%llu)", i ? ", " : "", (int)bytes, t->text,
                    t->len > bytes ? "…" : "", t->excess ? "~" : "", (unsigned long long)t->count);
    }
    note_certainty(s, i, a->k, bound);
    struct leat_str text = {out->n_bytes, at > from ? (uint32_t)(at - from) : LEAT_NULL};
    out->n_bytes += (uint32_t)(at - from);
    return text;
}
