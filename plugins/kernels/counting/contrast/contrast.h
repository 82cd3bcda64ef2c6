/* contrast.h -- features that distinguish two kinds of records, by counts of known error.
 *
 * Records are of two kinds: 0 (label -1: the rest, inliers, stream B) and 1 (label +1: outliers,
 * stream A). The model keeps `members` features by id with their counts in both kinds. All other
 * features share a sketch:
 *
 *   member     id | count[2] | excess[2] | key | signature         24 bytes
 *   sketch     two rows of `width` words for each kind             (kernels/sketch/packed_cells.h)
 *   registers  estimate of the number of different features        (kernels/sketch/distinct.h)
 *   sample     features of some records of kind 1                  (contrast_sample.h)
 *
 * Bounds. A cell is never below the count of any non-member that lives there. The sketch counts
 * non-members only, by conservative update: only cells that are too small rise. A feature that
 * enters starts with the minima of its cells as its counts. These may be too high by their full
 * size, which is its excess. From then on it is counted exactly. A feature that leaves raises its
 * cells to its counts. So always
 *
 *     count - excess <= true count <= count                               for a member,
 *                  0 <= true count <= least of its cells                  for any other,
 *
 * whatever the order of the records. As long as no member has had to leave, the cells are 0 and all
 * counts are exact. With a half-life the counts fade and are rounded, so the bounds then hold up to
 * some units of the last place.
 *
 * Who stays. The key of a feature with the counts n1 and n0 is the larger of two numbers. The first
 * is the ratio of its odds to the common odds, after a prior of CONTRAST_PRIOR records of common
 * odds. If both directions are wanted, it is the larger of this ratio and its inverse. The second
 * is its share of all n occurrences, such that the average share of a member gives CONTRAST_SHARE:
 *
 *     key = max((n1 + s q) / (n0 + s (1 - q)) / (q / (1 - q)),
 *               CONTRAST_SHARE (n1 + n0) members / n)
 *                                                              q = (N1 + 1/2) / (N0 + N1 + 1)
 *
 * The second number keeps frequent features of any odds, which would fill the sketch otherwise. So
 * they are counted even if a stream's labels come later than its features (sorted by label, or in
 * bursts). A newcomer takes the place of the member with the smallest key if its own key is larger.
 * A key follows q and n when its feature occurs. Each record also updates the key of one member, in
 * turn.
 *
 * Signature: the exclusive or of the hashes of the records in which a member was counted. Two
 * members with equal counts, excess and signature occur in the same records.
 *
 * Example. A model of one member. Feature 7 comes in three records of kind 1: it is the member,
 * with the counts { 0, 3 } and no excess. Feature 9 comes in three records of kind 0 and raises its
 * cells to 3. In a fourth one its key is 4 x 4 / 7 = 2.29, above the 4 x 3 / 7 = 1.71 of feature 7.
 * So feature 9 takes the slot with count 4 and excess 3: it came 1 to 4 times. Feature 7 raises its
 * cells to its counts, so its bounds for kind 1 are now 0 and 3.
 *
 * Sources: paired Count-Min sketches: G. Cormode, S. Muthukrishnan, What's new, INFOCOM 2004;
 * conservative update: C. Estan, G. Varghese, SIGCOMM 2002; counts with a possible excess: A.
 * Metwally, D. Agrawal, A. El Abbadi, Space-Saving, ICDT 2005. The task is that of contrast sets
 * (S. Bay, M. Pazzani, 2001) and of risk ratios in P. Bailis et al., MacroBase, SIGMOD 2017.
 *
 * Ids are folded to 32 bits; ids whose folds are equal are one feature. Values and weights of
 * examples count as 1. Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrast_sample.h"
#include "kernels/linear/linear.h"
#include "kernels/sketch/distinct.h"
#include "kernels/sketch/id_slots.h"
#include "kernels/sketch/lazy_min.h"
#include "kernels/sketch/packed_cells.h"

#define CONTRAST_PRIOR       50.0 /* records */
#define CONTRAST_SHARE       4.0  /* of 1, 2, 4, 8: best in most orders (tests/bench/bounds.sh) */
#define CONTRAST_DEPTH       2u   /* rows of each sketch */
#define CONTRAST_MAX_MEMBERS (1u << 26)
#define CONTRAST_MAX_WIDTH   (1u << 29)
#define CONTRAST_NONE        UINT32_MAX

struct contrast_shape {
    uint32_t members; /* >= 1                               */
    uint32_t width;   /* words in a row of one sketch, >= 1 */
    uint32_t sample;  /* words of the sample, >= 0          */
};

struct contrast_options {
    bool both;        /* finds features of kind 0 as well                  */
    double half_life; /* in records, >= 1; 0: nothing fades                */
    bool by_time;     /* half_life is in nanoseconds of event time (sgd.h) */
    uint64_t seed;
};

struct contrast {
    struct contrast_shape shape;
    struct contrast_options opt;
    struct sgd clock;          /* only the records and their fading are used */
    double occurrences;        /* n: occurrences of features, faded like records */
    double q1, q0, inverse;    /* s q, s (1 - q), (1 - q) / q, as counts */
    double share;              /* CONTRAST_SHARE members / n, per unit of a count */
    uint64_t signature;        /* hash of the current record */
    uint32_t cursor;           /* member whose key is updated next */
    struct id_slots index;     /* folded ids; index.n members */
    uint32_t *count;           /* members x 2 */
    uint32_t *excess;          /* members: two halves, contrast_pack()ed */
    uint32_t *signatures;      /* members */
    float *key;                /* members, padded for lazy_min.h */
    struct lazy_min lowest;    /* finds the smallest key */
    struct packed_cells cells; /* 2 x CONTRAST_DEPTH rows */
    uint8_t *registers;        /* DISTINCT_REGISTERS */
    struct contrast_sample sample;
};

/* Bounds of the counts of one feature. */
struct contrast_bounds {
    double low[2], high[2];
};

/* Chooses a shape for a budget: a sixteenth for the sample, and the rest in equal parts for members
 * and cells. If shape->members is not 0, cells get all that these members leave. 32 KB: 640
 * members, 2 x 2 x 960 words. Index and registers are not charged. Returns false if nothing
 * fits. */
bool contrast_shape_from_budget(uint64_t bytes, struct contrast_shape *shape);
/* Bytes that a shape is charged. */
uint64_t contrast_charged_bytes(const struct contrast_shape *shape);
/* Budget that keeps each of `features` features as a member. */
uint64_t contrast_budget_for(double features);
/* Bytes to allocate for a shape. */
size_t contrast_block_bytes(const struct contrast_shape *shape);
/* Charged bytes in use so far: members, sample, and the cells once all slots are taken. Only some
 * hundredths of the other bytes are ever touched, so a large shape costs a small stream nothing. */
uint64_t contrast_used_bytes(const struct contrast *m);

/* block: contrast_block_bytes() zeroed bytes, aligned to 64. */
void contrast_init(struct contrast *m, const struct contrast_shape *shape,
                   const struct contrast_options *opt, void *block);

/* Moves the clock to the event time of the next record (sgd_at). Only with by_time. */
void contrast_at(struct contrast *m, int64_t time);
/* Begins a record; its features follow. kind: 0 or 1. */
void contrast_record(struct contrast *m, int kind);
/* Counts a feature of the record. Returns the slot if the feature has just entered, or
 * CONTRAST_NONE. O(1), and O(members / 64) if it enters a full model. */
uint32_t contrast_add(struct contrast *m, uint64_t id, int kind);

/* ---- reading ---- */

/* Records of a kind, faded. */
static inline double contrast_records(const struct contrast *m, int kind)
{
    return sgd_records(&m->clock, kind);
}
struct contrast_bounds contrast_slot_bounds(const struct contrast *m, uint32_t slot);
/* Bounds of any feature, by its folded id. */
struct contrast_bounds contrast_bounds_of(const struct contrast *m, uint32_t id);
/* True if slots a and b hold features of the same records, as far as the model can know. */
bool contrast_twins(const struct contrast *m, uint32_t a, uint32_t b);
/* Number of members that may have occurred before they entered. */
uint32_t contrast_late(const struct contrast *m);

/* Packs the excess of both kinds, each into 16 bits: 11 of a number and 5 of a power of two,
 * rounded up. */
uint32_t contrast_pack(const uint32_t excess[2]);
static inline uint32_t contrast_unpack(uint32_t packed, int kind)
{
    uint32_t half = packed >> 16 * kind & 0xffff;
    uint64_t e = (uint64_t)(half & 0x7ff) << (half >> 11);
    return e < UINT32_MAX ? (uint32_t)e : UINT32_MAX;
}

/* Returns NULL, or which invariant is broken. */
const char *contrast_check(const struct contrast *m);

/* ---- copies and merges ---- */

/* Complete state of a model, except shape and options. The model lends the arrays; members are in
 * the order of slots. */
struct contrast_parts {
    struct sgd clock; /* all but opt */
    uint32_t max_members, n, cursor;
    const uint32_t *id; /* folded */
    const uint32_t *count, *excess, *signatures;
    const float *key;
    double occurrences;
    uint64_t words;
    uint32_t cell_bits;
    const uint32_t *word;
    const uint8_t *registers;
    uint64_t sample_limit;
    uint32_t max_sample, sampled;
    const uint32_t *sample;
};
struct contrast_parts contrast_parts(const struct contrast *m);
/* Loads parts, whose numbers are in range, into m, which was just initialised. m continues exactly
 * as the model that the parts came from. Returns NULL, or why no model can have these parts; then m
 * must not be used. */
const char *contrast_load(struct contrast *m, const struct contrast_parts *p);

/* Makes m, just initialised, the model of the records of a and b, b counting `count` times. All
 * three have one shape and the same options, including the seed. Counts, excess and cells add up,
 * so the bounds hold in m. A feature that is a member on one side only also gets the other side's
 * least cell. The features with the largest keys become members of m, the largest first. member:
 * capacity 2 members; member[s] becomes the origin of slot s. O(members log members + cells). m
 * does not depend on the order of a and b. */
void contrast_merge(struct contrast *m, const struct contrast *a, const struct contrast *b,
                    double count, struct linear_origin *member);

#endif
