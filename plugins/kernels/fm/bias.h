/* bias.h -- a centre and a weight for every feature, each with its own learning rate
 *
 *   z = centre + sum_j w_j x_j
 *
 * centre is the mean of the labels so far (squared and hinge loss), or their log odds with half a
 * record added to each side (logistic). For a feature with n examples so far, and mean square s of
 * its values,
 *
 *   w_j -= phi'(z) x_j / (h s (BIAS_PRIOR + min(n, BIAS_WINDOW)))
 *
 * where h is the largest curvature of the loss. So the weight of an indicator is about the mean of
 * the label, minus the other terms, in its examples, as if BIAS_PRIOR more examples had left
 * nothing. After BIAS_WINDOW examples the weight follows changes. For ratings these are the global
 * mean and the biases of users and items. Scaling a feature's values changes no prediction. No
 * example moves z beyond its label.
 *
 * Example: squared loss. The first example has the label 2 and no feature, so centre = 2. The
 * second has a new feature with x = 1 and the label 8: z = 2, phi' = -6, so
 * w = 6 / (1 * 1 * (5 + 0)) = 1.2. Now centre = 5, and the same x is predicted as 6.2.
 *
 * A feature's row has BIAS_STRIDE doubles of ours: weight, examples, sum of squares of the values.
 */
#ifndef LEAT_KERNELS_FM_BIAS_H
#define LEAT_KERNELS_FM_BIAS_H

#include "fm.h"

#define BIAS_PRIOR  5
#define BIAS_WINDOW 45
#define BIAS_STRIDE 3

struct bias {
    enum fm_loss loss;
    uint32_t offset;  /* offset of our doubles in a feature's row                */
    double mass, sum; /* sums over the examples of importance, and of importance * label */
};

double bias_centre(const struct bias *b);
double bias_predict(const struct bias *b, const struct feature_table *t,
                    const struct fm_example *e);
/* Learns from an example whose prediction was z. */
void bias_learn(struct bias *b, struct feature_table *t, const struct fm_example *e, double z);
double bias_weight(const struct bias *b, const struct feature_table *t, uint32_t feature);
/* Updates only the centre. */
void bias_count(struct bias *b, const struct fm_example *e);

/* Merging. bias_merge_features adds another model's features, whose examples count `count` times. A
 * weight becomes the mean over the examples. number[j] is the number in t of the other's feature j;
 * NULL means j. bias_merge_centre merges the centres. */
void bias_merge_features(const struct bias *b, const struct feature_table *t,
                         const struct feature_table *other, const uint32_t *number, double count);
void bias_merge_centre(struct bias *b, const struct bias *other, double count);
/* Returns NULL, or the fault of the centre, or of the model. */
const char *bias_check_centre(const struct bias *b);
const char *bias_check(const struct bias *b, const struct feature_table *t);

#endif
