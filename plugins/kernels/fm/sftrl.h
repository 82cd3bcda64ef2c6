/* sftrl.h -- sketched follow-the-regularized-leader: a factorization machine in O(m) a feature.
 *
 * The model is a quadratic form of the features a of an example,
 *
 *   z = a' Theta a,    Theta = -sum_t s_t phi'(z_t) a_t a_t'
 *
 * which is FTRL with the penalty |Theta|_F^2 / 2. Two sketches by frequent directions (fd.h)
 * approximate that sum: P has the rows sqrt(-s phi') a where phi' < 0, and N the rows
 * sqrt(s phi') a where phi' > 0; so z = |P a|^2 - |N a|^2. This is GFD with doubling of space: the
 * error of Theta is at most what the shrinks of both sketches subtracted (sftrl_lost()).
 *
 * Source: L. Luo et al., Sketched follow-the-regularized-leader for online factorization machine,
 * KDD 2018, algorithm 4 (S-FTRL) with the sketch of algorithm 3 (GFD with doubling space).
 *
 *   theirs        here
 *   m, eta        opt.m, opt.eta
 *   B-, B+        plus (P), minus (N): the signs are those of Theta, theirs those of the gradients
 *   a^ = [a; 1]   a, with FM_ONE among its features (SFTRL_INSIDE)
 *   q_t           phi'(z_t), here times s_t = eta: the rows carry the eta that is missing from the
 *                 printed equation of the prediction
 * Their squared loss has twice our slope, so their eta is half of ours.
 *
 * Linear part.
 *   inside     a is [a; 1]: the caller adds the feature FM_ONE with value 1 to every example, and
 *              Theta_j1 + Theta_1j is the weight of feature j, as in the paper.
 *   separate   z = l + c q. l is an exact linear part (bias.h) that learns by itself; q is the
 *              quadratic form, which learns the error that l leaves (phi' at l + q); and
 *              0 <= c <= 1 is the share of q that has helped so far. With g = -phi'(l):
 *                c = sum g q / (h sum q^2 + SFTRL_RIDGE mean(g^2) / h)
 *              This is ridge regression of the error of l on q (h: largest curvature of the loss).
 *              So pairs have no effect until they help, and eta may be large.
 *
 * Step s_t = eta; eta 0: SFTRL_PACE / (h mean of (a'a)^2 so far), with which a typical example
 * moves its own z by SFTRL_PACE of the way to its label. No step goes beyond the label (fm.h).
 *
 * Fading. With a half-life of H examples an example counts f = 2^(-1/H) times as much with each one
 * after it: Theta = -sum_t f^(T - t) s_t phi' a a' (fd.h), and so the sums of c and the centre. The
 * weights of l follow by their rates. By event time H is in nanoseconds, and sftrl_at() fades by
 * what has passed.
 *
 * Cost of an example of n entries: O(m n), and a share of a shrink (fd.h). A feature's row has
 * sftrl_stride() doubles.
 */
#ifndef LEAT_KERNELS_FM_SFTRL_H
#define LEAT_KERNELS_FM_SFTRL_H

#include "bias.h"
#include "fm.h"
#include "kernels/fd/fd.h"

#define SFTRL_PACE  0.6
#define SFTRL_RIDGE 100
/* Far beyond what examples within their limits can make, and squares of it are finite. */
#define SFTRL_MAX_NUMBER 1e40

enum sftrl_linear { SFTRL_SEPARATE = 0, SFTRL_INSIDE = 1 };

struct sftrl_options {
    uint32_t m, buffer; /* as fd_options */
    double eta;
    enum fm_loss loss;
    enum sftrl_linear linear;
    double half_life; /* examples; 0: nothing fades, else >= 1 */
    bool by_time;     /* half_life is in nanoseconds of event time */
};

struct sftrl {
    struct sftrl_options opt;
    struct fd plus, minus; /* P, N */
    struct bias bias;
    double fade;                   /* f; by_time: 1                        */
    uint64_t newest;               /* by_time: the latest event time, ns; 0: none yet */
    uint64_t t;                    /* examples learned                     */
    double sum_norm4;              /* sum of (a'a)^2                       */
    double sum_gq, sum_qq, sum_gg; /* sums of g q, q^2, g^2, which give c  */
    double *p, *q;                 /* P a, N a of the last example         */
    uint32_t *at_plus, *at_minus;  /* slots of its features                */
    uint32_t max_row;
};

uint32_t sftrl_stride(const struct sftrl_options *opt);
/* Rows of the larger sketch when it is full: all that may touch features between two shrinks. */
uint32_t sftrl_max_rows(const struct sftrl_options *opt);
/* For the most features that there may be, of which `touched` occur between two shrinks (fd.h). */
size_t sftrl_block_bytes(const struct sftrl_options *opt, uint32_t features, uint32_t touched);
size_t sftrl_scratch_bytes(const struct sftrl_options *opt, uint32_t max_row);
/* block and scratch: zeroed, aligned to 64; examples have max_row features at most. */
void sftrl_init(struct sftrl *m, const struct sftrl_options *opt, uint32_t features,
                uint32_t touched, void *block, uint32_t max_row, void *scratch);
/* Features that the next example may have; if it has more, slots must be freed first. */
uint32_t sftrl_free_slots(const struct sftrl *m);
/* Frees the slots of a sketch that has fewer than n left: a shrink before it is full. */
void sftrl_free_slots_for(struct sftrl *m, struct feature_table *t, uint32_t n);

double sftrl_predict(struct sftrl *m, struct feature_table *t, const struct fm_example *e);
/* Predict, then learn; returns what was predicted. */
double sftrl_learn(struct sftrl *m, struct feature_table *t, const struct fm_example *e);

/* The clock goes to an event time (kernels/base/half_life.h) before an example is learned. Only
 * by_time. */
void sftrl_at(struct sftrl *m, struct feature_table *t, int64_t time);

/* Share c of the pairs (1 inside). Step s_t of the next example. */
double sftrl_share(const struct sftrl *m);
double sftrl_rate(const struct sftrl *m);
/* Weight of a feature; one: the number of FM_ONE, if it has one. */
double sftrl_weight(const struct sftrl *m, const struct feature_table *t, uint32_t feature,
                    uint32_t one);
/* The columns P_j and N_j, sftrl_rows() doubles: weight of the pair (i, j) is
 * 2 c (P_i' P_j - N_i' N_j). */
uint32_t sftrl_rows(const struct sftrl *m);
void sftrl_column(const struct sftrl *m, const struct feature_table *t, uint32_t feature,
                  double *column);
/* Bound of |Theta - exact sum of the same rows|_2: what shrinks subtracted. */
double sftrl_lost(const struct sftrl *m);

/* ---- copies and merges ---- */

/* Copies both sketches (fd.h) into m, which has enough slots and the numbers of their model; t has
 * its features' rows. NULL, or why all that is not a model: m must then not be used. */
const char *sftrl_load(struct sftrl *m, const struct fd *plus, const struct fd *minus,
                       const struct feature_table *t);

/* NULL, or what is wrong with the model: a number is out of range. */
const char *sftrl_check(const struct sftrl *m, const struct feature_table *t);

struct sftrl_side {
    const struct sftrl *m;
    const struct feature_table *t;
};
size_t sftrl_merge_bytes(const struct sftrl_options *opt);
/* Make m, just initialised, the mean of a and b by examples, b's counting `count` times: Theta is
 * the mean of both (parameter mixing; the sketches' bounds mix as well), weights of the linear part
 * are means by the examples that had the feature; what is counted adds up. t: the features of both,
 * a's first; number[j]: of b's feature j. work: sftrl_merge_bytes() zeroed. */
void sftrl_merge(struct sftrl *m, struct feature_table *t, const struct sftrl_side *a,
                 const struct sftrl_side *b, double count, const uint32_t *number, void *work);

#endif
