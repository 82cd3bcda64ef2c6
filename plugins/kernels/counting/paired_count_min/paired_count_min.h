/* paired_count_min.h -- which items differ most in relative frequency between two streams, by
 * counting: the baseline of classifiers for that task.
 *
 * What it keeps: a Count-Min sketch of each stream, the number of records of each, and a heap of
 * the `active` ids with the largest |log ratio| by the estimates of the sketches,
 *
 *     ratio(i) = ((c1 + 1/2) / (N1 + 1)) / ((c0 + 1/2) / (N0 + 1))
 *
 * where c is the smallest of an item's `depth` cells: never below its true count and, with
 * probability 1 - e^-depth, at most e N / width above it (without conservative update). The halves
 * keep the ratio finite for items that one stream lacks.
 *
 * Source: G. Cormode, S. Muthukrishnan, What's new: finding significant differences in network data
 * streams, INFOCOM 2004, for ratios of two sketches. With a heap it is the baseline of section 8.2
 * of K. S. Tai et al., Sketching Linear Classifiers over Data Streams, SIGMOD 2018. Conservative
 * update, C. Estan, G. Varghese, SIGCOMM 2002: only the cells that are too small rise.
 *
 * A member's estimate ages while others add to its cells. Each update therefore brings one member
 * up to date, in turn, so none is older than `active` updates.
 *
 * Ids are folded to 32 bits; ids whose folds are equal are one item. Counts stop at 2^32 - 1.
 * Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_COUNTING_PAIRED_COUNT_MIN_PAIRED_COUNT_MIN_H
#define LEAT_KERNELS_COUNTING_PAIRED_COUNT_MIN_PAIRED_COUNT_MIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/linear.h"
#include "kernels/sketch/id_slots.h"

struct paired_count_min_shape {
    uint32_t active; /* members of the heap, >= 1                          */
    uint32_t width;  /* cells a row of one sketch, any number              */
    uint32_t depth;  /* rows of one sketch, 1 .. PAIRED_COUNT_MIN_MAX_DEPTH */
};
#define PAIRED_COUNT_MIN_MAX_DEPTH  16
#define PAIRED_COUNT_MIN_MAX_ACTIVE (1u << 26)
#define PAIRED_COUNT_MIN_MAX_CELLS  (1u << 29) /* width * depth */
#define PAIRED_COUNT_MIN_NONE       UINT32_MAX

struct paired_count_min_options {
    bool conservative;
    uint64_t seed;
};

/* Streams: 0 is label -1, 1 is label +1. */
struct paired_count_min {
    struct paired_count_min_shape shape;
    struct paired_count_min_options opt;
    uint64_t records[2];
    uint32_t cursor;         /* the member that is brought up to date next */
    uint32_t *cell;          /* 2 x depth x width                          */
    struct id_slots members; /* folded ids; members.n of them              */
    float *ratio;            /* active: log ratio as last estimated        */
    uint32_t *heap;          /* active: slots, smallest |ratio| first      */
    uint32_t *heap_index;    /* active: slot -> its index in heap          */
};

/* Choose the fields of a shape that are 0 for a budget at 4 bytes an id, estimate and cell: half
 * for the heap (8 bytes a member), the rest for two sketches of PAIRED_COUNT_MIN_DEPTH rows. 32 KB:
 * 2048 members, 2 x 2 x 1024 cells. false: nothing fits. */
#define PAIRED_COUNT_MIN_DEPTH 2
bool paired_count_min_shape_from_budget(uint64_t bytes, struct paired_count_min_shape *shape);
uint64_t paired_count_min_charged_bytes(const struct paired_count_min_shape *shape);
size_t paired_count_min_block_bytes(const struct paired_count_min_shape *shape);
/* block: paired_count_min_block_bytes() zeroed bytes, aligned to 64. */
void paired_count_min_init(struct paired_count_min *m, const struct paired_count_min_shape *shape,
                           const struct paired_count_min_options *opt, void *block);

/* Once a record, before its items. */
static inline void paired_count_min_record(struct paired_count_min *m, int stream)
{
    m->records[stream]++;
}
/* Count an item. Returns the slot it has just entered, or PAIRED_COUNT_MIN_NONE. O(depth + log
 * active). */
uint32_t paired_count_min_add(struct paired_count_min *m, uint64_t id, int stream);

/* Estimated counts in the two streams, and their log ratio. */
void paired_count_min_counts(const struct paired_count_min *m, uint64_t id, uint32_t count[2]);
double paired_count_min_ratio(const struct paired_count_min *m, uint64_t id);
/* log(N1 / N0), half a record added to each. */
double paired_count_min_prior(const struct paired_count_min *m);
/* The k members of largest |log ratio|, largest first, by estimates of now; ratio[active] and
 * count[active][2] are filled by slot; members with fewer than min_count in both together are left
 * out. slot: capacity k. Returns how many there are. */
uint32_t paired_count_min_top(const struct paired_count_min *m, uint32_t k, uint32_t min_count,
                              float *ratio, uint32_t *count, uint32_t *slot);
/* NULL, or which invariant is broken. */
const char *paired_count_min_check(const struct paired_count_min *m);

/* ---- copies and merges ---- */

/* All that makes a model, besides shape and options: lent arrays, members in the order of slots. */
struct paired_count_min_parts {
    uint64_t records[2];
    uint32_t max_active, n_active, cursor;
    const uint32_t *id;   /* folded            */
    const float *ratio;   /* as last estimated */
    uint64_t cells;       /* 2 x depth x width */
    const uint32_t *cell; /* cells             */
};
struct paired_count_min_parts paired_count_min_parts(const struct paired_count_min *m);
/* Make m, just initialised, the model of these parts, whose numbers are in range: it continues
 * exactly as the model that they were taken from. NULL, or why no model can have these parts; m
 * must then not be used. */
const char *paired_count_min_load(struct paired_count_min *m,
                                  const struct paired_count_min_parts *p);

/* Make m, just initialised, the model of both streams of a and b, b counting `count` times; all
 * three have one shape and the same options, seed among them. Cells and records add up, so
 * estimates stay above the true counts. The members of either side are ranked by the estimates of
 * the sum; those of the largest |log ratio| are members of m, the largest first. member: capacity 2
 * active; member[s] becomes the origin of slot s. O(active log active + cells). m does not depend
 * on the order of a and b; merging is associative as long as no member is dropped. */
void paired_count_min_merge(struct paired_count_min *m, const struct paired_count_min *a,
                            const struct paired_count_min *b, double count,
                            struct linear_origin *member);

/* After the ids, members.n and the ratios were written: the index and the heap are made. */
void paired_count_min_rebuild(struct paired_count_min *m);

#endif
