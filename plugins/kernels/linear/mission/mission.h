/* mission.h -- MISSION: a Count-Sketch of gradient steps whose k heaviest features predict.
 *
 * Source: A. Aghazadeh, R. Spring, D. LeJeune, G. Dasarathy, A. Shrivastava, R. Baraniuk, MISSION:
 * Ultra large-scale feature selection using Count-Sketches, ICML 2018, algorithm 1. Names here ->
 * paper: sketch = S, the top = the heap, beta.
 *
 * One example:
 *
 *   1. margin = bias + sum of x_i beta_i over the entries whose features are in the top.
 *   2. Every entry adds its step to the sketch: S += -u x_i, u = eta g / alpha.
 *   3. beta_i of each entry becomes the estimate of S after its step. A feature outside the top
 *      enters the top if it has a free slot, or if |beta_i| is above the smallest |beta| of the
 *      top. In the second case the feature with the smallest |beta| leaves (of several, the one in
 *      the lowest slot).
 *
 * So beta is hard-thresholded: a feature that has left the top does not predict, but the sketch
 * still contains its steps. beta of a feature in the top is its estimate at its last example, as in
 * the authors' program. Later steps of other features in its cells do not change its beta.
 *
 * Example. k = 1, rate 1/2, no penalty, no bias. The row { 7: 1 } of label +1 steps feature 7 to
 * 0.25, and it enters the top. The row { 9: 3 } of label +1 has the margin 0 and steps feature 9 to
 * 0.75, so it takes the place of feature 7. The row { 7: 1 } then has the margin 0, but the sketch
 * still holds 0.25, and the next step makes it 0.5.
 *
 * Added to the paper: the bias, falling rate and L2 penalty of sgd.h (0 in the paper), importance
 * weights, other losses.
 *
 * If a row contains an id several times, each entry counts. Ids are folded to 32 bits; ids with
 * equal folds are one feature. An example costs O(n depth), plus O(log active) for each feature
 * that enters the top.
 */
#ifndef LEAT_KERNELS_LINEAR_MISSION_MISSION_H
#define LEAT_KERNELS_LINEAR_MISSION_MISSION_H

#include "kernels/linear/store.h"
#include "kernels/summaries/count_sketch.h"

struct mission {
    struct store s;             /* the slots are the top */
    struct count_sketch sketch; /* cells hold w / alpha  */
};

/* The shape for a budget has 128 slots, or fewer if they would take more than half of the
 * budget, and 3 rows of as many cells as fit. An id, a weight, each other value of a slot, and a
 * cell take 4 bytes each. */
extern const struct linear_kernel mission_kernel;

/* Estimates the weight of any feature from the sketch. */
double mission_weight(const struct store *s, uint64_t id);

/* ---- for bear.c, which has the same top ---- */

static inline uint32_t mission_mix(const struct mission *m, uint64_t id)
{
    return count_sketch_mix(&m->sketch, id_slots_fold(id));
}

/* Returns the slot of a feature; STORE_NONE if it is not in the top. */
static inline uint32_t mission_find(const struct mission *m, uint64_t id)
{
    return store_find(&m->s, id_slots_fold(id));
}

/* Performs step 3 of the list above for an entry whose feature has the estimate w. y: label
 * of the row, 0 or 1. */
void mission_threshold(struct mission *m, uint64_t id, float w, uint32_t entry, int y);
/* Folds alpha or renews the counts (sgd.h) at the end of an example, if sgd_is_due(). */
void mission_tidy(struct mission *m);

/* Functions that mission_kernel and bear_kernel share. */
uint32_t mission_slot_bytes(const struct linear_options *opt);
uint32_t mission_cell_bytes(const struct linear_options *opt, const struct linear_shape *shape);
bool mission_shape_for(uint64_t bytes, const struct linear_options *opt, struct linear_shape *s);
void mission_lay_out(struct store *s, struct layout *c);
void mission_begin(struct store *s);
void mission_hash(const struct store *s, uint32_t n, const uint64_t *id, uint64_t *hash);
const char *mission_check(const struct store *s);
/* Sets the weights of the features of a merged model to the mean of both sketches' estimates. */
void mission_weigh(const struct store *m, const struct sums *s, struct sums_place *place,
                   uint32_t n);

#endif
