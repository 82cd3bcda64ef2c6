/* contrast_counter.c -- implementation of contrast_counter.h. */
#include "contrast_counter.h"

#include <string.h>

#include "common/answers/answer.h"
#include "kernels/counting/panes/panes.h"

/* Returns the bytes of the singles of an example. */
static size_t counter_singles_bytes(const struct leat_schema *in)
{
    return in->joint ? (in->entries_per_record + 1) * sizeof(struct counter_single) : 0;
}

size_t contrast_counter_bytes(const struct contrast_shape *s, const struct leat_schema *in)
{
    return contrast_front_bytes(s) + counter_singles_bytes(in);
}

int contrast_counter_make(struct leat_ctx *ctx, struct contrast_counter *c, struct contrast_held *h)
{
    size_t front = contrast_front_bytes(&h->model.shape);
    size_t bytes = contrast_counter_bytes(&h->model.shape, ctx->in);
    c->block = ctx->host->alloc(ctx, bytes);
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %zu bytes of cells", bytes);
    contrast_front_init(&c->front, &h->model, c->block);
    c->single = (struct counter_single *)(void *)((char *)c->block + front);
    c->joint = ctx->in->joint;
    c->n_joints = ctx->in->n_joints;
    h->front = &c->front;
    return LEAT_OK;
}

void contrast_counter_free(struct leat_ctx *ctx, struct contrast_counter *c)
{
    ctx->host->free(ctx, c->block);
}

void contrast_counter_flush(const struct contrast_held *h)
{
    if (h->front) contrast_front_flush(h->front, &h->model);
}

void contrast_counter_leave(const struct contrast_held *h, struct contrast_held *next)
{
    if (h->front) contrast_front_restart(h->front, &h->model);
    next->front = h->front;
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

/* ---- counting in cells ---- */

/* Counts a pair, whose cell does not do it, in the model. */
static void counter_add_pair(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                             const struct leat_batch *b, const struct counter_single *one,
                             const struct counter_single *other, int kind)
{
    uint64_t id = feature_id_and2(one->part, other->part);
    counter_name_pair(l, h, b, one, other, contrast_add(&h->model, id, kind));
    contrast_front_take_pair(&c->front, &h->model, one->code, other->code);
}

/* True if two joints are of one group. Most pairs are not, and join. */
static inline bool counter_is_one_group(uint32_t a, uint32_t b) { return (a ^ b) < 8; }

/* Counts the pairs of m singles. Most of all counts are made here. */
static void counter_pairs_to_cells(struct contrast_counter *c, struct learner *l,
                                   struct contrast_held *h, const struct leat_batch *b, uint32_t m,
                                   int kind)
{
    const struct contrast_front_one one = contrast_front_one(&h->model, kind);
    const struct counter_single *s = c->single;
    uint32_t counted = 0;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1, of = s[i].joint, code = s[i].code; j < m; j++) {
            if (counter_is_one_group(of, s[j].joint) && !leat_joins(of, s[j].joint)) continue;
            if (contrast_front_add_pair(contrast_front_pair(&c->front, code, s[j].code), one))
                counted++;
            else
                counter_add_pair(c, l, h, b, &s[i], &s[j], kind);
        }
    h->model.occurrences += counted;
}

/* Counts entries first .. end - 1 in cells, if they have some, then their pairs. */
static void counter_to_cells(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t first, uint32_t end, int kind)
{
    uint32_t counted = 0, m = 0;
    for (uint32_t i = first; i < end; i++) {
        bool single = !b->name || !b->name[i].part[1];
        struct contrast_front_cell *cell =
            single ? contrast_front_single(&c->front, b->id[i]) : NULL;
        bool own = cell && contrast_front_add(cell, &h->model, b->id[i], kind);
        counted += own;
        if (!own) counter_name(l, h, b, i, contrast_add(&h->model, b->id[i], kind));
        if (cell && !own) contrast_front_take(&c->front, cell, b->id[i]);
        m = counter_note(c, b, i, cell ? cell->code : 0, m);
    }
    h->model.occurrences += counted;
    counter_pairs_to_cells(c, l, h, b, m, kind);
}

/* ---- counting in the model ---- */

/* Pairs of the current example that are counted together. */
struct counter_pairs {
    uint32_t n;
    uint64_t id[ID_SLOTS_FORESEEN];
    const struct counter_single *one[ID_SLOTS_FORESEEN], *other[ID_SLOTS_FORESEEN];
};

static void counter_flush_pairs(struct counter_pairs *p, struct learner *l, struct contrast_held *h,
                                const struct leat_batch *b, int kind)
{
    contrast_foresee(&h->model, p->n, p->id);
    for (uint32_t k = 0; k < p->n; k++)
        counter_name_pair(l, h, b, p->one[k], p->other[k], contrast_add(&h->model, p->id[k], kind));
    p->n = 0;
}

static void counter_pairs_to_model(const struct contrast_counter *c, struct learner *l,
                                   struct contrast_held *h, const struct leat_batch *b, uint32_t m,
                                   int kind)
{
    struct counter_pairs p = {.n = 0};
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++) {
            const struct counter_single *one = &c->single[i], *other = &c->single[j];
            if (!leat_joins(one->joint, other->joint)) continue;
            p.one[p.n] = one;
            p.other[p.n] = other;
            p.id[p.n++] = feature_id_and2(one->part, other->part);
            if (p.n == ID_SLOTS_FORESEEN) counter_flush_pairs(&p, l, h, b, kind);
        }
    counter_flush_pairs(&p, l, h, b, kind);
}

static void counter_to_model(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t first, uint32_t end, int kind)
{
    uint32_t most = ID_SLOTS_FORESEEN, m = 0;
    for (uint32_t i = first; i < end; i++) {
        if ((i - first) % most == 0)
            contrast_foresee(&h->model, end - i < most ? end - i : most, b->id + i);
        counter_name(l, h, b, i, contrast_add(&h->model, b->id[i], kind));
        m = counter_note(c, b, i, 0, m);
    }
    counter_pairs_to_model(c, l, h, b, m, kind);
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
    uint32_t first = b->ex_start[e], end = b->ex_start[e + 1];
    uint64_t entries = end - first, features = entries;
    if (c->joint) features += entries * (entries - (entries > 0)) / 2;
    if (contrast_front_begin(&c->front, &h->model, features))
        counter_to_cells(c, l, h, b, first, end, kind);
    else
        counter_to_model(c, l, h, b, first, end, kind);
    if (c->in_pane) counter_to_panes(c, h, b, first, end);
    for (uint32_t i = first; i < end && contrast_samples(&h->model, kind); i++)
        counter_keep_entry(c, &h->model, b, i, kind);
}
