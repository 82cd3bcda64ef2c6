/* sums.h -- what several linear models know together, as sums that do not depend on their order.
 *
 * A merge by curvature. Model k knows the weight w_k of a feature as far as its own records had it.
 * Its knowledge g_k is the curvature of its loss along the weight, which the accumulator a_k of own
 * rates measures (sgd.h), and a start c:
 *
 *   w = sum g(a_k) w_k / g(sum a_k)             g(a) by the rates:
 *
 *   newton     1 + a                            a sums c l'' x^2; each step starts from 1
 *   adagrad    a / (1 - e^(-2 rate sqrt(a)))
 *   adaptive   a + c                            c = sqrt(8 M) / rate  x^1.25
 *   shared     n, the examples of model k, and w = sum n_k w_k / sum n_k
 *
 * One learner that sees all records starts from 0 once, but K models start K times. A weight that
 * has seen little has moved only a part f(a) = a / g(a) of its way from 0. So g(a_k) w_k estimates
 * a_k times the end of the way, and g of all accumulators goes back to the part that one learner
 * would have moved. A feature that few records have gets the sum of the models' weights, and a
 * feature that many have gets their mean by curvature. With newton this is the sum of Gaussian
 * posteriors less the priors that would count K times. f follows from the steps of the learners:
 * with steps r l'/sqrt(a + 8 x^2) the distance from the end is e^(-2 r (sqrt(a + 8 x^2) - sqrt(8)
 * x)) of what it was, so f = r a / (sqrt(8) x) for small a, where r = rate / sqrt(M). x is not
 * known. Where values are at most 1, sum_i min(a_i, G) / G and M tell its mean (sgd_adaptive.h).
 *
 * With shared rates nothing measures the curvature. There models are averaged by their examples
 * (parameter mixing: Mann, McDonald et al., Efficient Large-Scale Distributed Training of
 * Conditional Maximum Entropy Models, NIPS 2009).
 *
 * All sums are integers (fixed.h), and features are in the order of their ids. So a tree of merges
 * of any shape, in any order, has the same bytes, unless a half-life is in event time. Models of
 * different times then fade to the latest one, and the sums are rounded again.
 *
 * Spread. sum g_k w_k^2 tells how far the models disagree: v = sum g w^2 / sum g - (sum g w / sum
 * g)^2, and the standard error of the merged weight is sqrt(v / (K - 1)) sum g_k / g(sum a_k).
 *
 * Example. Newton. Model 1 has w = 0.5 and a = 1, model 2 has w = 0.8 and a = 3. The merged weight
 * is (2 x 0.5 + 4 x 0.8) / (1 + 4) = 0.84.
 */
#ifndef LEAT_KERNELS_LINEAR_SUMS_H
#define LEAT_KERNELS_LINEAR_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/fixed.h"
#include "sgd.h"

/* Sums of the clock (struct sgd). */
enum sums_clock {
    SUMS_EXAMPLES, /* sgd_age() */
    SUMS_AGE,
    SUMS_MASS, /* two, by label */
    SUMS_FADED = SUMS_MASS + 2,
    SUMS_SIZE = SUMS_FADED + 2,
    SUMS_SIZED,
    SUMS_BIAS_SUM,
    SUMS_BIAS,  /* of the bias times what the model knows of it */
    SUMS_EXTRA, /* a sum of the kernel: wm.h, tracked.h         */
    SUMS_CLOCK
};

/* Sums of each feature. Those from SUMS_OPTIONAL on are there only if the model has them. */
enum sums_field { SUMS_MODELS, SUMS_KNOWN, SUMS_WEIGHT, SUMS_SQUARE, SUMS_OPTIONAL };

/* Places of the optional sums in a row; 0: there are none. */
struct sums_fields {
    uint32_t each;      /* sums of a feature                                              */
    uint32_t sum;       /* of the accumulators                                            */
    uint32_t beside;    /* without accumulators: of the weight by the sketch alone        */
    uint32_t count;     /* two, by label                                                  */
    uint32_t frequency; /* tracked.h                                                      */
    uint32_t average;   /* SUMS_AVERAGE sums for averages.h                               */
    uint32_t cell;      /* sums of a cell: 0, 1 or 2                                      */
    uint32_t priority;  /* 1: features have priorities (tracked.h)                        */
    uint32_t owned;     /* 1: cells have owners (adaptive.h)                              */
    uint32_t wide;      /* 1: ids have 64 bits (logistic.h); 0: 32 bits, which are folded  */
};
enum { SUMS_AVERAGE = 4, SUMS_OWNER = 2, SUMS_MAX_EACH = 16 };
/* Sums of a cell, and of an owner: its weight, then its accumulator or another sum. */
enum { SUMS_CELL_WEIGHT, SUMS_CELL_SUM };

/* Rows of `each` sums, by ascending id. */
struct sums_table {
    uint32_t n, each;
    uint64_t *id;
    struct fixed *value; /* n x each */
};

struct sums {
    uint64_t models; /* models that were merged */
    uint64_t t, records[2], dropped;
    struct half_life_clock at; /* by_time */
    struct fixed clock[SUMS_CLOCK];
    struct sums_fields fields;
    struct sums_table feature, owner;
    float *priority; /* largest priority of each feature; NULL: there are none */
    uint64_t cells;
    struct fixed *cell; /* cells x fields.cell */
};

/* Where a row of a united table comes from: its row in a and in b, plus 1; 0: not there. */
struct sums_origin {
    uint32_t a, b;
};

/* Id of an owner: the number of its pair of cells, and its tag. */
static inline uint64_t sums_owner_id(uint32_t pair, uint8_t tag)
{
    return (uint64_t)pair << 8 | tag;
}
static inline uint64_t sums_owner_pair(uint64_t id) { return id >> 8; }
static inline uint8_t sums_owner_tag(uint64_t id) { return (uint8_t)id; }

/* Returns the row of an id; UINT32_MAX if it has none. */
uint32_t sums_find(const struct sums_table *t, uint64_t id);

static inline struct fixed *sums_row(const struct sums_table *t, uint32_t k)
{
    return t->value + (uint64_t)k * t->each;
}

/* Bytes of the arrays of sums with these numbers of rows, and the way to set the pointers. Rows are
 * zero if the block is. */
uint64_t sums_block_bytes(const struct sums *s, uint32_t features, uint32_t owners);
void sums_lay_out(struct sums *s, uint32_t features, uint32_t owners, void *block);

/* Sets `to` to the sums of a and b, whose fields are equal. Each record of b counts `count` times.
 * to: laid out for the rows of both, and zeroed; origin: capacity for as many. `half_life`, if it
 * is in event time, fades the older side. */
void sums_add(struct sums *to, const struct sums *a, const struct sums *b, double count,
              double half_life, struct sums_origin *origin);
/* Sorts n pairs of id and slot by id. */
struct sums_slot {
    uint64_t id;
    uint32_t slot;
};
void sums_sort(struct sums_slot *slot, uint32_t n);

/* ---- knowledge ---- */

/* g(a) of a model. */
struct sums_knowledge {
    enum sgd_rates rates;
    double start; /* c; of adagrad: 2 rate */
};
/* total: for adaptive rates, sum_i min(a_i, G) over all weights. */
struct sums_knowledge sums_knowledge(const struct sgd *s, double total);
/* a: as sums keep it (fixed_rounded()), so that a model knows the same before and after a merge. */
double sums_known(const struct sums_knowledge *k, double a);
/* Adds accumulator a, not faded by `grown`, to the total of sums_knowledge(). */
static inline double sums_total_of(const struct sgd *s, double a)
{
    return fmin(a, s->bias_sum / s->grown);
}

/* Sets the sums of the clock to those of a model. */
void sums_take_clock(struct sums *s, const struct sgd *clock);
/* Returns the clock of the merged model, with the options of `like`. */
struct sgd sums_clock(const struct sums *s, const struct sgd *like);
/* Adds a model's weight, known by g, to a row. */
void sums_put(struct fixed *row, double known, double weight);
/* Standard error of a row's weight, where sum g w / by is the weight; NaN for a single model. */
double sums_spread(const struct fixed *row, double by);
/* Returns the stored count of a sum of counts under the clock s. */
uint32_t sums_count(const struct sgd *s, const struct fixed *v);

/* A feature of a merged model. */
struct sums_place {
    double weight, sum; /* weight and accumulator                           */
    double key;         /* the features with the largest keys are kept      */
    double by;          /* sum g w / by is the weight, for sums_spread()    */
    uint64_t id;        /* id in the sums                                   */
    uint32_t row;       /* row in the sums                                  */
};
/* Returns the place of a row: its weight by curvature. Without accumulators, the mean by examples.
 * There models without a slot for the feature have its weight by their sketch. `outside`: weight by
 * the merged sketch, which is the mean of theirs. */
struct sums_place sums_place(const struct sums *s, uint32_t row, const struct sums_knowledge *k,
                             double outside);
/* Sorts by descending key; places of equal keys by ascending id. */
void sums_rank(struct sums_place *place, uint32_t n);
/* Returns the total of sums_knowledge() over the features of merged models. */
double sums_total(const struct sgd *clock, const struct sums *s);

/* Returns a text if the sums of a saved state cannot be; NULL if they can. */
const char *sums_check(const struct sums *s);

#endif
