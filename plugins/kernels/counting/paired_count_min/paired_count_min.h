/* paired_count_min.h -- items that differ most in relative frequency between two streams.
 *
 * This is the counting baseline of classifiers for this task. It keeps a Count-Min sketch of each
 * stream, the number of records of each, and a heap of the `active` ids with the largest |log
 * ratio| by the estimates of the sketches.
 *
 *     ratio(i) = ((c1 + 1/2) / (N1 + 1)) / ((c0 + 1/2) / (N0 + 1))
 *
 * c is the smallest of an item's `depth` cells. It is never below the true count. With
 * probability 1 - e^-depth it is at most e N / width above it, without conservative update. The
 * halves keep the ratio finite for items that one stream lacks.
 *
 * Source: G. Cormode, S. Muthukrishnan, What's new: finding significant differences in network data
 * streams, INFOCOM 2004, for ratios of two sketches. With a heap it is the baseline of section 8.2
 * of K. S. Tai et al., Sketching Linear Classifiers over Data Streams, SIGMOD 2018. Conservative
 * update, C. Estan, G. Varghese, SIGCOMM 2002: only the cells that are too small rise.
 *
 * A member's estimate becomes stale while others add to its cells. So each update refreshes one
 * member, in turn, and no estimate is older than `active` updates.
 *
 * Example. Stream 1 has 10 records, 3 of them with item 7. Stream 0 has 20 records, one of them
 * with item 7. Without collisions ratio(7) = (3.5 / 11) / (1.5 / 21) = 4.45, and its log 1.49. Had
 * stream 0 lacked the item, the ratio would be (3.5 / 11) / (0.5 / 21) = 13.4.
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
    uint32_t active; /* members of the heap, >= 1                           */
    uint32_t width;  /* cells in a row of one sketch, any number            */
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
    uint32_t cursor;         /* member that is refreshed next          */
    uint32_t *cell;          /* 2 x depth x width                      */
    struct id_slots members; /* folded ids; members.n of them          */
    float *ratio;            /* active: last estimate of the log ratio */
    uint32_t *heap;          /* active: slots, smallest |ratio| first  */
    uint32_t *heap_index;    /* active: slot -> its index in heap      */
};

/* Chooses the fields of a shape that are 0 for a budget, at 4 bytes for each id, estimate and cell:
 * half for the heap (8 bytes a member), the rest for two sketches of PAIRED_COUNT_MIN_DEPTH rows.
 * 32 KB: 2048 members, 2 x 2 x 1024 cells. Returns false if nothing fits. */
#define PAIRED_COUNT_MIN_DEPTH 2
bool paired_count_min_shape_from_budget(uint64_t bytes, struct paired_count_min_shape *shape);
uint64_t paired_count_min_charged_bytes(const struct paired_count_min_shape *shape);
size_t paired_count_min_block_bytes(const struct paired_count_min_shape *shape);
/* block: paired_count_min_block_bytes() zeroed bytes, aligned to 64. */
void paired_count_min_init(struct paired_count_min *m, const struct paired_count_min_shape *shape,
                           const struct paired_count_min_options *opt, void *block);

/* Counts a record; its items follow. */
static inline void paired_count_min_record(struct paired_count_min *m, int stream)
{
    m->records[stream]++;
}
/* Counts an item. Returns the slot if the item has just entered, or PAIRED_COUNT_MIN_NONE.
 * O(depth + log active). */
uint32_t paired_count_min_add(struct paired_count_min *m, uint64_t id, int stream);

/* Estimated counts in the two streams, and their log ratio. */
void paired_count_min_counts(const struct paired_count_min *m, uint64_t id, uint32_t count[2]);
double paired_count_min_ratio(const struct paired_count_min *m, uint64_t id);
/* log(N1 / N0), with half a record added to each. */
double paired_count_min_prior(const struct paired_count_min *m);
/* Lists the slots of the k members of largest |log ratio| by fresh estimates, largest first. Leaves
 * out members of fewer than min_count in both streams together. Fills ratio[active] and
 * count[active][2] by slot. slot: capacity k. Returns their number. */
uint32_t paired_count_min_top(const struct paired_count_min *m, uint32_t k, uint32_t min_count,
                              float *ratio, uint32_t *count, uint32_t *slot);
/* Returns NULL, or which invariant is broken. */
const char *paired_count_min_check(const struct paired_count_min *m);

/* ---- copies and merges ---- */

/* Complete state of a model, except shape and options. The model lends the arrays; members are in
 * the order of slots. */
struct paired_count_min_parts {
    uint64_t records[2];
    uint32_t max_active, n_active, cursor;
    const uint32_t *id;   /* folded                         */
    const float *ratio;   /* last estimate of the log ratio */
    uint64_t cells;       /* 2 x depth x width              */
    const uint32_t *cell; /* array of `cells` counts        */
};
struct paired_count_min_parts paired_count_min_parts(const struct paired_count_min *m);
/* Loads parts, whose numbers are in range, into m, which was just initialised. m continues exactly
 * as the model that the parts came from. Returns NULL, or why no model can have these parts; then m
 * must not be used. */
const char *paired_count_min_load(struct paired_count_min *m,
                                  const struct paired_count_min_parts *p);

/* Makes m, just initialised, the model of both streams of a and b, b counting `count` times. All
 * three have one shape and the same options, including the seed. Cells and records add up, so
 * estimates are never below the true counts. The members of both sides are ranked by the estimates
 * of the sum. Those with the largest |log ratio| become members of m, the largest first. member:
 * capacity 2 active; member[s] becomes the origin of slot s. O(active log active + cells). m does
 * not depend on the order of a and b. Merging is associative as long as no member is dropped. */
void paired_count_min_merge(struct paired_count_min *m, const struct paired_count_min *a,
                            const struct paired_count_min *b, double count,
                            struct linear_origin *member);

/* Makes the index and the heap, after the ids, members.n and the ratios were written. */
void paired_count_min_rebuild(struct paired_count_min *m);

#endif
