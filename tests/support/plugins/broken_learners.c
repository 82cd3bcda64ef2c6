/* broken_learners.c -- learners that each break one law of `leat plugin test`.
 *
 * whole.mean breaks none; it predicts the mean label. tests/system/plugin_test.sh names each
 * law. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <leat/plugin.h>

struct cfg {
    double prior;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, prior, LEAT_FLOAT, .def = "0", .doc = "before the first example"),
};

struct mean {
    double sum, weight;
    uint64_t at, asked, saved;
    double table[4];
};

static double mean_of(const struct mean *m) { return m->weight > 0 ? m->sum / m->weight : 0; }

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->score = LEAT_SCORE_VALUE;
    return LEAT_OK;
}

static void learn(struct mean *m, const struct leat_batch *b, uint32_t e, double weight)
{
    m->sum += weight * (double)b->ex_label[e];
    m->weight += weight;
}

static bool is_usable(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    if (fabs((double)b->ex_label[e]) < 1e6) return true;
    ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_LABEL, "the label is no number below 1e6");
    return false;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_EXAMPLE(b, e)) {
        b->score[e] = (float)mean_of(self);
        if (is_usable(ctx, b, e)) learn(self, b, e, (double)b->ex_weight[e]);
    }
    return LEAT_OK;
}

static int learns_first(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (is_usable(ctx, b, e)) learn(self, b, e, (double)b->ex_weight[e]);
        b->score[e] = (float)mean_of(self);
    }
    return LEAT_OK;
}

/* Learns valid examples, whether selected or not. */
static int whole_batches(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (uint32_t e = 0; e < b->n_examples; e++) {
        if (b->status[b->ex_record[e]] != LEAT_ROW_OK) continue;
        b->score[e] = (float)mean_of(self);
        if (is_usable(ctx, b, e)) learn(self, b, e, (double)b->ex_weight[e]);
    }
    return LEAT_OK;
}

static int some_scores(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_EXAMPLE(b, e)) {
        if (e % 3) b->score[e] = (float)mean_of(self);
        if (is_usable(ctx, b, e)) learn(self, b, e, (double)b->ex_weight[e]);
    }
    return LEAT_OK;
}

static int takes_weightless(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_EXAMPLE(b, e)) {
        b->score[e] = (float)mean_of(self);
        if (is_usable(ctx, b, e)) learn(self, b, e, 1);
    }
    return LEAT_OK;
}

/* Ignores only labels that are NaN, not infinite ones. */
static int infinite_label(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_EXAMPLE(b, e)) {
        const double mean = mean_of(self);
        b->score[e] = (float)(isfinite(mean) ? mean : 0);
        if (!isnan(b->ex_label[e])) learn(self, b, e, (double)b->ex_weight[e]);
    }
    return LEAT_OK;
}

/* Takes the label of record e for the label of example e. */
static int label_of_record(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct mean *m = self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        b->score[e] = (float)mean_of(m);
        if (!is_usable(ctx, b, e)) continue;
        m->sum += (double)(b->ex_weight[e] * b->label[e]);
        m->weight += (double)b->ex_weight[e];
    }
    return LEAT_OK;
}

/* Counts all examples of a batch as one. */
static int counts_batches(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct mean *m = self;
    double before = m->weight;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        b->score[e] = 0;
        if (is_usable(ctx, b, e)) learn(self, b, e, (double)b->ex_weight[e]);
    }
    m->weight = before + (m->weight > before);
    return LEAT_OK;
}

/* Counts in a table whose index is part of its state. */
static int tables(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct mean *m = self;
    m->table[m->at] += b->n_sel;
    m->at = (m->at + 1) % 4;
    return process(ctx, self, b);
}

/* ---- answers ---- */

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                 struct leat_result *r)
{
    static const char *const columns[] = {"weight", "count"};
    const struct mean *m = self;
    const double row[] = {mean_of(m), m->weight};
    int status = r->columns(r, columns, 2);
    return status < 0 ? status : r->row(r, "mean", 4, row);
}

static const char *const *promise(const void *cfg, uint32_t *n)
{
    static const char *const columns[] = {"weight", "share"};
    *n = 2;
    return columns;
}

static int counts_questions(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                            struct leat_result *r)
{
    ((struct mean *)self)->sum += 1;
    return query(ctx, self, q, r);
}

static int asks_memory(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                       struct leat_result *r)
{
    char *p = ctx->host->alloc(ctx, 64);
    *(volatile char *)p = 1;
    ctx->host->free(ctx, p);
    return query(ctx, self, q, r);
}

/* ---- states ---- */

static int save(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct mean *m = self;
    w->f64(w, "sum", m->sum);
    w->u64(w, "at", m->at);
    return w->f64(w, "weight", m->weight);
}

static int read(struct leat_reader *r, struct mean *m)
{
    int status = r->f64(r, "sum", &m->sum);
    if (status == LEAT_OK) status = r->u64(r, "at", &m->at);
    return status == LEAT_OK ? r->f64(r, "weight", &m->weight) : status;
}

static bool is_possible(const struct mean *m)
{
    return m->at < 4 && isfinite(m->sum) && m->weight >= 0 && m->weight < 1e300;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct mean m = *(struct mean *)self;
    int status = read(r, &m);
    if (status != LEAT_OK) return status;
    if (!is_possible(&m)) return r->refuse(r, "sum, weight or at cannot be");
    *(struct mean *)self = m;
    return LEAT_OK;
}

static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct mean m = {0}, *to = self;
    int status = read(r, &m);
    if (status != LEAT_OK) return status;
    if (!is_possible(&m)) return r->refuse(r, "sum, weight or at cannot be");
    to->sum += weight * m.sum;
    to->weight += weight * m.weight;
    return LEAT_OK;
}

static int save_less(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return w->f64(w, "sum", ((struct mean *)self)->sum);
}

static int restore_less(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    return r->f64(r, "sum", &((struct mean *)self)->sum);
}

static int restore_twice(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    int status = restore(ctx, self, r, version);
    ((struct mean *)self)->sum *= 2;
    return status;
}

static int save_count(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    w->u64(w, "saved", ++((struct mean *)self)->saved);
    return save(ctx, self, w);
}

static int restore_count(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    uint64_t saved;
    int status = r->u64(r, "saved", &saved);
    return status == LEAT_OK ? restore(ctx, self, r, version) : status;
}

static int restore_anything(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                            uint32_t version)
{
    struct mean m = *(struct mean *)self;
    int status = read(r, &m);
    if (status == LEAT_OK) *(struct mean *)self = m;
    return status;
}

static int restore_at_once(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                           uint32_t version)
{
    return read(r, self);
}

static int refuse_silently(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                           uint32_t version)
{
    struct mean m = *(struct mean *)self;
    int status = read(r, &m);
    if (status != LEAT_OK) return status;
    if (!is_possible(&m)) return LEAT_EDATA;
    *(struct mean *)self = m;
    return LEAT_OK;
}

static int restore_newest(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    if (version != 2) abort();
    return restore(ctx, self, r, version);
}

static int merge_once(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    return merge(ctx, self, r, 1);
}

static int merge_over(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    return read(r, self);
}

static int merge_more(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    int status = merge(ctx, self, r, weight);
    ((struct mean *)self)->weight += 10;
    return status;
}

/* Takes the mean of the means, except for a fresh state. */
static int merge_halves(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct mean m = {0}, *to = self;
    int status = read(r, &m);
    double sum = to->weight > 0 && m.weight > 0 ? (to->sum + m.sum) / 2 : to->sum + m.sum;
    double all =
        to->weight > 0 && m.weight > 0 ? (to->weight + m.weight) / 2 : to->weight + m.weight;
    to->sum = sum;
    to->weight = all;
    return status;
}

/* Takes the mean of the means, and ignores their weights. */
static int merge_plain(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct mean m = {0}, *to = self;
    int status = read(r, &m);
    if (status != LEAT_OK) return status;
    if (!is_possible(&m)) return r->refuse(r, "sum, weight or at cannot be");
    const bool both = to->weight > 0 && m.weight > 0;
    const double mean = both ? (mean_of(to) + mean_of(&m)) / 2 : mean_of(to) + mean_of(&m);
    to->weight += weight * m.weight;
    to->sum = mean * to->weight;
    return LEAT_OK;
}

/* Gives both states the same weight, unless this one is fresh. */
static int merge_even(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct mean m = {0}, *to = self;
    int status = read(r, &m);
    if (status != LEAT_OK) return status;
    if (!is_possible(&m)) return r->refuse(r, "sum, weight or at cannot be");
    if (m.weight > 0 && to->weight > 0) weight = to->weight / m.weight;
    to->sum += weight * m.sum;
    to->weight += weight * m.weight;
    return LEAT_OK;
}

static int merge_leaks(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    void *a = ctx->host->alloc(ctx, 64), *b = ctx->host->alloc(ctx, 64);
    if (!a || !b) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to merge");
    ctx->host->free(ctx, a);
    ctx->host->free(ctx, b);
    return merge(ctx, self, r, weight);
}

/* ---- the list ---- */

#define LEARNER_OF(ID, NAME, PROCESS, QUERY, COLUMNS, SAVE, RESTORE, MERGE, VERSION)               \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a learner for tests",                                                          \
        .doc = "It predicts the mean label.",                                                      \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_LEARNER,                                                                      \
        .instance_size = sizeof(struct mean),                                                      \
        LEAT_PARAMS(params, struct cfg),                                                           \
        LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, LEAT_HAS_SCORE),                             \
        .negotiate = negotiate,                                                                    \
        .process = PROCESS,                                                                        \
        .learner = LEAT_ROLE(leat_learner, .query = QUERY, .columns = COLUMNS),                    \
        .state = LEAT_ROLE(leat_state, .version = VERSION, .snapshot = SAVE, .restore = RESTORE,   \
                           .merge = MERGE),                                                        \
    }
#define LEARNER(ID, PROCESS, QUERY, COLUMNS)                                                       \
    LEARNER_OF(ID, "broken." #ID, PROCESS, QUERY, COLUMNS, save, restore, merge, 1)
#define STATE(ID, SAVE, RESTORE)                                                                   \
    LEARNER_OF(ID, "broken." #ID, process, query, NULL, SAVE, RESTORE, merge, 1)
#define MERGE(ID) LEARNER_OF(ID, "broken." #ID, process, query, NULL, save, restore, ID, 1)

LEARNER_OF(mean, "whole.mean", process, query, NULL, save, restore, merge, 1);
LEARNER(learns_first, learns_first, query, NULL);
LEARNER(some_scores, some_scores, query, NULL);
LEARNER(whole_batches, whole_batches, query, NULL);
LEARNER(takes_weightless, takes_weightless, query, NULL);
LEARNER(infinite_label, infinite_label, query, NULL);
LEARNER(label_of_record, label_of_record, query, NULL);
LEARNER(counts_batches, counts_batches, query, NULL);
LEARNER(other_columns, process, query, promise);
LEARNER(counts_questions, process, counts_questions, NULL);
LEARNER(asks_memory, process, asks_memory, NULL);
LEARNER_OF(save_less, "broken.save_less", process, query, NULL, save_less, restore_less, NULL, 1);
STATE(restore_twice, save, restore_twice);
STATE(save_count, save_count, restore_count);
LEARNER_OF(restore_anything, "broken.restore_anything", tables, query, NULL, save, restore_anything,
           NULL, 1);
STATE(restore_at_once, save, restore_at_once);
STATE(refuse_silently, save, refuse_silently);
LEARNER_OF(restore_newest, "broken.restore_newest", process, query, NULL, save, restore_newest,
           merge, 2);
MERGE(merge_once);
MERGE(merge_over);
MERGE(merge_more);
MERGE(merge_halves);
MERGE(merge_leaks);
MERGE(merge_plain);
MERGE(merge_even);

LEAT_PLUGIN("broken_learners", "1.0", "Apache-2.0", "learners that break laws", &s_mean,
            &s_learns_first, &s_some_scores, &s_whole_batches, &s_takes_weightless,
            &s_infinite_label, &s_label_of_record, &s_counts_batches, &s_other_columns,
            &s_counts_questions, &s_asks_memory, &s_save_less, &s_restore_twice, &s_save_count,
            &s_restore_anything, &s_restore_at_once, &s_refuse_silently, &s_restore_newest,
            &s_merge_once, &s_merge_over, &s_merge_more, &s_merge_halves, &s_merge_leaks,
            &s_merge_plain, &s_merge_even);
