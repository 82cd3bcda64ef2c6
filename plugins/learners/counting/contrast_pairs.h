/* contrast_pairs.h -- learn.contrast: counts the pairs of the entries of an example.
 *
 * The entries that join others are its items. contrast_pairs_note() takes them one by one. The pair
 * of two items has a cell in the front (contrast_front.h). Without one, its pairs are looked up. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_PAIRS_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_PAIRS_H

#include "contrast_counter.h"
#include "kernels/base/feature_id.h"

/* A side of an edge: a field of a ladder. It has the own cell of its number. */
struct counter_rung {
    uint64_t id, part, key; /* part: feature_id_part(); key: of its name part */
    uint32_t field, joint;  /* joint: that of its entry */
    uint32_t step, crossed; /* edges that its entry is above: all, and crossed ones */
    struct contrast_front_ladder of;
};

static inline bool counter_is_crossed(uint32_t joint) { return joint % 8 == LEAT_CROSSED; }

/* Returns the side of edge k that holds if the entry of a rung does. */
static inline const struct counter_rung *counter_side(const struct contrast_counter *c,
                                                      const struct counter_rung *rung, uint32_t k)
{
    return &c->rung[rung->of.first + 2 * k + (k < rung->step)];
}

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

/* Returns the number of ranges of a ladder's numbers that hold those at its step. */
static inline uint32_t contrast_pairs_ranges(const struct counter_rung *rung)
{
    return rung->crossed * (rung->of.crossed - rung->crossed);
}

/* Forgets the items of the example before. */
static inline void contrast_pairs_begin(struct contrast_counter *c)
{
    c->n_items = c->n_features = 0;
    c->has_features = false;
}

/* Notes an entry that joins others: a ladder with crossed edges, or another feature. */
static inline void contrast_pairs_note(struct contrast_counter *c, const struct leat_batch *b,
                                       uint32_t i, uint32_t field, const struct counter_rung *rung,
                                       struct contrast_front_single *place)
{
    if (!c->joint || field >= c->n_joints) return;
    const uint32_t joint = rung ? rung->joint : c->joint[field];
    if (joint % 8 == LEAT_RUNG) return; /* LEAT_ALONE, too */
    c->item[c->n_items] = (struct counter_item){
        .id = b->id[i], .name = b->name[i].part[0], .rung = rung, .place = place};
    c->code[c->n_items] = (struct counter_code){
        .joint = joint, .first = c->n_features, .n = rung ? rung->of.crossed : 1};
    c->n_features += c->code[c->n_items++].n;
}

/* Returns the id of a pair of features of items. */
static inline uint64_t contrast_pairs_id(const struct contrast_counter *c, struct counter_pair p)
{
    return feature_id_and2(c->feature[p.a].part, c->feature[p.b].part);
}

/* Sets the codes of the items, whose features have been counted. */
void contrast_pairs_set_codes(struct contrast_counter *c, bool fronted);
/* Counts the pairs of items i and j, i < j, of the current example, or the ranges of ladder i if
 * i = j, whose occurrences the model has. The cell for all of them missed them before. */
void contrast_pairs_missed(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                           const struct leat_batch *b, int kind, uint32_t i, uint32_t j);
/* Counts the pairs of all items of an example of this kind. Their features have been counted. */
void contrast_pairs_count(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, int kind);
/* Counts the same pairs in the panes. */
void contrast_pairs_to_panes(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b);

#endif
