/* sgd.c -- rates, decay, bias and counts of a linear learner; implements sgd.h. */
#include "sgd.h"

#include <assert.h>
#include <math.h>

#include "core/mix64.h"
#include "kernels/base/count.h"

/* ---- fading ---- */

/* Chooses `unit` and `max_grown`. Under a half-life of H records, the faded number of records tends
 * to H / ln 2. This number times unit times max_grown must fit in 2^31. The unit is as large as
 * fits, at most 256; max_grown gets the remaining room. */
static void set_units(struct sgd *s)
{
    double fit = 2;
    s->unit = 1;
    s->fade = 1;
    s->plain = !(s->opt.half_life > 0) && !(s->opt.l1 > 0);
    s->max_grown = (double)INFINITY;
    if (!(s->opt.half_life > 0) || s->opt.by_time) return;
    s->fade = half_life_share(1, s->opt.half_life);
    while (2 * fit * s->opt.half_life * 1.4426950408889634 <= 0x1p31)
        fit *= 2;
    s->unit = fit >= 512 ? 256 : (uint32_t)(fit / 2);
    s->max_grown = fit / s->unit;
}

/* Rounds what an old record adds at random. `t` tells records apart. */
static void sgd_set_one(struct sgd *s)
{
    double random = s->recency < 1 ? (double)(mix64(s->t) >> 11) * 0x1p-53 : 0.5;
    double one = s->unit * s->grown * s->recency + random;
    s->one = one < INT32_MAX ? (uint32_t)one : INT32_MAX;
}

/* Multiplies the learned and counted state by f, as the head of sgd.h describes. */
static void fade_to(struct sgd *s, double f)
{
    s->alpha *= f;
    s->age *= f;
    s->size *= f;
    s->sized *= f;
    for (int y = 0; y < 2; y++) {
        s->mass[y] *= f;
        s->faded[y] *= f;
    }
    s->grown /= f; /* forward decay: later records count more */
    sgd_set_one(s);
}

/* Fades the state by a new record; without effect if by_time. */
static void fade(struct sgd *s)
{
    if (!s->opt.by_time) fade_to(s, s->fade);
}

/* Limits f so that `grown` stays below SGD_MOST_GROWN. Records that the learner refuses also move
 * the clock, so many calls may come between two renewals. */
static double sgd_fade_by_time(struct sgd *s, double f)
{
    f = fmin(fmax(f, s->grown / SGD_MOST_GROWN), 1); /* grown / f <= SGD_MOST_GROWN */
    if (f < 1) fade_to(s, f);
    sgd_set_one(s);
    return f;
}

double sgd_at(struct sgd *s, int64_t time)
{
    return sgd_fade_by_time(s, half_life_take(&s->at, s->opt.half_life, time, &s->recency));
}

double sgd_follow(struct sgd *s, const struct sgd *other)
{
    if (!s->opt.by_time) return 1;
    return sgd_fade_by_time(s, half_life_meet(&s->at, s->opt.half_life, &other->at));
}

void sgd_renew_counts(const struct sgd *s, uint32_t *count, uint64_t n)
{
    double by = sgd_renewal(s);
    for (uint64_t i = 0; count && i < n; i++)
        count[i] = (uint32_t)(by * (double)count[i] + 0.5);
}

void sgd_renew(struct sgd *s, float *accumulator, uint32_t *count, uint64_t n)
{
    assert(s->grown >= 1);
    double by = sgd_renewal(s);
    for (uint64_t i = 0; accumulator && i < n; i++)
        accumulator[i] = (float)(by * (double)accumulator[i]);
    sgd_renew_counts(s, count, 2 * n);
    s->bias_sum *= by;
    s->grown = sgd_base(s);
    sgd_set_one(s);
}

void sgd_take(struct sgd *s, const struct sgd *from, const struct sgd_options *opt)
{
    struct sgd_options keep = *opt; /* a copy, because opt may point into *s */
    *s = *from;
    s->opt = keep;
    s->recency = 1;
    set_units(s);
    sgd_set_one(s);
}

uint32_t sgd_count_of(const struct sgd *s, uint32_t n)
{
    double count = s->opt.half_life > 0 ? n * (s->unit * s->grown) : (double)n;
    return count < (double)UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* ---- the clock ---- */

void sgd_init(struct sgd *s, const struct sgd_options *opt)
{
    assert(opt->lambda >= 0 && opt->eta0 * opt->lambda < 1 && opt->l1 >= 0 && opt->rate >= 0);
    assert(opt->half_life == 0 || opt->half_life >= 1);
    *s = (struct sgd){.opt = *opt, .alpha = 1.0, .grown = 1.0, .recency = 1.0};
    set_units(s);
    s->grown = sgd_base(s);
    sgd_set_one(s);
    static const double rates[] = {[SGD_ADAGRAD] = 0.5, [SGD_NEWTON] = 1, [SGD_ADAPTIVE] = 1.5};
    if (s->opt.rate == 0) s->opt.rate = rates[opt->rates];
}

static double eta_at(const struct sgd_options *o, double t)
{
    switch (o->schedule) {
    case SGD_SQRT:
        return o->eta0 / sqrt(t + 1.0);
    case SGD_CONSTANT:
        return o->eta0;
    case SGD_INVERSE:
        break;
    }
    return o->eta0 / (1.0 + o->eta0 * o->lambda * t); /* eta0 / (1 + eta0 lambda t) */
}

static double clamp(double v)
{
    double limit = (double)SGD_LIMIT;
    return v > limit ? limit : v < -limit ? -limit : v;
}

static void move_bias(struct sgd *s, double step)
{
    if (s->opt.bias == SGD_BIAS_SGD) s->bias = clamp(s->bias - step);
}

static void count_record(struct sgd *s, int y, double weight)
{
    s->records[y]++;
    if (!s->plain) s->faded[y] += s->recency;
    s->mass[y] += weight;
    if (s->opt.bias == SGD_BIAS_PRIOR) s->bias = loss_log((s->mass[1] + 0.5) / (s->mass[0] + 0.5));
}

void sgd_record(struct sgd *s, int y)
{
    if (s->opt.half_life > 0) fade(s);
    s->t++;
    s->age += s->recency;
    count_record(s, y, s->recency);
}

/* Implements sgd_tick(); also sets *eta to the example's shared rate. */
static struct sgd_step tick(struct sgd *s, int y, double weight, bool new_record, double *eta)
{
    assert((y == 1 || y == -1) && weight >= 0);
    const struct sgd_options *o = &s->opt;
    if (!s->plain && new_record && o->half_life > 0) fade(s);
    *eta = eta_at(o, s->plain ? (double)s->t : sgd_age(s));
    struct sgd_step step = {.eta = *eta, .y = y > 0, .grown = s->grown};
    s->alpha *= 1.0 - *eta * o->lambda; /* w = (1 - eta lambda) w */
    step.alpha = s->alpha;
    s->t++;
    if (!s->plain) {
        step.share = *eta * o->l1 / s->alpha;
        s->age += s->recency;
    }
    if (new_record) count_record(s, step.y, weight);
    return step;
}

struct sgd_step sgd_tick(struct sgd *s, int y, double weight, bool new_record)
{
    double eta;
    return tick(s, y, weight, new_record, &eta);
}

struct sgd_step sgd_advance(struct sgd *s, double margin, int y, double weight, bool new_record)
{
    const struct sgd_options *o = &s->opt;
    double tau = y > 0 ? margin : -margin, eta;
    struct sgd_step step = tick(s, y, weight, new_record, &eta);
    step.g = weight * y * loss_slope(o->loss, tau); /* g = c y l'(y z) */
    if (o->rates == SGD_NEWTON) step.curvature = weight * loss_curvature(o->loss, tau);
    step.u = (float)clamp(eta * step.g / s->alpha); /* u = eta g / alpha */
    move_bias(s, eta * step.g);                     /* b -= eta g */
    return step;
}

float sgd_own_rate_step(const struct sgd_options *opt, const struct sgd_step *step, float x,
                        float *a)
{
    double gx = step->g * (double)x, d;
    if (opt->rates == SGD_ADAGRAD) {
        *a = sgd_clamp((float)clamp((double)*a + step->grown * (gx * gx))); /* a += (g x)^2 */
        d = sqrt((double)*a / step->grown);
    } else { /* a += c l'' x^2 */
        *a = sgd_clamp(
            (float)clamp((double)*a + step->grown * (step->curvature * (double)x * (double)x)));
        d = 1.0 + (double)*a / step->grown;
    }
    return d > 0 ? (float)clamp(opt->rate * gx / (d * step->alpha)) : 0.0f;
}

struct sgd_prior sgd_prior(double bias, double strength)
{
    assert(strength > 0);
    double b = bias < -30 ? -30 : bias > 30 ? 30 : bias, odds = loss_exp(b);
    return (struct sgd_prior){b, strength * odds / (1.0 + odds), strength / (1.0 + odds)};
}

double sgd_log_odds_ratio(double n1, double n0, const struct sgd_prior *p)
{
    return loss_log((n1 + p->positive) / (n0 + p->negative)) - p->bias;
}

double sgd_log_ratio(double n1, double n0, double N1, double N0, double strength)
{
    if (!(N1 > 0) || !(N0 > 0)) return 0;
    const struct sgd_prior p = sgd_prior(loss_log(N1 / N0), strength);
    return sgd_log_odds_ratio(n1, n0, &p);
}

/* ---- merging two clocks ---- */

/* Limit of merged sums. No stream reaches it: 2^64 records of the largest float weigh 6e57. */
static const double MAX_MASS = 1e100;

struct sgd_shares sgd_share(const struct sgd *a, const struct sgd *b, double count)
{
    double na = sgd_age(a), nb = count * sgd_age(b), n = na + nb;
    return n > 0 ? (struct sgd_shares){na / n, nb / n} : (struct sgd_shares){1, 0};
}

uint32_t sgd_add_count(uint32_t a, uint32_t b, double count)
{
    return (uint32_t)count_add_up_to(UINT32_MAX, a, b, count);
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

static double merged_bias(const struct sgd *a, const struct sgd *b, struct sgd_shares share,
                          const double mass[2])
{
    switch (a->opt.bias) {
    case SGD_BIAS_NONE:
        return 0;
    case SGD_BIAS_PRIOR: /* log odds of the merged masses (sgd.h) */
        return loss_log((mass[1] + 0.5) / (mass[0] + 0.5));
    case SGD_BIAS_SGD:
        break;
    }
    double limit = (double)SGD_LIMIT; /* the rounded mean may exceed it */
    return fmax(-limit, fmin(limit, share.a * a->bias + share.b * b->bias));
}

struct sgd sgd_merge(const struct sgd *a, const struct sgd *b, double count)
{
    assert(count >= 0 && count <= SGD_MAX_SHARE);
    struct sgd s = {
        .opt = a->opt, .alpha = 1.0, .grown = sgd_merged_grown(a, b, count), .recency = 1.0};
    s.at = a->at;
    if (b->at.newest > s.at.newest) s.at = b->at;
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
