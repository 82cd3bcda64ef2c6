/* factored.c -- implementation of factored.h: opens, learns, answers queries.
 *
 * The rows of an answer are features and pairs, heaviest first. The column `order` is 1 for a
 * feature, and 2 for a pair, which is named "a × b". A model that consists of factors pairs only
 * the FACTORED_CANDIDATES features with the longest columns. Other models compare all pairs. */
#include "factored.h"

#include <math.h>
#include <string.h>

#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/products.h"

const char *const factored_losses[] = {"squared", "logistic", "hinge", NULL};
const char *const factored_tops[] = {"both", "linear", "pairs", NULL};
enum factored_top { BOTH, LINEAR, PAIRS };

static const char *const factored_answer_columns[] = {"weight", "order"};
static const char *const factored_averaged_columns[] = {"weight", "spread", "order"};

const char *const *factored_columns(const void *cfg, uint32_t *n)
{
    bool averaged = ((const struct factored_cfg *)cfg)->averaged;
    *n = averaged ? 3 : 2;
    return averaged ? factored_averaged_columns : factored_answer_columns;
}

static const char TIMES[] = " \xc3\x97 ";

/* ---- validate and negotiate ---- */

int factored_validate(const void *cfg, struct leat_diag *d)
{
    const struct factored_cfg *c = cfg;
    if (averaged_validate(c->averaged, &c->half_life, d) != LEAT_OK) return LEAT_EARG;
    if (c->min < c->max) return LEAT_OK;
    d->error(d, "min", "min = %g is not below max = %g: set min below max", c->min, c->max);
    return LEAT_EARG;
}

int factored_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct factored_cfg *c = cfg;
    examples_need_time(n, &c->half_life);
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = c->loss == FM_SQUARED ? LEAT_SCORE_VALUE : LEAT_SCORE_MARGIN;
    return LEAT_OK;
}

/* ---- sizes ---- */

static size_t factored_name_bytes(const struct growing_cfg *g)
{
    return 2 * (size_t)g->name_bytes + 64;
}

/* Returns the number of rows of the longest answer: all features, and all pairs if the model has
 * pairs. */
static uint64_t factored_rows(const struct factored_method *m, uint64_t features)
{
    return m->pairs ? features * (features + 1) / 2 : features;
}

static uint32_t factored_candidates(uint32_t features)
{
    return features < FACTORED_CANDIDATES ? features : FACTORED_CANDIDATES;
}

/* Returns the bytes needed to find pairs among `features` features that have `rows` factors
 * each. */
static uint64_t factored_pairs_bytes(uint32_t features, uint32_t rows)
{
    uint64_t n = factored_candidates(features);
    return n * sizeof(struct pair) + ((n + 1) * rows + PAIRS_BLOCK * n) * sizeof(double);
}

static bool factored_has_one(const struct factored_method *m, const void *cfg)
{
    return m->one && m->one(cfg);
}

int factored_plan(const struct factored_method *m, const void *cfg, const struct leat_schema *in,
                  struct leat_plan *p)
{
    const struct growing_cfg *g = &((const struct factored_cfg *)cfg)->growing;
    uint32_t row = examples_max_entries(g->max_entries, in) + factored_has_one(m, cfg),
             max = growing_max_capacity(g->max_features);
    p->names_bytes = growing_names_bytes(g, in);
    p->work_bytes = 12ull * (row + 1) + (uint64_t)g->name_bytes + 1 +
                    factored_name_bytes(g); /* a name to store, and the names in an answer's row */
    p->work_bytes += answer_rows_bytes(factored_rows(m, max), sizeof(struct pair)) +
                     averaged_bytes(((const struct factored_cfg *)cfg)->averaged, max) +
                     units_bytes(in, row);
    if (m->scratch) p->work_bytes += m->scratch(cfg, row);
    if (m->rows) p->work_bytes += factored_pairs_bytes(max, m->rows(cfg));
    p->state_bytes = feature_table_bytes(max, m->stride(cfg));
    if (m->block) p->state_bytes += m->block(cfg, max, row);
    growing_note(p, max);
    return LEAT_OK;
}

/* ---- open, close ---- */

static void factored_close(struct leat_ctx *ctx, void *self)
{
    struct factored *f = self;
    if (f->method->close) f->method->close(ctx, self);
    averaged_close(ctx, &f->averages);
    ctx->host->free(ctx, f->x);
    ctx->host->free(ctx, f->feature);
    growing_close(ctx, &f->g);
    f->x = NULL;
    f->feature = NULL;
}

static int factored_take_memory(struct leat_ctx *ctx, void *self)
{
    struct factored *f = self;
    const struct factored_cfg *c = f->cfg;
    const struct factored_method *m = f->method;
    const struct leat_host *h = ctx->host;
    int status = growing_open(ctx, &c->growing, m->stride(c), &f->g);
    if (status != LEAT_OK) return status;
    f->max_row = examples_max_entries(c->growing.max_entries, ctx->in) + factored_has_one(m, c);
    f->feature = h->alloc(ctx, ((size_t)f->max_row + 1) * sizeof *f->feature);
    f->x = h->alloc(ctx, ((size_t)f->max_row + 1) * sizeof *f->x);
    bool averages = averaged_open(ctx, c->averaged, f->g.table.max_capacity, &f->averages);
    if (f->feature && f->x && averages &&
        units_reserve(ctx, f->learner.units, f->max_row) == LEAT_OK)
        return m->open(ctx, self);
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for examples of %u entries",
                   f->max_row);
}

int factored_prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    const struct factored_method *m = ((struct factored *)self)->method;
    return m->prepare ? m->prepare(ctx, self, n) : LEAT_OK;
}

/* ---- rejected examples ---- */

static bool factored_refuse_label(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    const struct factored_cfg *c = ctx->cfg;
    double y = (double)b->ex_label[e];
    uint32_t r = b->ex_record[e];
    if (c->loss != FM_SQUARED && y != 1 && y != -1 && y != 0) {
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "label %g is not -1, 0 or 1", y);
        return true;
    }
    if (fabs(y) <= FM_MAX_INPUT) return false;
    ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "label %g is outside +-1e10", y);
    return true;
}

static bool factored_refuse_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    uint32_t r = b->ex_record[e];
    double sum = 0;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        double x = (double)b->value[i];
        if (!isfinite(x)) {
            ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE, "feature %llu has the value %g",
                              (unsigned long long)b->id[i], x);
            return true;
        }
        sum += fabs(x);
    }
    if (sum <= FM_MAX_INPUT) return false;
    ctx->host->reject(ctx, b, r, LEAT_R_NUMBER, "|values| add up to %g, more than 1e10", sum);
    return true;
}

/* If the example cannot be learned, rejects its record and returns true. */
static bool factored_refuse_example(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    const struct factored_cfg *c = ctx->cfg;
    uint32_t r = b->ex_record[e], n = b->ex_start[e + 1] - b->ex_start[e];
    double weight = (double)b->ex_weight[e];
    if (n > c->growing.max_entries) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the example has %u entries, more than max_entries = %lld", n,
                          (long long)c->growing.max_entries);
        return true;
    }
    if (!(weight >= 0 && isfinite(weight))) {
        ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE,
                          "importance weight %g is not a finite number of at least 0", weight);
        return true;
    }
    return factored_refuse_label(ctx, b, e) || factored_refuse_values(ctx, b, e);
}

/* ---- learning ---- */

/* Returns example e as a struct fm_example. Omits features that the model does not know if the
 * example is held out. */
static struct fm_example factored_gather_example(struct factored *f, const struct leat_batch *b,
                                                 uint32_t e, const float *x, bool one,
                                                 bool held_out)
{
    struct feature_table *t = &f->g.table;
    uint32_t n = 0;
    if (one) {
        f->feature[n] = held_out ? feature_table_find(t, FM_ONE) : feature_table_enroll(t, FM_ONE);
        f->x[n++] = 1;
    }
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++, n++) {
        f->feature[n] = held_out ? feature_table_find(t, b->id[i]) : growing_enroll(&f->g, b, i);
        f->x[n] = (double)x[i - b->ex_start[e]];
    }
    n = fm_gather(t, n, f->feature, f->x);
    return (struct fm_example){.feature = f->feature,
                               .x = f->x,
                               .n = n,
                               .xx = fm_square(n, f->x),
                               .y = (double)b->ex_label[e],
                               .weight = (double)b->ex_weight[e]};
}

static float factored_score_of(const struct factored_cfg *c, double z)
{
    if (c->loss != FM_SQUARED) return (float)fm_clamp(z, 3e38);
    return (float)(z > c->max ? c->max : z < c->min ? c->min : z);
}

/* Returns the weight of a feature in an answer. */
static double factored_weight(struct factored *f, uint32_t feature)
{
    double last = f->method->weight(f, feature);
    return f->averages.of ? averages_mean(&f->averages, feature, last) : last;
}

/* Adds the weights of all features to their averages. */
static __attribute__((noinline)) void factored_sample(struct factored *f)
{
    double records = (double)(f->examples - f->averages.taken);
    double weight[AVERAGES_TOGETHER];
    float stored[AVERAGES_TOGETHER];
    for (uint32_t from = 0, n; from < f->g.table.n; from += n) {
        n = f->g.table.n - from < AVERAGES_TOGETHER ? f->g.table.n - from : AVERAGES_TOGETHER;
        for (uint32_t i = 0; i < n; i++)
            stored[i] = (float)(weight[i] = f->method->weight(f, from + i));
        averages_add(&f->averages, from, n, weight, stored, records);
    }
    averages_taken(&f->averages, f->examples);
}

/* Predicts an example, and learns it unless it is held out (importance weight 0). A negative status
 * ends the run. */
static int factored_process_example(struct leat_ctx *ctx, void *self, struct leat_batch *b,
                                    uint32_t e)
{
    struct factored *f = self;
    const struct factored_method *m = f->method;
    const struct factored_cfg *c = ctx->cfg;
    const float *x = units_values(f->learner.units, b, e, b->ex_weight[e] > 0);
    bool one = factored_has_one(m, c),
         held_out = b->ex_weight[e] == 0 || units_hold_out(f->learner.units);
    uint32_t n = b->ex_start[e + 1] - b->ex_start[e] + one;
    if (!held_out && feature_table_free_slots(&f->g.table) < n) growing_reserve(ctx, &f->g, n);
    struct fm_example ex = factored_gather_example(f, b, e, x, one, held_out);
    if (c->loss != FM_SQUARED && ex.y == 0) ex.y = -1;
    int status = held_out ? LEAT_OK : factored_prepare(ctx, self, ex.n);
    if (status != LEAT_OK) return status;
    if (!held_out && c->half_life.ns) ex.weight *= m->at(self, b->timestamp[b->ex_record[e]]);
    b->score[e] = factored_score_of(c, held_out ? m->predict(self, &ex) : m->learn(self, &ex));
    if (held_out) return LEAT_OK;
    f->examples++;
    if (averages_due(&f->averages, ex.n, f->g.table.n, f->examples)) factored_sample(f);
    return LEAT_OK;
}

int factored_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    uint32_t refused = UINT32_MAX;
    int status = LEAT_OK;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (b->ex_record[e] == refused) continue; /* a refused record loses all its examples */
        if (factored_refuse_example(ctx, b, e))
            refused = b->ex_record[e];
        else if ((status = factored_process_example(ctx, self, b, e)) != LEAT_OK)
            return status;
    }
    return LEAT_OK;
}

/* ---- pairs of a model that consists of factors ---- */

/* Finds the features with the longest columns, as a heap of pairs (feature, feature). */
static void factored_find_longest(void *self, const struct factored_view *v, double *column,
                                  struct pairs *longest)
{
    struct factored *f = self;
    for (uint32_t i = 0; i < f->g.table.n; i++) {
        if (factored_is_one(f, i)) continue;
        v->column(self, i, column);
        pairs_offer(longest, i, i, fm_square(v->rows, column));
    }
    pairs_sort(longest);
}

int factored_offer_pairs(struct leat_ctx *ctx, void *self, const struct factored_view *v,
                         struct pairs *out)
{
    const struct leat_host *h = ctx->host;
    struct factored *f = self;
    uint32_t n = factored_candidates(f->g.table.n);
    struct pairs longest = {.k = n};
    if (!n || !v->rows) return LEAT_OK;
    longest.heap = h->alloc(ctx, n * sizeof *longest.heap);
    double *columns = h->alloc(ctx, (size_t)(n + 1) * v->rows * sizeof *columns);
    double *product = h->alloc(ctx, (size_t)PAIRS_BLOCK * n * sizeof *product);
    bool enough = longest.heap && columns && product;
    if (enough) {
        factored_find_longest(self, v, columns + (size_t)n * v->rows, &longest);
        for (uint32_t i = 0; i < longest.n; i++)
            v->column(self, longest.heap[i].a, columns + (size_t)i * v->rows);
        pairs_scan(out, longest.n, v->plus, v->rows - v->plus, columns, v->scale, product);
        for (uint32_t i = 0; i < out->n; i++) { /* replaces candidates by features */
            uint32_t a = longest.heap[out->heap[i].a].a, b = longest.heap[out->heap[i].b].a;
            out->heap[i].a = a < b ? a : b;
            out->heap[i].b = a < b ? b : a;
        }
    }
    h->free(ctx, product);
    h->free(ctx, columns);
    h->free(ctx, longest.heap);
    return enough
               ? LEAT_OK
               : h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to compare %u features", n);
}

/* ---- the answer ---- */

/* Returns the spread of a feature's values; 1 if it is no number. */
static double factored_unit(const struct factored *f, uint32_t feature)
{
    return units_spread(f->learner.units, f->g.table.id[feature], false);
}

/* Returns the weight of a feature by its id; 0 if there is none. */
static double factored_weight_of(const void *of, uint64_t id)
{
    struct factored *f = (struct factored *)(uintptr_t)of;
    uint32_t feature = feature_table_find(&f->g.table, id);
    return feature == FEATURE_TABLE_NONE ? 0 : factored_weight(f, feature);
}

/* Returns a weight in the unit of its column; of the constant feature, where all numbers are 0. */
static double factored_own_weight(const struct factored *f, uint32_t feature, double weight)
{
    const struct units *u = f->learner.units;
    if (u && f->g.table.id[feature] == u->constant)
        return weight + units_constant(u, factored_weight_of, f);
    return weight / factored_unit(f, feature);
}

static int factored_answer_row(const struct factored *f, const struct pair *p, char *text,
                               struct leat_result *out)
{
    char digits[24];
    size_t len, more;
    bool alone = p->b == FEATURE_TABLE_NONE;
    const double unit = factored_unit(f, p->a) * (alone ? 1 : factored_unit(f, p->b));
    double values[3] = {alone ? factored_own_weight(f, p->a, p->weight) : p->weight / unit,
                        (double)NAN},
           *order = values + (f->averages.of ? 2 : 1);
    if (f->averages.of && alone) values[1] = averages_spread(&f->averages, p->a) / unit;
    *order = alone ? 1 : 2;
    const char *name = growing_name(&f->g, p->a, digits, &len);
    if (alone) return out->row(out, name, len, values);
    memcpy(text, name, len);
    memcpy(text + len, TIMES, sizeof TIMES - 1);
    len += sizeof TIMES - 1;
    name = growing_name(&f->g, p->b, digits, &more);
    memcpy(text + len, name, more);
    return out->row(out, text, len + more, values);
}

/* Writes the k heaviest rows to `heap`: pairs and features, sorted together. */
static int factored_rank_all(struct leat_ctx *ctx, void *self, struct pair *heap, uint32_t k,
                             struct pairs *all)
{
    struct factored *f = self;
    int32_t top = f->method->pairs ? ((const struct factored_cfg *)ctx->cfg)->top : LINEAR;
    uint32_t k_pairs = top == LINEAR ? 0 : top == PAIRS ? k : k / 2;
    struct pairs pairs = {heap, 0, k_pairs};
    int status = k_pairs ? f->method->pairs(ctx, self, &pairs) : LEAT_OK;
    struct pairs features = {heap + pairs.n, 0, top == PAIRS ? 0 : k - pairs.n};
    for (uint32_t i = 0; i < f->g.table.n; i++)
        if (!factored_is_one(f, i))
            pairs_offer(&features, i, FEATURE_TABLE_NONE, factored_weight(f, i));
    *all = (struct pairs){heap, pairs.n + features.n, k};
    pairs_sort(all);
    return status;
}

static void factored_report(struct leat_ctx *ctx, void *self)
{
    struct factored *f = self;
    growing_report(ctx, &f->g);
    f->method->report(ctx, self);
}

void factored_report_bytes(struct leat_ctx *ctx, const struct factored *f, size_t others)
{
    const struct feature_table *t = &f->g.table;
    ctx->host->metric(ctx, "model_bytes",
                      (double)(feature_table_bytes(t->capacity, t->stride) + others));
}

static int factored_answer(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                           struct leat_result *out)
{
    const struct leat_host *h = ctx->host;
    struct factored *f = self;
    const struct factored_cfg *c = ctx->cfg;
    uint32_t n;
    const char *const *columns = factored_columns(c, &n);
    int status = out->columns(out, columns, n);
    if (!q->k || !f->g.table.n || status != LEAT_OK) return status;
    struct pairs all = {0};
    uint64_t all_rows = factored_rows(f->method, f->g.table.n);
    uint32_t k = q->k < all_rows ? q->k : (uint32_t)all_rows;
    struct pair *heap = h->alloc(ctx, k * sizeof *heap);
    char *text = h->alloc(ctx, factored_name_bytes(&c->growing));
    if (heap && text)
        status = factored_rank_all(ctx, self, heap, k, &all);
    else
        status = h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features", k);
    for (uint32_t i = 0; i < all.n && status == LEAT_OK; i++)
        status = factored_answer_row(f, &all.heap[i], text, out);
    h->free(ctx, text);
    h->free(ctx, heap);
    return status;
}

/* ---- open ---- */

static unsigned factored_units(const void *cfg) { return UNITS_USED | UNITS_SCALED; }

int factored_open(struct leat_ctx *ctx, const struct factored_method *m, void *self)
{
    static const struct learner_method method = {
        .open = factored_take_memory,
        .close = factored_close,
        .report = factored_report,
        .answer = factored_answer,
        .write = factored_write,
        .restore = factored_restore,
        .merge = factored_merge,
        .version = FACTORED_STATE_VERSION,
        .units = factored_units,
    };
    struct factored *f = self;
    f->method = m;
    f->cfg = ctx->cfg;
    products_open(ctx);
    return learner_open(ctx, self, &method);
}
