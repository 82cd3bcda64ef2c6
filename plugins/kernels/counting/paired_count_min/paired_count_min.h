/* paired_count_min.h -- items whose relative frequencies differ most between two streams.
 *
 * This is the counting baseline for classifiers that find such items. For each stream, it keeps a
 * Count-Min sketch and the number of records. A heap holds the `active` ids with the largest |log
 * ratio|, as estimated from the sketches:
 *
 *     ratio(i) = ((c1 + q) / N1) / ((c0 + 1 - q) / N0)                        q = N1 / (N1 + N0)
 *
 * c1 and c0 are the estimated counts of item i in the two streams, each the smallest of the item's
 * `depth` cells. N1 and N0 are the numbers of records. An estimate is never below the true count.
 * Without conservative update, it exceeds the true count by at most e N / width with probability 1
 * - e^-depth. The terms q and 1 - q are one record at the common odds. They keep the ratio finite
 * if an item is missing in one stream, and never carry it across 1. While one stream is empty, all
 * ratios are 1.
 *
 * Sources: G. Cormode, S. Muthukrishnan, What's new: finding significant differences in
 * network data streams, INFOCOM 2004 (ratios of two sketches); K. S. Tai et al., Sketching
 * Linear Classifiers over Data Streams, SIGMOD 2018 (with a heap, as the baseline of section
 * 8.2); C. Estan, G. Varghese, SIGCOMM 2002 (conservative update: an update raises only the
 * cells that are too small).
 *
 * The estimate of a member becomes stale when other items raise its cells. So each update
 * also refreshes the estimate of one member, in the order of slots. No estimate is older
 * than `active` updates.
 *
 * Example. Stream 1 has 10 records, and item 7 is in 3 of them. Stream 0 has 20 records, and item 7
 * is in one of them, so q = 1/3. Without collisions, ratio(7) = (3.33 / 10) / (1.67 / 20) = 4, and
 * its log is 1.39. If stream 0 lacked item 7, the ratio would be (3.33 / 10) / (0.67 / 20) = 10.
 *
 * Ids are folded to 32 bits; ids with the same fold are one item. Counts saturate at 2^32 - 1. Not
 * here: names, text, batches.
 */
#ifndef LEAT_KERNELS_COUNTING_PAIRED_COUNT_MIN_PAIRED_COUNT_MIN_H
#define LEAT_KERNELS_COUNTING_PAIRED_COUNT_MIN_PAIRED_COUNT_MIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/linear.h"
#include "kernels/summaries/id_slots.h"

struct paired_count_min_shape {
    uint32_t active; /* members of the heap, >= 1                           */
    uint32_t width;  /* cells in a row of one sketch, >= 1                  */
    uint32_t depth;  /* rows of one sketch, 1 .. PAIRED_COUNT_MIN_MAX_DEPTH */
};
#define PAIRED_COUNT_MIN_MAX_DEPTH  16
#define PAIRED_COUNT_MIN_MAX_ACTIVE (1u << 26)
#define PAIRED_COUNT_MIN_MAX_CELLS  (1u << 29) /* limit of width * depth */
#define PAIRED_COUNT_MIN_NONE       UINT32_MAX

struct paired_count_min_options {
    bool conservative;
    uint64_t seed;
};

/* Model of two streams: stream 0 has the label -1, stream 1 the label +1. */
struct paired_count_min {
    struct paired_count_min_shape shape;
    struct paired_count_min_options opt;
    uint64_t records[2];
    uint32_t cursor;         /* slot of the member to refresh next          */
    uint32_t *cell;          /* [2][depth][width]: both sketches            */
    struct id_slots members; /* folded ids of the members.n members         */
    float *ratio;            /* [active]: latest estimates of the log ratio */
    uint32_t *heap;          /* [active]: slots, smallest |ratio| first     */
    uint32_t *heap_index;    /* [active]: slot -> its index in heap         */
};

/* Sets the fields of a shape that are 0 such that the shape fits a budget. A member takes 8 bytes
 * of the budget, a cell 4 bytes. Members get half of the budget, and two sketches with
 * PAIRED_COUNT_MIN_DEPTH rows get the rest. Example: 32 KB give 2048 members and 2 x 2 x 1024
 * cells. Returns false if the budget is too small. */
#define PAIRED_COUNT_MIN_DEPTH 2
bool paired_count_min_shape_from_budget(uint64_t bytes, struct paired_count_min_shape *shape);
uint64_t paired_count_min_charged_bytes(const struct paired_count_min_shape *shape);
size_t paired_count_min_block_bytes(const struct paired_count_min_shape *shape);
/* Makes an empty model. block: paired_count_min_block_bytes() zeroed bytes, aligned to 64. */
void paired_count_min_init(struct paired_count_min *m, const struct paired_count_min_shape *shape,
                           const struct paired_count_min_options *opt, void *block);

/* Counts a record of a stream. Its items follow (paired_count_min_add()). */
static inline void paired_count_min_record(struct paired_count_min *m, int stream)
{
    m->records[stream]++;
}
/* Counts an item of a stream. Returns the item's slot if it has just become a member, otherwise
 * PAIRED_COUNT_MIN_NONE. O(depth + log active). */
uint32_t paired_count_min_add(struct paired_count_min *m, uint64_t id, int stream);

/* Estimate the counts of an item in both streams, and the log of its ratio. */
void paired_count_min_counts(const struct paired_count_min *m, uint64_t id, uint32_t count[2]);
double paired_count_min_ratio(const struct paired_count_min *m, uint64_t id);
/* Returns log(N1 / N0), with 1/2 added to N1 and N0. */
double paired_count_min_prior(const struct paired_count_min *m);
/* Writes the slots of the k members with the largest |log ratio| to slot, largest first. Estimates
 * all ratios anew. Leaves out members that came fewer than min_count times in both streams
 * together. Fills ratio[active] and count[active][2] by slot. slot: room for k slots. Returns the
 * number of slots written. */
uint32_t paired_count_min_top(const struct paired_count_min *m, uint32_t k, uint32_t min_count,
                              float *ratio, uint32_t *count, uint32_t *slot);
/* Returns a message about a broken invariant, or NULL if all hold. */
const char *paired_count_min_check(const struct paired_count_min *m);

/* ---- copies and merges ---- */

/* State of a model to be saved: everything except shape and options. The pointers refer to the
 * model's arrays. Arrays of members are in the order of slots. */
struct paired_count_min_parts {
    uint64_t records[2];
    uint32_t max_active, n_active, cursor;
    const uint32_t *id;   /* folded ids                        */
    const float *ratio;   /* latest estimates of the log ratio */
    uint64_t cells;       /* 2 * depth * width                 */
    const uint32_t *cell; /* [cells]                           */
};
struct paired_count_min_parts paired_count_min_parts(const struct paired_count_min *m);
/* Loads a saved state into m, which was just initialised. p->n_active, p->cursor and p->cells must
 * fit m. Then m continues exactly like the saved model. Returns NULL, or an error message if no
 * model can have this state. After an error, m must not be used. */
const char *paired_count_min_load(struct paired_count_min *m,
                                  const struct paired_count_min_parts *p);

/* Makes m, which was just initialised, the model of the streams of a and of b, where each record of
 * b counts `count` times. All three have the same width, depth and options, including the seed.
 * Cells and records add up, so estimates are never below the true counts. The members of a and of b
 * become members of m, for which it has room. They are in descending order of |log ratio|, as
 * estimated from the summed cells. member: room for the members of both; member[s] becomes the
 * origin of slot s. O(members log members + cells). If count is 1, merging is commutative and
 * associative. */
void paired_count_min_merge(struct paired_count_min *m, const struct paired_count_min *a,
                            const struct paired_count_min *b, double count,
                            struct linear_origin *member);

/* Reduces m, which was just merged, to `active` members: those of the largest |log ratio|. */
void paired_count_min_settle(struct paired_count_min *m, uint32_t active);

/* Rebuilds the index and the heap after the ids, members.n and the ratios were set. */
void paired_count_min_rebuild(struct paired_count_min *m);

#endif
