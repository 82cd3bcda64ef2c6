/* sftrl.h -- sketched follow-the-regularized-leader: factorization machine in O(m) per feature
 *
 * The model is a quadratic form of the features a of an example,
 *
 *   z = a' Theta a,    Theta = -sum_t s_t phi'(z_t) a_t a_t'
 *
 * which is FTRL with the penalty |Theta|_F^2 / 2. Two sketches by frequent directions (fd.h)
 * approximate this sum. An example with phi' < 0 adds the row sqrt(-s phi') a to the sketch P; an
 * example with phi' > 0 adds the row sqrt(s phi') a to the sketch N. So z = |P a|^2 - |N a|^2. This
 * is GFD with doubling of space: the error of Theta is at most the sum that the shrinks of both
 * sketches subtracted (sftrl_lost()).
 *
 * Source: L. Luo et al., Sketched follow-the-regularized-leader for online factorization machine,
 * KDD 2018, algorithm 4 (S-FTRL) with the sketch of algorithm 3 (GFD with doubling space).
 *
 *   paper         here
 *   m, eta        opt.m, opt.eta
 *   B-, B+        plus (P), minus (N), by the sign in Theta; the paper uses the sign of the
 *                 gradient
 *   a^ = [a; 1]   a, with FM_ONE among its features (SFTRL_INSIDE)
 *   q_t           s_t phi'(z_t): rows here contain s_t = eta, which the paper's equation of the
 *                 prediction omits
 * The paper's squared loss has twice the slope of fm.h, so its eta is half of the one here.
 *
 * Example: squared loss, linear part inside, eta = 0.02. The first example has two new features and
 * FM_ONE, a = [1, 1, 1], and the label 5: z = 0, phi' = -5, so P gets the row sqrt(0.1) a. The same
 * a then has z = 0.1 (a'a)^2 = 0.9, and one of the features alone, with FM_ONE, has
 * z = 0.1 * 2^2 = 0.4.
 *
 * Linear part.
 *   inside     a is [a; 1]: the caller adds the feature FM_ONE with value 1 to every example, and
 *              Theta_j1 + Theta_1j is the weight of feature j, as in the paper.
 *   separate   z = l + c q. l is an exact linear part (bias.h) that learns by itself. q is the
 *              quadratic form, which learns the remaining error of l (phi' at l + q). 0 <= c <= 1
 *              is the share of q that has improved predictions so far. With g = -phi'(l):
 *                c = sum g q / (h sum q^2 + SFTRL_RIDGE mean(g^2) / h)
 *              This is ridge regression of the error of l on q (h: largest curvature of the loss).
 *              So pairs have no effect until they help, and eta may be large.
 *              While c is 0 after SFTRL_TRIAL examples, the sketches and the sums learn only from
 *              one example of SFTRL_SPARED, chosen by mix64() of its number. It counts
 *              SFTRL_SPARED times in the sums, so c estimates the same. Once c > 0, they learn
 *              from all examples.
 *
 * Step size. s_t = eta. If eta is 0, s_t = SFTRL_PACE / (h mean of (a'a)^2 so far), so a typical
 * example moves its own z by the fraction SFTRL_PACE of the way to its label. With the squared loss
 * no step moves z beyond the label (fm.h).
 *
 * Fading. With a half-life of H examples, each example multiplies the weight of all earlier ones by
 * f = 2^(-1/H): Theta = -sum_t f^(T - t) s_t phi' a a' (fd.h). The sums that give c, and the centre
 * of l (bias.h), fade by the same factor. The weights of l do not fade, because their rates let
 * them follow changes. With by_time, H is in nanoseconds, and an example counts by its event time
 * (half_life.h): the caller multiplies its importance by the weight that sftrl_at() returns.
 *
 * Cost of an example of n entries: O(m n), plus a share of a shrink (fd.h); O(n) if the sketches
 * are spared. A feature's row has sftrl_stride() doubles.
 */
#ifndef LEAT_KERNELS_FM_SFTRL_H
#define LEAT_KERNELS_FM_SFTRL_H

#include "bias.h"
#include "fm.h"
#include "kernels/base/half_life.h"
#include "kernels/fd/fd.h"

#define SFTRL_PACE  0.6
#define SFTRL_RIDGE 100
enum { SFTRL_TRIAL = 4096, SFTRL_SPARED = 4 };
/* Limit of the numbers in a state, far above any result of valid examples; its square is finite. */
#define SFTRL_MAX_NUMBER 1e40

enum sftrl_linear { SFTRL_SEPARATE = 0, SFTRL_INSIDE = 1 };

struct sftrl_options {
    uint32_t m, buffer; /* see fd_options */
    double eta;
    enum fm_loss loss;
    enum sftrl_linear linear;
    double half_life; /* examples, >= 1; 0: no fading */
    bool by_time;     /* half_life is in nanoseconds of event time */
};

struct sftrl {
    struct sftrl_options opt;
    struct fd plus, minus; /* sketches P and N */
    struct bias bias;
    double fade;                   /* f: fading factor of an example; 1 if by_time       */
    struct half_life_clock at;     /* by_time */
    uint64_t t;                    /* examples learned                                   */
    double sum_norm4;              /* sum of (a'a)^2                                     */
    double sum_gq, sum_qq, sum_gg; /* sums of g q, q^2, g^2, which give c                */
    double *p, *q;                 /* P a, N a of the last example                       */
    uint32_t *at_plus, *at_minus;  /* slots of the last example's features               */
    uint32_t max_row;
};

uint32_t sftrl_stride(const struct sftrl_options *opt);
/* Returns the number of rows of a full sketch: all rows that may contain features between
 * two shrinks. */
uint32_t sftrl_max_rows(const struct sftrl_options *opt);
/* Returns the bytes of the block for `features` features, of which at most `touched` occur between
 * two shrinks (fd.h). */
size_t sftrl_block_bytes(const struct sftrl_options *opt, uint32_t features, uint32_t touched);
size_t sftrl_scratch_bytes(const struct sftrl_options *opt, uint32_t max_row);
/* Makes an empty model. `block` and `scratch` are zeroed and aligned to 64. An example has at most
 * max_row features. */
void sftrl_init(struct sftrl *m, const struct sftrl_options *opt, uint32_t features,
                uint32_t touched, void *block, uint32_t max_row, void *scratch);
/* Returns how many features the next example may have. If it has more, call sftrl_free_slots_for()
 * before learning it. */
uint32_t sftrl_free_slots(const struct sftrl *m);
/* Shrinks each sketch that has fewer than n free slots, even if it is not full. A shrink frees
 * all slots of a sketch. */
void sftrl_free_slots_for(struct sftrl *m, struct feature_table *t, uint32_t n);

double sftrl_predict(struct sftrl *m, struct feature_table *t, const struct fm_example *e);
/* Predicts, then learns; returns the prediction. */
double sftrl_learn(struct sftrl *m, struct feature_table *t, const struct fm_example *e);

/* Takes the event time of the next example (kernels/base/half_life.h), and returns the example's
 * weight. Requires by_time. */
double sftrl_at(struct sftrl *m, struct feature_table *t, int64_t time);
/* Moves the clock to that of another model, unless it is later. Requires by_time. */
void sftrl_follow(struct sftrl *m, struct feature_table *t, const struct sftrl *other);

/* sftrl_share() returns the share c of the pairs; 1 for SFTRL_INSIDE. sftrl_rate() returns s_t of
 * the next example. */
double sftrl_share(const struct sftrl *m);
double sftrl_rate(const struct sftrl *m);
/* Returns the weight of a feature. `one` is the feature number of FM_ONE, or FEATURE_TABLE_NONE. */
double sftrl_weight(const struct sftrl *m, const struct feature_table *t, uint32_t feature,
                    uint32_t one);
/* Copies the columns P_j and N_j of feature j, sftrl_rows() doubles, to `column`. The pair (i, j)
 * weighs 2 c (P_i' P_j - N_i' N_j). */
uint32_t sftrl_rows(const struct sftrl *m);
void sftrl_column(const struct sftrl *m, const struct feature_table *t, uint32_t feature,
                  double *column);
/* Returns a bound of |Theta - exact sum of the same rows|_2: the sum that the shrinks
 * subtracted. */
double sftrl_lost(const struct sftrl *m);

/* ---- copies and merges ---- */

/* Copies both sketches (fd.h) into m. m has enough slots, and its other numbers are already those
 * of the loaded model; t has the features' rows. Returns NULL, or a text that names the fault; m is
 * then unusable. */
const char *sftrl_load(struct sftrl *m, const struct fd *plus, const struct fd *minus,
                       const struct feature_table *t);

/* Checks that all numbers are in range. Returns NULL, or a text that names the fault. */
const char *sftrl_check(const struct sftrl *m, const struct feature_table *t);

struct sftrl_side {
    const struct sftrl *m;
    const struct feature_table *t;
};
size_t sftrl_merge_bytes(const struct sftrl_options *opt);
/* Makes m, just initialised, the mean of a and b over their examples, where b's examples count
 * `count` times. Theta becomes the mean of both Thetas (parameter mixing), and so does the bound
 * sftrl_lost(). A weight of the linear part becomes the mean over the examples with the feature.
 * Counts add up. t has rows for the features of both models, a's first; number[j] is the number in
 * t of b's feature j. `work` is sftrl_merge_bytes() bytes, aligned to 64. */
void sftrl_merge(struct sftrl *m, struct feature_table *t, const struct sftrl_side *a,
                 const struct sftrl_side *b, double count, const uint32_t *number, void *work);

#endif
