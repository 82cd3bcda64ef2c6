/* progressive_state.c -- writes and reads a learner's figures in a snapshot; merges two streams. */
#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "core/le.h"
#include "host/memory/memory.h"
#include "progressive_inside.h"
#include "read_checked.h"

/* Sums by name, for writing and reading. Each has the range that it cannot leave with up to 2^60
 * examples of any labels, scores and weights. */
static const struct {
    const char *name;
    size_t offset;
    double min, max;
} kept[] = {
#define KEPT(F, min, max)                                                                          \
    {                                                                                              \
#F, offsetof(struct progressive, F), min, max                                              \
    }
    KEPT(sum.weight, 0, SUMS_MAX),
    KEPT(sum.loss, 0, SUMS_MAX),
    KEPT(sum.second, 0, SUMS_MAX),
    KEPT(held.weight, 0, SUMS_MAX),
    KEPT(held.loss, 0, SUMS_MAX),
    KEPT(held.second, 0, SUMS_MAX),
    KEPT(of[0], 0, SUMS_MAX),
    KEPT(of[1], 0, SUMS_MAX),
    KEPT(expected, 0, SUMS_MAX),
    KEPT(first_label, -(double)FLT_MAX, (double)FLT_MAX),
    KEPT(d1, -SUMS_MAX, SUMS_MAX),
    KEPT(d2, -SUMS_MAX, SUMS_MAX), /* rounding in a merge may make it slightly negative */
#undef KEPT
};

static double *kept_at(struct progressive *p, size_t k)
{
    return (double *)(void *)((char *)p + kept[k].offset);
}

/* Converts bins to little-endian, or back. */
static void turn_bins(struct score_bin *bins)
{
    for (uint32_t i = 0; i < SCORE_BINS; i++)
        le_turn_members(&bins[i], "88422");
}

/* Snapshots have the bins as bytes. They are converted while the writer copies them. */
static void write_bins(struct leat_writer *w, const char *name, struct score_bin *bins)
{
    turn_bins(bins);
    w->array(w, name, LEAT_U8, bins, SCORE_BINS * sizeof *bins);
    turn_bins(bins);
}

static int read_bins(struct leat_reader *r, const char *name, struct score_bin *bins)
{
    const void *read;
    int status = r->array(r, name, LEAT_U8, SCORE_BINS * sizeof *bins, &read);
    if (status != LEAT_OK) return status;
    memcpy(bins, read, SCORE_BINS * sizeof *bins);
    turn_bins(bins);
    uint32_t wrong = score_bins_check(bins, SUMS_MAX);
    return wrong == SCORE_BINS
               ? LEAT_OK
               : r->refuse(r,
                           "%s[%u] is not a valid bin: its weights must be from 0 to %g, and its "
                           "score must belong to this bin",
                           name, wrong, SUMS_MAX);
}

void progressive_write(const struct progressive *p, struct leat_writer *w)
{
    w->u64(w, "examples", p->examples);
    w->u64(w, "records", p->records);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        w->f64(w, kept[k].name, *kept_at((struct progressive *)p, k));
    last_fifth_write(&p->last, "", w);
    compare_write(&p->compare, w);
    if (p->mean && p->expected > 0) running_mean_write(p->mean, w);
    if (p->of_class) w->array(w, "classes", LEAT_F64, p->of_class, CLASSES);
    if (p->bins) write_bins(w, "bins", p->bins);
    if (p->bins && p->held.weight > 0.0) write_bins(w, "held_bins", p->held_bins);
}

/* State read from a snapshot, to be used only if all of it is valid. */
struct taken {
    struct progressive p;
    const double *of_class;
    bool has_held_bins;
    struct score_bin bins[SCORE_BINS], held_bins[SCORE_BINS];
};

static int read_sums(struct leat_reader *r, struct progressive *p)
{
    int status = read_checked_count(r, "examples", &p->examples);
    if (status == LEAT_OK) status = read_checked_count(r, "records", &p->records);
    for (size_t k = 0; k < sizeof kept / sizeof *kept && status == LEAT_OK; k++)
        status = read_checked_f64(r, kept[k].name, kept[k].min, kept[k].max, kept_at(p, k));
    if (status == LEAT_OK) status = last_fifth_read(&p->last, "", r, p->examples, &p->sum);
    return status == LEAT_OK ? compare_read(&p->compare, r) : status;
}

static int read_tables(struct leat_reader *r, struct taken *t)
{
    int status = LEAT_OK;
    if (t->p.of_class)
        status = read_checked_array(r, "classes", CLASSES, 0, SUMS_MAX, &t->of_class);
    if (status == LEAT_OK && t->p.bins) status = read_bins(r, "bins", t->bins);
    t->has_held_bins = t->p.bins && t->p.held.weight > 0.0;
    if (status == LEAT_OK && t->has_held_bins) status = read_bins(r, "held_bins", t->held_bins);
    return status;
}

/* Takes over the state that was read. p keeps its own tables and copies the contents. */
static void use(struct progressive *p, const struct taken *t)
{
    *p = t->p;
    p->continued = p->examples;
    p->row_loss = p->sum.loss;
    p->row_weight = p->sum.weight;
    if (p->examples) label_errors_give_up(&p->by_label);
    if (t->of_class) memcpy(p->of_class, t->of_class, CLASSES * sizeof *t->of_class);
    if (p->bins) memcpy(p->bins, t->bins, SCORE_BINS * sizeof *t->bins);
    if (t->has_held_bins) memcpy(p->held_bins, t->held_bins, SCORE_BINS * sizeof *t->held_bins);
    while (p->next_row && p->next_row <= p->examples)
        p->next_row *= 2;
}

int progressive_read(struct progressive *p, struct leat_reader *r)
{
    struct taken *t = memory_take(sizeof *t); /* too large for a stack */
    t->p = *p;
    t->of_class = NULL;
    int status = read_sums(r, &t->p);
    if (status == LEAT_OK) status = read_tables(r, t);
    if (status == LEAT_OK && p->mean && t->p.expected > 0) status = running_mean_read(p->mean, r);
    if (status == LEAT_OK) use(p, t);
    free(t);
    return status;
}

/* Adds other's sums of labels, converted to differences from p->first_label. */
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
    if (is_margin(p->kind))
        progressive_join_shares(p, other);
    else
        join_labels(p, other);
    last_fifth_merge(&p->last, &p->sum, p->examples, &other->last, other->examples);
    compare_merge(&p->compare, &other->compare);
    if (p->mean) running_mean_merge(p->mean, other->mean);
    p->examples += other->examples;
    p->records += other->records;
    p->unmeasured += other->unmeasured;
    p->features += other->features;
    p->continued += other->continued;
    sums_add(&p->sum, &other->sum);
    sums_add(&p->held, &other->held);
    p->of[0] += other->of[0];
    p->of[1] += other->of[1];
    p->expected += other->expected;
    label_order_merge(&p->order, &other->order);
    label_errors_give_up(&p->by_label);
    if (p->watch && other->examples) p->watch->n = 0;
    for (uint32_t c = 0; p->of_class && c < CLASSES; c++)
        p->of_class[c] += other->of_class[c];
    if (!p->bins) return;
    score_bins_merge(p->bins, other->bins);
    score_bins_merge(p->held_bins, other->held_bins);
}

uint64_t progressive_unmeasured(const struct progressive *p) { return p->unmeasured; }

void progressive_set_unmeasured(struct progressive *p, uint64_t examples)
{
    p->unmeasured = examples;
}

/* Returns a number of examples or records of this weight. */
static uint64_t progressive_times(uint64_t n, double weight)
{
    return (uint64_t)fmin(round((double)n * weight), 0x1p60);
}

void progressive_weigh(struct progressive *p, double weight)
{
    uint64_t examples = progressive_times(progressive_examples(p), weight),
             records = progressive_times(p->records, weight);
    if (weight == 1) return;
    progressive_clear(p);
    p->records = records;
    if (p->kind == LEAT_SCORE_NONE)
        p->examples = examples;
    else
        p->unmeasured = examples;
}

void progressive_merge_models(struct progressive *p, const struct progressive *other)
{
    uint64_t examples = progressive_examples(p) + progressive_examples(other),
             records = p->records + other->records;
    if (p->kind == LEAT_SCORE_NONE) {
        progressive_merge(p, other);
        return;
    }
    progressive_clear(p);
    p->unmeasured = examples;
    p->records = records;
}
