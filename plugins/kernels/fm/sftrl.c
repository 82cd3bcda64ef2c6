/* sftrl.c -- implementation of sftrl.h: two sketches and a linear part
 *
 *   row      | fm_gather's | weight, examples, squares |  P: fd_stride()  |  N: fd_stride()  |
 *                   1        |  of bias.h (separate)     |
 *   block    | sketch P: sketch_bytes()              | sketch N: sketch_bytes()              |
 */
#include "sftrl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/base/layout.h"
#include "kernels/base/count.h"

/* ---- layout ---- */

/* Returns the options of sketch k: 0 is P, 1 is N. For k = 2, the offset is the end of the row. */
static struct fd_options sftrl_sketch_options(const struct sftrl_options *opt, uint32_t k)
{
    struct fd_options o = {.m = opt->m, .buffer = opt->buffer};
    o.offset = 1 + (opt->linear == SFTRL_SEPARATE ? BIAS_STRIDE : 0u) + k * fd_stride(&o);
    return o;
}

uint32_t sftrl_stride(const struct sftrl_options *opt)
{
    return sftrl_sketch_options(opt, 2).offset;
}

static size_t sftrl_sketch_bytes(const struct sftrl_options *opt, uint32_t features,
                                 uint32_t touched)
{
    struct fd_options o = sftrl_sketch_options(opt, 0);
    return (fd_block_bytes(&o, features, touched) + 63) & ~(size_t)63;
}

uint32_t sftrl_max_rows(const struct sftrl_options *opt)
{
    struct fd_options o = sftrl_sketch_options(opt, 0);
    return fd_max_rows(&o);
}

size_t sftrl_block_bytes(const struct sftrl_options *opt, uint32_t features, uint32_t touched)
{
    return 2 * sftrl_sketch_bytes(opt, features, touched);
}

static size_t sftrl_lay_out_scratch(struct sftrl *m, void *scratch)
{
    struct layout c = {scratch, 0};
    struct fd_options o = sftrl_sketch_options(&m->opt, 0);
    m->p = layout_take(&c, fd_max_rows(&o), 8);
    m->q = layout_take(&c, fd_max_rows(&o), 8);
    m->at_plus = layout_take(&c, m->max_row, 4);
    m->at_minus = layout_take(&c, m->max_row, 4);
    return c.used;
}

size_t sftrl_scratch_bytes(const struct sftrl_options *opt, uint32_t max_row)
{
    struct sftrl m = {.opt = *opt, .max_row = max_row};
    return sftrl_lay_out_scratch(&m, NULL);
}

void sftrl_init(struct sftrl *m, const struct sftrl_options *opt, uint32_t features,
                uint32_t touched, void *block, uint32_t max_row, void *scratch)
{
    struct fd_options plus = sftrl_sketch_options(opt, 0), minus = sftrl_sketch_options(opt, 1);
    assert(opt->m >= 1 && (opt->half_life == 0 || opt->half_life >= 1));
    *m = (struct sftrl){.opt = *opt, .max_row = max_row, .bias = {opt->loss, 1, 0, 0}};
    m->fade = opt->by_time ? 1 : half_life_share(1, opt->half_life); /* 2^(-1/H) */
    sftrl_lay_out_scratch(m, scratch);
    fd_init(&m->plus, &plus, features, touched, block);
    fd_init(&m->minus, &minus, features, touched,
            (char *)block + sftrl_sketch_bytes(opt, features, touched));
}

uint32_t sftrl_free_slots(const struct sftrl *m)
{
    uint32_t plus = fd_free_slots(&m->plus), minus = fd_free_slots(&m->minus);
    return plus < minus ? plus : minus;
}

void sftrl_free_slots_for(struct sftrl *m, struct feature_table *t, uint32_t n)
{
    struct fd *both[] = {&m->plus, &m->minus};
    for (int k = 0; k < 2; k++)
        if (fd_free_slots(both[k]) < n) fd_shrink(both[k], t->row, t->stride, t->n, NULL);
}

/* ---- one example ---- */

static void sftrl_touch(struct fd *f, struct feature_table *t, const struct fm_example *e,
                        uint32_t *at, double *p)
{
    fd_touch(f, t->row, t->stride, t->n, e->n, e->feature, at);
    fd_project(f, e->n, at, e->x, p);
}

/* Returns q = |P a|^2 - |N a|^2. Stores P a and N a for the update. */
static double sftrl_pairs_of(struct sftrl *m, struct feature_table *t, const struct fm_example *e)
{
    double plus = 0, minus = 0;
    sftrl_touch(&m->plus, t, e, m->at_plus, m->p);   /* p = P a */
    sftrl_touch(&m->minus, t, e, m->at_minus, m->q); /* q = N a */
    for (uint32_t i = 0; i < m->plus.rows; i++)
        plus += m->p[i] * m->p[i]; /* |P a|^2 */
    for (uint32_t i = 0; i < m->minus.rows; i++)
        minus += m->q[i] * m->q[i]; /* |N a|^2 */
    return m->plus.fade * plus - m->minus.fade * minus;
}

/* Computes Theta -= step a a' (lines 7 to 17 of algorithm 4, see sftrl.h). The SVD is computed only
 * when the sketch is full. */
static void sftrl_append_row(struct sftrl *m, struct feature_table *t, const struct fm_example *e,
                             double step)
{
    bool plus = step < 0;
    struct fd *f = plus ? &m->plus : &m->minus;
    if (step == 0 || e->xx == 0) return;
    fd_append(f, e->n, plus ? m->at_plus : m->at_minus, e->x,
              fd_kept(f, sqrt(fabs(step))), /* sqrt(|s phi'|) a */
              plus ? m->p : m->q, e->xx);
    if (fd_full(f)) fd_shrink(f, t->row, t->stride, t->n, NULL); /* sqrt(Sigma^2 - sigma_m^2) V' */
}

double sftrl_rate(const struct sftrl *m)
{
    if (m->opt.eta > 0) return m->opt.eta;
    double pace = SFTRL_PACE / fm_curvature(m->opt.loss);
    return m->sum_norm4 > 0 ? pace * (double)m->t / m->sum_norm4 : 0.0; /* .6 / (h mean (a'a)^2) */
}

double sftrl_share(const struct sftrl *m)
{
    double h = fm_curvature(m->opt.loss);
    if (m->opt.linear == SFTRL_INSIDE) return 1;
    if (!(m->sum_gq > 0)) return 0;
    double ridge = SFTRL_RIDGE * m->sum_gg / (h * m->bias.mass); /* mean(g^2) / h, times RIDGE */
    double c = m->sum_gq / (h * m->sum_qq + ridge);
    return c < 1 ? c : 1;
}

/* Returns how many times the next example counts in the sums that give c; 0 if the sketches are
 * spared (sftrl.h). */
static uint32_t sftrl_count(const struct sftrl *m)
{
    if (m->t < SFTRL_TRIAL || sftrl_share(m) > 0) return 1;
    return mix64(m->t) % SFTRL_SPARED ? 0 : SFTRL_SPARED;
}

/* Updates the sums that give c. g = -phi'(l) is the remaining error of l; q is the estimate of g by
 * the pairs. */
static void sftrl_weigh_pairs(struct sftrl *m, const struct fm_example *e, uint32_t count, double l,
                              double q)
{
    double slope = fm_slope(m->opt.loss, l, e->y); /* -g */
    double weight = count * e->weight;
    m->sum_gq -= weight * slope * q;
    m->sum_qq += weight * q * q;
    m->sum_gg += weight * slope * slope;
}

static double sftrl_linear_part(const struct sftrl *m, const struct feature_table *t,
                                const struct fm_example *e)
{
    return m->opt.linear == SFTRL_INSIDE ? 0.0 : bias_predict(&m->bias, t, e);
}

/* Sets p = B a and returns |p|^2, where B is the sketch f. Takes no slots, so f does not change.
 * `column` is scratch. */
static double sftrl_square_of(const struct fd *f, const struct feature_table *t,
                              const struct fm_example *e, double *p, double *column)
{
    double square = 0;
    memset(p, 0, f->rows * sizeof *p);
    for (uint32_t i = 0; i < e->n; i++) {
        if (e->feature[i] == FEATURE_TABLE_NONE) continue;
        fd_column(f, t->row, t->stride, e->feature[i], column, NULL);
        for (uint32_t r = 0; r < f->rows; r++)
            p[r] += e->x[i] * column[r]; /* p += a_j B_j */
    }
    for (uint32_t r = 0; r < f->rows; r++)
        square += p[r] * p[r];
    return square;
}

double sftrl_predict(struct sftrl *m, struct feature_table *t, const struct fm_example *e)
{
    assert(e->n <= m->max_row);
    double l = sftrl_linear_part(m, t, e), q = sftrl_square_of(&m->plus, t, e, m->p, m->q);
    q -= sftrl_square_of(&m->minus, t, e, m->p, m->q); /* q = |P a|^2 - |N a|^2 */
    return isfinite(q) ? l + sftrl_share(m) * q : l;   /* z = l + c q */
}

/* Multiplies the weight of all earlier examples by `share`. Must run before an example changes
 * the sketches. */
static void sftrl_fade_to(struct sftrl *m, struct feature_table *t, double share)
{
    struct fd *both[] = {&m->plus, &m->minus};
    for (int k = 0; k < 2; k++) {
        fd_fade(both[k], share);
        if (fd_is_faint(both[k])) fd_shrink(both[k], t->row, t->stride, t->n, NULL);
    }
    m->sum_gq *= share;
    m->sum_qq *= share;
    m->sum_gg *= share;
    m->bias.mass *= share;
    m->bias.sum *= share;
}

double sftrl_at(struct sftrl *m, struct feature_table *t, int64_t time)
{
    double weight;
    assert(m->opt.by_time);
    sftrl_fade_to(m, t, half_life_take(&m->at, m->opt.half_life, time, &weight));
    return weight;
}

void sftrl_follow(struct sftrl *m, struct feature_table *t, const struct sftrl *other)
{
    sftrl_fade_to(m, t, half_life_meet(&m->at, m->opt.half_life, &other->at));
}

/* Learns from an example by the pairs, whose estimate is q, and by the sums that give c. l: the
 * linear part's prediction. */
static void sftrl_learn_pairs(struct sftrl *m, struct feature_table *t, const struct fm_example *e,
                              uint32_t count, double l, double q)
{
    double slope = fm_slope(m->opt.loss, l + q, e->y); /* line 6: phi'(l + q) */
    double norm4 = e->xx * e->xx;
    if (m->opt.linear == SFTRL_SEPARATE) sftrl_weigh_pairs(m, e, count, l, q);
    sftrl_append_row(m, t, e, fm_step(m->opt.loss, sftrl_rate(m), slope, e->weight, norm4));
}

double sftrl_learn(struct sftrl *m, struct feature_table *t, const struct fm_example *e)
{
    assert(e->n <= m->max_row && e->weight > 0);
    if (m->fade < 1) sftrl_fade_to(m, t, m->fade);
    uint32_t count = sftrl_count(m);
    double l = sftrl_linear_part(m, t, e), q = count ? sftrl_pairs_of(m, t, e) : 0;
    double z = l + sftrl_share(m) * q; /* line 5: z = l + c q */
    if (!isfinite(q)) return l; /* only possible in a loaded state; such a model does not learn */
    m->t++;
    m->sum_norm4 += e->xx * e->xx;
    if (count) sftrl_learn_pairs(m, t, e, count, l, q);
    if (m->opt.linear == SFTRL_SEPARATE) bias_learn(&m->bias, t, e, l);
#ifdef LEAT_CHECKS
    assert(!sftrl_check(m, t));
#endif
    return z;
}

/* ---- reading ---- */

uint32_t sftrl_rows(const struct sftrl *m) { return m->plus.rows + m->minus.rows; }

void sftrl_column(const struct sftrl *m, const struct feature_table *t, uint32_t feature,
                  double *column)
{
    fd_column(&m->plus, t->row, t->stride, feature, column, NULL);
    fd_column(&m->minus, t->row, t->stride, feature, column + m->plus.rows, NULL);
    for (uint32_t r = 0; r < sftrl_rows(m); r++)
        column[r] *= sqrt(r < m->plus.rows ? m->plus.fade : m->minus.fade);
}

double sftrl_weight(const struct sftrl *m, const struct feature_table *t, uint32_t feature,
                    uint32_t one)
{
    double *a = m->p, *b = m->q; /* these arrays are free between examples */
    double w = 0;
    if (m->opt.linear == SFTRL_SEPARATE) return bias_weight(&m->bias, t, feature);
    if (one == FEATURE_TABLE_NONE) return 0;
    for (int minus = 0; minus < 2; minus++) {
        const struct fd *f = minus ? &m->minus : &m->plus;
        fd_column(f, t->row, t->stride, feature, a, NULL);
        fd_column(f, t->row, t->stride, one, b, NULL);
        for (uint32_t r = 0; r < f->rows; r++)
            w += (minus ? -2 : 2) * f->fade * a[r] * b[r]; /* 2 (P_j' P_1 - N_j' N_1) */
    }
    return w;
}

double sftrl_lost(const struct sftrl *m) { return fd_lost(&m->plus) + fd_lost(&m->minus); }

/* ---- copies and merges ---- */

/* ---- checks ---- */

static const char *sftrl_state_check_sums(const struct sftrl *m)
{
    if (!(m->sum_norm4 >= 0 && isfinite(m->sum_norm4))) return "sum_norm4 is out of range";
    if (!isfinite(m->sum_gq)) return "sum_gq is out of range";
    if (!(m->sum_qq >= 0 && isfinite(m->sum_qq))) return "sum_qq is out of range";
    return m->sum_gg >= 0 && isfinite(m->sum_gg) ? NULL : "sum_gg is out of range";
}

static const char *sftrl_state_check_sketch(const struct fd *f)
{
    size_t rows = fd_max_rows(&f->opt);
    for (size_t i = 0; i < (size_t)f->slots * f->ld; i++)
        if (!(fabs(f->block[i]) <= SFTRL_MAX_NUMBER)) return "slots has a number above 1e+40";
    for (size_t i = 0; i < rows * rows; i++)
        if (!(fabs(f->gram[i]) <= SFTRL_MAX_NUMBER * SFTRL_MAX_NUMBER))
            return "gram has a number above 1e+80";
    return NULL;
}

static const char *sftrl_state_check_rows(const struct feature_table *t)
{
    for (size_t i = 0; i < (size_t)t->n * t->stride; i++)
        if (!(fabs(t->row[i]) <= SFTRL_MAX_NUMBER)) return "rows has a number above 1e+40";
    return NULL;
}

const char *sftrl_check(const struct sftrl *m, const struct feature_table *t)
{
    const char *wrong = sftrl_state_check_sums(m);
    if (!wrong && m->opt.linear == SFTRL_SEPARATE) wrong = bias_check(&m->bias, t);
    if (!wrong) wrong = sftrl_state_check_rows(t);
    if (!wrong) wrong = sftrl_state_check_sketch(&m->plus);
    return wrong ? wrong : sftrl_state_check_sketch(&m->minus);
}

const char *sftrl_load(struct sftrl *m, const struct fd *plus, const struct fd *minus,
                       const struct feature_table *t)
{
    const char *wrong = fd_load(&m->plus, plus, t->row, t->stride, t->n);
    if (!wrong) wrong = fd_load(&m->minus, minus, t->row, t->stride, t->n);
    return wrong ? wrong : sftrl_check(m, t);
}

/* ---- merge ---- */

size_t sftrl_merge_bytes(const struct sftrl_options *opt)
{
    return fd_merge_bytes(&(struct fd_options){.m = opt->m, .buffer = opt->buffer});
}

static void sftrl_state_merge_sketch(struct sftrl *m, struct feature_table *t,
                                     const struct sftrl_side *a, const struct sftrl_side *b,
                                     bool minus, const double share[2], const uint32_t *number,
                                     void *work)
{
    const struct sftrl_side *of[2] = {a, b};
    struct fd_side side[2];
    for (int i = 0; i < 2; i++)
        side[i] = (struct fd_side){.f = minus ? &of[i]->m->minus : &of[i]->m->plus,
                                   .row = of[i]->t->row,
                                   .row_stride = of[i]->t->stride,
                                   .known = of[i]->t->n,
                                   .count = share[i]};
    memset(work, 0, sftrl_merge_bytes(&m->opt));
    fd_merge(minus ? &m->minus : &m->plus, t->row, t->stride, &side[0], &side[1], number, work);
}

void sftrl_merge(struct sftrl *m, struct feature_table *t, const struct sftrl_side *a,
                 const struct sftrl_side *b, double count, const uint32_t *number, void *work)
{
    const struct sftrl *ma = a->m, *mb = b->m;
    assert(count >= 0 && ma->opt.m == m->opt.m && mb->opt.m == m->opt.m);
    double na = (double)ma->t, nb = count * (double)mb->t, n = na + nb;
    double share[2] = {n > 0 ? na / n : 1, n > 0 ? nb / n : 0};
    sftrl_state_merge_sketch(m, t, a, b, false, share, number, work);
    sftrl_state_merge_sketch(m, t, a, b, true, share, number, work);
    if (m->opt.linear == SFTRL_SEPARATE) {
        bias_merge_features(&m->bias, t, a->t, NULL, 1);
        bias_merge_features(&m->bias, t, b->t, number, count);
    }
    bias_merge_centre(&m->bias, &ma->bias, 1);
    bias_merge_centre(&m->bias, &mb->bias, count);
    m->t = count_add(ma->t, mb->t, count);
    m->at = ma->at; /* the caller has moved both clocks to the same time */
    m->sum_norm4 = ma->sum_norm4 + count * mb->sum_norm4;
    m->sum_gq = ma->sum_gq + count * mb->sum_gq;
    m->sum_qq = ma->sum_qq + count * mb->sum_qq;
    m->sum_gg = ma->sum_gg + count * mb->sum_gg;
}
