/* averages.h -- the mean of each weight over the records, and how far it may be from its limit.
 *
 * The last weight of a feature follows the last records. Its mean over many records does not: it
 * varies hardly more than the best fit to all of them (B. T. Polyak, A. B. Juditsky, Acceleration
 * of Stochastic Approximation by Averaging, SIAM J. Control Optim. 30, 1992).
 *
 * With L records since the feature is followed, and the weight w_l after record l:
 *
 *   v_L   mean of w_1 .. w_L, where w_l counts sqrt(l) times: early weights have not settled yet
 *   V     sum of l^2 (v_l - v_L)^2 over l <= L, divided by L^3
 *   s     AVERAGES_REACH sqrt(V), the spread
 *
 * If the records come in a random order and the weights have settled, w_l - w moves about the best
 * weight w like noise. Then (v_L - w) / sqrt(V) has a known distribution, whatever the noise and
 * its correlation (S. Lee, Y. Liao, M. H. Seo, Y. Shin, Fast and Robust Online Inference with
 * Stochastic Gradient Descent via Random Scaling, AAAI 2022). Its absolute value is below 5.0 with
 * 95 %, and below 6.8 with 98 %. So v - 2 s to v + 2 s holds the best weight with 98 % in the
 * limit. While weights still move towards it, 2 s holds it less often: 94 % after 4,000 records in
 * the test. A feature that has rarely come has no spread (AVERAGES_MOVES).
 *
 * Weights are sampled, because sums over all weights at each record would be slow. A sample stands
 * for all records since the one before. It is taken when these have as many entries as there are
 * features, and are a 4,096th of all records. So an entry costs one addition at most. With the
 * records d of a sample, the updates of the sums above are
 *
 *   v <- v + (w - v) 3/2 d / L      as sqrt(l) adds up to 2/3 L^(3/2)
 *   c <- c + (v - c) 3 d / L        mean of v_l that counts l^2 times
 *   b <- (1 - 3 d / L) (b + (v - c)^2 3 d / L)   with the old c; its mean square about c
 *
 * and V is (b + (c - v)^2) / 3. Where a factor is above 1, it is 1.
 *
 * Example. Samples of 1, 0, 0 and 0 after 1, 2, 3 and 4 records: v is 1, 0.25, 0.125 and 0.078.
 */
#ifndef LEAT_KERNELS_SUMMARIES_AVERAGES_H
#define LEAT_KERNELS_SUMMARIES_AVERAGES_H

#include <stdbool.h>
#include <stdint.h>

#define AVERAGES_REACH 3.4
enum {
    AVERAGES_MOVES = 100, /* samples that differ from the one before, for a spread */
    AVERAGES_NUMBERS = 6, /* floats of a struct average                            */
    AVERAGES_SAMPLES = 4096,
    AVERAGES_TOGETHER = 64, /* features whose weights a learner collects before it adds them */
    AVERAGES_WIDE = 8       /* averages of a block                                           */
};

/* The average of one weight. All 0: it has no sample yet. */
struct average {
    float records;         /* L                                      */
    float mean;            /* v                                      */
    float centre, scatter; /* c, and the square root of b            */
    float last, moves;     /* last sample; number that differed      */
};

/* The averages of AVERAGES_WIDE features, each member side by side, as vectors need them. */
struct averages_block {
    float records[AVERAGES_WIDE], mean[AVERAGES_WIDE];
    float centre[AVERAGES_WIDE], scatter[AVERAGES_WIDE];
    float last[AVERAGES_WIDE], moves[AVERAGES_WIDE];
};

struct averages {
    struct averages_block *of; /* of all features; NULL: nothing is averaged */
    uint64_t taken;            /* records up to the last sample              */
    uint64_t entries;          /* entries of the records since then          */
};

/* Returns the number of blocks for n features. */
static inline uint64_t averages_blocks(uint64_t n)
{
    return (n + AVERAGES_WIDE - 1) / AVERAGES_WIDE;
}

static inline struct average averages_get(const struct averages *a, uint64_t f)
{
    const struct averages_block *b = &a->of[f / AVERAGES_WIDE];
    uint32_t i = f % AVERAGES_WIDE;
    return (struct average){b->records[i], b->mean[i], b->centre[i],
                            b->scatter[i], b->last[i], b->moves[i]};
}

static inline void averages_set(struct averages *a, uint64_t f, struct average v)
{
    struct averages_block *b = &a->of[f / AVERAGES_WIDE];
    uint32_t i = f % AVERAGES_WIDE;
    b->records[i] = v.records, b->mean[i] = v.mean;
    b->centre[i] = v.centre, b->scatter[i] = v.scatter;
    b->last[i] = v.last, b->moves[i] = v.moves;
}

/* Adds a record of `entries` features to those since the last sample. True if a sample of n
 * features is due, after t records. */
static inline bool averages_due(struct averages *a, uint32_t entries, uint32_t n, uint64_t t)
{
    if (!a->of) return false;
    a->entries += entries;
    return a->entries >= n && t - a->taken > t / AVERAGES_SAMPLES;
}

/* Adds the weights of the features from .. from + n - 1 to a sample that stands for `records`
 * records. `from` is a multiple of AVERAGES_WIDE. `stored`: each weight as the model stores it,
 * without its decay. If it equals that of the last sample, no record moved the weight. */
void averages_add(struct averages *a, uint32_t from, uint32_t n, const double *weight,
                  const float *stored, double records);
/* Starts the averages of n features anew. */
void averages_restart(struct averages *a, uint32_t n);

/* Returns v of feature f; the last weight if there is no sample yet, or if a penalty has made
 * it 0. */
static inline double averages_mean(const struct averages *a, uint64_t f, double last)
{
    struct average v = averages_get(a, f);
    return v.records > 0 && last != 0 ? (double)v.mean : last;
}

/* Returns s of feature f; NaN if the weight has moved in fewer than AVERAGES_MOVES samples. */
double averages_spread(const struct averages *a, uint64_t f);
/* Returns V of an average, and the average of several streams with this v and V. */
double averages_variance(const struct average *a);
struct average averages_of(double records, double mean, double variance, double moves);
/* Makes average number `at` of `to` the average over its own records and `count` times those of
 * feature f of `from`. V becomes that of the mean of both, p^2 V_a + q^2 V_b with the shares p
 * and q of the records. */
void averages_join(struct averages *to, uint64_t at, const struct averages *from, uint64_t f,
                   double count);
/* Ends a sample after t records. The next one stands for the records after these. */
static inline void averages_taken(struct averages *a, uint64_t t)
{
    a->taken = t;
    a->entries = 0;
}

/* Returns the fault of n averages that were read from a state; NULL if there is none. */
const char *averages_check(const struct averages *a, uint32_t n);

#endif
