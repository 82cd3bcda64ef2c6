/* contrast.h -- finds features that distinguish two kinds of records, by counts of known error.
 *
 * Records are of kind 0 (label -1: the rest, inliers, stream B) or of kind 1 (label +1: outliers,
 * stream A). The model keeps up to `members` features by id, each with one count per kind. All
 * other features share a sketch:
 *
 *   member     id | count[2] | excess[2] | key | signature         28 bytes
 *   sketch     two rows of `width` words for each kind          (kernels/summaries/packed_cells.h)
 *   registers  estimate of the number of different features        (kernels/summaries/distinct.h)
 *   sample     features of some records of each kind              (contrast_sample.h)
 *
 * Bounds. The sketch counts only features that are not members, by conservative update: an
 * update raises only the cells that are too small. So a cell is never below the count of a
 * non-member that maps to it. A feature that becomes a member starts with the smallest of its
 * cells as its counts. They may be too high by any part of this start value, which is stored as
 * its excess. From then on the feature is counted exactly. When a member leaves, its cells are
 * raised to its counts. So always
 *
 *     count - excess <= true count <= count                               for a member,
 *                  0 <= true count <= least of its cells                  for any other,
 *
 * whatever the order of the records. Until a member has to leave, all cells are 0 and all
 * counts are exact. With a half-life, counts fade and are rounded, so the bounds hold up to a
 * few units in the last place.
 *
 * Who stays. If all slots are taken, a new feature replaces the member with the smallest key,
 * provided that its own key is larger. Let N1 and N0 be the numbers of records, n1 and n0 the
 * counts of a feature, n the sum of these counts over all features, and s = CONTRAST_PRIOR. The key
 * is the larger of two numbers. The first is the odds of the feature divided by the common odds of
 * all records, after adding s records with the common odds. With the option `both`, the first
 * number is this quotient or its inverse, whichever is larger. The second number is the feature's
 * share of n, scaled such that the average share of a member gives CONTRAST_SHARE:
 *
 *     key = max((n1 + s q) / (n0 + s (1 - q)) / (q / (1 - q)),
 *               CONTRAST_SHARE (n1 + n0) members / n)
 *                                                              q = (N1 + 1/2) / (N0 + N1 + 1)
 *
 * The second number keeps frequent features, which would otherwise fill the sketch, whatever
 * their odds. So their counts are exact even if the label that they distinguish comes late
 * (records sorted by label, or labels in bursts). Once all slots are taken, each record updates the
 * key of one member, in the order of slots. In addition, the smallest key is updated before its
 * member has to leave: if it has risen, the member stays. Before, keys are 0 and not asked for.
 *
 * Signature of a member: the sum of the hashes of all records in which it was counted. The hash of
 * a record depends on its number and its content, so records of merged runs differ. If two members
 * have the same counts and signature, and no excess, they occur in the same records.
 *
 * Example. A model with room for one member. Feature 7 comes in three records of kind 1. It is the
 * member, with the counts { 0, 3 } and no excess. Feature 9 comes in three records of kind 0, which
 * raise its cells to 3. In its fourth record, its key 4 x 4 / 7 = 2.29 exceeds the key 4 x 3 / 7 =
 * 1.71 of feature 7. So feature 9 takes the slot, with the count 4 and the excess 3: it came 1 to 4
 * times. The cells of feature 7 are raised to its counts, so its bounds for kind 1 are now 0 and 3.
 *
 * Amounts. If the shape has `amounts`, each record has an amount, and the model also keeps the sums
 * of the amounts of each feature, with bounds (contrast_sums.h). The key then has sums in place of
 * n1, n0, N1, N0 and n, and s mean amounts in place of s records.
 *
 * Sources: paired Count-Min sketches: G. Cormode, S. Muthukrishnan, What's new, INFOCOM 2004;
 * conservative update: C. Estan, G. Varghese, SIGCOMM 2002; counts with a possible excess: A.
 * Metwally, D. Agrawal, A. El Abbadi, Space-Saving, ICDT 2005. The task is that of contrast sets
 * (S. Bay, M. Pazzani, 2001) and of risk ratios in P. Bailis et al., MacroBase, SIGMOD 2017.
 *
 * Members are told apart by ids of 64 bits. The cells of a feature, and its ids in the sample, are
 * those of its fold to 32 bits. So the bounds above hold for each feature. What the sample says of
 * a feature may be wrong by the records of another one with the same fold.
 *
 * Out of scope: values of examples, names, text, batches.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrast_front.h"
#include "contrast_sample.h"
#include "contrast_sums.h"
#include "kernels/linear/linear.h"
#include "kernels/summaries/distinct.h"
#include "kernels/summaries/id_slots.h"
#include "kernels/summaries/lazy_min.h"
#include "kernels/summaries/packed_cells.h"

#define CONTRAST_PRIOR       50.0 /* s of the key (see above), in records */
#define CONTRAST_SHARE       4.0  /* best of 1, 2, 4, 8 for most orders of records (bounds.sh) */
#define CONTRAST_DEPTH       2u   /* rows of the sketch for each kind */
#define CONTRAST_MAX_MEMBERS (1u << 26)
#define CONTRAST_MAX_WIDTH   (1u << 29)
#define CONTRAST_NONE        UINT32_MAX

struct contrast_shape {
    uint32_t members; /* >= 1 */
    uint32_t width;   /* words in each row of the sketch, >= 1 */
    uint32_t sample;  /* words of the samples, >= 0; each kind has half of them */
    uint32_t amounts; /* 1: records have amounts; then nothing fades */
};

struct contrast_options {
    bool both;        /* finds features typical of kind 0 as well */
    double half_life; /* in records, >= 1; 0: no fading */
    bool by_time;     /* half_life is in nanoseconds of event time (sgd.h) */
    bool apart;       /* the sample differs from those of models of other records */
    uint64_t seed;
};

/* Numbers from which the factors of the keys follow: N0 and N1, n, and the mean amount of a record,
 * which is 1 without amounts. They are those of an earlier record (contrast.c). */
struct contrast_base {
    double all[2], occurrences, mean;
};

/* Sums of a member of a union, beside its counts and signature (contrast_union.h). */
struct contrast_beside {
    uint32_t excess[2], own[2][CONTRAST_DEPTH];
};
struct contrast_beside_sums {
    uint64_t own[2][CONTRAST_DEPTH];
};

/* Member with what it is sorted by. */
struct contrast_rank {
    uint64_t id;
    float key;
    uint32_t slot;
};
struct contrast_united {
    bool is;                           /* the model is a union */
    uint32_t leaf_members;             /* shape.members of the leaves */
    uint32_t grain;                    /* places in a word of the cells; 0: there are none */
    struct contrast_beside *beside;    /* [members] */
    struct contrast_beside_sums *sums; /* [members], with amounts */
    uint32_t *cell;                    /* [2 x CONTRAST_DEPTH][width x grain] */
    struct contrast_sample_order order;
};

struct contrast {
    struct contrast_shape shape;
    struct contrast_options opt;
    struct sgd clock;   /* only used to count the records, and to fade the counts */
    double occurrences; /* n: sum of all features' counts, faded like the records */
    double before;      /* `occurrences` before the current record */
    struct contrast_base base;
    double q1, q0, inverse;    /* key factors: s q, s (1 - q), (1 - q) / q; s in stored counts */
    double share;              /* key factor: CONTRAST_SHARE members / n, per stored count */
    uint64_t signature;        /* hash of the current record */
    uint32_t cursor;           /* slot whose key the next record updates */
    struct id_slots index;     /* ids of the index.n members, whole */
    uint32_t *count;           /* [members][2]: for kind 0 and kind 1 */
    uint32_t *excess;          /* [members]: for both kinds, in one word (contrast_pack()) */
    uint32_t *signatures;      /* [members] */
    float *key;                /* [members], padded for lazy_min.h */
    struct lazy_min lowest;    /* finds the smallest key */
    int32_t floor;             /* lower bound of all keys, as lazy_min_bits() */
    struct packed_cells cells; /* 2 x CONTRAST_DEPTH rows */
    bool has_cells;            /* they may be above 0 even if slots are free */
    struct contrast_sums sums; /* sums.member is NULL if the shape has no amounts */
    uint8_t *registers;        /* [DISTINCT_REGISTERS] */
    struct contrast_sample sample[2];
    struct contrast_front *front;  /* has counts that members lack; NULL: none */
    struct contrast_united united; /* of a union: in place of keys, excess and cells */
};

/* Bounds of the counts of one feature, for kind 0 and kind 1. */
struct contrast_bounds {
    double low[2], high[2];
};

/* Chooses a shape for a budget. The samples get an eighth of the bytes, members 7/12 of the rest,
 * and cells the others. If shape->members is not 0, keeps it, and the cells get all bytes that
 * remain. Example: 32 KB give 597 members and 2 x 2 x 747 words. The budget does not cover the
 * index and the registers. Returns false if the budget is too small. */
bool contrast_shape_from_budget(uint64_t bytes, struct contrast_shape *shape);
/* Bytes that a shape takes from its budget. */
uint64_t contrast_charged_bytes(const struct contrast_shape *shape);
/* Budget, in bytes, for which contrast_shape_from_budget() gives `features` members. */
uint64_t contrast_budget_for(double features, bool amounts);
/* Bytes of the block for a shape, with index and registers. */
size_t contrast_block_bytes(const struct contrast_shape *shape);
/* Bytes of the block of a leaf or a union. */
size_t contrast_bytes(const struct contrast *m);
/* Bytes of the budget in use so far: sample, members, and the cells once all slots are taken.
 * Only a few percent of the other bytes are ever touched, so a large shape costs a small
 * stream hardly any memory. */
uint64_t contrast_used_bytes(const struct contrast *m);

/* Makes an empty model. block: contrast_block_bytes() zeroed bytes, aligned to 64. */
void contrast_init(struct contrast *m, const struct contrast_shape *shape,
                   const struct contrast_options *opt, void *block);

/* Takes the event time of the next record (sgd_at()). Call it only if by_time. */
void contrast_at(struct contrast *m, int64_t time);
/* Moves the clocks of a and b to the later time of the two. Without effect unless by_time. */
void contrast_meet(struct contrast *a, struct contrast *b);
/* Sets the amount, in units, of the record that contrast_record() begins next. Returns false, and
 * changes nothing, if the sum of all amounts would exceed CONTRAST_SUMS_TOTAL. */
bool contrast_amount(struct contrast *m, int kind, uint64_t amount);
/* Begins a record of a kind, 0 or 1. Its features follow (contrast_add()). content: a hash of all
 * of them, such as the sum of their ids. */
void contrast_record(struct contrast *m, int kind, uint64_t content);
/* Counts those of n <= ID_SLOTS_FORESEEN features of the current record that are members. Sets
 * slot[i] to the slot of a member, otherwise to CONTRAST_NONE. Returns the bits of the others. The
 * caller counts these by contrast_add_other() after all members of the record. */
uint32_t contrast_add_members(struct contrast *m, uint32_t n, const uint64_t *id, int kind,
                              uint32_t *slot);
/* Counts a feature that contrast_add_members() did not find. *entered: whether others of the record
 * have become members since; set if this one does. Sets *slot to its slot if it is a member now,
 * otherwise to CONTRAST_NONE. Returns true if it has just become one. O(1), and O(members / 64) if
 * it replaces a member. */
bool contrast_add_other(struct contrast *m, uint64_t id, int kind, bool *entered, uint32_t *slot);
/* Counts one feature. Returns its slot if it has just become a member, otherwise CONTRAST_NONE. */
uint32_t contrast_add(struct contrast *m, uint64_t id, int kind);

/* Step by which the current record changes cells of the front. */
static inline struct contrast_front_one contrast_one(const struct contrast *m, int kind)
{
    return (struct contrast_front_one){.one = m->signature << 32 | (kind ? 0x10000 : 1),
                                       .most = kind ? 0x7fff0000 : 0xffff};
}
/* Gives the member in a slot its cell of the front. Empties the cell if the member has it. */
void contrast_take(const struct contrast *m, uint64_t *cell, uint32_t slot);
/* Does the same for a pair and the cell of its two codes. Without effect if one is 0. */
void contrast_take_pair(const struct contrast *m, uint32_t a, uint32_t b, uint32_t slot);
/* Takes the bin of a step of the ladder that begins with the own cell `first`, if the cells of all
 * sides of the step are taken. Otherwise, or if the bin is full, empties it and gives it up. */
void contrast_take_step(const struct contrast *m, uint32_t first, uint32_t step);
/* Does the same for the cell of two codes, at least one of which is a step. It is taken if all its
 * pairs are. */
void contrast_take_spots(const struct contrast *m, uint32_t a, uint32_t b);
/* Adds the counts in the front to the members. */
void contrast_flush(const struct contrast *m);

/* True if the current record, of this kind, is in the sample. */
static inline bool contrast_samples(const struct contrast *m, int kind)
{
    return m->sample[kind].open != CONTRAST_NOT_SAMPLED;
}
/* Adds an id to the current record in the sample. The caller chooses the ids: those of all
 * features, or only those from which it can tell which other features a record has. */
static inline void contrast_keep(struct contrast *m, int kind, uint64_t id)
{
    contrast_sample_add(&m->sample[kind], id_slots_fold(id));
}

/* ---- reading ---- */

/* Number of records of a kind, faded. */
static inline double contrast_records(const struct contrast *m, int kind)
{
    return sgd_records(&m->clock, kind);
}
struct contrast_bounds contrast_slot_bounds(const struct contrast *m, uint32_t slot);
/* Returns the bounds of any feature, member or not. */
struct contrast_bounds contrast_bounds_of(const struct contrast *m, uint64_t id);
/* True if a feature is a member. */
bool contrast_has(const struct contrast *m, uint64_t id);

/* The mass of a feature is what its figures compare: the number of its records. With amounts it is
 * the sum of their amounts, divided by the mean amount of a record. So the mass of all records is
 * their number, and priors in records fit. */
double contrast_mass(const struct contrast *m, int kind);
struct contrast_bounds contrast_slot_mass(const struct contrast *m, uint32_t slot);
/* Returns the sums of the amounts of a member, and their excess. */
struct contrast_sum contrast_slot_sum(const struct contrast *m, uint32_t slot);
struct contrast_bounds contrast_mass_of(const struct contrast *m, uint64_t id);
/* Returns the units of a mass of 1. */
double contrast_mass_unit(const struct contrast *m);
/* True if the counts of a member are exact. */
bool contrast_is_exact(const struct contrast *m, uint32_t slot);
/* True if a feature had to leave the model, or one of those of a union. */
bool contrast_has_lost(const struct contrast *m);
/* True if the members in slots a and b occur in the same records, as far as the model can know. */
bool contrast_twins(const struct contrast *m, uint32_t a, uint32_t b);
/* Number of members that may have occurred before they became members. */
uint32_t contrast_late(const struct contrast *m);

/* Packs the excesses for kind 0 and kind 1 into 16 bits each, as an 11-bit number times a power of
 * two (5 bits), rounded up. */
uint32_t contrast_pack(const uint32_t excess[2]);
static inline uint32_t contrast_unpack(uint32_t packed, int kind)
{
    uint32_t half = packed >> 16 * kind & 0xffff;
    uint64_t e = (uint64_t)(half & 0x7ff) << (half >> 11);
    return e < UINT32_MAX ? (uint32_t)e : UINT32_MAX;
}

/* Returns a message about a broken invariant, or NULL if all hold. */
const char *contrast_check(const struct contrast *m);

/* ---- copies (merges: contrast_union.h) ---- */

/* State of a model to be saved: everything except shape and options. The pointers refer to the
 * model's arrays. Arrays of members are in the order of slots. */
struct contrast_parts {
    struct sgd clock; /* without clock.opt */
    uint32_t max_members, n, cursor;
    const uint64_t *id;
    const uint32_t *count, *excess, *signatures;
    const float *key;
    double occurrences;
    struct contrast_base base;
    uint64_t words, max_words; /* words: 0 if no feature ever left, otherwise max_words */
    uint32_t cell_bits;
    const uint32_t *word;
    const uint32_t *beside;      /* of a union: six for each member (struct contrast_beside) */
    uint32_t grain;              /* of a union; its cells are in `word` */
    struct contrast_sums sums;   /* without amounts, the next three are NULL */
    const uint64_t *own_sums;    /* of a union: four for each member */
    const uint64_t *member_sums; /* six for each member: struct contrast_sum */
    uint64_t sum_words, max_sum_words; /* equal to these, or 0 */
    const uint64_t *sum_cells;
    const uint8_t *registers;
    struct contrast_sampled {
        uint64_t limit;
        uint32_t max, n;
        const uint32_t *word;
    } sample[2];
};
struct contrast_parts contrast_parts(const struct contrast *m);
/* Loads a saved state into m, which was just initialised. p->n, p->words and samples must fit m.
 * Then m continues exactly like the saved model. Returns NULL, or an error message if no model can
 * have this state. After an error, m must not be used. */
const char *contrast_load(struct contrast *m, const struct contrast_parts *p);

#endif
