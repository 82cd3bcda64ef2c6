/* mission.h -- MISSION: gradient steps go into a Count-Sketch, and only its k heaviest features
 * predict.
 *
 * Source: A. Aghazadeh, R. Spring, D. LeJeune, G. Dasarathy, A. Shrivastava, R. Baraniuk, MISSION:
 * Ultra large-scale feature selection using Count-Sketches, ICML 2018, algorithm 1. Names here ->
 * paper: sketch = S, the top = the heap, beta.
 *
 * One example:
 *
 *   1. margin = bias + sum of x_i beta_i over the entries whose features are in the top.
 *   2. Every entry adds its step to the sketch: S += -u x_i, u = eta g / alpha.
 *   3. beta_i of an entry becomes the estimate of S after its step. A feature that is not in the
 *      top enters it while there is a free slot or |beta_i| is larger than the smallest |beta|
 *      there; the feature with that (equal ones: the lowest slot) leaves.
 *
 * So beta is hard-thresholded: a feature that has left the top does not predict, but the sketch
 * remembers its steps. beta of a member is the estimate as of its last example, as the authors'
 * program has it; steps of others that share its cells do not change it in between.
 *
 * Example. k = 1, rate 1/2, no penalty, no bias. The row { 7: 1 } of label +1 steps feature 7 to
 * 0.25, and it enters the top. The row { 9: 3 } of label +1 has the margin 0 and steps feature 9 to
 * 0.75: it takes the place of feature 7. The row { 7: 1 } then has the margin 0, but the sketch
 * still says 0.25, and its next step makes it 0.5.
 *
 * Beyond the paper: the bias, a rate that falls and the L2 penalty of sgd.h (lambda = 0 is the
 * paper's), importance weights, losses.
 *
 * An id that a row repeats counts as that many entries. Ids are folded to 32 bits; ids whose folds
 * are equal are one feature. An example costs O(n depth), and O(log active) for each that enters.
 */
#ifndef LEAT_KERNELS_LINEAR_MISSION_MISSION_H
#define LEAT_KERNELS_LINEAR_MISSION_MISSION_H

#include "kernels/linear/store.h"
#include "kernels/sketch/count_sketch.h"

struct mission {
    struct store s;             /* slots: the top  */
    struct count_sketch sketch; /* stored: w / alpha */
};

/* The shape for a budget at 4 bytes an id, weight, other value of a slot and cell: 128 members but
 * at most half the budget, 3 rows, and as wide as fits. */
extern const struct linear_kernel mission_kernel;

/* The sketch's estimate of any feature's weight. */
double mission_weight(const struct store *s, uint64_t id);

/* ---- for bear.c, which has the same top ---- */

static inline uint32_t mission_mix(const struct mission *m, uint64_t id)
{
    return count_sketch_mix(&m->sketch, id_slots_fold(id));
}

/* The slot of a feature of the top, or STORE_NONE. */
static inline uint32_t mission_find(const struct mission *m, uint64_t id)
{
    return store_find(&m->s, id_slots_fold(id));
}

/* Step 3 for an entry of a row with label y (0, 1), whose feature's estimate is w. */
void mission_threshold(struct mission *m, uint64_t id, float w, uint32_t entry, int y);
/* What is due at the end of an example, when sgd_is_due. */
void mission_tidy(struct mission *m);

/* Members of both kernels. */
uint32_t mission_slot_bytes(const struct linear_options *opt);
uint32_t mission_cell_bytes(const struct linear_options *opt, const struct linear_shape *shape);
bool mission_shape_for(uint64_t bytes, const struct linear_options *opt, struct linear_shape *s);
void mission_lay_out(struct store *s, struct layout *c);
void mission_begin(struct store *s);
void mission_hash(const struct store *s, uint32_t n, const uint64_t *id, uint64_t *hash);
float mission_stored(const struct store *s, uint32_t slot);
const char *mission_check(const struct store *s);
/* The top of a merged model: the heaviest by the estimates of the mean of the sketches. */
void mission_weigh(const struct store *m, const struct store *a, const struct store *b,
                   double count, struct linear_origin *origin, uint32_t n);

#endif
