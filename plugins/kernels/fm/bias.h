/* bias.h -- linear part of a prediction: a centre, and a weight with its own rate per feature
 *
 *   z = centre + sum_j w_j x_j
 *
 * centre is the mean of the labels so far (squared and hinge loss), or their log odds with half a
 * record added to each side (logistic loss). A feature that has had n examples, whose values have
 * the mean square s, learns by
 *
 *   w_j -= phi'(z) x_j / (h s (BIAS_PRIOR + min(n, BIAS_WINDOW)))
 *
 * where h is the largest curvature of the loss. Consider a feature whose values are 0 or 1. Its
 * weight is about the mean, over its examples, of the label minus the other terms of z; BIAS_PRIOR
 * further examples count as 0 in this mean. After BIAS_WINDOW examples the rate no longer falls, so
 * the weight follows changes. For ratings, centre and weights are the global mean and the biases of
 * users and items. Multiplying all values of a feature by a constant changes no prediction. No step
 * moves z beyond the label.
 *
 * Example: squared loss. The first example has the label 2 and no feature, so centre = 2. The
 * second has a new feature with x = 1 and the label 8: z = 2, phi' = -6, so
 * w = 6 / (1 * 1 * (5 + 0)) = 1.2. Now centre = 5, and the same x is predicted as 6.2.
 *
 * In a feature's row (feature_table.h), BIAS_STRIDE doubles belong to this file: weight, number of
 * examples, sum of the squares of the values.
 */
#ifndef LEAT_KERNELS_FM_BIAS_H
#define LEAT_KERNELS_FM_BIAS_H

#include "fm.h"

#define BIAS_PRIOR  5
#define BIAS_WINDOW 45
#define BIAS_STRIDE 3

struct bias {
    enum fm_loss loss;
    uint32_t offset;  /* offset of the BIAS_STRIDE doubles in a feature's row            */
    double mass, sum; /* sums over the examples of importance, and of importance * label */
};

double bias_centre(const struct bias *b);
double bias_predict(const struct bias *b, const struct feature_table *t,
                    const struct fm_example *e);
/* Learns from an example; z is the prediction made for it. */
void bias_learn(struct bias *b, struct feature_table *t, const struct fm_example *e, double z);
double bias_weight(const struct bias *b, const struct feature_table *t, uint32_t feature);
/* Adds an example to the centre only. */
void bias_count(struct bias *b, const struct fm_example *e);

/* Merging. bias_merge_features() adds the features of another model to t, whose examples count
 * `count` times. A feature's weight becomes the mean over its examples in both models. number[j] is
 * the number in t of feature j of `other`; if `number` is NULL it is j. bias_merge_centre() merges
 * the centres. */
void bias_merge_features(const struct bias *b, const struct feature_table *t,
                         const struct feature_table *other, const uint32_t *number, double count);
void bias_merge_centre(struct bias *b, const struct bias *other, double count);
/* Check the centre, or the centre and the weights. Return NULL, or a text that names the fault. */
const char *bias_check_centre(const struct bias *b);
const char *bias_check(const struct bias *b, const struct feature_table *t);

#endif
