/* contrast_pairs.c -- implementation of contrast_pairs.h. */
#include "contrast_pairs.h"

#include "contrast_waiting.h"
#include "kernels/base/feature_id.h"
#include "kernels/counting/panes/panes.h"

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

void contrast_pairs_set_codes(struct contrast_counter *c, bool fronted)
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

/* Counts pairs by their own cells; those without one wait. Returns true if all have cells. */
static bool counter_by_pair(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                            const struct leat_batch *b, struct counter_span s,
                            struct counter_counted *k)
{
    const uint32_t before = k->counted;
    for (uint32_t i = s.a; i < s.a_end; i++)
        for (uint32_t j = s.b; j < s.b_end; j++) {
            const uint32_t x = c->feature[i].code, y = c->feature[j].code;
            const struct counter_pair p = {i, j};
            if (contrast_front_add(contrast_front_pair(x, contrast_front_row(&c->front, x), y,
                                                       contrast_front_row(&c->front, y)),
                                   k->one))
                k->counted++;
            else
                contrast_waiting_add(c, l, h, b, k->kind, p, contrast_pairs_id(c, p));
        }
    return k->counted - before == counter_span_size(s);
}

/* Counts the pairs of two codes with a cell that does not count them. */
static void counter_span(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                         const struct leat_batch *b, struct counter_span s, uint32_t x, uint32_t y,
                         struct counter_counted *k)
{
    if (!c->has_features) counter_set_features(c, b, h->model.front != NULL);
    bool all = counter_by_pair(c, l, h, b, s, k);
    if (all && x && y && counter_span_size(s)) contrast_take_spots(&h->model, x, y);
}

/* True if two joints are of one group. Most pairs are not, and join. */
static inline bool counter_is_one_group(uint32_t a, uint32_t b) { return (a ^ b) < 8; }

/* Counts the ranges of numbers that hold the step of item i, if it is that of a ladder. */
static void counter_ranges(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                           const struct leat_batch *b, uint32_t i, struct counter_counted *k)
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
        counter_span(c, l, h, b, span, of->code, itself, k);
}

/* Counts the pairs of item i with those after it. */
static void counter_pairs_of(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t i, struct counter_counted *k)
{
    const struct contrast_front_one one = k->one;
    const struct counter_code *const s = c->code, of = s[i];
    for (uint32_t j = i + 1; j < c->n_items; j++) {
        if (counter_is_one_group(of.joint, s[j].joint) && !leat_joins(of.joint, s[j].joint))
            continue;
        if (contrast_front_add(contrast_front_pair(of.code, of.row, s[j].code, s[j].row), one))
            k->counted += of.n * s[j].n;
        else
            counter_span(c, l, h, b, counter_across(&of, &s[j]), of.code, s[j].code, k);
    }
}

/* Makes most of all counts. */
void contrast_pairs_count(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, int kind)
{
    struct counter_counted k = {.kind = kind, .one = contrast_one(&h->model, kind)};
    contrast_pairs_set_codes(c, h->model.front != NULL);
    for (uint32_t i = 0; i < c->n_items; i++) {
        counter_ranges(c, l, h, b, i, &k);
        counter_pairs_of(c, l, h, b, i, &k);
    }
    contrast_waiting_end(c, l, h, b, kind);
    h->model.occurrences += k.counted;
}

void contrast_pairs_missed(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                           const struct leat_batch *b, int kind, uint32_t i, uint32_t j)
{
    struct counter_counted k = {.kind = kind, .one = contrast_one(&h->model, kind)};
    const struct counter_span span =
        i == j ? counter_within(c, i) : counter_across(&c->code[i], &c->code[j]);
    const uint32_t x = c->code[i].code, y = i == j ? c->item[i].rung->of.itself : c->code[j].code;
    if (contrast_front_add(contrast_front_spot(&c->front, x, y), k.one)) return;
    h->model.occurrences -= counter_span_size(span);
    counter_span(c, l, h, b, span, x, y, &k);
    h->model.occurrences += k.counted;
}

/* ---- panes ---- */

/* Counts the pairs of feature a with features from .. end - 1 in the panes. */
static void counter_pairs_to_panes(const struct contrast_counter *c, struct contrast_held *h,
                                   uint32_t a, uint32_t from, uint32_t end)
{
    for (uint32_t b = from; b < end; b++)
        panes_add(h->panes, contrast_pairs_id(c, (struct counter_pair){a, b}));
}

void contrast_pairs_to_panes(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b)
{
    if (!c->has_features) counter_set_features(c, b, h->model.front != NULL);
    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct counter_code *of = &c->code[i];
        for (uint32_t a = of->first; a < of->first + of->n; a++) {
            const struct counter_span within =
                c->item[i].rung ? counter_within(c, i) : (struct counter_span){0};
            if (a < within.a_end) counter_pairs_to_panes(c, h, a, within.b, within.b_end);
            for (uint32_t j = i + 1; j < c->n_items; j++)
                if (leat_joins(of->joint, c->code[j].joint))
                    counter_pairs_to_panes(c, h, a, c->code[j].first,
                                           c->code[j].first + c->code[j].n);
        }
    }
}
