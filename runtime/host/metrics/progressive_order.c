/* progressive_order.c -- facts about the order of a learner's examples (order.h). */
#include "progressive_inside.h"

void progressive_note(struct progressive *p, const struct leat_batch *b, uint32_t e)
{
    if (!b->id) return; /* the batch has only labels and scores */
    uint32_t from = b->ex_start[e];
    order_note(p->watch, p->records + b->ex_record[e], b->id + from, b->ex_start[e + 1] - from);
}

static bool is_watched(const struct progressive *p)
{
    return p->watch && p->watch->n && p->watch->n == p->examples;
}

struct progressive_recent progressive_recent(const struct progressive *p)
{
    const double none = (double)NAN;
    if (!is_watched(p)) return (struct progressive_recent){none, none, none, none, none};
    uint64_t n = p->examples;
    const struct sums *all = &p->watch->errors;
    struct sums last = last_fifth_sums(&p->watch->marks, all, &n);
    if (p->kind == LEAT_SCORE_VALUE)
        return (struct progressive_recent){.constant_last = none,
                                           .recent_last = sqrt(last.loss / last.weight),
                                           .recent = sqrt(all->loss / all->weight),
                                           .recent_absolute_last = last.second / last.weight,
                                           .recent_absolute = all->second / all->weight};
    return (struct progressive_recent){.constant_last = last.second / last.weight,
                                       .recent_last = last.loss / last.weight,
                                       .recent = all->loss / all->weight,
                                       .recent_absolute_last = none,
                                       .recent_absolute = none};
}

bool progressive_in_order(const struct progressive *p, struct order_likeness *likeness)
{
    if (!p->watch || !p->watch->n) return false;
    double records = (double)(p->order.labels ? p->order.records : p->watch->n);
    *likeness = p->order.labels ? order_of_classes(p->watch, records, (double)p->order.changes,
                                                   label_order_expected(&p->order))
                                : order_of_numbers(p->watch);
    return order_is_found(likeness, records);
}

const struct order_block *progressive_block(const struct progressive *p, uint64_t id)
{
    return p->watch ? order_find_block(p->watch, id) : NULL;
}

void progressive_count_labels(struct progressive *p)
{
    if (p->kind == LEAT_SCORE_NONE) p->order.labels = 2; /* progressive_new() has made room */
}
