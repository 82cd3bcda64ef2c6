/* fd.c -- implementation of fd.h: slots, rows, shrinks, merges
 *
 * While a feature has a slot, the slot holds its column, and the version in its row is -1 - slot.
 * Otherwise the version is that of fd_log.h. */
#include "fd.h"

#include <assert.h>
#include <string.h>
#include <math.h>

#include "fd_combine.h"
#include "fd_fold.h"
#include "kernels/dense/eigen.h"
#include "kernels/base/count.h"
#include "kernels/dense/multiply.h"

static uint32_t fd_buffer_of(const struct fd_options *opt)
{
    return opt->buffer ? opt->buffer : opt->m + 1;
}

static uint32_t fd_dim_of(const struct fd_options *opt) { return opt->m - 1 + opt->weights; }

uint32_t fd_stride(const struct fd_options *opt) { return fd_dim_of(opt) + 1; }

uint32_t fd_max_rows(const struct fd_options *opt) { return opt->m - 1 + fd_buffer_of(opt); }

size_t fd_ld(const struct fd_options *opt)
{
    return (fd_max_rows(opt) + (size_t)opt->weights + 7) & ~(size_t)7;
}

size_t fd_map_size(const struct fd_options *opt) { return fd_log_map_size(fd_dim_of(opt)); }

static size_t fd_lay_out(struct fd *f, uint32_t features, void *block)
{
    struct layout c = {block, 0};
    size_t rows = fd_max_rows(&f->opt);
    f->feature = layout_take(&c, f->max_slots, sizeof *f->feature);
    f->block = layout_take(&c, (size_t)f->max_slots * f->ld, 8);
    f->gram = layout_take(&c, rows * rows, 8);
    f->fold = layout_take(&c, (size_t)f->dim * f->ld, 8);
    f->fresh = layout_take(&c, (size_t)FD_FRESH * f->dim, 8);
    f->lambda = layout_take(&c, rows, 8);
    f->work = layout_take(&c, eigen_work((uint32_t)rows), 8);
    fd_log_lay_out(&f->log, &c, f->dim, features);
    return c.used;
}

static struct fd fd_shape(const struct fd_options *opt, uint32_t touched)
{
    struct fd f = {.opt = *opt, .dim = fd_dim_of(opt), .max_slots = touched, .fade = 1};
    f.opt.buffer = fd_buffer_of(opt);
    f.ld = (uint32_t)fd_ld(opt);
    return f;
}

size_t fd_block_bytes(const struct fd_options *opt, uint32_t features, uint32_t touched)
{
    struct fd f = fd_shape(opt, touched);
    return fd_lay_out(&f, features, NULL);
}

void fd_init(struct fd *f, const struct fd_options *opt, uint32_t features, uint32_t touched,
             void *block)
{
    assert(opt->m >= 1 && opt->m <= FD_MAX_M && fd_dim_of(opt) <= FD_LOG_MAX_DIM);
    *f = fd_shape(opt, touched);
    fd_lay_out(f, features, block);
}

uint32_t fd_free_slots(const struct fd *f) { return f->max_slots - f->slots; }

bool fd_full(const struct fd *f)
{
    bool warm = f->log.n < f->opt.warm;
    return f->rows >= f->opt.m - 1 + (warm ? 1 : f->opt.buffer);
}

/* ---- slots ---- */

static double *fd_slot_at(const struct fd *f, uint32_t slot)
{
    return f->block + (size_t)slot * f->ld;
}

/* Convert between a slot and the negative version that means this slot. */
static uint32_t fd_slot_of(double version) { return (uint32_t)(-1 - version); }
static double fd_version_of(uint32_t slot) { return -1 - (double)slot; }

/* Copies a feature's column, brought up to date, to a new slot. Returns the slot. */
static uint32_t fd_open_slot(struct fd *f, double *column, uint32_t feature)
{
    uint32_t slot = f->slots++, kept = f->opt.m - 1;
    double *b = fd_slot_at(f, slot);
    assert(slot < f->max_slots);
    memset(b + kept, 0, (f->ld - kept) * sizeof *b);
    fd_log_catch_up(&f->log, column[f->dim], column, b);
    if (f->opt.weights) { /* in a row u follows the kept values; in a slot it is last */
        double u = b[kept];
        b[kept] = 0;
        b[fd_max_rows(&f->opt)] = u;
    }
    f->feature[slot] = feature;
    column[f->dim] = fd_version_of(slot);
    return slot;
}

/* Prefetches the cache lines of a feature's row. */
static void fd_prefetch_row(const struct fd *f, const double *ours)
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
        fd_prefetch_row(f, ours + (size_t)feature[i] * row_stride);
    for (uint32_t i = 0; i < n; i++) {
        assert(feature[i] < known);
        fd_log_prefetch(&f->log, ours[(size_t)feature[i] * row_stride + f->dim]);
    }
    for (uint32_t i = 0; i < n; i++) {
        double *column = ours + (size_t)feature[i] * row_stride, version = column[f->dim];
        slot[i] = version < 0 ? fd_slot_of(version) : fd_open_slot(f, column, feature[i]);
    }
}

/* Computes 16 rows at a time, with the sums in registers. */
WIDE static void fd_project_wide(const struct fd *f, uint32_t n, const uint32_t *slot,
                                 const double *x, double *p)
{
    double some[16];
    for (uint32_t left, r = 0; r < f->rows; r += 16) {
        const double *rows = f->block + r;
        left = f->rows - r < 16 ? f->rows - r : 16;
        if (left > 12)
            fd_combine_slots(4, rows, f->ld, n, slot, x, some);
        else if (left > 8)
            fd_combine_slots(3, rows, f->ld, n, slot, x, some);
        else if (left > 4)
            fd_combine_slots(2, rows, f->ld, n, slot, x, some);
        else
            fd_combine_slots(1, rows, f->ld, n, slot, x, some);
        memcpy(p + r, some, left * sizeof *p);
    }
}

void fd_project(const struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double *p)
{
    fd_project_wide(f, n, slot, x, p);
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

/* Uses the next row of B, which is still 0, to add up the entries of each slot. An entry x on top
 * of v adds (v + x)^2 - v^2 = x (2 v + x). */
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

static double *fd_gram_row(const struct fd *f, uint32_t i)
{
    return f->gram + (size_t)i * fd_max_rows(&f->opt);
}

bool fd_append(struct fd *f, uint32_t n, const uint32_t *slot, const double *x, double scale,
               const double *p, double xx)
{
    double square = scale * scale * xx, *g = fd_gram_row(f, f->rows);
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
    return i < j ? fd_gram_row(f, j)[i] : fd_gram_row(f, i)[j];
}

/* ---- shrink ---- */

/* Computes rows >= kept of G, if they are missing: the products of the raw rows (appended since the
 * last shrink) with all rows. Raw rows are 0 outside the slots. */
static void fd_complete_gram(struct fd *f)
{
    uint32_t raw = f->rows - f->kept, ld = fd_max_rows(&f->opt);
    double *g = fd_gram_row(f, f->kept);
    if (f->gram_behind && raw) { /* G_raw = B_raw B' */
        multiply_tn(raw, f->kept, f->slots, 1, f->block + f->kept, f->ld, f->block, f->ld, false, g,
                    ld);
        multiply_square_tn(raw, f->slots, 1, f->block + f->kept, f->ld, false, g + f->kept, ld);
    }
    f->gram_behind = false;
}

/* Multiplies W by sqrt(fade), and lambda and delta by fade, so that the new B is stored
 * without fading. */
static void fd_fade_fold(struct fd *f, struct fd_fold *fold)
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

/* Computes the map of the shrink in f->fold: W by fd_fold() and, with `weights`, the row [c' 1]
 * for u. Returns delta. */
static double fd_make_fold(struct fd *f, const double *c)
{
    assert(c || !f->opt.weights);
    uint32_t n = f->rows, max = fd_max_rows(&f->opt), m = f->opt.m;
    memset(f->fold, 0, (size_t)f->dim * f->ld * sizeof *f->fold);
    struct fd_fold fold = fd_fold(n, m, f->gram, max, f->fold, f->ld, f->lambda, f->work);
    f->kept = fold.kept;
    if (f->fade != 1) fd_fade_fold(f, &fold);
    if (f->opt.weights) {
        double *to = f->fold + (size_t)(m - 1) * f->ld; /* u <- c'b + u */
        memcpy(to, c, n * sizeof *c);
        to[max] = 1;
    }
    return fold.delta;
}

/* Appends to the log the map for columns without raw rows: the fold's columns for the kept rows and
 * for u. */
static void fd_log_fold(struct fd *f)
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

/* Applies the fold to the columns that have slots, and moves these columns back to the
 * features' rows. */
static void fd_fold_slots(struct fd *f, double *row, uint32_t row_stride)
{
    uint32_t inner = fd_max_rows(&f->opt) + f->opt.weights;
    double version = fd_log_version(f->log.n);
    for (uint32_t from = 0; from < f->slots; from += FD_FRESH) {
        uint32_t n = f->slots - from < FD_FRESH ? f->slots - from : FD_FRESH;
        multiply_nt(n, f->dim, inner, 1, fd_slot_at(f, from), f->ld, f->fold, f->ld, false,
                    f->fresh, f->dim); /* fresh = block fold': column b becomes W b */
        for (uint32_t i = 0; i < n; i++) {
            double *column = row + (size_t)f->feature[from + i] * row_stride + f->opt.offset;
            memcpy(column, f->fresh + (size_t)i * f->dim, f->dim * sizeof *column);
            column[f->dim] = version;
        }
    }
    f->slots = 0;
}

/* Sets the Gram matrix G to diag(lambda_i - delta), after a shrink. */
static void fd_reset_gram(struct fd *f)
{
    for (uint32_t i = 0; i < f->kept; i++) {
        memset(fd_gram_row(f, i), 0, i * sizeof *f->gram);
        fd_gram_row(f, i)[i] = f->lambda[i];
    }
}

double fd_shrink(struct fd *f, double *row, uint32_t row_stride, uint32_t known, const double *c)
{
    fd_complete_gram(f);               /* step 2: G = B B' */
    double delta = fd_make_fold(f, c); /* step 2: its eigenvectors; steps 3 and 4: W */
    fd_log_fold(f);                    /* steps 3 and 4: B <- W B, lazily */
    fd_fold_slots(f, row, row_stride);
    fd_reset_gram(f);
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
    const double *from = has_slot ? fd_slot_at(f, fd_slot_of(version)) : now;
    uint32_t have = f->rows;
    if (!has_slot) {
        fd_log_catch_up(&f->log, version, stored, now);
        if (have > f->kept) have = f->kept;
    }
    memcpy(column, from, have * sizeof *column);
    memset(column + have, 0, (f->rows - have) * sizeof *column);
    if (u && f->opt.weights) *u = from[has_slot ? fd_max_rows(&f->opt) : f->opt.m - 1];
}

/* ---- copies and merges ---- */

/* ---- load ---- */

static bool fd_state_in_range(const double *v, size_t n, double max)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(v[i]) <= max)) return false;
    return true;
}

static const char *fd_state_check_shape(const struct fd *f, const struct fd *p, uint32_t known)
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

static const char *fd_state_check_numbers(const struct fd *p)
{
    size_t rows = fd_max_rows(&p->opt), maps = p->log.n < p->log.ring ? p->log.n : p->log.ring;
    if (!fd_state_in_range(p->block, (size_t)p->slots * p->ld, FD_MAX_NUMBER))
        return "block has a value above 1e+150";
    for (size_t i = 0; i < p->rows; i++)
        if (!fd_state_in_range(p->gram + i * rows, i + 1, FD_MAX_SUM) || p->gram[i * rows + i] < 0)
            return "gram has a value that is out of range";
    if (!fd_state_in_range(p->log.map, maps * fd_map_size(&p->opt), FD_MAX_NUMBER))
        return "maps has a value above 1e+150";
    return NULL;
}

/* Checks that a column is 0, or is in the slot of its feature, or has a version for which the log
 * still has all maps. */
static const char *fd_state_check_column(const struct fd *f, const struct fd *p, uint32_t j,
                                         const double *column)
{
    double version = column[f->dim],
           back = p->log.ring < f->log.max_ring ? p->log.ring : f->log.max_ring;
    if (!fd_state_in_range(column, f->dim, FD_MAX_NUMBER)) return "rows has a value above 1e+150";
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
    const char *wrong = fd_state_check_shape(f, f, UINT32_MAX);
    return wrong ? wrong : fd_state_check_numbers(f);
}

/* Copies `from` to the arrays of f, which must have enough slots. */
static void fd_state_copy_sketch(struct fd *f, const struct fd *from)
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
    const char *wrong = fd_state_check_shape(f, from, known);
    if (!wrong) wrong = fd_state_check_numbers(from);
    for (uint32_t j = 0; j < known && !wrong; j++) {
        const double *column = row + (size_t)j * row_stride + f->opt.offset;
        in_slots += column[f->dim] < 0;
        wrong = fd_state_check_column(f, from, j, column);
    }
    if (!wrong && in_slots != from->slots) wrong = "slots has one without a feature";
    if (wrong) return wrong;
    fd_state_copy_sketch(f, from);
    return NULL;
}

/* ---- merge ---- */

enum { CHUNK = 64 };

/* Stack of the rows of sides a and b (struct fd_side), as needed for a merge. It is processed in
 * chunks of features. A feature's line holds its column in a, its column in b, and its weights u in
 * a and in b. */
struct fd_state_stack {
    struct fd *f;
    const struct fd_side *a, *b;
    const uint32_t *number; /* numbers of b's features in f and in a             */
    uint32_t na, nb, width; /* rows of a and of b; doubles per line: na + nb + 2 */
    double *line;           /* CHUNK x width                                     */
    double *gram;           /* (na + nb) squared                                 */
    double *lambda, *work;
    double *w;     /* dim x width: the map */
    double *fresh; /* CHUNK x dim          */
};

static size_t fd_state_lay_out(struct fd_state_stack *s, const struct fd_options *opt, void *block)
{
    struct layout c = {block, 0};
    size_t rows = 2 * (size_t)fd_max_rows(opt), width = rows + 2,
           dim = opt->m - 1 + (size_t)opt->weights;
    s->line = layout_take(&c, CHUNK * width, 8);
    s->gram = layout_take(&c, rows * rows, 8);
    s->lambda = layout_take(&c, rows, 8);
    s->work = layout_take(&c, eigen_work((uint32_t)rows), 8);
    s->w = layout_take(&c, dim * width, 8);
    s->fresh = layout_take(&c, CHUNK * dim, 8);
    return c.used;
}

size_t fd_merge_bytes(const struct fd_options *opt)
{
    struct fd_state_stack s;
    return fd_state_lay_out(&s, opt, NULL);
}

static void fd_state_read_column(const struct fd_side *side, uint32_t j, double *rows, double *u)
{
    *u = 0;
    fd_column(side->f, side->row, side->row_stride, j, rows, u);
}

/* Fills the lines of up to CHUNK features of side a or b, starting with feature `from`. A line of b
 * also gets the feature's column in a. Returns the number of lines. */
static uint32_t fd_state_fill_lines(struct fd_state_stack *s, bool of_b, uint32_t from)
{
    const struct fd_side *side = of_b ? s->b : s->a;
    uint32_t n = side->known - from < CHUNK ? side->known - from : CHUNK;
    memset(s->line, 0, (size_t)n * s->width * sizeof *s->line);
    for (uint32_t i = 0; i < n; i++) {
        double *line = s->line + (size_t)i * s->width, *u = line + s->na + s->nb;
        uint32_t in_a = of_b ? s->number[from + i] : from + i;
        if (in_a < s->a->known) fd_state_read_column(s->a, in_a, line, &u[0]);
        if (of_b) fd_state_read_column(s->b, from + i, line + s->na, &u[1]);
    }
    return n;
}

/* Computes the Gram matrix G of the stacked rows: first the products of a's rows with each other,
 * then those of b's rows with all rows. */
static void fd_state_stack_gram(struct fd_state_stack *s)
{
    uint32_t na = s->na, nb = s->nb, all = na + nb;
    for (uint32_t n, from = 0; from < s->a->known && na; from += n) {
        n = fd_state_fill_lines(s, false, from);
        multiply_square_tn(na, n, 1, s->line, s->width, true, s->gram, all);
    }
    for (uint32_t n, from = 0; from < s->b->known && nb; from += n) {
        n = fd_state_fill_lines(s, true, from);
        multiply_tn(nb, all, n, 1, s->line + na, s->width, s->line, s->width, true,
                    s->gram + (size_t)na * all, all);
    }
}

/* Returns the factor of a stacked row: sqrt(count * fade) of its side. In the formulas below, S is
 * the diagonal matrix of these factors. */
static double fd_state_scale_of(const struct fd_state_stack *s, uint32_t row)
{
    const struct fd_side *side = row < s->na ? s->a : s->b;
    return sqrt(side->count * side->f->fade);
}

static struct fd_fold fd_state_stack_fold(struct fd_state_stack *s)
{
    uint32_t n = s->na + s->nb, m = s->f->opt.m;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            s->gram[(size_t)i * n + j] *=
                fd_state_scale_of(s, i) * fd_state_scale_of(s, j); /* G <- S G S */
    struct fd_fold fold = fd_fold(n, m, s->gram, n, s->w, s->width, s->lambda, s->work);
    for (uint32_t i = 0; i < fold.kept; i++)
        for (uint32_t r = 0; r < n; r++)
            s->w[(size_t)i * s->width + r] *= fd_state_scale_of(s, r); /* W <- W S */
    if (s->f->opt.weights) {
        double *u = s->w + (size_t)(m - 1) * s->width; /* u <- sum of share (c'b + u) */
        for (uint32_t r = 0; r < n; r++)
            u[r] = r < s->na ? s->a->share * s->a->c[r] : s->b->share * s->b->c[r - s->na];
        u[n] = s->a->share;
        u[n + 1] = s->b->share;
    }
    return fold;
}

/* Writes the merged columns of the features of side a or b. Call it for side b after side a,
 * because the lines of b also include the columns in a. */
static void fd_state_stack_columns(struct fd_state_stack *s, bool of_b, double *row,
                                   uint32_t row_stride)
{
    const struct fd_side *side = of_b ? s->b : s->a;
    uint32_t dim = s->f->dim;
    for (uint32_t n, from = 0; from < side->known; from += n) {
        n = fd_state_fill_lines(s, of_b, from);
        multiply_nt(n, dim, s->width, 1, s->line, s->width, s->w, s->width, false, s->fresh, dim);
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
    struct fd_state_stack s = {
        .f = f, .a = a, .b = b, .number = number, .na = a->f->rows, .nb = b->f->rows};
    assert(a->f->opt.m == f->opt.m && a->f->opt.weights == f->opt.weights);
    assert(b->f->opt.m == f->opt.m && b->f->opt.weights == f->opt.weights);
    fd_state_lay_out(&s, &f->opt, work);
    s.width = s.na + s.nb + 2;
    fd_state_stack_gram(&s);
    struct fd_fold fold = fd_state_stack_fold(&s);
    f->log.n = count_add_up_to((uint64_t)FD_MAX_SHRINKS, a->f->log.n, b->f->log.n, 1);
    f->rows = f->kept = fold.kept;
    f->lost = a->count * fd_lost(a->f) + b->count * fd_lost(b->f) + fold.delta;
    for (uint32_t i = 0; i < f->kept; i++)
        f->gram[(size_t)i * fd_max_rows(&f->opt) + i] = s.lambda[i];
    fd_state_stack_columns(&s, false, row, row_stride);
    fd_state_stack_columns(&s, true, row, row_stride);
#ifdef LEAT_CHECKS
    assert(!fd_check(f));
#endif
    return fold.delta;
}
