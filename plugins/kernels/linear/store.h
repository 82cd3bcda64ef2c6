/* store.h -- state common to the linear models of fixed size: slots, sketch cells, weights, clock.
 *
 * Each kernel's model (linear.h) begins with struct store. The functions here do the work that is
 * the same for all kernels, and call the kernel for the rest. Each kernel has its own learning
 * loop, because kernels treat the entries of a row differently.
 *
 *   slot     0 .. set.n - 1 hold features, set.n .. active - 1 are free
 *   set      index from id to slot; set.id is part of a saved model
 *   member   weights of the slots, padded to blocks of 64; accumulators, if slots have them
 *   cell     depth x width weights; accumulators, if cells have them
 *   bound    lower bound of |weight| over all slots, as the bits of a float; -1 if a slot is free
 *
 * Example. The shape { active = 2, width = 4, depth = 1 }, with 8 bytes a slot and 4 a cell, takes
 * 2 x 8 + 4 x 4 = 32 bytes of the memory budget. Features 7 and 9 with the weights 0.5 and -0.25
 * are in slots 0 and 1, so `bound` may rise to 0x3e800000, the bits of 0.25. A new feature of
 * weight 0.3 then takes slot 1, but a new feature of weight 0.2 gets no slot.
 *
 * Weights are stored as w / sgd.alpha.
 */
#ifndef LEAT_KERNELS_LINEAR_STORE_H
#define LEAT_KERNELS_LINEAR_STORE_H

#include <math.h>

#include "kernels/summaries/id_slots.h"
#include "kernels/summaries/lazy_min.h"
#include "l1.h"
#include "linear.h"
#include "sums.h"

#define STORE_NONE UINT32_MAX /* no slot */

struct store {
    const struct linear_kernel *kernel;
    struct linear_shape shape;
    struct linear_options opt;
    struct sgd sgd;

    int32_t bound;
    uint32_t first_cell; /* number of slots with padding, a multiple of 64 */
    struct id_slots set;
    struct numbers member, cell;
    uint32_t *count;          /* active x { negative, positive }, or NULL                   */
    float *l1_seen;           /* `penalty` up to which each slot was shrunk (l1.h), or NULL */
    struct lazy_min lightest; /* finds the smallest |weight| of the slots                   */
    int32_t *bounds;          /* array for `lightest`                                       */

    struct linear_entrant *entrant; /* features that got a slot in the last example; scratch */
    uint32_t n_entrants;
    uint64_t random, draws; /* state of store_draw() in the last example */
};

/* ---- memory ---- */

/* Bytes of the memory budget that a model of this shape takes. */
uint64_t store_charged_bytes(const struct linear_kernel *k, const struct linear_shape *shape,
                             const struct linear_options *opt);
/* Bytes of memory that store_init() needs, including index, padding and scratch. */
size_t store_block_bytes(const struct linear_kernel *k, const struct linear_shape *shape,
                         const struct linear_options *opt);
/* Initialises an empty model. s: k->model_bytes bytes; block: store_block_bytes() zeroed bytes,
 * aligned to 64. */
void store_init(struct store *s, const struct linear_kernel *k, const struct linear_shape *shape,
                const struct linear_options *opt, void *block);
/* Lets s use the scratch of `from`; s was initialised with max_row 0. Use it when several models of
 * one shape, seed and options learn the same rows with different labels. One hash of the ids then
 * serves all models. */
void store_borrow(struct store *s, const struct store *from);

/* ---- learning and queries ---- */

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
/* Weight of a slot that query results show: the change of the margin for x = 1. */
double store_slot_weight(const struct store *s, uint32_t slot);
/* Writes the weights of the slots from .. from + n - 1, also as the kernel stores them. */
void store_weights(const struct store *s, uint32_t from, uint32_t n, double *weight, float *stored);
/* Lists the k slots with the largest |weight|, the largest first; slots of equal |weight| by
 * number. With counts, leaves out slots with fewer than min_count examples. weight: scratch for
 * set.n; slot: capacity k. Returns the number of slots listed. */
uint32_t store_top(const struct store *s, uint32_t k, uint32_t min_count, float *weight,
                   uint32_t *slot);
static inline const char *store_check(const struct store *s) { return s->kernel->check(s); }

/* ---- copies and merges ---- */

struct linear_parts store_parts(const struct store *s);
/* Loads parts, whose sizes the caller has checked, into s, which was just initialised. After this s
 * continues exactly like the model that the parts came from. Returns NULL, or the reason why no
 * model can have these parts. After an error, s must not be used. */
const char *store_load(struct store *s, const struct linear_parts *p);
/* ---- merges (store_sums.c) ---- */

/* Returns the sums that a merge of such models keeps of each feature and cell. `averaged`: also
 * those for averages of the weights. */
struct sums_fields store_sums_fields(const struct store *s, bool averaged);
/* Number of rows of sums->owner that store_sum() writes at most. */
static inline uint32_t store_owners(const struct store *s)
{
    return s->shape.owned ? s->shape.width : 0;
}
/* Sets `to`, laid out for set.n features and store_owners() owners, to the sums of one model.
 * Row k of the features is that of slot[k].slot. slot: capacity set.n. */
void store_sum(const struct store *s, struct sums *to, struct sums_slot *slot);

/* Makes m, just initialised, the merged model of `s`. The features with the largest |weight| get
 * the slots, the largest first; equal ones in the order of their ids; the kernel's `weigh` may rank
 * them otherwise. place: capacity s->feature.n; place[k] becomes the feature of slot k. */
void store_settle(struct store *m, const struct sums *s, struct sums_place *place);

/* ---- for kernels ---- */

/* Returns the slot of a folded id; STORE_NONE if the feature has no slot. */
static inline uint32_t store_find(const struct store *s, uint32_t id)
{
    uint32_t slot = id_slots_seek(&s->set, id);
    return s->set.id[slot] == id ? slot : STORE_NONE;
}

static inline bool store_is_compact(const struct store *s)
{
    return s->opt.sgd.rates == SGD_ADAPTIVE && s->opt.precision == ADAPTIVE_COMPACT;
}

/* Returns new random bits at each call. They depend only on the seed, the example and the number of
 * calls in this example. */
static inline uint64_t store_draw(struct store *s)
{
    return numbers_random(s->random + s->draws++);
}

/* Stored weight of a slot, shrunk by its pending penalty (l1.h). */
static inline float store_weight_now(const struct store *s, uint32_t slot)
{
    float w = s->member.weight[slot];
    return s->l1_seen ? l1_now(&s->sgd, w, s->l1_seen[slot]) : w;
}

/* Updates the lower bounds of |weight| after a slot's weight was set. bits: lazy_min_bits() of
 * the weight. */
static inline void store_became(struct store *s, uint32_t slot, int32_t bits)
{
    lazy_min_lower(&s->lightest, slot, bits);
    if (bits < s->bound) s->bound = bits;
}

/* Sets a slot's weight, in a model of full precision, to w. */
static inline void store_set(struct store *s, uint32_t slot, float w)
{
    s->member.weight[slot] = w;
    store_became(s, slot, lazy_min_bits(w));
}

/* Returns a slot for a new feature of weight w. Returns a free slot if there is one. Otherwise, if
 * |w| exceeds the smallest |weight| of the slots, removes that slot's feature from the index and
 * returns its slot; set.id still has the removed feature's id. Otherwise returns STORE_NONE. */
uint32_t store_take_slot(struct store *s, float w);
/* Puts the feature `id` into a slot that store_take_slot() returned: links its id and counts its
 * first example. y: 0 or 1. */
void store_enter(struct store *s, uint32_t slot, uint32_t id, uint32_t entry, int y);
/* Resets the lower bounds of |weight|. Call it when any weight may have shrunk. */
void store_forget_bounds(struct store *s);

/* Rebuilds index and bounds. Call it after ids, weights and cells of n features and the clock
 * were set. */
void store_rebuild(struct store *s, uint32_t n);
/* Weight of a cell, with its decay and its pending penalty. */
double store_cell_weight(const struct store *s, uint64_t c);
/* Returns what a model knows, by its accumulators. */
struct sums_knowledge store_knowledge(const struct store *s);
/* Returns the same of the merged model m, whose clock is set. */
struct sums_knowledge store_merged_knowledge(const struct store *m, const struct sums *s);

/* Set a weight or an accumulator, limited to SGD_LIMIT. A compact number is rounded to the nearest,
 * because a merge has no random bits. */
void store_put_weight(struct numbers n, uint32_t at, double w, bool compact);
void store_put_sum(struct numbers n, uint32_t at, double sum, bool compact);

/* Checks that the index is correct, bounds are below all slots, weights are finite and the clock is
 * valid. Returns NULL, or a text that names the broken invariant. */
const char *store_check_slots(const struct store *s);

#endif
