/* contrast_counter.c -- implementation of contrast_counter.h. */
#include "contrast_counter.h"

#include <string.h>

#include "common/answers/answer.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/layout.h"
#include "kernels/counting/panes/panes.h"

/* ---- memory ---- */

/* A side of an edge: a field whose joint has the side LEAT_RUNG. It has the own cell of its number.
 */
struct counter_rung {
    uint64_t id, key; /* key: of its name part */
    uint32_t field;
    struct contrast_front_ladder of;
};

static bool counter_is_rung(uint32_t joint)
{
    return joint % 8 == LEAT_RUNG && joint != LEAT_ALONE;
}

static uint32_t counter_count_rungs(const struct leat_schema *in)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < in->n_joints; f++)
        n += counter_is_rung(in->joint[f]);
    return n;
}

static size_t counter_lay_out(struct contrast_counter *c, uint32_t members,
                              const struct leat_schema *in, void *block)
{
    struct layout y = {block, contrast_front_bytes(members, counter_count_rungs(in))};
    if (!in->joint) return y.used;
    c->single = layout_take(&y, in->entries_per_record + 1, sizeof *c->single);
    c->code = layout_take(&y, in->entries_per_record + 1, sizeof *c->code);
    c->rung = layout_take(&y, counter_count_rungs(in), sizeof *c->rung);
    c->rung_of = layout_take(&y, in->n_joints, sizeof *c->rung_of);
    return y.used;
}

size_t contrast_counter_bytes(const struct contrast_shape *s, const struct leat_schema *in)
{
    struct contrast_counter c;
    return counter_lay_out(&c, s->members, in, NULL);
}

/* Makes rungs of fields. Those of a ladder follow each other. */
static void counter_make_rungs(struct contrast_counter *c, const struct leat_schema *in)
{
    uint32_t n = 0, first = 0;
    for (uint32_t f = 0; f < in->n_joints; f++) {
        const char *name = in->fields[f];
        if (!counter_is_rung(in->joint[f])) continue;
        if (n && in->joint[f] != in->joint[c->rung[first].field]) first = n;
        c->rung[n] = (struct counter_rung){.id = feature_id_name(name, strlen(name)),
                                           .field = f,
                                           .key = redundancy_key(name, strlen(name), NULL, 0),
                                           .of.first = first};
        c->rung_of[f] = ++n;
        for (uint32_t i = first; i < n; i++)
            c->rung[i].of.edges = (n - first) / 2;
    }
    for (uint32_t i = 0; i < n; i++)
        c->front.ladder[i] = c->rung[i].of;
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
    contrast_front_init(&c->front, members, counter_count_rungs(ctx->in), c->block);
    counter_lay_out(c, members, ctx->in, c->block);
    counter_make_rungs(c, ctx->in);
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

/* ---- entries ---- */

/* Returns the field of the first name part of entry i. */
static inline uint32_t counter_field(const struct leat_batch *b, uint32_t i)
{
    uint32_t part = b->name ? b->name[i].part[0] : 0;
    return part ? b->part[part - 1].field : LEAT_NO_FIELD;
}

/* Returns the rung that entry i is; NULL if it is none. */
static inline const struct counter_rung *counter_rung(const struct contrast_counter *c,
                                                      const struct leat_batch *b, uint32_t i)
{
    uint32_t field = c->joint ? counter_field(b, i) : LEAT_NO_FIELD;
    uint32_t at = field < c->n_joints ? c->rung_of[field] : 0;
    return at ? &c->rung[at - 1] : NULL;
}

/* Returns the step of a ladder that a rung stands for: the number of edges that it is above. */
static inline uint32_t counter_step(const struct contrast_counter *c,
                                    const struct counter_rung *rung)
{
    return ((uint32_t)(rung - c->rung) - rung->of.first + 1) / 2;
}

/* Returns the number of a rung: the side of edge k that holds if `rung` does. */
static inline uint32_t counter_side(const struct contrast_counter *c,
                                    const struct counter_rung *rung, uint32_t k)
{
    return rung->of.first + 2 * k + (k < counter_step(c, rung));
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
    const struct counter_rung *rung = counter_rung(c, b, i);
    for (uint32_t k = 0; rung && k < rung->of.edges; k++)
        contrast_keep(m, kind, c->rung[counter_side(c, rung, k)].key);
    if (rung) return;
    for (int k = 0; k < 3 && part[k]; k++)
        known &= counter_has_part(c, part[k]);
    if (known) return;
    uint32_t at = single ? counter_part(c, part[0]) : COUNTER_PARTS;
    if (at < COUNTER_PARTS) c->kept[at / 64] |= UINT64_C(1) << at % 64;
    contrast_keep(m, kind, single ? answer_parts(b, i).key[0] : b->id[i]);
}

/* ---- records ---- */

/* Returns the sum of the ids of a record, whose first example is e. */
static uint64_t counter_content(const struct leat_batch *b, uint32_t e)
{
    uint32_t end = e + 1;
    uint64_t sum = 0;
    while (end < b->n_examples && b->ex_record[end] == b->ex_record[e])
        end++;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[end]; i++)
        sum += b->id[i];
    return sum;
}

/* Begins a record. Forgets the name parts of the record before. */
void contrast_counter_record(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t e, int kind)
{
    contrast_record(&h->model, kind, counter_content(b, e));
    c->first = 0;
    if (contrast_samples(&h->model, kind)) memset(c->kept, 0, sizeof c->kept);
}

/* ---- features without a cell of their own ---- */

#define COUNTER_NONE UINT32_MAX

/* Origin of the name of a feature: an entry, a rung of a field, or a pair of name parts. */
struct counter_what {
    uint32_t entry, field; /* COUNTER_NONE: neither */
    struct leat_name pair;
};

/* Features of the current record that the model counts together. */
struct counter_block {
    uint32_t n, seen, counted; /* seen: with those that cells have counted; counted: by cells */
    int kind;
    struct contrast_front_one one;
    uint64_t id[ID_SLOTS_FORESEEN];
    uint64_t *cell[ID_SLOTS_FORESEEN];                      /* NULL: none */
    struct contrast_front_single *place[ID_SLOTS_FORESEEN]; /* of the cell; NULL: it needs none */
    struct counter_what what[ID_SLOTS_FORESEEN];
};

static void counter_begin_block(struct counter_block *k, const struct contrast *m, int kind)
{
    k->n = k->seen = k->counted = 0;
    k->kind = kind;
    k->one = contrast_one(m, kind);
}

/* Takes the name of a new member. */
static void counter_take_name(struct learner *l, struct contrast_held *h,
                              const struct leat_batch *b, const struct counter_what *what,
                              uint32_t slot)
{
    struct leat_part part = {.field = what->field, .value = {0, LEAT_NULL}};
    struct leat_name name = what->field == COUNTER_NONE ? what->pair : (struct leat_name){{1}};
    struct leat_batch named = *b;
    if (what->field != COUNTER_NONE) named.part = &part;
    if (what->entry == COUNTER_NONE) named.name = &name;
    uint32_t entry = what->entry == COUNTER_NONE ? 0 : what->entry;
    learner_take_name(l, &h->names, slot, &named, entry);
    h->parts[slot] = answer_parts(&named, entry);
}

/* Counts a block in the model. Members take their places and cells. */
static void counter_add_block(struct learner *l, struct contrast_held *h,
                              const struct leat_batch *b, struct counter_block *k)
{
    uint32_t slot[ID_SLOTS_FORESEEN];
    uint32_t entered = contrast_add_all(&h->model, k->n, k->id, k->kind, slot);
    for (uint32_t i = 0; i < k->n; i++) {
        struct contrast_front_single *place = k->place[i];
        if (slot[i] == CONTRAST_NONE) continue;
        if (entered >> i & 1) counter_take_name(l, h, b, &k->what[i], slot[i]);
        if (place) {
            contrast_front_own(h->model.front, place, k->id[i]);
            k->cell[i] = contrast_front_cell(h->model.front, place, k->id[i]);
        }
        if (k->cell[i]) contrast_take(&h->model, k->cell[i], slot[i]);
    }
    k->n = k->seen = 0;
}

/* Adds a feature to a block, which has room. */
static inline void counter_wait(struct counter_block *k, uint64_t id, uint64_t *cell,
                                struct contrast_front_single *place, struct counter_what what)
{
    k->id[k->n] = id;
    k->cell[k->n] = cell;
    k->place[k->n] = place;
    k->what[k->n++] = what;
}

/* ---- counting ---- */

static void counter_wait_rung(const struct contrast_counter *c, const struct contrast_held *h,
                              struct counter_block *k, uint32_t rung)
{
    uint64_t *cell = h->model.front ? &c->front.own[rung] : NULL;
    counter_wait(k, c->rung[rung].id, cell, NULL,
                 (struct counter_what){COUNTER_NONE, c->rung[rung].field, {{0}}});
}

/* Counts the sides of all edges of a ladder by the bin of its step. Returns false if the bin is not
 * taken, or if the model would count others before the last side. */
static inline bool counter_by_bin(struct contrast_counter *c, const struct contrast_held *h,
                                  const struct contrast_front_ladder *of, uint32_t step,
                                  struct counter_block *k)
{
    if (!h->model.front || (k->n && k->seen + of->edges > ID_SLOTS_FORESEEN)) return false;
    uint64_t *bin = &c->front.bin[of->first + step];
    if (!contrast_front_add(bin, k->one)) {
        contrast_take_step(&h->model, of->first, step);
        if (!contrast_front_add(bin, k->one)) return false;
    }
    k->counted += of->edges;
    k->seen += of->edges;
    return true;
}

/* Counts the sides of all edges of a ladder. */
static void counter_ladder(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                           const struct leat_batch *b, const struct counter_rung *rung,
                           struct counter_block *k)
{
    uint32_t first = rung->of.first, step = counter_step(c, rung);
    if (counter_by_bin(c, h, &rung->of, step, k)) {
        if (k->seen == ID_SLOTS_FORESEEN) counter_add_block(l, h, b, k);
        k->seen %= ID_SLOTS_FORESEEN;
        return;
    }
    for (uint32_t edge = 0; edge < rung->of.edges; edge++) {
        uint32_t side = first + 2 * edge + (edge < step);
        if (contrast_front_add(&c->front.own[side], k->one))
            k->counted++;
        else
            counter_wait_rung(c, h, k, side);
        if (++k->seen == ID_SLOTS_FORESEEN) counter_add_block(l, h, b, k);
    }
}

/* Notes entry i after the m singles of the example if it joins others. Returns the number of
 * singles then. */
static inline uint32_t counter_note(struct contrast_counter *c, const struct leat_batch *b,
                                    uint32_t i, struct contrast_front_single *place, uint32_t m)
{
    uint32_t field = counter_field(b, i);
    if (!c->joint || field >= c->n_joints || c->joint[field] == LEAT_ALONE) return m;
    c->single[m] =
        (struct counter_single){.id = b->id[i], .name = b->name[i].part[0], .place = place};
    c->code[m].joint = c->joint[field];
    return m + 1;
}

/* Counts entries first .. end - 1. Pairs among them come in blocks of their own, as those that the
 * learner makes do. Returns the number of singles that join others. */
static uint32_t counter_entries(struct contrast_counter *c, struct learner *l,
                                struct contrast_held *h, const struct leat_batch *b, uint32_t first,
                                uint32_t end, struct counter_block *k)
{
    const bool fronted = h->model.front != NULL;
    uint32_t m = 0;
    bool was_joined = false;
    for (uint32_t i = first; i < end; i++) {
        const bool joined = b->name && b->name[i].part[1];
        const struct counter_rung *rung = joined ? NULL : counter_rung(c, b, i);
        if (joined && !was_joined) counter_add_block(l, h, b, k);
        was_joined = joined;
        if (rung) {
            counter_ladder(c, l, h, b, rung, k);
            continue;
        }
        struct contrast_front_single *place =
            fronted && !joined ? contrast_front_single(&c->front, b->id[i]) : NULL;
        if (contrast_front_add(contrast_front_cell(&c->front, place, b->id[i]), k->one))
            k->counted++;
        else
            counter_wait(k, b->id[i], NULL, place, (struct counter_what){i, COUNTER_NONE, {{0}}});
        if (!joined) m = counter_note(c, b, i, place, m);
        if (++k->seen == ID_SLOTS_FORESEEN) counter_add_block(l, h, b, k);
    }
    counter_add_block(l, h, b, k);
    return m;
}

/* Sets the codes of m singles, whose features have been counted. */
static void counter_set_codes(const struct contrast_counter *c, uint32_t m)
{
    for (uint32_t i = 0; i < m; i++) {
        struct counter_single *s = &c->single[i];
        uint32_t code = s->place && s->place->id == s->id ? s->place->code : 0;
        c->code[i].code = code;
        c->code[i].row = contrast_front_row(&c->front, code);
        s->part = feature_id_part(s->id);
    }
}

static void counter_wait_pair(const struct contrast_counter *c, struct counter_block *k,
                              uint64_t *cell, uint32_t i, uint32_t j)
{
    const struct counter_single *one = &c->single[i], *other = &c->single[j];
    uint32_t a = c->code[i].code, b = c->code[j].code;
    counter_wait(k, feature_id_and2(one->part, other->part), a && b && a != b ? cell : NULL, NULL,
                 (struct counter_what){COUNTER_NONE, COUNTER_NONE, {{one->name, other->name}}});
}

/* True if two joints are of one group. Most pairs are not, and join. */
static inline bool counter_is_one_group(uint32_t a, uint32_t b) { return (a ^ b) < 8; }

/* Counts the pairs of m singles. Most of all counts are made here. Keeps what changes for each of
 * them in registers. */
static void counter_pairs(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, uint32_t m, struct counter_block *k)
{
    const struct contrast_front_one one = k->one;
    const struct counter_code *const s = c->code;
    uint32_t counted = 0, seen = 0;
    for (uint32_t i = 0; i < m; i++) {
        const struct counter_code of = s[i];
        for (uint32_t j = i + 1; j < m; j++) {
            if (counter_is_one_group(of.joint, s[j].joint) && !leat_joins(of.joint, s[j].joint))
                continue;
            uint64_t *cell = contrast_front_pair(of.code, of.row, s[j].code, s[j].row);
            if (contrast_front_add(cell, one))
                counted++;
            else
                counter_wait_pair(c, k, cell, i, j);
            if (++seen == ID_SLOTS_FORESEEN) counter_add_block(l, h, b, k), seen = 0;
        }
    }
    k->counted += counted;
    counter_add_block(l, h, b, k);
}

/* ---- an example ---- */

/* Counts the features of example e in the panes. */
static void counter_to_panes(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t first, uint32_t end, uint32_t m)
{
    for (uint32_t i = first; i < end; i++) {
        const struct counter_rung *rung = counter_rung(c, b, i);
        if (!rung) panes_add(h->panes, b->id[i]);
        for (uint32_t k = 0; rung && k < rung->of.edges; k++)
            panes_add(h->panes, c->rung[counter_side(c, rung, k)].id);
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++)
            if (leat_joins(c->code[i].joint, c->code[j].joint))
                panes_add(h->panes, feature_id_and2(c->single[i].part, c->single[j].part));
}

void contrast_counter_example(struct contrast_counter *c, struct learner *l,
                              struct contrast_held *h, const struct leat_batch *b, uint32_t e,
                              int kind)
{
    uint32_t first = b->ex_start[e], end = b->ex_start[e + 1];
    struct counter_block k;
    counter_begin_block(&k, &h->model, kind);
    uint32_t m = counter_entries(c, l, h, b, first, end, &k);
    counter_set_codes(c, m);
    if (m > 1) counter_pairs(c, l, h, b, m, &k);
    h->model.occurrences += k.counted;
    if (c->in_pane) counter_to_panes(c, h, b, first, end, m);
    for (uint32_t i = first; i < end && contrast_samples(&h->model, kind); i++)
        counter_keep_entry(c, &h->model, b, i, kind);
}
