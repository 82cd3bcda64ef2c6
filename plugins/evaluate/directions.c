/* directions.c -- eval.directions: how close sketches of the examples come to their covariance.
 *
 * Rows flow through; A'A is kept exactly and, for each m, sketched by frequent directions. At the
 * end each sketch is judged by the spectral norm of what it lacks, plain and robust:
 *
 *   error_fd = |A'A - B'B| / |A'A|
 *   error_rfd = |A'A - B'B - alpha I| / |A'A|,  alpha = lost / 2
 *
 * Figure 1 of L. Luo et al., Robust frequent directions with application in online learning, JMLR
 * 2019. All sketches share the numbers of the features, and each has its own part of a feature's
 * row. Memory and the sums of the end grow with the square and cube of the features: this is for
 * judging a size, not for running one.
 *
 * Not here: the sketch (kernels/fd.h), norms (kernels/covariance.h). */
#include <stdlib.h>

#include "support/out.h"
#include "kernels/base/layout.h"
#include "kernels/fd/covariance.h"
#include "kernels/fd/fd.h"
#include "kernels/base/feature_table.h"

enum { MOST_SKETCHES = 64 };

struct cfg {
    const char *path;
    int32_t append;
    struct leat_strings m;
    int64_t features, max_entries;
};

struct directions {
    struct out out;
    uint32_t d, capacity, row; /* features; of the table; longest example */
    uint32_t n;                /* sketches                                */
    struct fd *fd;
    struct feature_table table;
    double *s, *D, *work, *column, *x, *p;
    uint32_t *feature, *at;
    void *block, *table_block, *sketches;
    uint64_t rows;
};

static const struct leat_param params[] = {
    {.name = "m",
     .type = LEAT_STRINGS,
     .flags = LEAT_POSITIONAL | LEAT_REQUIRED,
     .offset = offsetof(struct cfg, m),
     .doc = "sizes of the sketches"},
    {.name = "features",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, features),
     .def = "1024",
     .min = 1,
     .max = 20000,
     .unit = "features",
     .doc = "how many distinct features there may be"},
    {.name = "max_entries",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, max_entries),
     .def = "65536",
     .min = 1,
     .max = 16777216,
     .unit = "entries",
     .doc = "longest example; longer ones are rejected"},
    OUT_PARAMS(struct cfg),
};

/* The size written as text, 0 when it is none. */
static uint32_t size_of(const char *text)
{
    char *end;
    unsigned long m = strtoul(text, &end, 10);
    return *end || *text < '0' || *text > '9' || m > FD_MAX_M ? 0 : (uint32_t)m;
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    out_validate(cfg->path, d);
    if (!cfg->m.n || cfg->m.n > MOST_SKETCHES)
        d->error(d, "m", "names %u sizes: 1 to %d are taken", cfg->m.n, MOST_SKETCHES);
    for (uint32_t i = 0; i < cfg->m.n; i++)
        if (!size_of(cfg->m.v[i]))
            d->error(d, "m", "'%s' is no size: 1 to %d", cfg->m.v[i], FD_MAX_M);
    return LEAT_OK;
}

static struct fd_options options(const struct cfg *cfg, uint32_t i, uint32_t offset)
{
    return (struct fd_options){.m = size_of(cfg->m.v[i]), .offset = offset};
}

/* Doubles of a feature's row; *most: rows of the largest sketch. */
static uint32_t stride(const struct cfg *cfg, uint32_t *most)
{
    uint32_t all = 0;
    *most = 0;
    for (uint32_t i = 0; i < cfg->m.n; i++) {
        struct fd_options o = options(cfg, i, all);
        all += fd_stride(&o);
        if (fd_max_rows(&o) > *most) *most = fd_max_rows(&o);
    }
    return all;
}

static uint32_t table_capacity(uint32_t d)
{
    uint32_t capacity = 1;
    while (capacity < d)
        capacity *= 2;
    return capacity;
}

/* All but the table and the sketches' own blocks. */
static size_t lay_out(struct directions *st, const struct cfg *cfg, void *base)
{
    struct layout c = {base, 0};
    size_t d = (size_t)cfg->features, row = (size_t)cfg->max_entries;
    uint32_t most;
    stride(cfg, &most);
    st->s = layout_take(&c, d * d, 8);
    st->D = layout_take(&c, d * d, 8);
    st->work = layout_take(&c, covariance_work((uint32_t)d), 8);
    st->column = layout_take(&c, d * most, 8);
    st->p = layout_take(&c, most, 8);
    st->x = layout_take(&c, row, 8);
    st->feature = layout_take(&c, row, 4);
    st->at = layout_take(&c, row, 4);
    st->fd = layout_take(&c, cfg->m.n, sizeof *st->fd);
    return c.used;
}

static size_t sketch_bytes(const struct cfg *cfg, uint32_t i)
{
    struct fd_options o = options(cfg, i, 0);
    return (fd_block_bytes(&o, (uint32_t)cfg->features, (uint32_t)cfg->features) + 63) &
           ~(size_t)63;
}

static size_t sketches_bytes(const struct cfg *cfg)
{
    size_t all = 0;
    for (uint32_t i = 0; i < cfg->m.n; i++)
        all += sketch_bytes(cfg, i);
    return all;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    struct directions st;
    uint32_t most;
    (void)in;
    (void)out;
    p->state_bytes =
        lay_out(&st, cfg, NULL) + sketches_bytes(cfg) +
        feature_table_bytes(table_capacity((uint32_t)cfg->features), stride(cfg, &most));
    p->work_bytes = OUT_BUFFER;
    return LEAT_OK;
}

static void close_directions(struct leat_ctx *ctx, void *self)
{
    struct directions *st = self;
    out_close(ctx, &st->out);
    ctx->host->free(ctx, st->block);
    ctx->host->free(ctx, st->table_block);
    ctx->host->free(ctx, st->sketches);
}

static int take_memory(struct leat_ctx *ctx, struct directions *st)
{
    const struct cfg *cfg = ctx->cfg;
    uint32_t most, all = stride(cfg, &most);
    st->block = ctx->host->alloc(ctx, lay_out(st, cfg, NULL));
    st->table_block = ctx->host->alloc(ctx, feature_table_bytes(st->capacity, all));
    st->sketches = ctx->host->alloc(ctx, sketches_bytes(cfg));
    if (!st->block || !st->table_block || !st->sketches)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for %u features", st->d);
    lay_out(st, cfg, st->block);
    feature_table_init(&st->table, st->capacity, all, st->table_block);
    char *at = st->sketches;
    for (uint32_t i = 0, offset = 0; i < st->n; i++) {
        struct fd_options o = options(cfg, i, offset);
        fd_init(&st->fd[i], &o, st->d, st->d, at);
        offset += fd_stride(&o);
        at += sketch_bytes(cfg, i);
    }
    return LEAT_OK;
}

static int open_directions(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct directions *st = self;
    int s = out_open(ctx, &st->out, cfg->path, cfg->append);
    if (s < 0) return s;
    st->d = (uint32_t)cfg->features;
    st->capacity = table_capacity(st->d);
    st->row = (uint32_t)cfg->max_entries;
    st->n = cfg->m.n;
    if ((s = take_memory(ctx, st)) < 0) close_directions(ctx, st);
    return s;
}

/* The entries of example e, their features numbered. 0: its record was rejected. */
static int take_row(struct leat_ctx *ctx, struct directions *st, struct leat_batch *b, uint32_t e)
{
    uint32_t from = b->ex_start[e], n = b->ex_start[e + 1] - from, r = b->ex_record[e];
    double xx = 0;
    if (n > st->row) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "%u entries, max_entries is %u", n, st->row);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        st->x[i] = (double)b->value[from + i];
        xx += fabs(st->x[i]);
    }
    if (!(xx * xx <= FD_MAX_SQUARE)) {
        ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE, "its values are too large, or not finite");
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = feature_table_find(&st->table, b->id[from + i]);
        if (f == FEATURE_TABLE_NONE && st->table.n < st->d)
            f = feature_table_enroll(&st->table, b->id[from + i]);
        if (f == FEATURE_TABLE_NONE) {
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "there are more than %u features: raise `features`", st->d);
            return 0;
        }
        st->feature[i] = f;
    }
    return 1;
}

static void sketch_row(struct directions *st, struct fd *f, uint32_t n)
{
    fd_touch(f, st->table.row, st->table.stride, st->table.n, n, st->feature, st->at);
    double xx = fd_square(f, n, st->at, st->x);
    fd_append(f, n, st->at, st->x, 1.0, NULL, xx);
    if (fd_full(f)) fd_shrink(f, st->table.row, st->table.stride, st->table.n, NULL);
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct directions *st = self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t n = b->ex_start[e + 1] - b->ex_start[e];
        if (!take_row(ctx, st, b, e)) continue;
        covariance_add(st->d, st->s, n, st->feature, st->x);
        for (uint32_t i = 0; i < st->n; i++)
            sketch_row(st, &st->fd[i], n);
        st->rows++;
    }
    return LEAT_OK;
}

/* The extremes of A'A - B'B for sketch f, of A'A when it is NULL. */
static int extremes(struct leat_ctx *ctx, struct directions *st, const struct fd *f, double *low,
                    double *high)
{
    uint32_t rows = f ? fd_rows(f) : 0;
    for (uint32_t j = 0; rows && j < st->table.n; j++)
        fd_column(f, st->table.row, st->table.stride, j, st->column + (size_t)j * rows, NULL);
    if (covariance_extremes(st->d, st->s, rows, st->column, rows ? rows : 1, st->D, st->work, low,
                            high))
        return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENONFINITE, "the eigenvalues were not found");
}

static int report(struct leat_ctx *ctx, struct directions *st)
{
    struct text_out *o = &st->out.text;
    double low, high, norm;
    int s = extremes(ctx, st, NULL, &low, &norm);
    if (st->out.fresh) text_str(o, "m,rows,features,error_fd,error_rfd,bound_fd\n");
    for (uint32_t i = 0; s == LEAT_OK && norm > 0 && i < st->n; i++) {
        double alpha = fd_lost(&st->fd[i]) / 2;
        s = extremes(ctx, st, &st->fd[i], &low, &high);
        text_uint(o, st->fd[i].opt.m);
        text_char(o, ',');
        text_uint(o, st->rows);
        text_char(o, ',');
        text_uint(o, st->table.n);
        text_char(o, ',');
        text_double(o, fmax(high, -low) / norm);
        text_char(o, ',');
        text_double(o, fmax(high - alpha, alpha - low) / norm);
        text_char(o, ',');
        text_double(o, 2 * alpha / norm);
        text_char(o, '\n');
    }
    return s;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    struct directions *st = self;
    int s = report(ctx, st), end = out_finish(ctx, &st->out);
    return s < 0 ? s : end;
}

const struct leat_stage eval_directions = {
    .name = "eval.directions",
    .summary = "judges sketches by frequent directions against the exact covariance",
    .doc =
        "Keeps A'A of the examples exactly and sketches them by frequent directions for each size "
        "m (the form that doubles its rows before it shrinks). At the end, as CSV, for each m: "
        "error_fd = |A'A - B'B| / |A'A| (spectral norms), error_rfd = |A'A - B'B - alpha I| / "
        "|A'A| with alpha half of all that shrinks subtracted (robust frequent directions), and "
        "bound_fd, which error_fd never exceeds; error_rfd never exceeds half of it. (L. Luo et "
        "al.: Robust Frequent Directions with Application in Online Learning, JMLR 2019, figure "
        "1.)\n\n"
        "Labels play no part. Memory: 16 bytes for each pair of `features`, and the sketches. "
        "Time: "
        "the square of the entries for each example, the cube of the features for each m at the "
        "end: this is for choosing a size.",
    .example = "leat.eval.directions { m = { 5, 10, 20 }, features = 123 }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct directions),
    .validate = validate,
    .plan = plan,
    .open = open_directions,
    .close = close_directions,
    .start = out_start_call,
    .process = process,
    .stop = stop,
};
