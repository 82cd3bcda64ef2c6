/* contrast_pairs.c -- implementation of contrast_pairs.h. */
#include "contrast_pairs.h"

#include "common/answers/answer.h"
#include "kernels/base/feature_id.h"
#include "kernels/counting/panes/panes.h"

void contrast_pairs_take_name(struct learner *l, struct contrast_held *h,
                              const struct leat_batch *b, uint32_t i, uint32_t slot)
{
    learner_take_name(l, &h->names, slot, b, i);
    h->parts[slot] = answer_parts(b, i);
}

void contrast_pairs_take_parts(struct learner *l, struct contrast_held *h,
                               const struct leat_batch *b, struct leat_part *part,
                               struct leat_name name, uint32_t slot)
{
    struct leat_batch named = *b;
    named.part = part;
    named.name = &name;
    contrast_pairs_take_name(l, h, &named, 0, slot);
}

/* Pairs of the current example that cells have counted. */
struct counter_counted {
    uint32_t counted;
    int kind;
    struct contrast_front_one one;
};

/* Returns the code of a feature that is an item; 0 if it has none. */
static inline uint32_t counter_code_of(const struct counter_item *s)
{
    return s->place && s->place->id == s->id ? s->place->code : 0;
}

/* Sets the codes of the items, whose features have been counted. */
static void counter_set_codes(struct contrast_counter *c, bool fronted)
{
    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct counter_item *s = &c->item[i];
        struct counter_code *to = &c->code[i];
        if (!s->rung)
            to->code = counter_code_of(s);
        else if (fronted && s->rung->of.step)
            to->code = s->rung->of.step + s->rung->crossed;
        to->row = contrast_front_row(&c->front, to->code);
    }
}

/* Sets the features of all items. */
static void counter_set_features(struct contrast_counter *c, const struct leat_batch *b,
                                 bool fronted)
{
    struct counter_feature *to = c->feature;
    for (const struct counter_item *s = c->item; s < c->item + c->n_items; s++) {
        if (!s->rung)
            *to++ = (struct counter_feature){feature_id_part(s->id), counter_code_of(s),
                                             b->part[s->name - 1]};
        for (uint32_t k = 0, crossed = 0; s->rung && crossed < s->rung->of.crossed; k++) {
            const struct counter_rung *side = counter_side(c, s->rung, k);
            if (!counter_is_crossed(c->joint[side->field])) continue;
            uint32_t code = contrast_front_side(&s->rung->of, crossed++, s->rung->crossed);
            *to++ = (struct counter_feature){
                side->part, fronted ? code : 0, {.field = side->field, .value = {0, LEAT_NULL}}};
        }
    }
    c->has_features = true;
}

/* Ranges of features, all of which join: each of the first range with each of the second one. */
struct counter_span {
    uint32_t a, a_end, b, b_end;
};

/* Returns the pairs of the features of two items. */
static struct counter_span counter_across(const struct counter_code *a,
                                          const struct counter_code *b)
{
    return (struct counter_span){a->first, a->first + a->n, b->first, b->first + b->n};
}

/* Returns the pairs of a ladder's sides: above an edge, and below a higher one. */
static struct counter_span counter_within(const struct contrast_counter *c, uint32_t i)
{
    const struct counter_code *of = &c->code[i];
    uint32_t middle = of->first + c->item[i].rung->crossed;
    return (struct counter_span){of->first, middle, middle, of->first + of->n};
}

static inline uint32_t counter_span_size(struct counter_span s)
{
    return (s.a_end - s.a) * (s.b_end - s.b);
}

/* Pairs without a cell of their own, of which the members are counted together. */
struct counter_pairs {
    uint32_t n;
    uint64_t id[ID_SLOTS_FORESEEN];
    struct counter_pair of[ID_SLOTS_FORESEEN];
};

static inline uint64_t counter_pair_id(const struct contrast_counter *c, struct counter_pair p)
{
    return feature_id_and2(c->feature[p.a].part, c->feature[p.b].part);
}

/* Gives a pair that is a member its cell. */
static void counter_take_pair(const struct contrast_counter *c, const struct contrast_held *h,
                              struct counter_pair p, uint32_t slot)
{
    uint32_t a = c->feature[p.a].code, b = c->feature[p.b].code;
    if (a && b) contrast_take_pair(&h->model, a, b, slot);
}

/* Counts those pairs that are members, and notes the others. */
static void counter_find_pairs(struct contrast_counter *c, struct contrast_held *h, int kind,
                               struct counter_pairs *p)
{
    uint32_t slot[ID_SLOTS_FORESEEN];
    contrast_add_members(&h->model, p->n, p->id, kind, slot);
    for (uint32_t i = 0; i < p->n; i++)
        if (slot[i] == CONTRAST_NONE)
            c->other[c->n_others++] = p->of[i];
        else
            counter_take_pair(c, h, p->of[i], slot[i]);
    p->n = 0;
}

/* Counts the pairs that were no members, in their order. */
static void counter_other_pairs(struct contrast_counter *c, struct learner *l,
                                struct contrast_held *h, const struct leat_batch *b, int kind)
{
    bool entered = false;
    for (uint32_t i = 0; i < c->n_others; i++) {
        const struct counter_pair p = c->other[i];
        uint32_t slot;
        if (contrast_add_other(&h->model, counter_pair_id(c, p), kind, &entered, &slot)) {
            struct leat_part part[2] = {c->feature[p.a].name, c->feature[p.b].name};
            contrast_pairs_take_parts(l, h, b, part, (struct leat_name){{1, 2}}, slot);
        }
        if (slot != CONTRAST_NONE) counter_take_pair(c, h, p, slot);
    }
    c->n_others = 0;
}

/* Counts pairs by their own cells if they have any. Returns true if all have. */
static bool counter_by_pair(struct contrast_counter *c, struct contrast_held *h,
                            struct counter_span s, struct counter_counted *k,
                            struct counter_pairs *waiting)
{
    const uint32_t before = k->counted;
    for (uint32_t a = s.a; a < s.a_end; a++)
        for (uint32_t b = s.b; b < s.b_end; b++) {
            const uint32_t x = c->feature[a].code, y = c->feature[b].code;
            uint64_t *cell = contrast_front_pair(x, contrast_front_row(&c->front, x), y,
                                                 contrast_front_row(&c->front, y));
            if (contrast_front_add(cell, k->one)) {
                k->counted++;
                continue;
            }
            struct counter_pair p = {a, b};
            waiting->of[waiting->n] = p;
            waiting->id[waiting->n++] = counter_pair_id(c, p);
            if (waiting->n == ID_SLOTS_FORESEEN) counter_find_pairs(c, h, k->kind, waiting);
        }
    return k->counted - before == counter_span_size(s);
}

/* Counts the pairs of two codes with a cell that does not count them. */
static void counter_span(struct contrast_counter *c, struct contrast_held *h,
                         const struct leat_batch *b, struct counter_span s, uint32_t x, uint32_t y,
                         struct counter_counted *k, struct counter_pairs *waiting)
{
    if (!c->has_features) counter_set_features(c, b, h->model.front != NULL);
    bool all = counter_by_pair(c, h, s, k, waiting);
    if (all && x && y && counter_span_size(s)) contrast_take_spots(&h->model, x, y);
}

/* True if two joints are of one group. Most pairs are not, and join. */
static inline bool counter_is_one_group(uint32_t a, uint32_t b) { return (a ^ b) < 8; }

/* Counts the ranges of numbers that hold the step of item i, if it is that of a ladder. */
static void counter_ranges(struct contrast_counter *c, struct contrast_held *h,
                           const struct leat_batch *b, uint32_t i, struct counter_counted *k,
                           struct counter_pairs *waiting)
{
    const struct counter_rung *rung = c->item[i].rung;
    if (!rung) return;
    const struct counter_code *of = &c->code[i];
    const struct counter_span span = counter_within(c, i);
    const uint32_t itself = of->code ? rung->of.itself : 0;
    if (!counter_span_size(span)) return;
    if (contrast_front_add(
            contrast_front_pair(of->code, of->row, itself, contrast_front_row(&c->front, itself)),
            k->one))
        k->counted += counter_span_size(span);
    else
        counter_span(c, h, b, span, of->code, itself, k, waiting);
}

/* Counts the pairs of item i with those after it. */
static void counter_pairs_of(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t i, struct counter_counted *k,
                             struct counter_pairs *waiting)
{
    const struct contrast_front_one one = k->one;
    const struct counter_code *const s = c->code, of = s[i];
    for (uint32_t j = i + 1; j < c->n_items; j++) {
        if (counter_is_one_group(of.joint, s[j].joint) && !leat_joins(of.joint, s[j].joint))
            continue;
        if (contrast_front_add(contrast_front_pair(of.code, of.row, s[j].code, s[j].row), one))
            k->counted += of.n * s[j].n;
        else
            counter_span(c, h, b, counter_across(&of, &s[j]), of.code, s[j].code, k, waiting);
    }
}

/* Counts the members of the pairs of an item with those after it first. Most of all counts are made
 * here. */
void contrast_pairs_count(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, int kind)
{
    struct counter_counted k = {.kind = kind, .one = contrast_one(&h->model, kind)};
    struct counter_pairs waiting;
    waiting.n = 0;
    counter_set_codes(c, h->model.front != NULL);
    for (uint32_t i = 0; i < c->n_items; i++) {
        counter_ranges(c, h, b, i, &k, &waiting);
        counter_pairs_of(c, h, b, i, &k, &waiting);
        if (waiting.n) counter_find_pairs(c, h, kind, &waiting);
        if (c->n_others) counter_other_pairs(c, l, h, b, kind);
    }
    h->model.occurrences += k.counted;
}

/* ---- panes ---- */

static void counter_span_to_panes(const struct contrast_counter *c, struct contrast_held *h,
                                  struct counter_span s)
{
    for (uint32_t a = s.a; a < s.a_end; a++)
        for (uint32_t b = s.b; b < s.b_end; b++)
            panes_add(h->panes, counter_pair_id(c, (struct counter_pair){a, b}));
}

void contrast_pairs_to_panes(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b)
{
    if (!c->has_features) counter_set_features(c, b, h->model.front != NULL);
    for (uint32_t i = 0; i < c->n_items; i++) {
        if (c->item[i].rung) counter_span_to_panes(c, h, counter_within(c, i));
        for (uint32_t j = i + 1; j < c->n_items; j++)
            if (leat_joins(c->code[i].joint, c->code[j].joint))
                counter_span_to_panes(c, h, counter_across(&c->code[i], &c->code[j]));
    }
}
