/* sgd_state.c -- clocks of linear learners, merged; see sgd_state.h. */
#include "sgd_state.h"

#include <assert.h>
#include <math.h>

#include "kernels/base/count.h"

/* No stream comes near: 2^64 records of the largest float weigh 6e57. */
static const double MAX_MASS = 1e100;

struct sgd_shares sgd_share(const struct sgd *a, const struct sgd *b, double count)
{
    double na = sgd_age(a), nb = count * sgd_age(b), n = na + nb;
    return n > 0 ? (struct sgd_shares){na / n, nb / n} : (struct sgd_shares){1, 0}; /* n_a / n */
}

uint32_t sgd_add_count(uint32_t a, uint32_t b, double count)
{
    return (uint32_t)count_add_up_to(UINT32_MAX, a, b, count);
}

float sgd_add_accumulator(float a, float b, double count)
{
    double sum = (double)a + count * (double)b;
    return sum < (double)SGD_LIMIT ? (float)sum : SGD_LIMIT;
}

double sgd_merged_grown(const struct sgd *a, const struct sgd *b, double count)
{
    return sgd_base_of(a->opt.by_time, a->age + count * b->age);
}

uint32_t sgd_mix_count(double grown, const struct sgd *a, uint32_t in_a, const struct sgd *b,
                       uint32_t in_b, double count)
{
    if (!(a->opt.half_life > 0)) return sgd_add_count(in_a, in_b, count);
    double sum = grown * ((double)in_a / a->grown + count * ((double)in_b / b->grown));
    return sum < (double)UINT32_MAX ? (uint32_t)(sum + 0.5) : UINT32_MAX;
}

float sgd_mix_accumulator(double grown, const struct sgd *a, float in_a, const struct sgd *b,
                          float in_b, double count)
{
    return sgd_add_accumulator((float)(grown * ((double)in_a / a->grown)),
                               (float)(grown * ((double)in_b / b->grown)), count);
}

static double merged_bias(const struct sgd *a, const struct sgd *b, struct sgd_shares share,
                          const double mass[2])
{
    switch (a->opt.bias) {
    case SGD_BIAS_NONE:
        return 0;
    case SGD_BIAS_PRIOR: /* as sgd.h pins it */
        return loss_log((mass[1] + 0.5) / (mass[0] + 0.5));
    case SGD_BIAS_SGD:
        break;
    }
    double limit = (double)SGD_LIMIT; /* rounding may exceed it */
    return fmax(-limit, fmin(limit, share.a * a->bias + share.b * b->bias));
}

struct sgd sgd_merge(const struct sgd *a, const struct sgd *b, double count)
{
    assert(count >= 0 && count <= SGD_MAX_SHARE);
    struct sgd s = {.opt = a->opt, .alpha = 1.0, .grown = sgd_merged_grown(a, b, count)};
    s.newest = a->newest > b->newest ? a->newest : b->newest;
    s.age = fmin(a->age + count * b->age, MAX_MASS);
    s.t = count_add(a->t, b->t, count);
    for (int y = 0; y < 2; y++) {
        s.records[y] = count_add(a->records[y], b->records[y], count);
        s.faded[y] = fmin(a->faded[y] + count * b->faded[y], MAX_MASS);
        s.mass[y] = fmin(a->mass[y] + count * b->mass[y], MAX_MASS);
    }
    s.size = fmin(a->size + count * b->size, MAX_MASS);
    s.sized = fmin(a->sized + count * b->sized, MAX_MASS);
    s.bias_sum = fmin(a->bias_sum / a->grown + count * b->bias_sum / b->grown, MAX_MASS) * s.grown;
    s.bias = merged_bias(a, b, sgd_share(a, b, count), s.mass);
    return s;
}
