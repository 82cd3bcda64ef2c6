/* bias.h -- a centre and a weight for every feature, each with a rate of its own.
 *
 *   z = centre + sum_j w_j x_j
 *
 * centre: the mean of the labels so far (squared and hinge loss), or their log odds with half a
 * record added to each side (logistic). For a feature in n examples so far, with mean square s of
 * its values,
 *
 *   w_j -= phi'(z) x_j / (h s (BIAS_PRIOR + min(n, BIAS_WINDOW)))
 *
 * with h the largest curvature of the loss. So the weight of an indicator is about the mean of what
 * the others leave of the label in its examples, as if BIAS_PRIOR more examples had left nothing;
 * after BIAS_WINDOW examples it follows changes. For ratings these are the global mean and the
 * biases of users and items. Scaling a feature's values changes no prediction. No example moves z
 * beyond its label.
 *
 * A feature's row has BIAS_STRIDE doubles of ours: weight, examples, sum of squares.
 */
#ifndef LEAT_KERNELS_FM_BIAS_H
#define LEAT_KERNELS_FM_BIAS_H

#include "fm.h"

#define BIAS_PRIOR  5
#define BIAS_WINDOW 45
#define BIAS_STRIDE 3

struct bias {
    enum fm_loss loss;
    uint32_t offset;  /* of our doubles in a feature's row                       */
    double mass, sum; /* over the examples: of importance, of importance * label */
};

double bias_centre(const struct bias *b);
double bias_predict(const struct bias *b, const struct feature_table *t,
                    const struct fm_example *e);
/* Learn from an example whose prediction was z. */
void bias_learn(struct bias *b, struct feature_table *t, const struct fm_example *e, double z);
double bias_weight(const struct bias *b, const struct feature_table *t, uint32_t feature);
/* The centre alone learns. */
void bias_count(struct bias *b, const struct fm_example *e);

/* Merging. Add to the features' doubles those of another model's, whose examples count
 * `count` times: a weight is the mean by examples. number[j]: of its feature j; NULL: j.
 * The centre: of both. */
void bias_merge_features(const struct bias *b, const struct feature_table *t,
                         const struct feature_table *other, const uint32_t *number, double count);
void bias_merge_centre(struct bias *b, const struct bias *other, double count);
/* NULL, or what is wrong with the centre, or with the model. */
const char *bias_check_centre(const struct bias *b);
const char *bias_check(const struct bias *b, const struct feature_table *t);

#endif
