/* progressive_state.c -- figures of a learner as a part of a snapshot, and those of two streams as
 * one. */
#include <assert.h>
#include <string.h>

#include "progressive_inside.h"

/* What is summed, by name: one table for both ways. */
static const struct {
    const char *name;
    size_t offset;
} kept[] = {
#define KEPT(F)                                                                                    \
    {                                                                                              \
#F, offsetof(struct progressive, F)                                                        \
    }
    KEPT(sum.weight), KEPT(sum.loss),    KEPT(sum.second), KEPT(held.weight),
    KEPT(held.loss),  KEPT(held.second), KEPT(of[0]),      KEPT(of[1]),
    KEPT(expected),   KEPT(first_label), KEPT(d1),         KEPT(d2)};

static double *kept_at(struct progressive *p, size_t k)
{
    return (double *)(void *)((char *)p + kept[k].offset);
}

static void write_bins(struct leat_writer *w, const char *name, const struct score_bin *bins)
{
    w->array(w, name, LEAT_U8, bins, SCORE_BINS * sizeof *bins);
}

static int read_array(struct leat_reader *r, const char *name, uint32_t element, uint64_t n,
                      void *to, size_t bytes)
{
    const void *read;
    int status = r->array(r, name, element, &read, &n);
    if (status == LEAT_OK) memcpy(to, read, bytes);
    return status;
}

static int read_bins(struct leat_reader *r, const char *name, struct score_bin *bins)
{
    return read_array(r, name, LEAT_U8, SCORE_BINS * sizeof *bins, bins, SCORE_BINS * sizeof *bins);
}

void progressive_write(const struct progressive *p, struct leat_writer *w)
{
    w->u64(w, "examples", p->examples);
    w->u64(w, "records", p->records);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        w->f64(w, kept[k].name, *kept_at((struct progressive *)p, k));
    last_fifth_write(&p->last, w);
    compare_write(&p->compare, w);
    if (p->of_class) w->array(w, "classes", LEAT_F64, p->of_class, CLASSES);
    if (p->bins) write_bins(w, "bins", p->bins);
    if (p->bins && p->held.weight > 0.0) write_bins(w, "held_bins", p->held_bins);
}

int progressive_read(struct progressive *p, struct leat_reader *r)
{
    int status = r->u64(r, "examples", &p->examples);
    if (status == LEAT_OK) status = r->u64(r, "records", &p->records);
    for (size_t k = 0; k < sizeof kept / sizeof *kept && status == LEAT_OK; k++)
        status = r->f64(r, kept[k].name, kept_at(p, k));
    if (status == LEAT_OK) status = last_fifth_read(&p->last, r, p->examples);
    if (status == LEAT_OK) status = compare_read(&p->compare, r);
    if (status == LEAT_OK && p->of_class)
        status =
            read_array(r, "classes", LEAT_F64, CLASSES, p->of_class, CLASSES * sizeof *p->of_class);
    if (status == LEAT_OK && p->bins) status = read_bins(r, "bins", p->bins);
    if (status == LEAT_OK && p->bins && p->held.weight > 0.0)
        status = read_bins(r, "held_bins", p->held_bins);
    while (p->next_row && p->next_row <= p->examples)
        p->next_row *= 2;
    return status;
}

/* The other's sums about this one's first label. */
static void join_labels(struct progressive *p, const struct progressive *other)
{
    if (!p->examples) p->first_label = other->first_label;
    double shift = other->first_label - p->first_label, weight = other->sum.weight;
    p->d1 += other->d1 + weight * shift;
    p->d2 += other->d2 + shift * (2 * other->d1 + weight * shift);
}

void progressive_merge(struct progressive *p, const struct progressive *other)
{
    assert(p->kind == other->kind);
    join_labels(p, other);
    last_fifth_merge(&p->last, &p->sum, p->examples, &other->last, other->examples);
    compare_merge(&p->compare, &other->compare);
    p->examples += other->examples;
    p->records += other->records;
    p->features += other->features;
    sums_add(&p->sum, &other->sum);
    sums_add(&p->held, &other->held);
    p->of[0] += other->of[0];
    p->of[1] += other->of[1];
    p->expected += other->expected;
    for (uint32_t c = 0; p->of_class && c < CLASSES; c++)
        p->of_class[c] += other->of_class[c];
    if (!p->bins) return;
    score_bins_merge(p->bins, other->bins);
    score_bins_merge(p->held_bins, other->held_bins);
}
