/* sftrl.h -- sketched follow-the-regularized-leader: a factorization machine in O(m) a feature.
 *
 * The model is a quadratic form of the features a of an example,
 *
 *   z = a' Theta a,    Theta = -sum_t s_t phi'(z_t) a_t a_t'
 *
 * which is FTRL with the penalty |Theta|_F^2 / 2. Of that sum two sketches by frequent directions
 * (fd.h) are kept: P of the rows sqrt(-s phi') a where phi' < 0 and N of sqrt(s phi') a where
 * phi' > 0; so z = |P a|^2 - |N a|^2. A row is sketched by GFD with doubling of space: the error
 * of Theta is at most what the shrinks of the two subtracted (sftrl_lost()).
 *
 * Source: L. Luo et al., Sketched follow-the-regularized-leader for online factorization machine,
 * KDD 2018, algorithm 5. Names there: m, eta; P and N: B- and B+, which sketch the gradients; their
 * authors' squared loss has twice our slope, so their eta is half of ours. (Lost in print: the
 * prediction has a factor eta; here the rows carry it.)
 *
 * Linear part.
 *   inside     a is [a; 1]: the caller adds the feature FACTOR_ONE with value 1 to every example,
 *              and Theta_j1 + Theta_1j is the weight of feature j. That is the paper's.
 *   separate   z = l + c q with l an exact linear part (bias.h) that learns by itself, q the
 *              quadratic form, which learns what l leaves (phi' at l + q), and 0 <= c <= 1 the
 *              share of q that has proved right so far:
 *                c = sum -phi'(l) q / (h sum q^2 + SFTRL_DOUBT mean(phi'(l)^2) / h)
 *              ridge regression of what l leaves on q (h = curvature of the loss). So pairs count
 *              for nothing until they have shown to help, and eta may be large.
 *
 * Step s_t = eta; eta 0: SFTRL_PACE / (h mean of (a'a)^2 so far), which makes a typical example
 * move its own z by SFTRL_PACE of the way to its label. Never more than the whole way
 * (fm_common.h).
 *
 * Cost of an example of n entries: O(m n), and a share of a shrink (fd.h). A feature's row gives
 * sftrl_stride() doubles.
 */
#ifndef LEAT_KERNELS_FM_SFTRL_H
#define LEAT_KERNELS_FM_SFTRL_H

#include "bias.h"
#include "fm_common.h"
#include "kernels/fd/fd.h"

#define SFTRL_PACE  0.6
#define SFTRL_DOUBT 100

enum sftrl_linear { SFTRL_SEPARATE = 0, SFTRL_INSIDE = 1 };

struct sftrl_options {
    uint32_t m, buffer; /* as fd_options */
    double eta;
    enum factor_loss loss;
    enum sftrl_linear linear;
};

struct sftrl {
    struct sftrl_options opt;
    struct fd plus, minus; /* P, N */
    struct bias bias;
    uint64_t t;                   /* examples learned                      */
    double reach;                 /* sum of (a'a)^2                        */
    double agree, squares, noise; /* sums of -phi'(l) q, q^2, phi'(l)^2    */
    double *p, *q;                /* P a, N a of the last example          */
    uint32_t *at_plus, *at_minus; /* places of its features                */
    uint32_t max_row;
};

uint32_t sftrl_stride(const struct sftrl_options *opt);
/* For the caller's capacity of features, and so many touched between two shrinks. */
size_t sftrl_block_bytes(const struct sftrl_options *opt, uint32_t features, uint32_t touched);
size_t sftrl_scratch_bytes(const struct sftrl_options *opt, uint32_t max_row);
/* Both zeroed; examples have max_row features at most. */
void sftrl_init(struct sftrl *m, const struct sftrl_options *opt, uint32_t features,
                uint32_t touched, void *block, uint32_t max_row, void *scratch);
/* Move to a larger zeroed block; the old one is the caller's to free. */
void sftrl_grow(struct sftrl *m, uint32_t features, uint32_t touched, void *block);
/* Features that an example may have, or the block must grow. */
uint32_t sftrl_room(const struct sftrl *m);

double sftrl_predict(struct sftrl *m, struct feature_table *t, const struct factor_example *e);
/* Predict, then learn; returns what was predicted. */
double sftrl_learn(struct sftrl *m, struct feature_table *t, const struct factor_example *e);

/* Share c of the pairs (1 inside); step of the next example. */
double sftrl_share(const struct sftrl *m);
double sftrl_rate(const struct sftrl *m);
/* Weight of a feature; one: the number of FACTOR_ONE, if it has one. */
double sftrl_weight(const struct sftrl *m, const struct feature_table *t, uint32_t feature,
                    uint32_t one);
/* The columns P_j and N_j, sftrl_rows() doubles: weight of the pair (i, j) is
 * 2 c (P_i' P_j - N_i' N_j). */
uint32_t sftrl_rows(const struct sftrl *m);
void sftrl_column(const struct sftrl *m, const struct feature_table *t, uint32_t feature,
                  double *column);
/* Bound of |Theta - exact sum of the same rows|_2: what shrinks subtracted. */
double sftrl_lost(const struct sftrl *m);

/* ---- copies and merges (sftrl_state.c) ---- */

/* All that makes a model, besides options and the features' rows. */
struct sftrl_parts {
    uint64_t t;
    double mass, sum, reach, agree, squares, noise;
    struct fd_parts plus, minus;
};
struct sftrl_parts sftrl_parts(const struct sftrl *m);
/* Make m, just initialised with room for the places of both sketches, that model; the features'
 * rows are in t already. NULL, or why there is no such model: m is then good for nothing. */
const char *sftrl_load(struct sftrl *m, const struct sftrl_parts *p, const struct feature_table *t);

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
