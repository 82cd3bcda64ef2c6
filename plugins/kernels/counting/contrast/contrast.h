/* contrast.h -- which features set one kind of records apart from the other, by counts whose error
 * is known.
 *
 * Records are of two kinds: 0 (label -1: the rest, inliers, stream B) and 1 (label +1: outliers,
 * stream A). The model keeps `members` features by id with their counts in both kinds, and all
 * others together in a sketch:
 *
 *   member     id | count[2] | excess[2] | key | signature       24 bytes
 *   sketch     kind 0: two rows of `width` words, kind 1: the same   (sketch/packed_cells.h)
 *   registers  how many different features there were            (kernels/sketch/distinct.h)
 *   sample     the features of some records of kind 1            (contrast_sample.h)
 *
 * Bounds. A cell is never below the count of a feature that is no member and lives there: the
 * sketch is updated conservatively (only what is too small rises), and only by features that are no
 * members. A feature that enters takes its cells' minima along as counts, which may be too high by
 * just that: its excess. From then on it is counted exactly. One that leaves raises its cells
 * to its counts. So always
 *
 *     count - excess <= true count <= count                               for a member,
 *                  0 <= true count <= least of its cells                  for any other,
 *
 * whatever the order of the records. As long as no member has had to leave, the cells are 0 and all
 * counts are exact. (With a half-life the counts fade and are rounded; the bounds then hold up to
 * some units of the last place.)
 *
 * Who stays. The key of a feature is the larger of two numbers, from its counts n1 and n0: the
 * ratio of its odds to the common ones after a prior of CONTRAST_PRIOR records of common odds (or,
 * if both directions are wanted, the larger of that and its inverse), and its share of all that
 * came, where CONTRAST_SHARE is the share of one member if all had the same:
 *
 *     key = max((n1 + s q) / (n0 + s (1 - q)) / (q / (1 - q)),
 *               CONTRAST_SHARE (n1 + n0) members / n)
 *                                                              q = (N1 + 1/2) / (N0 + N1 + 1)
 *
 * The second keeps the frequent features of any odds: they would fill the sketch, and a
 * stream whose labels come later than its features (sorted by label, or in bursts) has
 * counted them by then. A newcomer whose key is above the smallest key of a member takes its
 * place. Keys follow q and n as their features occur; besides, each record brings the key of
 * one member up to date, in turn.
 *
 * Signature: the exclusive or of the hashes of the records that a member has been counted in. Two
 * members with equal counts, excess and signature occur in the same records.
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
    uint32_t members; /* >= 1                              */
    uint32_t width;   /* words a row of one sketch, >= 1   */
    uint32_t sample;  /* words of the sample, >= 0         */
};

struct contrast_options {
    bool both;        /* features of kind 0, too */
    double half_life; /* records; 0: nothing fades, else >= 1 */
    bool by_time;     /* it is ns of event time: sgd.h */
    uint64_t seed;
};

struct contrast {
    struct contrast_shape shape;
    struct contrast_options opt;
    struct sgd clock;          /* of it the records, and how they fade */
    double occurrences;        /* of features, faded as records are */
    double q1, q0, inverse;    /* s q, s (1 - q), (1 - q) / q, as counts */
    double share;              /* CONTRAST_SHARE members / occurrences, of a count */
    uint64_t signature;        /* of this record */
    uint32_t cursor;           /* the member whose key is brought up to date next */
    struct id_slots index;     /* folded ids; index.n members */
    uint32_t *count;           /* members x 2 */
    uint32_t *excess;          /* members: two halves, contrast_pack()ed */
    uint32_t *signatures;      /* members */
    float *key;                /* members, padded as lazy_min wants it */
    struct lazy_min lowest;    /* of the keys */
    struct packed_cells cells; /* 2 x CONTRAST_DEPTH rows */
    uint8_t *registers;        /* DISTINCT_REGISTERS */
    struct contrast_sample sample;
};

/* Bounds of the counts of one feature. */
struct contrast_bounds {
    double low[2], high[2];
};

/* The shape of a budget: a sixteenth for the sample, and of the rest as much for members as for
 * cells; where `members` is given, the cells get what it leaves. 32 KB: 640 members, 2 x 2 x 960
 * words. Index and registers are not charged. false: nothing fits. */
bool contrast_shape_from_budget(uint64_t bytes, struct contrast_shape *shape);
/* Bytes of a shape; those that would keep every one of `features` by name; and those allocated. */
uint64_t contrast_charged_bytes(const struct contrast_shape *shape);
uint64_t contrast_budget_for(double features);
size_t contrast_block_bytes(const struct contrast_shape *shape);
/* Of those charged, what features have needed so far: members, sample, and the cells once all slots
 * are taken. The rest of the block is untouched, but for some hundredths; a model that grew by its
 * features to this shape would say the same, so a large shape costs a small stream nothing. */
uint64_t contrast_used_bytes(const struct contrast *m);

/* block: contrast_block_bytes() zeroed bytes, aligned to 64. */
void contrast_init(struct contrast *m, const struct contrast_shape *shape,
                   const struct contrast_options *opt, void *block);

/* by_time: before a record of that event time (sgd_at). */
void contrast_at(struct contrast *m, int64_t time);
/* Once a record, before its features. kind: 0 or 1. */
void contrast_record(struct contrast *m, int kind);
/* Counts a feature of the record. Returns the slot that it has just entered, or CONTRAST_NONE.
 * O(1), and O(members / 64) where it enters a full model. */
uint32_t contrast_add(struct contrast *m, uint64_t id, int kind);

/* ---- reading ---- */

/* Records of a kind, faded. */
static inline double contrast_records(const struct contrast *m, int kind)
{
    return sgd_records(&m->clock, kind);
}
struct contrast_bounds contrast_slot_bounds(const struct contrast *m, uint32_t slot);
/* Of any feature, by its folded id. */
struct contrast_bounds contrast_bounds_of(const struct contrast *m, uint32_t id);
/* Slots a and b hold features that occurred in the same records, as far as the model can know. */
bool contrast_twins(const struct contrast *m, uint32_t a, uint32_t b);
/* Members that had been seen, or may have been, before they entered. */
uint32_t contrast_late(const struct contrast *m);

/* An excess in 16 bits: 11 of a number and 5 of a power of two, rounded up. */
uint32_t contrast_pack(const uint32_t excess[2]);
static inline uint32_t contrast_unpack(uint32_t packed, int kind)
{
    uint32_t half = packed >> 16 * kind & 0xffff;
    uint64_t e = (uint64_t)(half & 0x7ff) << (half >> 11);
    return e < UINT32_MAX ? (uint32_t)e : UINT32_MAX;
}

/* NULL, or which invariant is broken. */
const char *contrast_check(const struct contrast *m);

/* ---- copies and merges ---- */

/* All that makes a model, besides shape and options: lent arrays, members in the order of slots. */
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
/* Make m, just initialised, the model of these parts, whose numbers are in range: it continues
 * exactly as the model that they were taken from. NULL, or why no model can have these parts; m
 * must then not be used. */
const char *contrast_load(struct contrast *m, const struct contrast_parts *p);

/* Make m, just initialised, the model of the records of a and b, b counting `count` times; all
 * three have one shape and the same options, seed among them. Counts, excess and cells add up, so
 * the bounds hold in m; a feature that is a member on one side only takes the other side's least
 * cell along. Those of the largest keys are members of m, the largest first. member: capacity 2
 * members; member[s] becomes the origin of slot s. O(members log members + cells). m does not
 * depend on the order of a and b. */
void contrast_merge(struct contrast *m, const struct contrast *a, const struct contrast *b,
                    double count, struct linear_origin *member);

#endif
