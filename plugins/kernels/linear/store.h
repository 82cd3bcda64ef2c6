/* store.h -- state of all linear models of fixed size: slots of features known by id, the cells of
 * a sketch, weights of either precision, a clock.
 *
 * Each model of a kernel begins with struct store. The functions here do the work that does not
 * depend on the kernel, and call the kernel (linear.h) for the rest. Each kernel has its own
 * learning loop, because kernels treat the entries of a row differently.
 *
 *   slot     0 .. set.n - 1 hold features, set.n .. active - 1 are free
 *   set      index from id to slot; set.id is part of a saved model
 *   member   weights of the slots, padded to blocks of 64; accumulators, if slots have them
 *   cell     depth x width weights; accumulators, if cells have them
 *   bound    lower bound of the slots' |weight|, as the bits of a float; -1 while a slot is free
 *
 * Example. The shape { active = 2, width = 4, depth = 1 } at 8 bytes a slot and 4 a cell is charged
 * 2 x 8 + 4 x 4 = 32 bytes. Features 7 and 9 with the weights 0.5 and -0.25 are in slots 0 and 1,
 * so the bound is 0x3e800000, the bits of 0.25. A feature of weight 0.3 takes slot 1, but one of
 * weight 0.2 gets no slot.
 *
 * Weights are stored as w / sgd.alpha.
 */
#ifndef LEAT_KERNELS_LINEAR_STORE_H
#define LEAT_KERNELS_LINEAR_STORE_H

#include <math.h>

#include "kernels/sketch/id_slots.h"
#include "kernels/sketch/lazy_min.h"
#include "l1.h"
#include "linear.h"

#define STORE_NONE UINT32_MAX /* no slot */

struct store {
    const struct linear_kernel *kernel;
    struct linear_shape shape;
    struct linear_options opt;
    struct sgd sgd;

    int32_t bound;
    uint32_t first_cell; /* places of slots, including padding: a multiple of 64 */
    struct id_slots set;
    struct numbers member, cell;
    uint32_t *count;          /* active x { negative, positive }, or NULL                */
    float *l1_seen;           /* penalty that each slot's weight has had (l1.h), or NULL */
    struct lazy_min lightest; /* finds the smallest |weight| of the slots                */
    int32_t *bounds;          /* memory of `lightest`                                    */

    struct linear_entrant *entrant; /* features that entered in the last example; scratch */
    uint32_t n_entrants;
    uint64_t random, draws; /* state of store_draw() in the last example */
};

/* ---- memory ---- */

/* Bytes that a shape is charged. */
uint64_t store_charged_bytes(const struct linear_kernel *k, const struct linear_shape *shape,
                             const struct linear_options *opt);
/* Bytes to allocate, including index, padding and scratch. */
size_t store_block_bytes(const struct linear_kernel *k, const struct linear_shape *shape,
                         const struct linear_options *opt);
/* s: k->model_bytes; block: store_block_bytes() zeroed bytes, aligned to 64. */
void store_init(struct store *s, const struct linear_kernel *k, const struct linear_shape *shape,
                const struct linear_options *opt, void *block);
/* Makes s, initialised with max_row 0, use the scratch of `from`. For several models of one shape,
 * seed and options that learn the same rows with different labels; one hash of the ids then serves
 * all of them. */
void store_borrow(struct store *s, const struct store *from);

/* ---- learning and answers ---- */

static inline enum linear_result store_learn(struct store *s, const struct linear_row *row,
                                             double *margin)
{
    return s->kernel->learn(s, row, NULL, margin);
}
static inline double store_margin(const struct store *s, uint32_t n, const uint64_t *id,
                                  const float *x)
{
    return s->kernel->margin(s, n, id, x);
}
static inline double store_weight(const struct store *s, uint64_t id)
{
    return s->kernel->weight(s, id);
}
/* Weight of a slot as answers show it, in margins. */
double store_slot_weight(const struct store *s, uint32_t slot);
/* Lists the k heaviest slots, heaviest first, equal ones by slot. With counts, leaves out slots of
 * fewer than min_count examples. weight: scratch for set.n; slot: capacity k. Returns their
 * number. */
uint32_t store_top(const struct store *s, uint32_t k, uint32_t min_count, float *weight,
                   uint32_t *slot);
static inline const char *store_check(const struct store *s) { return s->kernel->check(s); }

/* ---- copies and merges ---- */

struct linear_parts store_parts(const struct store *s);
/* Loads parts, whose numbers are in range, into s, which was just initialised. s continues exactly
 * as the model that the parts came from. Returns NULL, or why no model can have these parts; then s
 * must not be used. */
const char *store_load(struct store *s, const struct linear_parts *p);
/* Makes m, just initialised, the mean of a and b (sgd.h), b counting `count` times. All three have
 * one shape and the same options, including the seed. The heaviest of all features get the slots,
 * heaviest first, equal ones by id, unless the kernel ranks them otherwise. Accumulators and counts
 * add up; a side where the feature has no slot adds nothing. member: capacity 2 active; member[s]
 * becomes the origin of slot s. m does not depend on the order of a and b. */
void store_merge(struct store *m, const struct store *a, const struct store *b, double count,
                 struct linear_origin *member);

/* ---- for kernels ---- */

/* Slot of a folded id, or STORE_NONE. */
static inline uint32_t store_find(const struct store *s, uint32_t id)
{
    uint32_t slot = id_slots_seek(&s->set, id);
    return s->set.id[slot] == id ? slot : STORE_NONE;
}

static inline bool store_is_compact(const struct store *s)
{
    return s->opt.sgd.rates == SGD_ADAPTIVE && s->opt.precision == ADAPTIVE_COMPACT;
}

/* Random bits, new ones at each call, that depend only on the seed, the example and the call. */
static inline uint64_t store_draw(struct store *s)
{
    return numbers_random(s->random + s->draws++);
}

/* Stored weight of a slot, after its pending penalty. */
static inline float store_weight_now(const struct store *s, uint32_t slot)
{
    float w = s->member.weight[slot];
    return s->l1_seen ? l1_now(&s->sgd, w, s->l1_seen[slot]) : w;
}

/* Updates the bounds after a slot's weight was set; bits: lazy_min_bits() of the weight. */
static inline void store_became(struct store *s, uint32_t slot, int32_t bits)
{
    lazy_min_lower(&s->lightest, slot, bits);
    if (bits < s->bound) s->bound = bits;
}

/* Sets a slot's weight, of full precision, to w. */
static inline void store_set(struct store *s, uint32_t slot, float w)
{
    s->member.weight[slot] = w;
    store_became(s, slot, lazy_min_bits(w));
}

/* Takes a slot for a feature of weight w: a free slot, or the lightest slot if w outweighs it.
 * Otherwise returns STORE_NONE. The lightest feature leaves the index, but set.id still has its
 * id. */
uint32_t store_take_slot(struct store *s, float w);
/* Puts a feature into a taken slot: links its id, and counts its first example. y: 0 or 1. */
void store_enter(struct store *s, uint32_t slot, uint32_t id, uint32_t entry, int y);
/* Drops the bounds, because any weight may have fallen. */
void store_forget_bounds(struct store *s);

/* Set a weight or an accumulator, limited to SGD_LIMIT. They round to the nearest, because merges
 * have no random bits. */
void store_put_weight(struct numbers n, uint32_t at, double w, bool compact);
void store_put_sum(struct numbers n, uint32_t at, double sum, bool compact);

/* Checks the index, that bounds are below all slots, that weights are finite, and the clock.
 * Returns NULL, or which invariant is broken. */
const char *store_check_slots(const struct store *s);

#endif
