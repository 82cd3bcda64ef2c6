/* contrast_waiting.c -- implementation of contrast_waiting.h. */
#include "contrast_waiting.h"

#include "common/answers/answer.h"
#include "contrast_pairs.h"

/* ---- a feature ---- */

static bool counter_is_written_pair(const struct leat_batch *b, uint32_t entry)
{
    return b->name && b->name[entry].part[1];
}

/* Gives the member in a slot its cell, if it may have one. */
static void counter_take(struct contrast_counter *c, const struct contrast_held *h,
                         const struct leat_batch *b, struct counter_pair what, uint32_t slot)
{
    if (!h->model.front) return;
    if (what.b == COUNTER_RUNG) {
        contrast_take(&h->model, &c->front.own[what.a], slot);
    } else if (what.b != COUNTER_ENTRY) {
        contrast_take_pair(&h->model, c->feature[what.a].code, c->feature[what.b].code, slot);
    } else if (!counter_is_written_pair(b, what.a)) {
        struct contrast_front_single *place = contrast_front_single(&c->front, b->id[what.a]);
        if (!place) return;
        contrast_front_own(&c->front, place, b->id[what.a]);
        contrast_take(&h->model, contrast_front_cell(&c->front, place, b->id[what.a]), slot);
    }
}

/* Takes the name of a new member. */
static void counter_name(const struct contrast_counter *c, struct learner *l,
                         struct contrast_held *h, const struct leat_batch *b,
                         struct counter_pair what, uint32_t slot)
{
    struct leat_part part[2] = {{.value = {0, LEAT_NULL}}};
    struct leat_name name = {{1, 0}};
    struct leat_batch named = *b;
    const bool written = what.b == COUNTER_ENTRY;
    if (what.b == COUNTER_RUNG) {
        part[0].field = c->rung[what.a].field;
    } else if (!written) {
        part[0] = c->feature[what.a].name;
        part[1] = c->feature[what.b].name;
        name.part[1] = 2;
    }
    if (!written) {
        named.part = part;
        named.name = &name;
    }
    learner_take_name(l, &h->names, slot, &named, written ? what.a : 0);
    h->parts[slot] = answer_parts(&named, written ? what.a : 0);
}

/* ---- others ---- */

/* Returns the list of a feature: pairs by their first feature, then sides that join none last. */
static uint32_t counter_list_of(const struct contrast_counter *c, struct counter_pair what)
{
    if (what.b == COUNTER_ENTRY) return 0;
    if (what.b != COUNTER_RUNG) return what.a;
    return !counter_is_crossed(c->joint[c->rung[what.a].field]);
}

static void counter_add_other(struct contrast_counter *c, struct counter_pair what, uint64_t id)
{
    struct counter_list *list = &c->list[counter_list_of(c, what)];
    c->other[c->n_others] = (struct counter_other){id, what, 0};
    uint32_t at = ++c->n_others;
    if (list->first)
        c->other[list->last - 1].next = at;
    else
        list->first = at;
    list->last = at;
}

static void counter_count_other(struct contrast_counter *c, struct learner *l,
                                struct contrast_held *h, const struct leat_batch *b, int kind,
                                const struct counter_other *other, bool *entered)
{
    uint32_t slot;
    if (contrast_add_other(&h->model, other->id, kind, entered, &slot))
        counter_name(c, l, h, b, other->what, slot);
    if (slot != CONTRAST_NONE) counter_take(c, h, b, other->what, slot);
}

/* Counts the others in the order of their lists. */
static void counter_count_others(struct contrast_counter *c, struct learner *l,
                                 struct contrast_held *h, const struct leat_batch *b, int kind)
{
    bool entered = false;
    for (uint32_t a = 0; c->n_others && a < c->n_lists; a++) {
        for (uint32_t at = c->list[a].first; at; at = c->other[at - 1].next)
            counter_count_other(c, l, h, b, kind, &c->other[at - 1], &entered);
        c->list[a].first = 0;
    }
    c->n_others = 0;
}

void contrast_waiting_find(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                           const struct leat_batch *b, int kind)
{
    uint32_t slot[ID_SLOTS_FORESEEN];
    contrast_add_members(&h->model, c->waiting.n, c->waiting.id, kind, slot);
    for (uint32_t i = 0; i < c->waiting.n; i++)
        if (slot[i] == CONTRAST_NONE)
            counter_add_other(c, c->waiting.what[i], c->waiting.id[i]);
        else
            counter_take(c, h, b, c->waiting.what[i], slot[i]);
    c->waiting.n = 0;
    if (c->n_others > c->max_others - ID_SLOTS_FORESEEN) counter_count_others(c, l, h, b, kind);
}

void contrast_waiting_end(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, int kind)
{
    if (c->waiting.n) contrast_waiting_find(c, l, h, b, kind);
    if (c->n_others) counter_count_others(c, l, h, b, kind);
}
