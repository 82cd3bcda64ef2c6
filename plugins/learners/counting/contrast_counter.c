/* contrast_counter.c -- implementation of contrast_counter.h. */
#include "contrast_counter.h"

#include <string.h>

#include "common/answers/answer.h"
#include "kernels/base/feature_id.h"
#include "kernels/counting/panes/panes.h"

/* Returns the bytes of the singles of an example. */
static size_t counter_singles_bytes(const struct leat_schema *in)
{
    return in->joint ? (in->entries_per_record + 1) * sizeof(struct counter_single) : 0;
}

size_t contrast_counter_bytes(const struct contrast_shape *s, const struct leat_schema *in)
{
    return contrast_front_bytes(s->members) + counter_singles_bytes(in);
}

/* True if a model may have a front. */
static bool counter_has_front(const struct contrast *m)
{
    return m->opt.half_life <= 0 && !m->sums.member;
}

int contrast_counter_make(struct leat_ctx *ctx, struct contrast_counter *c, struct contrast_held *h)
{
    uint32_t members = h->model.shape.members;
    size_t bytes = contrast_counter_bytes(&h->model.shape, ctx->in);
    c->block = ctx->host->alloc(ctx, bytes);
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %zu bytes of cells", bytes);
    contrast_front_init(&c->front, members, c->block);
    c->single = (struct counter_single *)(void *)((char *)c->block + contrast_front_bytes(members));
    c->joint = ctx->in->joint;
    c->n_joints = ctx->in->n_joints;
    h->model.front = counter_has_front(&h->model) ? &c->front : NULL;
    return LEAT_OK;
}

void contrast_counter_free(struct leat_ctx *ctx, struct contrast_counter *c)
{
    ctx->host->free(ctx, c->block);
}

void contrast_counter_leave(const struct contrast_held *h, struct contrast_held *next)
{
    next->model.front = h->model.front;
    if (!h->model.front) return;
    contrast_flush(&h->model);
    contrast_front_restart(h->model.front);
}

/* Returns the number of the part of a single feature of the current record; the first one is 0. */
static inline uint32_t counter_part(struct contrast_counter *c, uint32_t part)
{
    if (!c->first) c->first = part;
    return part - c->first;
}

/* ---- the sample ---- */

/* True if the sample has the name part of the current record. */
static bool counter_has_part(const struct contrast_counter *c, uint32_t part)
{
    uint32_t i = part - c->first;
    return i < COUNTER_PARTS && (c->kept[i / 64] >> i % 64 & 1);
}

/* Puts entry i of the current record, which is sampled, into the sample. Single features go in by
 * the key of their name part. From these keys an answer knows which conjunctions a record has. So a
 * conjunction goes in, by its id, only if the sample lacks one of its parts. */
static void counter_keep_entry(struct contrast_counter *c, struct contrast *m,
                               const struct leat_batch *b, uint32_t i, int kind)
{
    const uint32_t *part = b->name ? b->name[i].part : (const uint32_t[3]){0};
    bool single = part[0] && !part[1], known = part[0] != 0;
    for (int k = 0; k < 3 && part[k]; k++)
        known &= counter_has_part(c, part[k]);
    if (known) return;
    uint32_t at = single ? counter_part(c, part[0]) : COUNTER_PARTS;
    if (at < COUNTER_PARTS) c->kept[at / 64] |= UINT64_C(1) << at % 64;
    contrast_keep(m, kind, single ? answer_parts(b, i).key[0] : id_slots_fold(b->id[i]));
}

/* ---- counting ---- */

/* Begins a record. Forgets the name parts of the record before. */
void contrast_counter_record(struct contrast_counter *c, struct contrast_held *h, int kind)
{
    contrast_record(&h->model, kind);
    c->first = 0;
    if (contrast_samples(&h->model, kind)) memset(c->kept, 0, sizeof c->kept);
}

/* Takes the name of a new member: entry i of b. */
static void counter_name(struct learner *l, struct contrast_held *h, const struct leat_batch *b,
                         uint32_t i, uint32_t slot)
{
    if (slot == CONTRAST_NONE) return;
    learner_take_name(l, &h->names, slot, b, i);
    h->parts[slot] = answer_parts(b, i);
}

/* Takes the name of a new member: a pair, which no entry has. */
static void counter_name_pair(struct learner *l, struct contrast_held *h,
                              const struct leat_batch *b, const struct counter_single *one,
                              const struct counter_single *other, uint32_t slot)
{
    struct leat_name pair = {{one->name, other->name}};
    struct leat_batch named;
    if (slot == CONTRAST_NONE) return;
    named = *b;
    named.name = &pair;
    counter_name(l, h, &named, 0, slot);
}

/* ---- features without a cell of their own ---- */

/* Features of the current record that the model counts together. */
struct counter_block {
    uint32_t n, seen; /* seen: with those that were counted in cells */
    uint64_t id[ID_SLOTS_FORESEEN];
    uint64_t *cell[ID_SLOTS_FORESEEN];
    uint32_t entry[ID_SLOTS_FORESEEN];                      /* of singles */
    struct contrast_front_single *place[ID_SLOTS_FORESEEN]; /* of singles; NULL: none */
    const struct counter_single *one[ID_SLOTS_FORESEEN], *other[ID_SLOTS_FORESEEN]; /* of pairs */
};

/* Counts a block of entries in the model. Those that are members take their places and cells. */
static void counter_add_entries(struct learner *l, struct contrast_held *h,
                                const struct leat_batch *b, struct counter_block *k, int kind)
{
    uint32_t slot[ID_SLOTS_FORESEEN];
    uint32_t entered = contrast_add_all(&h->model, k->n, k->id, kind, slot);
    for (uint32_t i = 0; i < k->n; i++) {
        struct contrast_front_single *place = k->place[i];
        if (slot[i] == CONTRAST_NONE) continue;
        if (entered >> i & 1) counter_name(l, h, b, k->entry[i], slot[i]);
        if (!place) continue;
        contrast_front_own(h->model.front, place, k->id[i]);
        if (place->id == k->id[i])
            contrast_take(&h->model, contrast_front_cell(h->model.front, place, place->id),
                          slot[i]);
    }
    k->n = 0;
}

/* Does the same with a block of pairs. */
static void counter_add_pairs(struct learner *l, struct contrast_held *h,
                              const struct leat_batch *b, struct counter_block *k, int kind)
{
    uint32_t slot[ID_SLOTS_FORESEEN];
    uint32_t entered = contrast_add_all(&h->model, k->n, k->id, kind, slot);
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t one = k->one[i]->code, other = k->other[i]->code;
        if (slot[i] == CONTRAST_NONE) continue;
        if (entered >> i & 1) counter_name_pair(l, h, b, k->one[i], k->other[i], slot[i]);
        if (one && other && one != other) contrast_take(&h->model, k->cell[i], slot[i]);
    }
    k->n = 0;
    k->seen = 0;
}

/* ---- counting ---- */

/* Notes entry i, whose code is `code`, among the m singles of the example if it joins others.
 * Returns the number of singles then. */
static inline uint32_t counter_note(struct contrast_counter *c, const struct leat_batch *b,
                                    uint32_t i, uint32_t code, uint32_t m)
{
    const uint32_t *part = b->name ? b->name[i].part : (const uint32_t[3]){0};
    uint32_t field = part[0] ? b->part[part[0] - 1].field : LEAT_NO_FIELD;
    if (!c->joint || part[1] || field >= c->n_joints || c->joint[field] == LEAT_ALONE) return m;
    c->single[m] = (struct counter_single){
        .part = feature_id_part(b->id[i]), .joint = c->joint[field], .name = part[0], .code = code};
    return m + 1;
}

/* Returns how many of the entries first .. end - 1 the model counts together: single features, or
 * conjunctions. So pairs come in the same blocks whoever makes them. */
static uint32_t counter_together(const struct leat_batch *b, uint32_t first, uint32_t end)
{
    uint32_t n = 1;
    if (end - first > ID_SLOTS_FORESEEN) end = first + ID_SLOTS_FORESEEN;
    while (first + n < end && (!b->name || !b->name[first].part[1] == !b->name[first + n].part[1]))
        n++;
    return n;
}

/* Counts at most ID_SLOTS_FORESEEN entries from `first` on. Notes them after the m singles of the
 * example. Returns the number of singles then. */
static uint32_t counter_entries(struct contrast_counter *c, struct learner *l,
                                struct contrast_held *h, const struct leat_batch *b, uint32_t first,
                                uint32_t n, uint32_t m, int kind)
{
    const struct contrast_front_one one = contrast_one(&h->model, kind);
    const bool fronted = h->model.front != NULL;
    struct contrast_front_single *place[ID_SLOTS_FORESEEN];
    struct counter_block k;
    k.n = 0;
    for (uint32_t e = 0, i = first; e < n; e++, i++) {
        bool single = fronted && (!b->name || !b->name[i].part[1]);
        place[e] = single ? contrast_front_single(&c->front, b->id[i]) : NULL;
        if (contrast_front_add(contrast_front_cell(&c->front, place[e], b->id[i]), one)) continue;
        k.id[k.n] = b->id[i];
        k.place[k.n] = place[e];
        k.entry[k.n++] = i;
    }
    h->model.occurrences += n - k.n;
    counter_add_entries(l, h, b, &k, kind);
    for (uint32_t e = 0, i = first; e < n && c->joint; e++, i++)
        m = counter_note(c, b, i, place[e] && place[e]->id == b->id[i] ? place[e]->code : 0, m);
    return m;
}

/* True if two joints are of one group. Most pairs are not, and join. */
static inline bool counter_is_one_group(uint32_t a, uint32_t b) { return (a ^ b) < 8; }

/* Counts the pairs of m singles, in blocks. Most of all counts are made here. */
static void counter_pairs(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, uint32_t m, int kind)
{
    const struct contrast_front_one one = contrast_one(&h->model, kind);
    const struct counter_single *s = c->single;
    struct counter_block k;
    uint32_t counted = 0;
    k.n = k.seen = 0;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1, of = s[i].joint, code = s[i].code; j < m; j++) {
            if (counter_is_one_group(of, s[j].joint) && !leat_joins(of, s[j].joint)) continue;
            uint64_t *cell = contrast_front_pair(&c->front, code, s[j].code);
            if (contrast_front_add(cell, one)) {
                counted++;
            } else {
                k.id[k.n] = feature_id_and2(s[i].part, s[j].part);
                k.cell[k.n] = cell;
                k.one[k.n] = &s[i];
                k.other[k.n++] = &s[j];
            }
            if (++k.seen == ID_SLOTS_FORESEEN) counter_add_pairs(l, h, b, &k, kind);
        }
    counter_add_pairs(l, h, b, &k, kind);
    h->model.occurrences += counted;
}

/* ---- an example ---- */

/* Counts the features of example e in the panes. */
static void counter_to_panes(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t first, uint32_t end)
{
    uint32_t m = 0;
    for (uint32_t i = first; i < end; i++) {
        panes_add(h->panes, b->id[i]);
        m = counter_note(c, b, i, 0, m);
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++)
            if (leat_joins(c->single[i].joint, c->single[j].joint))
                panes_add(h->panes, feature_id_and2(c->single[i].part, c->single[j].part));
}

void contrast_counter_example(struct contrast_counter *c, struct learner *l,
                              struct contrast_held *h, const struct leat_batch *b, uint32_t e,
                              int kind)
{
    uint32_t first = b->ex_start[e], end = b->ex_start[e + 1], m = 0;
    for (uint32_t i = first, n; i < end; i += n) {
        n = counter_together(b, i, end);
        m = counter_entries(c, l, h, b, i, n, m, kind);
    }
    if (m > 1) counter_pairs(c, l, h, b, m, kind);
    if (c->in_pane) counter_to_panes(c, h, b, first, end);
    for (uint32_t i = first; i < end && contrast_samples(&h->model, kind); i++)
        counter_keep_entry(c, &h->model, b, i, kind);
}
