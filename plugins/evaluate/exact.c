/* exact.c -- implementation of exact.h: counts features, and finds them by name. */
#include "exact.h"

#include "kernels/base/feature_id.h"
#include "kernels/base/half_life.h"
#include "kernels/base/sort.h"
#include "common/learners/examples.h"

/* Further data of a feature. `faded` exists only with a half-life. */
struct exact_kept {
    uint64_t hash; /* hash of the feature's name */
    struct exact_counts faded;
};

static uint32_t exact_kept_bytes(const struct exact_cfg *c)
{
    return exact_fades(c) ? sizeof(struct exact_kept) : sizeof(uint64_t);
}

static struct exact_kept *exact_kept_of(const struct exact *e, uint32_t feature)
{
    return (struct exact_kept *)((char *)e->counted.extra +
                                 (size_t)feature * e->counted.extra_bytes);
}

static bool exact_has_faded(const struct exact *e)
{
    return e->counted.extra_bytes == sizeof(struct exact_kept);
}

int exact_negotiate(const void *config, struct leat_negotiation *n)
{
    examples_need_time(n, &((const struct exact_cfg *)config)->half_life);
    return LEAT_OK;
}

int exact_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
               struct leat_plan *p)
{
    const struct exact_cfg *cfg = config;
    int status = out_plan(config, in, out, p);
    counted_plan(p, cfg->max_features, false, exact_kept_bytes(cfg), sizeof(struct exact_name));
    return status;
}

int exact_open(struct leat_ctx *ctx, void *self)
{
    struct exact *e = self;
    const struct exact_cfg *cfg = ctx->cfg;
    int status = out_open(ctx, self);
    if (status != LEAT_OK) return status;
    e->grown = e->adds = 1;
    status = counted_open(ctx, &e->counted, cfg->max_features, false, exact_kept_bytes(cfg));
    if (status != LEAT_OK) out_close(ctx, self);
    return status;
}

void exact_close(struct leat_ctx *ctx, void *self)
{
    struct exact *e = self;
    exact_end(ctx, e);
    counted_close(ctx, &e->counted);
    out_close(ctx, self);
}

/* ---- decay ---- */

#define MOST_GROWN 0x1p512 /* limit on `grown`, so that sums of 2^63 records are finite */

/* Divides all counts by `grown`, so that a record adds 1 again. */
static void exact_renew(struct exact *e)
{
    uint32_t n = e->counted.counts.table.n;
    for (int y = 0; y < 2; y++) {
        e->records.n[y] /= e->grown;
        for (uint32_t f = 0; f < n; f++)
            exact_kept_of(e, f)->faded.n[y] /= e->grown;
    }
    e->grown = 1;
}

/* Raises `grown` to the time of record r, before the record is added. So all earlier records
 * decay. Sets e->adds to what the record adds. */
static void exact_fade(const struct exact_cfg *c, struct exact *e, const struct leat_batch *b,
                       uint32_t r)
{
    double half_life = examples_half_life(&c->half_life);
    double weight = 1;
    e->grown /= c->half_life.ns ? half_life_take(&e->at, half_life, b->timestamp[r], &weight)
                                : half_life_share(1, half_life);
    if (e->grown > MOST_GROWN) exact_renew(e);
    e->adds = e->grown * weight;
}

/* ---- counting ---- */

static uint64_t exact_hash_of_entry(const struct leat_batch *b, uint32_t i, uint32_t max_bytes)
{
    char text[EXACT_MAX_NAME + 1], cut[EXACT_MAX_NAME];
    size_t cap = max_bytes + 1u, len = leat_name_text(b, i, text, cap);
    return feature_id_name(cut, name_cut(text, len < cap ? len : cap, max_bytes, cut));
}

static void exact_count_entry(struct exact *e, const struct leat_batch *b, uint32_t i, int positive,
                              uint32_t name_bytes)
{
    struct feature_counts *c = &e->counted.counts;
    uint32_t known = c->table.n, f = feature_counts_add(c, b->id[i], positive);
    if (f == FEATURE_TABLE_NONE) return;
    if (f == known) exact_kept_of(e, f)->hash = exact_hash_of_entry(b, i, name_bytes);
    if (exact_has_faded(e)) exact_kept_of(e, f)->faded.n[positive] += e->adds;
}

int exact_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct exact_cfg *cfg = ctx->cfg;
    struct exact *e = self;
    uint32_t record = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, x)) {
        uint32_t start = b->ex_start[x], end = b->ex_start[x + 1];
        int positive = b->ex_label[x] > 0;
        if (b->ex_record[x] != record) {
            record = b->ex_record[x];
            if (exact_fades(cfg)) exact_fade(cfg, e, b, record);
            e->records.n[positive] += e->adds;
        }
        counted_reserve(ctx, &e->counted, end - start);
        for (uint32_t i = start; i < end; i++)
            exact_count_entry(e, b, i, positive, (uint32_t)cfg->name_bytes);
    }
    return LEAT_OK;
}

struct exact_counts exact_records(const struct exact *e)
{
    const double *n = e->records.n;
    return (struct exact_counts){{n[0] / e->grown, n[1] / e->grown}};
}

struct exact_counts exact_counts(const struct exact *e, uint32_t feature)
{
    const uint32_t *whole = e->counted.counts.count + 2 * (size_t)feature;
    if (!exact_has_faded(e)) return (struct exact_counts){{whole[0], whole[1]}};
    const double *n = exact_kept_of(e, feature)->faded.n;
    return (struct exact_counts){{n[0] / e->grown, n[1] / e->grown}};
}

/* ---- finding features by name ---- */

#define COMES_BEFORE(a, b)                                                                         \
    ((a).hash < (b).hash || ((a).hash == (b).hash && (a).feature < (b).feature))
SORT(by_hash, struct exact_name, COMES_BEFORE)

int exact_begin(struct leat_ctx *ctx, struct exact *e)
{
    uint32_t n = e->counted.counts.table.n;
    counted_tell(ctx, &e->counted);
    e->by_name = ctx->host->alloc(ctx, (n + 1u) * sizeof *e->by_name);
    if (!e->by_name)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u names", n);
    for (uint32_t f = 0; f < n; f++)
        e->by_name[f] = (struct exact_name){.hash = exact_kept_of(e, f)->hash, .feature = f};
    by_hash_sort(e->by_name, n);
    return LEAT_OK;
}

void exact_end(struct leat_ctx *ctx, struct exact *e)
{
    ctx->host->free(ctx, e->by_name);
    e->by_name = NULL;
}

struct exact_name *exact_find(const struct exact *e, const struct leat_table *t, uint32_t row,
                              uint32_t *n)
{
    uint64_t hash = feature_id_name(t->names[row], t->name_len[row]);
    uint32_t low = 0, high = e->counted.counts.table.n, end = high;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (e->by_name[mid].hash < hash)
            low = mid + 1;
        else
            high = mid;
    }
    for (*n = 0; low + *n < end && e->by_name[low + *n].hash == hash;)
        ++*n;
    return e->by_name + low;
}
