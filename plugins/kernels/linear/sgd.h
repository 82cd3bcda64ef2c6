/* sgd.h -- the clock of stochastic gradient descent, shared by all linear learners.
 *
 * At example t (from 0) with margin z, label y and importance weight c:
 *
 *   eta   = eta0 / (1 + eta0 lambda t) | eta0 / sqrt(t + 1) | eta0
 *   g     = c y l'(y z)                derivative of the loss by the margin
 *   alpha = alpha (1 - eta lambda)     L2: one scale for all weights; a model stores w / alpha
 *   w_i   = w_i - eta g x_i            for features with the shared rate
 *
 * alpha is a double. As a float, 1 - eta lambda would round to a multiple of 6e-8, and a lambda
 * below 3e-7 would have no effect. The learner folds alpha into its weights (sgd_must_fold) long
 * before it underflows.
 *
 * Own rates. With a four-byte accumulator a, a feature may have its own rate:
 *
 *   AdaGrad  a += (g x)^2,    step = rate g x / sqrt(a)
 *   Newton   a += c l'' x^2,  step = rate g x / (1 + a)
 *
 * On streams of single features the shared rate leaves rare features far below their log odds.
 * Adaptive rates, which give cells of a sketch an accumulator too, are in sgd_adaptive.h.
 *
 * Bias. It is not regularised. SGD: the bias is learned with the shared rate. PRIOR: the bias is
 * log(N+ / N-), the log odds of the weighted records so far. Half a record is added to each side.
 * Then the weight of a lone feature i tends to log(p(i|+) / p(i|-)). Records that are exploded into
 * many examples do not make such a bias swing.
 *
 * Fading. With a half-life of H records, learned and counted state fades by f = 2^(-1/H) at each
 * new record, before that record is learned. This covers weights (through alpha), masses, records,
 * the age that sets the rate, accumulators and counts. A learned bias does not fade. The arrays by
 * feature are not touched. Instead each record adds `grown`, which is f^-1 times the amount that
 * the record before it added. Readers divide by `grown` (G. Cormode, V. Shkapenyuk, D. Srivastava,
 * B. Xu, Forward Decay, ICDE 2009). When `grown` is large, every few half-lives, the learner
 * divides all arrays (sgd_must_renew). Counts are integers in units of 1/unit, chosen such that
 * they fit in 2^31.
 *
 * By event time. H is in nanoseconds. When the clock goes forward by d (sgd_at), state fades by
 * f = 2^(-d/H), however many records came. For records at regular times this equals a half-life in
 * records. The clock never goes back. One step fades by 22 half-lives at most, which turn a count
 * of four million into one. The number of records in a half-life is unknown, so the unit is 1.
 * `grown` begins at sgd_base(), which falls from 256 to 1 as records add up. Before a merge, the
 * older model goes to the time of the newer one.
 *
 * Example. eta0 = 1/2, lambda = 0.1. The first example, of label +1, has the margin 0, so g = -1/2.
 * alpha becomes 0.95, and the stored weight of a feature with x = 1 becomes 0.25 / 0.95 = 0.263: it
 * weighs 0.25. The second example has eta = 0.5 / 1.05 = 0.476. With a half-life of 2 records, the
 * first three records add `grown` = 1.41, 2 and 2.83. A feature of all three then has the count
 * (1.41 + 2 + 2.83) / 2.83 = 2.21, which is 1/2 + 0.707 + 1.
 *
 * Saturation. Steps, stored weights and bias stay within SGD_LIMIT. So finite input of any size
 * keeps the state finite.
 */
#ifndef LEAT_KERNELS_LINEAR_SGD_H
#define LEAT_KERNELS_LINEAR_SGD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/loss.h"

#define SGD_LIMIT        1e30f
#define SGD_FOLD_BELOW   1e-9
#define SGD_FOLD_PENALTY 65536  /* examples */
#define SGD_MOST_GROWN   0x1p31 /* by event time, between renewals */

enum sgd_schedule { SGD_INVERSE = 0, SGD_SQRT = 1, SGD_CONSTANT = 2 };
enum sgd_bias { SGD_BIAS_SGD = 0, SGD_BIAS_NONE = 1, SGD_BIAS_PRIOR = 2 };
enum sgd_rates { SGD_SHARED = 0, SGD_ADAGRAD = 1, SGD_NEWTON = 2, SGD_ADAPTIVE = 3 };

struct sgd_options {
    double lambda, eta0; /* eta0 * lambda < 1                                */
    double rate;         /* factor of own and adaptive rates; 0: the default */
    enum sgd_schedule schedule;
    enum sgd_bias bias;
    enum sgd_rates rates;
    enum loss_kind loss;
    double l1;        /* L1 penalty (l1.h)                         */
    double half_life; /* in records, >= 1; 0: nothing fades        */
    bool by_time;     /* half_life is in nanoseconds of event time */
};

struct sgd {
    struct sgd_options opt;
    uint64_t t; /* examples learned */
    double alpha;
    double bias;
    uint64_t records[2]; /* records seen with label -1, +1               */
    double mass[2];      /* total weight of these records, faded         */
    double penalty;      /* sum of eta l1 / alpha since the last folding */
    double l1_applied;   /* part of `penalty` that cells have had (l1.h) */

    double age;      /* examples learned, faded */
    double faded[2]; /* records, faded          */

    /* for adaptive rates (sgd_adaptive.h) */
    double size;     /* sum of sum_i u_i^2 over the examples, faded */
    double sized;    /* examples where it is not 0, faded           */
    double bias_sum; /* accumulator of the bias, G                  */

    bool plain; /* there is neither penalty nor half-life */
    /* for fading; without a half-life these are 1, and max_grown is infinite */
    double fade;      /* share that is left after a record               */
    double grown;     /* amount that a record adds now                   */
    double max_grown; /* value of `grown` at which to renew              */
    uint32_t unit;    /* a count of 1 is stored as unit * grown          */
    uint32_t one;     /* unit * grown, rounded: what an example adds     */
    uint64_t newest;  /* by_time: the latest event time, ns; 0: none yet */
};

/* Effect of one example on every weight. */
struct sgd_step {
    double eta;       /* the shared rate */
    double g;         /* c y l'          */
    double curvature; /* c l''           */
    double alpha;     /* after the decay */
    float u;      /* eta g / alpha: step of a stored weight with the shared rate, per unit of x */
    int y;        /* 0: label -1, 1: label +1 */
    double grown; /* of the clock */
    double share; /* eta l1 / alpha: added to the penalty once the example is learned */
};

void sgd_init(struct sgd *s, const struct sgd_options *opt);
/* Advances the clock by an example whose margin, bias included, is known: decays, moves the bias,
 * counts. y is -1 or +1; weight is finite, >= 0. new_record: the example before belongs to another
 * record. Returns the step. */
struct sgd_step sgd_advance(struct sgd *s, double margin, int y, double weight, bool new_record);
/* Does the part of sgd_advance() that needs no margin: leaves g, u and the bias alone. */
struct sgd_step sgd_tick(struct sgd *s, int y, double weight, bool new_record);
/* Moves the clock to an event time, in ns since 1970, and fades what was learned; called before a
 * record of that time is learned. Returns the share that is left: 1 if the time is not the latest
 * so far, or is negative (a record without a time). Only with by_time. */
double sgd_at(struct sgd *s, int64_t time);
/* Moves both clocks to the later one's time. */
static inline void sgd_meet(struct sgd *a, struct sgd *b)
{
    sgd_at(a, (int64_t)b->newest);
    sgd_at(b, (int64_t)a->newest);
}
/* Counts a record of weight 1, for a model that only counts. y: 0 or 1. */
void sgd_record(struct sgd *s, int y);
/* Returns the step of a stored weight with its own rate; updates the accumulator a. */
float sgd_own_rate_step(const struct sgd_options *opt, const struct sgd_step *step, float x,
                        float *a);
/* True if a penalty, a folding or a renewal may be due at the end of an example. */
static inline bool sgd_is_due(const struct sgd *s)
{
    return s->alpha < SGD_FOLD_BELOW || !s->plain;
}
static inline bool sgd_must_fold(const struct sgd *s)
{
    return s->alpha < SGD_FOLD_BELOW || (s->opt.l1 > 0 && s->t % SGD_FOLD_PENALTY == 0);
}
/* Resets alpha and penalty after the learner has applied both to all weights. */
static inline void sgd_folded(struct sgd *s)
{
    s->alpha = 1.0;
    s->penalty = s->l1_applied = 0;
}
/* Amount that a record adds after a renewal: 1, or by_time up to 256, as far as the counts of `age`
 * faded records leave room. */
static inline double sgd_base_of(bool by_time, double age)
{
    double base = by_time ? 256 : 1;
    while (base > 1 && age * base > 0x1p30)
        base *= 0.5;
    return base;
}
static inline double sgd_base(const struct sgd *s) { return sgd_base_of(s->opt.by_time, s->age); }
static inline bool sgd_must_renew(const struct sgd *s)
{
    if (!s->opt.by_time) return s->grown >= s->max_grown;
    double base = sgd_base(s);
    return s->grown >= 2 * base || s->grown < base;
}
/* Factor of a renewal. */
static inline double sgd_renewal(const struct sgd *s) { return sgd_base(s) / s->grown; }
/* Renews n other counts. Call it before sgd_renew(). */
void sgd_renew_counts(const struct sgd *s, uint32_t *count, uint64_t n);
/* Multiplies the accumulators and counts of n features (either may be NULL), and the accumulator of
 * the bias, by sgd_renewal(). `grown` becomes sgd_base(). */
void sgd_renew(struct sgd *s, float *accumulator, uint32_t *count, uint64_t n);
/* Takes over the clock of a loaded or merged model, with the options `opt`. */
void sgd_take(struct sgd *s, const struct sgd *from, const struct sgd_options *opt);

/* Counts an example. */
static inline void sgd_count(const struct sgd *s, uint32_t *count)
{
    *count = *count > UINT32_MAX - s->one ? UINT32_MAX : *count + s->one;
}
/* Number of examples that a count stands for. */
static inline double sgd_counted(const struct sgd *s, uint32_t count)
{
    return s->opt.half_life > 0 ? count / (s->unit * s->grown) : (double)count;
}
/* Count that stands for n examples. */
uint32_t sgd_count_of(const struct sgd *s, uint32_t n);
static inline double sgd_records(const struct sgd *s, int y)
{
    return s->opt.half_life > 0 ? s->faded[y] : (double)s->records[y];
}
/* Number of examples that the model stands for. */
static inline double sgd_age(const struct sgd *s)
{
    return s->opt.half_life > 0 ? s->age : (double)s->t;
}

static inline float sgd_within(float w, float limit)
{
    w = w < limit ? w : limit;
    return w > -limit ? w : -limit;
}
static inline float sgd_clamp(float w) { return sgd_within(w, SGD_LIMIT); }

/* A prior of `strength` > 0 examples at the common odds e^bias: strength q positive and strength
 * (1 - q) negative examples, with q = 1 / (1 + e^-bias). Limits the bias to -30 .. 30. */
struct sgd_prior {
    double bias, positive, negative;
};
struct sgd_prior sgd_prior(double bias, double strength);
/* Log odds of the label +1, less the common log odds, for a feature in n1 positive and n0 negative
 * examples. Includes the prior: log((n1 + positive) / (n0 + negative)) - bias. */
double sgd_log_odds_ratio(double n1, double n0, const struct sgd_prior *p);

/* Relative risk p(+|x) / p(+|not x) of the label +1, for a feature in n11 of N1 positive and n10 of
 * N0 negative records. Adds a half to all four counts if one of them is below a half. */
double sgd_relative_risk(double n11, double n10, double N1, double N0);

/* ---- two clocks become one ----
 *
 * Parameter mixing (Mann, McDonald et al., Efficient Large-Scale Distributed Training of
 * Conditional Maximum Entropy Models, NIPS 2009) averages the weights of models that learned from
 * different data, here by the number of examples that each has learned:
 *
 *   w = (n_a w_a + c n_b w_b) / (n_a + c n_b)        n = t, c = how often b counts
 *
 * A learned bias is averaged as well. Counts add up: examples, records, masses, accumulators of own
 * rates, counts of features. A prior bias follows from the masses. Scales are folded in, so the
 * merged model has alpha 1.
 *
 * Mixing is commutative, and associative up to rounding. Each model took its steps without the
 * other's, so the mean is not the model of one learner that saw all the data.
 */

/* Largest number of times that b may count; the least is 0. */
#define SGD_MAX_SHARE 1e9

/* Shares of a and b in the mean: 1 and 0 if neither has learned an example. */
struct sgd_shares {
    double a, b;
};
struct sgd_shares sgd_share(const struct sgd *a, const struct sgd *b, double count);

/* Clock of the merged model, with a's options. By event time, call sgd_meet() before. */
struct sgd sgd_merge(const struct sgd *a, const struct sgd *b, double count);
/* a + count b, limited to UINT32_MAX for counts and to SGD_LIMIT for accumulators. */
uint32_t sgd_add_count(uint32_t a, uint32_t b, double count);
float sgd_add_accumulator(float a, float b, double count);
/* `grown` of the merged clock: 1, or sgd_base_of() by event time. */
double sgd_merged_grown(const struct sgd *a, const struct sgd *b, double count);
/* Sum of a count, or of an accumulator, that is in_a under clock a, and `count` times in_b under
 * clock b. `grown` is that of the merged clock. */
uint32_t sgd_mix_count(double grown, const struct sgd *a, uint32_t in_a, const struct sgd *b,
                       uint32_t in_b, double count);
float sgd_mix_accumulator(double grown, const struct sgd *a, float in_a, const struct sgd *b,
                          float in_b, double count);

#endif
