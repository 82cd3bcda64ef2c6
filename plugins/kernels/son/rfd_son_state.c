/* rfd_son_state.c -- a learner from its parts, and from two others; see rfd_son.h. */
#include "rfd_son.h"

#include <string.h>

#include "kernels/base/count.h"

const char *rfd_son_check(const struct rfd_son *s, const struct son_features *f)
{
    size_t max_rows = fd_max_rows(&s->fd.opt);
    if (!(s->alpha >= 0 && s->alpha <= SON_LIMIT) || (s->opt.root && s->alpha == 0))
        return "alpha is out of range";
    for (size_t i = 0; i < s->fd.rows; i++) {
        const double *L = s->L + i * max_rows;
        if (!(fabs(s->c[i]) <= FD_MAX_SQUARE)) return "coefficients has a number above 1e+200";
        if (rfd_son_is_flat(s)) continue;
        if (!(L[i] > 0)) return "factor has a diagonal number that is not above 0";
        for (size_t j = 0; j <= i; j++)
            if (!(fabs(L[j]) <= FD_MAX_SQUARE)) return "factor has a number above 1e+200";
    }
    for (uint32_t j = 0; j < f->known && s->opt.diagonal; j++)
        if (!(son_feature(f, j)[0] >= 0 && son_feature(f, j)[0] <= FD_MAX_SQUARE))
            return "feature_rows has a scale below 0 or above 1e+200";
    return NULL;
}

const char *rfd_son_load(struct rfd_son *s, const struct rfd_son *from,
                         const struct son_features *f)
{
    size_t max_rows = fd_max_rows(&s->fd.opt);
    const char *wrong = fd_load(&s->fd, &from->fd, f->row, f->stride, f->known);
    if (wrong) return wrong;
    s->alpha = from->alpha;
    s->start = from->start;
    s->t = from->t;
    s->newest = from->newest;
    memcpy(s->L, from->L, max_rows * max_rows * sizeof *s->L);
    memcpy(s->c, from->c, max_rows * sizeof *s->c);
    return rfd_son_check(s, f);
}

size_t rfd_son_merge_bytes(const struct rfd_son_options *opt)
{
    struct fd_options o = rfd_son_fd_options(opt);
    return fd_merge_bytes(&o);
}

static struct fd_side fd_side_of(const struct rfd_son_side *side)
{
    return (struct fd_side){&side->s->fd, side->f.row, side->f.stride, side->f.known,
                            side->count,  side->share, side->s->c};
}

static double alpha_of(const struct rfd_son *s) { return s->fd.fade * s->alpha; }

void rfd_son_merge(struct rfd_son *s, const struct son_features *f, const struct rfd_son_side *a,
                   const struct rfd_son_side *b, const uint32_t *number, void *work)
{
    struct fd_side fa = fd_side_of(a), fb = fd_side_of(b);
    assert(!s->opt.diagonal);
    double lost = fd_merge(&s->fd, f->row, f->stride, &fa, &fb, number, work);
    double start = s->opt.son.alpha0;
    s->alpha = start + a->count * (alpha_of(a->s) - start) + b->count * (alpha_of(b->s) - start);
    s->start = fmax(a->s->start, b->s->start);
    s->t = count_add(a->s->t, b->s->t, b->count);
    s->newest = a->s->newest; /* they have met */
    rfd_son_restart(s, lost);
}
