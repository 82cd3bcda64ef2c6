/* broken_weights.c -- learners that each break one law of `leat plugin test`.
 *
 * whole.weighed breaks none; it stores a weighted mean for each of some hashes of features.
 * tests/system/plugin_test.sh names each law. */
#include <math.h>

#include <leat/plugin.h>

enum { HASHES = 8 };

struct sums {
    double label[HASHES], weight[HASHES];
    uint64_t examples;
    double asked; /* a fault: no part of the state */
};

static double mean_of(const struct sums *m, uint64_t id)
{
    const double weight = m->weight[id % HASHES];
    return weight > 0 ? m->label[id % HASHES] / weight : 0;
}

static float score(const struct sums *m, const struct leat_batch *b, uint32_t e)
{
    double sum = 0;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        sum += mean_of(m, b->id[i]);
    return (float)(sum / (1 + m->asked));
}

static void learn(struct sums *m, const struct leat_batch *b, uint32_t e, double weight)
{
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        m->label[b->id[i] % HASHES] += weight * (double)b->ex_label[e];
        m->weight[b->id[i] % HASHES] += weight;
    }
}

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->score = LEAT_SCORE_VALUE;
    return LEAT_OK;
}

typedef double weight_fn(double weight);
static int process_with(struct leat_ctx *ctx, struct sums *m, struct leat_batch *b, weight_fn *of)
{
    for (LEAT_EACH_EXAMPLE(b, e)) {
        b->score[e] = score(m, b, e);
        if (!(fabs((double)b->ex_label[e]) < 1e6))
            ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_LABEL, "the label is none");
        else
            learn(m, b, e, of((double)b->ex_weight[e]));
        m->examples += b->ex_weight[e] > 0;
    }
    return LEAT_OK;
}

static double whole_weight(double weight) { return weight; }
static double one_or_none(double weight) { return weight > 0; }

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return process_with(ctx, self, b, whole_weight);
}

static int all_alike(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return process_with(ctx, self, b, one_or_none);
}

/* Counts examples of weight 0, too; its means stay right. */
static int counts_weightless(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sums *m = self;
    const uint64_t before = m->examples;
    const int status = process(ctx, self, b);
    m->examples = before + b->n_ex_sel;
    return status;
}

/* ---- answers ---- */

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                 struct leat_result *r)
{
    static const char *const columns[] = {"weight"};
    int status = r->columns(r, columns, 1);
    for (uint64_t i = 0; i < HASHES && i < q->k && status == LEAT_OK; i++) {
        const double mean = mean_of(self, i);
        status = r->row(r, "hash", 4, &mean);
    }
    return status;
}

static int query_few(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                     struct leat_result *r)
{
    struct sums *m = self;
    if (q->min_count) m->weight[0] = 0;
    return query(ctx, self, q, r);
}

static int query_unseen(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                        struct leat_result *r)
{
    ((struct sums *)self)->asked = 1;
    return query(ctx, self, q, r);
}

/* ---- states ---- */

static int save(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct sums *m = self;
    w->u64(w, "examples", m->examples);
    w->array(w, "label", LEAT_F64, m->label, HASHES);
    return w->array(w, "weight", LEAT_F64, m->weight, HASHES);
}

/* Checks only the first `checked` numbers. */
static int restore_checked(struct sums *m, struct leat_reader *r, uint32_t checked)
{
    struct sums is = *m;
    const void *label, *weight;
    if (r->u64(r, "examples", &is.examples) || r->array(r, "label", LEAT_F64, HASHES, &label) ||
        r->array(r, "weight", LEAT_F64, HASHES, &weight))
        return LEAT_EDATA;
    memcpy(is.label, label, sizeof is.label);
    memcpy(is.weight, weight, sizeof is.weight);
    for (uint32_t i = 0; i < checked; i++)
        if (!isfinite(is.label[i]) || !isfinite(is.weight[i]))
            return r->refuse(r, "hash %u has no finite weight", i);
    *m = is;
    return LEAT_OK;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    return restore_checked(self, r, HASHES);
}

static int restore_some(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    return restore_checked(self, r, HASHES - 1);
}

#define LEARNER(ID, NAME, PROCESS, QUERY, RESTORE)                                                 \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a learner for tests",                                                          \
        .doc = "It predicts the mean label of features.",                                          \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_LEARNER,                                                                      \
        .instance_size = sizeof(struct sums),                                                      \
        LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, LEAT_HAS_SCORE),                             \
        .negotiate = negotiate,                                                                    \
        .process = PROCESS,                                                                        \
        .learner = LEAT_ROLE(leat_learner, .query = QUERY),                                        \
        .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = save, .restore = RESTORE),        \
    }
LEARNER(weighed, "whole.weighed", process, query, restore);
LEARNER(all_alike, "broken.all_alike", all_alike, query, restore);
LEARNER(counts_weightless, "broken.counts_weightless", counts_weightless, query, restore);
LEARNER(query_few, "broken.query_few", process, query_few, restore);
LEARNER(query_unseen, "broken.query_unseen", process, query_unseen, restore);
LEARNER(restore_some, "broken.restore_some", process, query, restore_some);

LEAT_PLUGIN("broken_weights", "1.0", "Apache-2.0", "learners that break laws", &s_weighed,
            &s_all_alike, &s_counts_weightless, &s_query_few, &s_query_unseen, &s_restore_some);
