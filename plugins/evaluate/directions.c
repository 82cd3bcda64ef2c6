/* directions.c -- eval.directions: error of sketches of the examples against the exact covariance.
 *
 * The rows of A are the examples. A'A is stored exactly. For each m, frequent directions make a
 * sketch B'B of it. At the end, the spectral norm of each sketch's error, plain and robust, is
 * divided by the norm of A'A:
 *
 *   error_fd  = |A'A - B'B| / |A'A|
 *   error_rfd = |A'A - B'B - alpha I| / |A'A|,  alpha = lost / 2
 *
 * This is figure 1 of L. Luo et al., Robust frequent directions with application in online
 * learning, JMLR 2019. All sketches use the same feature numbers. Each has its part of a feature's
 * row.
 *
 * See kernels/fd/fd.h for the sketch, and kernels/dense/spectral.h for norms. */
#include "evaluate/docs.h"
#include "kernels/base/feature_table.h"
#include "kernels/base/layout.h"
#include "kernels/dense/eigen.h"
#include "kernels/dense/spectral.h"
#include "kernels/fd/fd.h"
#include "sizes.h"
#include "common/learners/growing.h"
#include "common/learners/products.h"
#include "common/output/reports.h"

enum { MAX_SKETCHES = 64 };

struct directions_cfg {
    struct out_cfg out;
    struct leat_strings m;
    int64_t features, max_entries;
};

struct directions {
    struct out out;
    uint32_t d, capacity, row; /* most features; table entries; most entries of an example */
    uint32_t n;                /* number of sketches */
    struct fd *fd;
    struct feature_table table;
    double *s, *D, *work, *column, *x, *p;
    uint32_t *feature, *at;
    void *block, *table_block, *sketches;
    uint64_t rows;
};

static const struct leat_param directions_params[] = {
    LEAT_PARAM(struct directions_cfg, m, LEAT_STRINGS, .flags = LEAT_POSITIONAL | LEAT_REQUIRED,
               .doc = "sizes of the sketches"),
    LEAT_PARAM(struct directions_cfg, features, LEAT_INT, .def = "1024", .min = 1, .max = 20000,
               .unit = "features", .doc = "most distinct features"),
    LEAT_PARAM(struct directions_cfg, max_entries, LEAT_INT, .flags = LEAT_ADVANCED, .def = "65536",
               .min = 1, .max = 16777216, .unit = "entries",
               .doc = "longest example; longer ones are rejected"),
    REPORT_PARAM("csv", "table: for people; jsonl: one object a size; csv: one line a size"),
    OUT_PARAMS,
};

static int directions_validate(const void *config, struct leat_diag *d)
{
    const struct directions_cfg *cfg = config;
    if (!cfg->m.n || cfg->m.n > MAX_SKETCHES)
        d->error(d, "m", "has %u sizes: give 1 to %d", cfg->m.n, MAX_SKETCHES);
    sizes_validate(&cfg->m, "m", FD_MAX_M, d);
    return out_validate(config, d);
}

static struct fd_options directions_options(const struct directions_cfg *cfg, uint32_t i,
                                            uint32_t offset)
{
    return (struct fd_options){.m = sizes_one(cfg->m.v[i], FD_MAX_M), .offset = offset};
}

/* Returns the number of doubles in a feature's row, which has a part for each sketch. Sets
 * *max_rows to the number of rows of the largest sketch. */
static uint32_t directions_stride(const struct directions_cfg *cfg, uint32_t *max_rows)
{
    uint32_t all = 0;
    *max_rows = 0;
    for (uint32_t i = 0; i < cfg->m.n; i++) {
        struct fd_options o = directions_options(cfg, i, all);
        all += fd_stride(&o);
        if (fd_max_rows(&o) > *max_rows) *max_rows = fd_max_rows(&o);
    }
    return all;
}

/* Divides the memory at `base` into arrays, except the feature table and the memory of the
 * sketches. Returns the bytes of these arrays. */
static size_t directions_lay_out(struct directions *st, const struct directions_cfg *cfg,
                                 void *base)
{
    struct layout c = {base, 0};
    size_t d = (size_t)cfg->features, row = (size_t)cfg->max_entries;
    uint32_t max_rows;
    directions_stride(cfg, &max_rows);
    st->s = layout_take(&c, d * d, 8);
    st->D = layout_take(&c, d * eigen_ld((uint32_t)d), 8);
    st->work = layout_take(&c, covariance_work((uint32_t)d), 8);
    st->column = layout_take(&c, d * max_rows, 8);
    st->p = layout_take(&c, max_rows, 8);
    st->x = layout_take(&c, row, 8);
    st->feature = layout_take(&c, row, 4);
    st->at = layout_take(&c, row, 4);
    st->fd = layout_take(&c, cfg->m.n, sizeof *st->fd);
    return c.used;
}

static size_t directions_sketch_bytes(const struct directions_cfg *cfg, uint32_t i)
{
    struct fd_options o = directions_options(cfg, i, 0);
    return (fd_block_bytes(&o, (uint32_t)cfg->features, (uint32_t)cfg->features) + 63) &
           ~(size_t)63;
}

static size_t directions_sketches_bytes(const struct directions_cfg *cfg)
{
    size_t all = 0;
    for (uint32_t i = 0; i < cfg->m.n; i++)
        all += directions_sketch_bytes(cfg, i);
    return all;
}

static int directions_plan(const void *config, const struct leat_schema *in,
                           const struct leat_schema *out, struct leat_plan *p)
{
    const struct directions_cfg *cfg = config;
    struct directions st;
    uint32_t max_rows;
    p->state_bytes =
        directions_lay_out(&st, cfg, NULL) + directions_sketches_bytes(cfg) +
        feature_table_bytes(growing_max_capacity(cfg->features), directions_stride(cfg, &max_rows));
    p->work_bytes = OUT_BUFFER;
    return LEAT_OK;
}

static void close_directions(struct leat_ctx *ctx, void *self)
{
    struct directions *st = self;
    out_close(ctx, st);
    ctx->host->free(ctx, st->block);
    ctx->host->free(ctx, st->table_block);
    ctx->host->free(ctx, st->sketches);
}

static int directions_take_memory(struct leat_ctx *ctx, struct directions *st)
{
    const struct directions_cfg *cfg = ctx->cfg;
    uint32_t max_rows, all = directions_stride(cfg, &max_rows);
    st->block = ctx->host->alloc(ctx, directions_lay_out(st, cfg, NULL));
    st->table_block = ctx->host->alloc(ctx, feature_table_bytes(st->capacity, all));
    st->sketches = ctx->host->alloc(ctx, directions_sketches_bytes(cfg));
    if (!st->block || !st->table_block || !st->sketches)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u features",
                               st->d);
    directions_lay_out(st, cfg, st->block);
    feature_table_init(&st->table, st->capacity, st->capacity, all, st->table_block);
    char *at = st->sketches;
    for (uint32_t i = 0, offset = 0; i < st->n; i++) {
        struct fd_options o = directions_options(cfg, i, offset);
        fd_init(&st->fd[i], &o, st->d, st->d, at);
        offset += fd_stride(&o);
        at += directions_sketch_bytes(cfg, i);
    }
    return LEAT_OK;
}

static int open_directions(struct leat_ctx *ctx, void *self)
{
    const struct directions_cfg *cfg = ctx->cfg;
    struct directions *st = self;
    int status = out_open(ctx, self);
    if (status < 0) return status;
    products_open(ctx);
    st->d = (uint32_t)cfg->features;
    st->capacity = growing_max_capacity(st->d);
    st->row = (uint32_t)cfg->max_entries;
    st->n = cfg->m.n;
    if ((status = directions_take_memory(ctx, st)) < 0) close_directions(ctx, st);
    return status;
}

/* Copies the values of example e, and the numbers of its features, to st. Returns 0 if its record
 * was rejected. */
static int directions_take_row(struct leat_ctx *ctx, struct directions *st, struct leat_batch *b,
                               uint32_t e)
{
    uint32_t from = b->ex_start[e], n = b->ex_start[e + 1] - from, r = b->ex_record[e];
    double xx = 0;
    if (n > st->row) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the example has %u entries, more than max_entries = %u", n, st->row);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        st->x[i] = (double)b->value[from + i];
        xx += fabs(st->x[i]);
    }
    if (!(xx * xx <= FD_MAX_SQUARE)) {
        ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE,
                          "the values of the example are too large or not finite");
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = feature_table_find(&st->table, b->id[from + i]);
        if (f == FEATURE_TABLE_NONE && st->table.n < st->d)
            f = feature_table_enroll(&st->table, b->id[from + i]);
        if (f == FEATURE_TABLE_NONE) {
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "with this example there are more than %u features: raise `features`",
                              st->d);
            return 0;
        }
        st->feature[i] = f;
    }
    return 1;
}

static void directions_sketch_row(struct directions *st, struct fd *f, uint32_t n)
{
    fd_touch(f, st->table.row, st->table.stride, st->table.n, n, st->feature, st->at);
    double xx = fd_square(f, n, st->at, st->x);
    fd_append(f, n, st->at, st->x, 1.0, NULL, xx);
    if (fd_full(f)) fd_shrink(f, st->table.row, st->table.stride, st->table.n, NULL);
}

static int directions_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct directions *st = self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t n = b->ex_start[e + 1] - b->ex_start[e];
        if (!directions_take_row(ctx, st, b, e)) continue;
        covariance_add(st->d, st->s, n, st->feature, st->x);
        for (uint32_t i = 0; i < st->n; i++)
            directions_sketch_row(st, &st->fd[i], n);
        st->rows++;
    }
    return LEAT_OK;
}

/* Computes the largest and the smallest eigenvalue of A'A - B'B, where B is the sketch f. If f is
 * NULL, computes those of A'A. */
static int directions_extremes(struct leat_ctx *ctx, struct directions *st, const struct fd *f,
                               double *low, double *high)
{
    uint32_t rows = f ? f->rows : 0;
    for (uint32_t j = 0; rows && j < st->table.n; j++)
        fd_column(f, st->table.row, st->table.stride, j, st->column + (size_t)j * rows, NULL);
    if (covariance_extremes(st->d, st->s, rows, st->column, rows ? rows : 1, st->D, st->work, low,
                            high))
        return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENONFINITE, "no eigenvalues were found");
}

/* ---- the report ---- */

enum { M, ROWS, FEATURES, ERROR_FD, ERROR_RFD, BOUND_FD, COLUMNS };

static const struct report_column directions_columns[COLUMNS] = {
    [M] = {.name = "m", .type = REPORT_COUNT},
    [ROWS] = {.name = "rows", .type = REPORT_COUNT},
    [FEATURES] = {.name = "features", .type = REPORT_COUNT},
    [ERROR_FD] = {.name = "error_fd"},
    [ERROR_RFD] = {.name = "error_rfd"},
    [BOUND_FD] = {.name = "bound_fd"}};

static struct report_value directions_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct report_value(*rows)[COLUMNS] = of;
    return rows[row][column];
}

static int directions_compare(struct leat_ctx *ctx, struct directions *st, const struct fd *f,
                              double norm, struct report_value row[COLUMNS])
{
    double low, high, alpha = f->lost / 2;
    int status = directions_extremes(ctx, st, f, &low, &high);
    row[M] = report_count(f->opt.m);
    row[ROWS] = report_count(st->rows);
    row[FEATURES] = report_count(st->table.n);
    row[ERROR_FD] = report_number(fmax(high, -low) / norm);
    row[ERROR_RFD] = report_number(fmax(high - alpha, alpha - low) / norm);
    row[BOUND_FD] = report_number(2 * alpha / norm);
    return status;
}

static int directions_report(struct leat_ctx *ctx, struct directions *st)
{
    const struct directions_cfg *cfg = ctx->cfg;
    struct report_value row[MAX_SKETCHES][COLUMNS];
    double low, norm;
    uint32_t n = 0;
    int status = directions_extremes(ctx, st, NULL, &low, &norm);
    while (status == LEAT_OK && norm > 0 && n < st->n) {
        status = directions_compare(ctx, st, &st->fd[n], norm, row[n]);
        n += status == LEAT_OK;
    }
    reports_list(&st->out, cfg->out.format,
                 &(struct report_list){.column = directions_columns,
                                       .n_columns = COLUMNS,
                                       .n_rows = n,
                                       .cell = directions_cell,
                                       .of = row});
    return status;
}

static int directions_stop(struct leat_ctx *ctx, void *self)
{
    struct directions *st = self;
    int status = directions_report(ctx, st), finished = out_stop(ctx, self);
    return status < 0 ? status : finished;
}

const struct leat_stage eval_directions = {
    .name = "eval.directions",
    .summary = "compares sketches by frequent directions with the exact covariance",
    .doc = directions_doc,
    .example = "leat.eval.directions { m = { \"5\", \"10\", \"20\" }, features = 123 }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(directions_params, struct directions_cfg),
    LEAT_INSTANCE(struct directions, open_directions, close_directions),
    .validate = directions_validate,
    .plan = directions_plan,
    .start = out_start,
    .process = directions_process,
    .stop = directions_stop,
};
