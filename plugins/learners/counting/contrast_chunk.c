/* contrast_chunk.c -- implementation of contrast_chunk.h. */
#include "contrast_chunk.h"

#include "contrast_pairs.h"
#include "contrast_waiting.h"

/* ---- an example ---- */

/* Notes an entry that is no pair. */
static void chunk_note_entry(struct contrast_counter *c, const struct leat_batch *b, uint32_t i)
{
    const struct counter_rung *rung = counter_rung(c, b, i);
    contrast_pairs_note(c, b, i, counter_field(b, i), rung,
                        rung ? NULL : contrast_front_single(&c->front, b->id[i]));
}

/* Notes the items of example e. */
static void chunk_note(struct contrast_counter *c, const struct leat_batch *b, uint32_t e)
{
    contrast_pairs_begin(c);
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        chunk_note_entry(c, b, i);
    contrast_pairs_set_codes(c, true);
}

/* Returns the cell of a ladder's step, and its code in the front. Returns NULL if the field is not
 * one of the ladder. */
static inline uint64_t *chunk_step(const struct contrast_counter *c, const struct counter_entry *of,
                                   uint32_t field, uint32_t at)
{
    struct counter_chunk *k = c->chunk;
    const uint32_t number = field < c->n_joints ? c->rung_of[field] : 0;
    if (!number || c->rung[number - 1].of.first != of->first) return NULL;
    const struct counter_rung *rung = &c->rung[number - 1];
    if (of->is_item) {
        const uint32_t ranges = contrast_pairs_ranges(rung);
        k->code[of->item][at] = rung->of.step ? rung->of.step + rung->crossed : 0;
        k->itself[of->item][at] = ranges ? rung->of.itself : 0;
        k->more += ranges;
    }
    return &c->front.bin[rung->of.first + rung->step];
}

/* Returns the cell of a feature, and its code in the front. Returns NULL if it has no place. */
static inline uint64_t *chunk_single(const struct contrast_counter *c,
                                     const struct counter_entry *of, uint64_t id, uint32_t at)
{
    const struct contrast_front_single *place = contrast_front_single(&c->front, id);
    if (!place || place->id != id) return NULL;
    if (of->is_item) c->chunk->code[of->item][at] = place->code;
    return contrast_front_cell(&c->front, place, id);
}

/* Counts the entries of an example that has the shape by their cells. Returns their number; fewer
 * than those of the shape if the next entry differs, has no cell, or has no code. */
static uint32_t chunk_count_entries(struct contrast_counter *c, const struct leat_batch *b,
                                    uint32_t first, struct contrast_front_one one)
{
    struct counter_chunk *k = c->chunk;
    const uint32_t at = k->n;
    uint32_t n = 0;
    k->more = 0;
    for (; n < k->n_entries; n++) {
        const struct counter_entry *of = &k->entry[n];
        const uint32_t *part = b->name[first + n].part;
        const uint32_t field = part[0] && !part[1] ? b->part[part[0] - 1].field : LEAT_NO_FIELD;
        uint64_t *cell = of->is_ladder        ? chunk_step(c, of, field, at)
                         : field == of->first ? chunk_single(c, of, b->id[first + n], at)
                                              : NULL;
        if (!cell || (of->is_item && !k->code[of->item][at])) break;
        if (!contrast_front_add(cell, one)) break;
        k->cell[n] = cell;
    }
    return n;
}

/* Adds example e to the chunk if it has the shape and cells count its entries. */
static bool chunk_add(struct contrast_counter *c, struct contrast_held *h,
                      const struct leat_batch *b, uint32_t e, int kind)
{
    struct counter_chunk *k = c->chunk;
    const struct contrast_front_one one = contrast_one(&h->model, kind);
    const uint32_t first = b->ex_start[e];
    if (b->ex_start[e + 1] - first != k->n_entries) return false;
    uint32_t n = chunk_count_entries(c, b, first, one);
    if (n < k->n_entries) {
        while (n)
            *k->cell[--n] -= one.one;
        return false;
    }
    k->one[k->n] = one;
    k->signature[k->n] = h->model.signature;
    k->example[k->n] = e;
    k->kind[k->n++] = (uint8_t)kind;
    h->model.occurrences += k->features + k->more;
    return true;
}

/* ---- the shape ---- */

/* Sets the couples of the items that have been noted, in the order of pairs. Returns the number of
 * pairs of different items. */
static uint32_t chunk_set_couples(struct contrast_counter *c)
{
    struct counter_chunk *k = c->chunk;
    uint32_t pairs = 0;
    k->n_couples = 0;
    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct counter_code *of = &c->code[i];
        if (c->item[i].rung) k->couple[k->n_couples++] = (struct counter_couple){.i = i, .j = i};
        for (uint32_t j = i + 1; j < c->n_items; j++) {
            if (!leat_joins(of->joint, c->code[j].joint)) continue;
            k->couple[k->n_couples++] = (struct counter_couple){.i = i, .j = j};
            pairs += of->n * c->code[j].n;
        }
    }
    return pairs;
}

/* Returns the most ranges of numbers that ladders among the items have. */
static uint32_t chunk_most_ranges(const struct contrast_counter *c)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->n_items; i++)
        most += c->item[i].rung ? c->code[i].n * c->code[i].n / 4 : 0;
    return most;
}

/* Sets the shape to that of example e. The chunk is empty. */
static void chunk_set_shape(struct contrast_counter *c, const struct leat_batch *b, uint32_t e)
{
    struct counter_chunk *k = c->chunk;
    const uint32_t first = b->ex_start[e], n = b->ex_start[e + 1] - first;
    k->n_entries = COUNTER_NO_SHAPE;
    if (!b->name || n > COUNTER_CHUNK_ENTRIES) return;
    k->features = 0;
    contrast_pairs_begin(c);
    for (uint32_t i = 0; i < n; i++) {
        const struct counter_rung *rung = counter_rung(c, b, first + i);
        const uint32_t item = c->n_items;
        if (item == COUNTER_CHUNK_ITEMS || b->name[first + i].part[1]) return;
        chunk_note_entry(c, b, first + i);
        k->entry[i] =
            (struct counter_entry){.first = rung ? rung->of.first : counter_field(b, first + i),
                                   .item = item,
                                   .is_item = c->n_items > item,
                                   .is_ladder = rung != NULL};
        k->features += rung ? rung->of.edges : 1;
    }
    const uint32_t pairs = chunk_set_couples(c);
    k->most = pairs + chunk_most_ranges(c);
    k->features += pairs;
    k->n_entries = n;
}

/* ---- the end of a chunk ---- */

/* Counts a couple of all examples by their cells. Returns the bits of those that these miss. */
static uint64_t chunk_count(const struct contrast_front *f, uint32_t n, const uint32_t *a,
                            const uint32_t *b, const struct contrast_front_one *one)
{
    uint64_t missed = 0, *cell[COUNTER_CHUNK];
    for (uint32_t r = 0; r < n; r++)
        __builtin_prefetch(cell[r] = contrast_front_spot(f, a[r], b[r]), 1);
    for (uint32_t r = 0; r < n; r++)
        missed |= (uint64_t)!contrast_front_add(cell[r], one[r]) << r;
    return missed;
}

/* Returns the second codes of a couple. */
static inline const uint32_t *chunk_others(const struct counter_chunk *k,
                                           const struct counter_couple *of)
{
    return of->i == of->j ? k->itself[of->i] : k->code[of->j];
}

/* Returns the bits of the examples that have ranges of a ladder's numbers. */
static uint64_t chunk_with_ranges(const struct counter_chunk *k, uint32_t item)
{
    uint64_t has = 0;
    for (uint32_t r = 0; r < k->n; r++)
        has |= (uint64_t)(k->itself[item][r] != 0) << r;
    return has;
}

/* Counts all couples by their cells. Returns the bits of the examples that one of these misses. */
static uint64_t chunk_count_all(struct contrast_counter *c)
{
    struct counter_chunk *k = c->chunk;
    uint64_t missed = 0;
    for (struct counter_couple *of = k->couple; of < k->couple + k->n_couples; of++) {
        of->missed = chunk_count(&c->front, k->n, k->code[of->i], chunk_others(k, of), k->one);
        if (of->i == of->j) of->missed &= chunk_with_ranges(k, of->i);
        missed |= of->missed;
    }
    return missed;
}

/* Counts the pairs of example r that cells have missed. */
static void chunk_count_missed(struct contrast_counter *c, struct learner *l,
                               struct contrast_held *h, const struct leat_batch *b, uint32_t r)
{
    const struct counter_chunk *k = c->chunk;
    h->model.signature = k->signature[r];
    chunk_note(c, b, k->example[r]);
    for (const struct counter_couple *of = k->couple; of < k->couple + k->n_couples; of++)
        if (of->missed >> r & 1) contrast_pairs_missed(c, l, h, b, k->kind[r], of->i, of->j);
    contrast_waiting_end(c, l, h, b, k->kind[r]);
}

void contrast_chunk_end(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                        const struct leat_batch *b)
{
    struct counter_chunk *k = c->chunk;
    if (!k || !k->n) return;
    const uint64_t missed = chunk_count_all(c), signature = h->model.signature;
    for (uint32_t r = 0; r < k->n; r++)
        if (missed >> r & 1) chunk_count_missed(c, l, h, b, r);
    h->model.signature = signature;
    k->n = 0;
}

/* ---- examples of a chunk ---- */

/* True if all pairs of the chunk and of one more example could become members, and the model would
 * not be full. */
static bool chunk_has_room(const struct counter_chunk *k, const struct contrast *m)
{
    return (uint64_t)(k->n + 1) * k->most < m->shape.members - m->index.n;
}

bool contrast_chunk_takes(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, uint32_t e, int kind)
{
    struct counter_chunk *k = c->chunk;
    if (!h->model.front || c->in_pane) return false;
    if (k->n && !chunk_has_room(k, &h->model)) contrast_chunk_end(c, l, h, b);
    if (!chunk_has_room(k, &h->model)) return false;
    if (chunk_add(c, h, b, e, kind)) {
        k->others = 0;
        if (k->n == COUNTER_CHUNK) contrast_chunk_end(c, l, h, b);
        return true;
    }
    contrast_chunk_end(c, l, h, b);
    if (++k->others > COUNTER_CHUNK_OTHERS) chunk_set_shape(c, b, e);
    return false;
}
