/* sftrl_state.c -- an SFTRL model from its parts, and from two others; see sftrl.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/count.h"
#include "sftrl.h"

/* ---- is it a model? ---- */

static const char *check_sums(const struct sftrl *m)
{
    if (!(m->sum_norm4 >= 0 && isfinite(m->sum_norm4))) return "sum_norm4 is out of range";
    if (!isfinite(m->sum_gq)) return "sum_gq is out of range";
    if (!(m->sum_qq >= 0 && isfinite(m->sum_qq))) return "sum_qq is out of range";
    return m->sum_gg >= 0 && isfinite(m->sum_gg) ? NULL : "sum_gg is out of range";
}

static const char *check_sketch(const struct fd *f)
{
    size_t rows = fd_max_rows(&f->opt);
    for (size_t i = 0; i < (size_t)f->slots * f->ld; i++)
        if (!(fabs(f->block[i]) <= SFTRL_MAX_NUMBER)) return "slots has a number above 1e+40";
    for (size_t i = 0; i < rows * rows; i++)
        if (!(fabs(f->gram[i]) <= SFTRL_MAX_NUMBER * SFTRL_MAX_NUMBER))
            return "gram has a number above 1e+80";
    return NULL;
}

static const char *check_rows(const struct feature_table *t)
{
    for (size_t i = 0; i < (size_t)t->n * t->stride; i++)
        if (!(fabs(t->row[i]) <= SFTRL_MAX_NUMBER)) return "rows has a number above 1e+40";
    return NULL;
}

const char *sftrl_check(const struct sftrl *m, const struct feature_table *t)
{
    const char *wrong = check_sums(m);
    if (!wrong && m->opt.linear == SFTRL_SEPARATE) wrong = bias_check(&m->bias, t);
    if (!wrong) wrong = check_rows(t);
    if (!wrong) wrong = check_sketch(&m->plus);
    return wrong ? wrong : check_sketch(&m->minus);
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

static void merge_sketch(struct sftrl *m, struct feature_table *t, const struct sftrl_side *a,
                         const struct sftrl_side *b, bool minus, const double share[2],
                         const uint32_t *number, void *work)
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
    merge_sketch(m, t, a, b, false, share, number, work);
    merge_sketch(m, t, a, b, true, share, number, work);
    if (m->opt.linear == SFTRL_SEPARATE) {
        bias_merge_features(&m->bias, t, a->t, NULL, 1);
        bias_merge_features(&m->bias, t, b->t, number, count);
    }
    bias_merge_centre(&m->bias, &ma->bias, 1);
    bias_merge_centre(&m->bias, &mb->bias, count);
    m->t = count_add(ma->t, mb->t, count);
    m->newest = ma->newest; /* they have met */
    m->sum_norm4 = ma->sum_norm4 + count * mb->sum_norm4;
    m->sum_gq = ma->sum_gq + count * mb->sum_gq;
    m->sum_qq = ma->sum_qq + count * mb->sum_qq;
    m->sum_gg = ma->sum_gg + count * mb->sum_gg;
}
