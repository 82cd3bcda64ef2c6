/* fd.c -- the sketch: slots, rows, shrinks; see fd.h.
 *
 * The version in a feature's row is that of fd_log.h, or -1 - slot while the feature has a slot:
 * then its column is there. */
#include "fd.h"

#include <assert.h>
#include <cblas.h>
#include <string.h>

#include "fd_eigen.h"
#include "fd_fold.h"

enum { FRESH = 256 }; /* columns that a shrink makes at a time */

static uint32_t buffer_of(const struct fd_options *opt)
{
    return opt->buffer ? opt->buffer : opt->m + 1;
}

static uint32_t dim_of(const struct fd_options *opt) { return opt->m - 1 + opt->weights; }

uint32_t fd_stride(const struct fd_options *opt) { return dim_of(opt) + 1; }

uint32_t fd_max_rows(const struct fd_options *opt) { return opt->m - 1 + buffer_of(opt); }

size_t fd_ld(const struct fd_options *opt)
{
    return (fd_max_rows(opt) + (size_t)opt->weights + 7) & ~(size_t)7;
}

size_t fd_map_size(const struct fd_options *opt) { return fd_log_map_size(dim_of(opt)); }

static size_t lay_out(struct fd *f, uint32_t features, void *block)
{
    struct layout c = {block, 0};
    size_t rows = fd_max_rows(&f->opt);
    f->feature = layout_take(&c, f->max_slots, sizeof *f->feature);
    f->block = layout_take(&c, (size_t)f->max_slots * f->ld, 8);
    f->gram = layout_take(&c, rows * rows, 8);
    f->fold = layout_take(&c, (size_t)f->dim * f->ld, 8);
    f->fresh = layout_take(&c, (size_t)FRESH * f->dim, 8);
    f->lambda = layout_take(&c, rows, 8);
    f->work = layout_take(&c, fd_eigen_work((uint32_t)rows), 8);
    fd_log_lay_out(&f->log, &c, f->dim, features);
    return c.used;
}

static struct fd shape(const struct fd_options *opt, uint32_t touched)
{
    struct fd f = {.opt = *opt, .dim = dim_of(opt), .max_slots = touched, .fade = 1};
    f.opt.buffer = buffer_of(opt);
    f.ld = (uint32_t)fd_ld(opt);
    return f;
}

size_t fd_block_bytes(const struct fd_options *opt, uint32_t features, uint32_t touched)
{
    struct fd f = shape(opt, touched);
    return lay_out(&f, features, NULL);
}

void fd_init(struct fd *f, const struct fd_options *opt, uint32_t features, uint32_t touched,
             void *block)
{
    assert(opt->m >= 1 && opt->m <= FD_MAX_M && dim_of(opt) <= FD_LOG_MAX_DIM);
    *f = shape(opt, touched);
    lay_out(f, features, block);
}

uint32_t fd_free_slots(const struct fd *f) { return f->max_slots - f->slots; }

bool fd_full(const struct fd *f)
{
    bool warm = f->log.n < f->opt.warm;
    return f->rows >= f->opt.m - 1 + (warm ? 1 : f->opt.buffer);
}

/* ---- slots ---- */

static double *slot_at(const struct fd *f, uint32_t slot)
{
    return f->block + (size_t)slot * f->ld;
}

/* The slot that a version stands for; it is negative. */
static uint32_t slot_of(double version) { return (uint32_t)(-1 - version); }
static double version_of(uint32_t slot) { return -1 - (double)slot; }

/* Brings a feature's column up to date, in a new slot. */
static uint32_t open_slot(struct fd *f, double *column, uint32_t feature)
{
    uint32_t slot = f->slots++, kept = f->opt.m - 1;
    double *b = slot_at(f, slot);
    assert(slot < f->max_slots);
    memset(b + kept, 0, (f->ld - kept) * sizeof *b);
    fd_log_catch_up(&f->log, column[f->dim], column, b);
    if (f->opt.weights) { /* u stands after the kept values */
        double u = b[kept];
        b[kept] = 0;
        b[fd_max_rows(&f->opt)] = u;
    }
    f->feature[slot] = feature;
    column[f->dim] = version_of(slot);
    return slot;
}

/* Asks for the lines of a feature's row, so that one is not waited for before the next. */
static void prefetch_row(const struct fd *f, const double *ours)
{
    for (uint32_t k = 0; k <= f->dim; k += 8)
        __builtin_prefetch(ours + k);
}

void fd_touch(struct fd *f, double *row, uint32_t row_stride, uint32_t known, uint32_t n,
              const uint32_t *feature, uint32_t *slot)
{
    double *ours = row + f->opt.offset;
    assert(row_stride >= f->opt.offset + fd_stride(&f->opt));
    for (uint32_t i = 0; i < n; i++)
        prefetch_row(f, ours + (size_t)feature[i] * row_stride);
    for (uint32_t i = 0; i < n; i++) {
        assert(feature[i] < known);
        fd_log_prefetch(&f->log, ours[(size_t)feature[i] * row_stride + f->dim]);
    }
    for (uint32_t i = 0; i < n; i++) {
        double *column = ours + (size_t)feature[i] * row_stride, version = column[f->dim];
        slot[i] = version < 0 ? slot_of(version) : open_slot(f, column, feature[i]);
    }
}

/* Four rows at a time, whose sums compilers keep in registers. */
void fd_project(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double *p)
{
    for (uint32_t r = 0; r < f->rows; r += 4) {
        double s[4] = {0};
        for (uint32_t i = 0; i < n; i++) {
            const double *b = slot_at(f, slot[i]) + r;
            for (uint32_t k = 0; k < 4; k++)
                s[k] += x[i] * b[k]; /* p_r += B_rj x_j */
        }
        memcpy(p + r, s, (f->rows - r < 4 ? f->rows - r : 4) * sizeof *p);
    }
}

double fd_weigh(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x)
{
    double s = 0;
    const double *u = f->block + fd_max_rows(&f->opt);
    for (uint32_t i = 0; i < n; i++)
        s += u[(size_t)slot[i] * f->ld] * x[i]; /* s += u_j x_j */
    return s;
}

void fd_add_weight(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double k)
{
    double *u = f->block + fd_max_rows(&f->opt);
    for (uint32_t i = 0; i < n; i++)
        u[(size_t)slot[i] * f->ld] += k * x[i]; /* u_j += k x_j */
}

/* ---- rows ---- */

/* The next row of B is still zero: it serves to add up entries of one slot. (v + x)^2 - v^2 is
 * x (2 v + x). */
double fd_square(struct fd *f, uint32_t n, const uint32_t *slot, const double *x)
{
    double s = 0, *b = f->block + f->rows;
    assert(!fd_full(f));
    for (uint32_t i = 0; i < n; i++) {
        double *v = b + (size_t)slot[i] * f->ld;
        s += x[i] * (2 * *v + x[i]);
        *v += x[i];
    }
    for (uint32_t i = 0; i < n; i++)
        b[(size_t)slot[i] * f->ld] = 0;
    return s;
}

static double *gram_row(const struct fd *f, uint32_t i)
{
    return f->gram + (size_t)i * fd_max_rows(&f->opt);
}

bool fd_append(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double scale,
               const double *p, double xx)
{
    double square = scale * scale * xx, *g = gram_row(f, f->rows);
    assert(!fd_full(f));
    if (!(square <= FD_MAX_SQUARE)) return false;
    for (uint32_t i = 0; i < n; i++) /* step 1: the new row is scale x' */
        f->block[(size_t)slot[i] * f->ld + f->rows] += scale * x[i];
    for (uint32_t i = 0; p && i < f->rows; i++)
        g[i] = scale * p[i]; /* G_new,i = B_i (scale x) */
    g[f->rows++] = square;   /* G_new,new = scale^2 x'x */
    f->gram_behind |= !p;
    return true;
}

double fd_gram(const struct fd *f, uint32_t i, uint32_t j)
{
    assert(i < f->rows && j < f->rows);
    return i < j ? gram_row(f, j)[i] : gram_row(f, i)[j];
}

/* ---- shrink ---- */

/* Rows >= kept of G, the products of the raw rows with all. Raw rows are 0 outside the slots. */
static void complete_gram(struct fd *f)
{
    int raw = (int)(f->rows - f->kept), all = (int)f->rows;
    if (f->gram_behind && raw) /* G_raw = B_raw B' */
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, raw, all, (int)f->slots, 1,
                    f->block + f->kept, (int)f->ld, f->block, (int)f->ld, 0, gram_row(f, f->kept),
                    (int)fd_max_rows(&f->opt));
    f->gram_behind = false;
}

/* W <- sqrt(fade) W, and what follows from it: B is no longer kept over the root of fade. */
static void fade_fold(struct fd *f, struct fd_fold *fold)
{
    double root = sqrt(f->fade);
    for (uint32_t i = 0; i < f->kept; i++) {
        f->lambda[i] *= f->fade;
        for (uint32_t r = 0; r < f->rows; r++)
            f->fold[(size_t)i * f->ld + r] *= root;
    }
    fold->delta *= f->fade;
    f->lost *= f->fade;
    f->fade = 1;
}

/* W of fd_fold.h, and for u the row [c' 1]. Returns delta. */
static double make_fold(struct fd *f, const double *c)
{
    assert(c || !f->opt.weights);
    uint32_t n = f->rows, max = fd_max_rows(&f->opt), m = f->opt.m;
    memset(f->fold, 0, (size_t)f->dim * f->ld * sizeof *f->fold);
    struct fd_fold fold = fd_fold(n, m, f->gram, max, f->fold, f->ld, f->lambda, f->work);
    f->kept = fold.kept;
    if (f->fade != 1) fade_fold(f, &fold);
    if (f->opt.weights) {
        double *to = f->fold + (size_t)(m - 1) * f->ld; /* u <- c'b + u */
        memcpy(to, c, n * sizeof *c);
        to[max] = 1;
    }
    return fold.delta;
}

/* Logs what the fold does to columns without raw rows: its columns of the kept rows and of u. */
static void log_fold(struct fd *f)
{
    double *map = fd_log_next(&f->log);
    uint32_t kept = f->opt.m - 1;
    for (uint32_t i = 0; i < f->dim; i++) {
        const double *from = f->fold + (size_t)i * f->ld;
        for (uint32_t j = 0; j < kept; j++)
            map[(size_t)j * f->log.ld + i] = from[j];
        if (f->opt.weights) map[(size_t)kept * f->log.ld + i] = from[fd_max_rows(&f->opt)];
    }
    fd_log_push(&f->log);
}

/* Folds the columns that have slots and moves them back to the features' rows. */
static void fold_slots(struct fd *f, double *row, uint32_t row_stride)
{
    int inner = (int)(fd_max_rows(&f->opt) + f->opt.weights), dim = (int)f->dim, ld = (int)f->ld;
    double version = fd_log_version(f->log.n);
    for (uint32_t from = 0; from < f->slots; from += FRESH) {
        uint32_t n = f->slots - from < FRESH ? f->slots - from : FRESH;
        if (dim) /* fresh = block fold': column b becomes W b */
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, dim, inner, 1,
                        slot_at(f, from), ld, f->fold, ld, 0, f->fresh, dim);
        for (uint32_t i = 0; i < n; i++) {
            double *column = row + (size_t)f->feature[from + i] * row_stride + f->opt.offset;
            memcpy(column, f->fresh + (size_t)i * f->dim, f->dim * sizeof *column);
            column[f->dim] = version;
        }
    }
    f->slots = 0;
}

/* G <- diag(lambda_i - delta) */
static void reset_gram(struct fd *f)
{
    for (uint32_t i = 0; i < f->kept; i++) {
        memset(gram_row(f, i), 0, i * sizeof *f->gram);
        gram_row(f, i)[i] = f->lambda[i];
    }
}

double fd_shrink(struct fd *f, double *row, uint32_t row_stride, uint32_t known, const double *c)
{
    complete_gram(f);               /* step 2: G = B B' */
    double delta = make_fold(f, c); /* step 2: its eigenvectors; steps 3 and 4: W */
    log_fold(f);                    /* steps 3 and 4: B <- W B, by and by */
    fold_slots(f, row, row_stride);
    reset_gram(f);
    fd_log_sweep(&f->log, row + f->opt.offset, row_stride, known);
    f->rows = f->kept;
    f->lost += delta;
#ifdef LEAT_CHECKS
    assert(!fd_check(f));
#endif
    return delta;
}

/* ---- reading ---- */

void fd_column(const struct fd *f, const double *row, uint32_t row_stride, uint32_t feature,
               double *column, double *u)
{
    const double *stored = row + (size_t)feature * row_stride + f->opt.offset;
    double now[FD_LOG_MAX_DIM], version = stored[f->dim];
    bool has_slot = version < 0;
    const double *from = has_slot ? slot_at(f, slot_of(version)) : now;
    uint32_t have = f->rows;
    if (!has_slot) {
        fd_log_catch_up(&f->log, version, stored, now);
        if (have > f->kept) have = f->kept;
    }
    memcpy(column, from, have * sizeof *column);
    memset(column + have, 0, (f->rows - have) * sizeof *column);
    if (u && f->opt.weights) *u = from[has_slot ? fd_max_rows(&f->opt) : f->opt.m - 1];
}
