/* store.h -- what all linear models of a fixed size hold: slots for features that are known by id,
 * the cells of a sketch, weights of either precision, a clock.
 *
 * A model of a kernel begins with struct store; the functions here do what does not depend on the
 * kernel, and call it (linear.h) for the rest. The loops that learn are the kernels' own, because
 * there each has other work to do for an entry.
 *
 *   slot     0 .. set.n - 1 hold features, set.n .. active - 1 are free
 *   set      id -> slot; set.id is state
 *   member   weights of the slots, padded to blocks of 64; accumulators, where a slot has one
 *   cell     depth x width weights; accumulators, where a cell has one
 *   bound    <= the smallest |weight| of a slot, as the bits of a float; -1 while a slot is free
 *
 * Example. The shape { active = 2, width = 4, depth = 1 } at 8 bytes a slot and 4 a cell is charged
 * 2 x 8 + 4 x 4 = 32 bytes. Features 7 and 9 with the weights 0.5 and -0.25 are in slots 0 and 1:
 * the bound is 0x3e800000, the bits of 0.25. A feature of weight 0.3 takes slot 1; one of weight
 * 0.2 takes none.
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
    uint32_t first_cell; /* places of slots, padding among them: a multiple of 64 */
    struct id_slots set;
    struct numbers member, cell;
    uint32_t *count;          /* active x { negative, positive }, or NULL                     */
    float *l1_seen;           /* the penalty that each slot's weight has had (l1.h), or NULL  */
    struct lazy_min lightest; /* of the slots' weights */
    int32_t *bounds;          /* its memory            */

    struct linear_entrant *entrant; /* of the last example, n_entrants; scratch */
    uint32_t n_entrants;
    uint64_t random, draws; /* of the last example: random bits to round with (numbers.h) */
};

/* ---- memory ---- */

/* Bytes that a shape is charged; bytes that are allocated, with index, padding and scratch. */
uint64_t store_charged_bytes(const struct linear_kernel *k, const struct linear_shape *shape,
                             const struct linear_options *opt);
size_t store_block_bytes(const struct linear_kernel *k, const struct linear_shape *shape,
                         const struct linear_options *opt);
/* s: k->model_bytes; block: store_block_bytes() zeroed bytes, aligned to 64. */
void store_init(struct store *s, const struct linear_kernel *k, const struct linear_shape *shape,
                const struct linear_options *opt, void *block);
/* For several models of one shape, seed and options that learn the same rows, each with labels of
 * its own: s, which was initialised with max_row 0, uses the scratch of `from`, and one hash of the
 * ids serves all. */
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
/* The weight of a slot as it is shown, in margins. */
double store_slot_weight(const struct store *s, uint32_t slot);
/* The k heaviest slots, heaviest first (equal ones: lowest slot first); with counts, only those of
 * at least min_count examples. weight: scratch for set.n; slot: capacity k. Returns how many there
 * are. */
uint32_t store_top(const struct store *s, uint32_t k, uint32_t min_count, float *weight,
                   uint32_t *slot);
static inline const char *store_check(const struct store *s) { return s->kernel->check(s); }

/* ---- copies and merges ---- */

struct linear_parts store_parts(const struct store *s);
/* Makes s, just initialised, the model of these parts, whose numbers are in range: it continues
 * exactly as the model that they were taken from. Returns NULL, or why no model can have these
 * parts; s must then not be used. */
const char *store_load(struct store *s, const struct linear_parts *p);
/* Makes m, just initialised, the mean of a and b (sgd.h), b counting `count` times; all three
 * have one shape and the same options, seed among them. Of all features the heaviest get the slots,
 * heaviest first, equal ones by id, unless the kernel says otherwise. Accumulators and counts add
 * up; a side where a feature has no slot adds none. member: capacity 2 active; member[s] becomes
 * the origin of slot s. m does not depend on the order of a and b. */
void store_merge(struct store *m, const struct store *a, const struct store *b, double count,
                 struct linear_origin *member);

/* ---- for kernels ---- */

/* The slot of a folded id, or STORE_NONE. */
static inline uint32_t store_find(const struct store *s, uint32_t id)
{
    uint32_t slot = id_slots_seek(&s->set, id);
    return s->set.id[slot] == id ? slot : STORE_NONE;
}

static inline bool store_is_compact(const struct store *s)
{
    return s->opt.sgd.rates == SGD_ADAPTIVE && s->opt.precision == ADAPTIVE_COMPACT;
}

/* Random bits of this example, other ones at each call. */
static inline uint64_t store_draw(struct store *s)
{
    return numbers_random(s->random + s->draws++);
}

/* The stored weight of a slot, after the penalty that is pending for it. */
static inline float store_weight_now(const struct store *s, uint32_t slot)
{
    float w = s->member.weight[slot];
    return s->l1_seen ? l1_now(&s->sgd, w, s->l1_seen[slot]) : w;
}

/* A slot's weight has become that with these bits. */
static inline void store_became(struct store *s, uint32_t slot, int32_t bits)
{
    lazy_min_lower(&s->lightest, slot, bits);
    if (bits < s->bound) s->bound = bits;
}

/* A slot's weight, of full precision, becomes w. */
static inline void store_set(struct store *s, uint32_t slot, float w)
{
    s->member.weight[slot] = w;
    store_became(s, slot, lazy_min_bits(w));
}

/* The slot that a feature of weight w takes: a free one, that of the lightest if w outweighs it, or
 * STORE_NONE. The feature that was there can no more be found, but its id is still in set.id. */
uint32_t store_take_slot(struct store *s, float w);
/* A feature is in a slot that was taken: it can be found, and its first example is counted. y: 0 or
 * 1. */
void store_enter(struct store *s, uint32_t slot, uint32_t id, uint32_t entry, int y);
/* All weights may have fallen. */
void store_forget_bounds(struct store *s);

/* Sets a weight within SGD_LIMIT, and an accumulator, rounded to the nearest: merges have no random
 * bits. */
void store_put_weight(struct numbers n, uint32_t at, double w, bool compact);
void store_put_sum(struct numbers n, uint32_t at, double sum, bool compact);

/* NULL, or which of these is broken: the index; the bounds, which are below all slots; weights are
 * finite; the clock. */
const char *store_check_slots(const struct store *s);

#endif
