/* fd_state.c -- a sketch from its parts, and from two others; see fd.h. */
#include "fd.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "kernels/base/count.h"
#include "fd_eigen.h"
#include "fd_fold.h"

/* ---- load ---- */

static bool in_range(const double *v, size_t n, double max)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(v[i]) <= max)) return false;
    return true;
}

static const char *check_shape(const struct fd *f, const struct fd *p, uint32_t known)
{
    if (p->kept > p->rows || p->kept > f->opt.m - 1 || p->rows > fd_max_rows(&f->opt))
        return "rows are more than m and buffer allow";
    if (p->slots > known) return "slots are more than features";
    if (p->slots > f->max_slots)
        return "slots are more than max_features and max_entries have room for: raise them";
    if (!(p->lost >= 0 && p->lost <= FD_MAX_SUM)) return "lost is out of range";
    if (!(p->fade >= FD_MIN_FADE / 4 && p->fade <= 1)) return "fade is out of range";
    if (!p->log.ring || p->log.ring & (p->log.ring - 1)) return "ring is not a power of two";
    if ((double)p->log.n > FD_MAX_SHRINKS) return "shrinks are more than 2^52";
    if (p->log.end > known || p->log.next > p->log.end ||
        (p->log.next < p->log.end && !p->log.step))
        return "sweep_next, sweep_end and sweep_step do not fit";
    return NULL;
}

static const char *check_numbers(const struct fd *p)
{
    size_t rows = fd_max_rows(&p->opt), maps = p->log.n < p->log.ring ? p->log.n : p->log.ring;
    if (!in_range(p->block, (size_t)p->slots * p->ld, FD_MAX_NUMBER))
        return "block has a value above 1e+150";
    for (size_t i = 0; i < p->rows; i++)
        if (!in_range(p->gram + i * rows, i + 1, FD_MAX_SUM) || p->gram[i * rows + i] < 0)
            return "gram has a value that is out of range";
    if (!in_range(p->log.map, maps * fd_map_size(&p->opt), FD_MAX_NUMBER))
        return "maps has a value above 1e+150";
    return NULL;
}

/* A column is zero, or in the slot of its feature, or of a version that the log reaches back to. */
static const char *check_column(const struct fd *f, const struct fd *p, uint32_t j,
                                const double *column)
{
    double version = column[f->dim],
           back = p->log.ring < f->log.max_ring ? p->log.ring : f->log.max_ring;
    if (!in_range(column, f->dim, FD_MAX_NUMBER)) return "rows has a value above 1e+150";
    if (!(fabs(version) <= (double)p->log.n + p->slots + 1) || version != floor(version))
        return "rows has a version that shrinks and ring do not reach";
    if (version < 0 && (-1 - version >= p->slots || p->feature[(uint32_t)(-1 - version)] != j))
        return "rows has a feature in the slot of another";
    if (version > 0 && (version > (double)p->log.n + 1 || version + back <= (double)p->log.n))
        return "rows has a version that shrinks and ring do not reach";
    return NULL;
}

const char *fd_check(const struct fd *f)
{
    const char *wrong = check_shape(f, f, UINT32_MAX);
    return wrong ? wrong : check_numbers(f);
}

/* f, which has room for its slots, becomes `from` in memory of its own. */
static void copy_sketch(struct fd *f, const struct fd *from)
{
    size_t rows = fd_max_rows(&f->opt);
    assert(f->max_slots >= from->slots && f->ld == from->ld);
    f->rows = from->rows;
    f->kept = from->kept;
    f->slots = from->slots;
    f->gram_behind = from->gram_behind;
    f->lost = from->lost;
    f->fade = from->fade;
    memcpy(f->feature, from->feature, f->slots * sizeof *f->feature);
    memcpy(f->block, from->block, (size_t)f->slots * f->ld * sizeof *f->block);
    memcpy(f->gram, from->gram, rows * rows * sizeof *f->gram);
    fd_log_copy(&f->log, &from->log);
}

const char *fd_load(struct fd *f, const struct fd *from, const double *row, uint32_t row_stride,
                    uint32_t known)
{
    uint32_t in_slots = 0;
    const char *wrong = check_shape(f, from, known);
    if (!wrong) wrong = check_numbers(from);
    for (uint32_t j = 0; j < known && !wrong; j++) {
        const double *column = row + (size_t)j * row_stride + f->opt.offset;
        in_slots += column[f->dim] < 0;
        wrong = check_column(f, from, j, column);
    }
    if (!wrong && in_slots != from->slots) wrong = "slots has one without a feature";
    if (wrong) return wrong;
    copy_sketch(f, from);
    return NULL;
}

/* ---- merge ---- */

enum { CHUNK = 64 };

/* The rows of a on top of those of b. A feature is a line: its column of a, of b, u of both. */
struct stack {
    struct fd *f;
    const struct fd_side *a, *b;
    const uint32_t *number; /* of b's features, in f and in a */
    uint32_t na, nb, width; /* rows of a and of b; doubles of a line: na + nb + 2 */
    double *line;           /* CHUNK x width                                      */
    double *gram;           /* (na + nb) squared                                  */
    double *lambda, *work;
    double *w;     /* dim x width: the map */
    double *fresh; /* CHUNK x dim          */
};

static size_t lay_out(struct stack *s, const struct fd_options *opt, void *block)
{
    struct layout c = {block, 0};
    size_t rows = 2 * (size_t)fd_max_rows(opt), width = rows + 2,
           dim = opt->m - 1 + (size_t)opt->weights;
    s->line = layout_take(&c, CHUNK * width, 8);
    s->gram = layout_take(&c, rows * rows, 8);
    s->lambda = layout_take(&c, rows, 8);
    s->work = layout_take(&c, fd_eigen_work((uint32_t)rows), 8);
    s->w = layout_take(&c, dim * width, 8);
    s->fresh = layout_take(&c, CHUNK * dim, 8);
    return c.used;
}

size_t fd_merge_bytes(const struct fd_options *opt)
{
    struct stack s;
    return lay_out(&s, opt, NULL);
}

static void read_column(const struct fd_side *side, uint32_t j, double *rows, double *u)
{
    *u = 0;
    fd_column(side->f, side->row, side->row_stride, j, rows, u);
}

/* Fills the lines of the features from, from + 1, ... of a side; those of b with a's columns as
 * well. Returns their number. */
static uint32_t fill_lines(struct stack *s, bool of_b, uint32_t from)
{
    const struct fd_side *side = of_b ? s->b : s->a;
    uint32_t n = side->known - from < CHUNK ? side->known - from : CHUNK;
    memset(s->line, 0, (size_t)n * s->width * sizeof *s->line);
    for (uint32_t i = 0; i < n; i++) {
        double *line = s->line + (size_t)i * s->width, *u = line + s->na + s->nb;
        uint32_t in_a = of_b ? s->number[from + i] : from + i;
        if (in_a < s->a->known) read_column(s->a, in_a, line, &u[0]);
        if (of_b) read_column(s->b, from + i, line + s->na, &u[1]);
    }
    return n;
}

/* gram = G of the stacked rows: a's with themselves, then b's with all. */
static void stack_gram(struct stack *s)
{
    int na = (int)s->na, nb = (int)s->nb, all = na + nb, width = (int)s->width;
    for (uint32_t n, from = 0; from < s->a->known && na; from += n) {
        n = fill_lines(s, false, from);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, na, na, (int)n, 1, s->line, width,
                    s->line, width, 1, s->gram, all);
    }
    for (uint32_t n, from = 0; from < s->b->known && nb; from += n) {
        n = fill_lines(s, true, from);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, nb, all, (int)n, 1, s->line + na,
                    width, s->line, width, 1, s->gram + (size_t)na * (size_t)all, all);
    }
}

/* A row that counts `count` times is multiplied by the root of that. */
static double scale_of(const struct stack *s, uint32_t row)
{
    const struct fd_side *side = row < s->na ? s->a : s->b;
    return sqrt(side->count * side->f->fade);
}

static struct fd_fold stack_fold(struct stack *s)
{
    uint32_t n = s->na + s->nb, m = s->f->opt.m;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            s->gram[(size_t)i * n + j] *= scale_of(s, i) * scale_of(s, j); /* G <- S G S */
    struct fd_fold fold = fd_fold(n, m, s->gram, n, s->w, s->width, s->lambda, s->work);
    for (uint32_t i = 0; i < fold.kept; i++)
        for (uint32_t r = 0; r < n; r++)
            s->w[(size_t)i * s->width + r] *= scale_of(s, r); /* W <- W S */
    if (s->f->opt.weights) {
        double *u = s->w + (size_t)(m - 1) * s->width; /* u <- sum of share (c'b + u) */
        for (uint32_t r = 0; r < n; r++)
            u[r] = r < s->na ? s->a->share * s->a->c[r] : s->b->share * s->b->c[r - s->na];
        u[n] = s->a->share;
        u[n + 1] = s->b->share;
    }
    return fold;
}

/* Writes the merged columns of a side's features. b's come last, with a's columns of them. */
static void stack_columns(struct stack *s, bool of_b, double *row, uint32_t row_stride)
{
    const struct fd_side *side = of_b ? s->b : s->a;
    uint32_t dim = s->f->dim;
    for (uint32_t n, from = 0; from < side->known; from += n) {
        n = fill_lines(s, of_b, from);
        if (dim)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)dim, (int)s->width, 1,
                        s->line, (int)s->width, s->w, (int)s->width, 0, s->fresh, (int)dim);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t to = of_b ? s->number[from + i] : from + i;
            double *column = row + (size_t)to * row_stride + s->f->opt.offset;
            memcpy(column, s->fresh + (size_t)i * dim, dim * sizeof *column);
            column[dim] = fd_log_version(s->f->log.n);
        }
    }
}

double fd_merge(struct fd *f, double *row, uint32_t row_stride, const struct fd_side *a,
                const struct fd_side *b, const uint32_t *number, void *work)
{
    struct stack s = {.f = f, .a = a, .b = b, .number = number, .na = a->f->rows, .nb = b->f->rows};
    assert(a->f->opt.m == f->opt.m && a->f->opt.weights == f->opt.weights);
    assert(b->f->opt.m == f->opt.m && b->f->opt.weights == f->opt.weights);
    lay_out(&s, &f->opt, work);
    s.width = s.na + s.nb + 2;
    stack_gram(&s);
    struct fd_fold fold = stack_fold(&s);
    f->log.n = count_add_up_to((uint64_t)FD_MAX_SHRINKS, a->f->log.n, b->f->log.n, 1);
    f->rows = f->kept = fold.kept;
    f->lost = a->count * fd_lost(a->f) + b->count * fd_lost(b->f) + fold.delta;
    for (uint32_t i = 0; i < f->kept; i++)
        f->gram[(size_t)i * fd_max_rows(&f->opt) + i] = s.lambda[i];
    stack_columns(&s, false, row, row_stride);
    stack_columns(&s, true, row, row_stride);
#ifdef LEAT_CHECKS
    assert(!fd_check(f));
#endif
    return fold.delta;
}
