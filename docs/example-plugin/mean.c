/* mean.c -- a whole learner: predicts the mean label so far. With state, merge and an answer.
 *
 * To make a learner of your own: (1) copy this file; (2) change struct cfg and params[]; (3) change
 * struct mean, what is learned; (4) in process, predict into score[e], then learn; (5) give what is
 * shown in query; (6) write and read all of struct mean, with another name for each field; (7)
 * change the names at the end.
 */
#include <math.h>

#include <leat/plugin.h>

struct cfg {
    double prior;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, prior, LEAT_FLOAT, .def = "0", .min = -1e9, .max = 1e9,
               .doc = "prediction before the first example"),
};

/* Zeroed by the host, one for each instance. */
struct mean {
    double sum, weight;
};

static double mean_of(const struct cfg *cfg, const struct mean *m)
{
    return m->weight > 0 ? m->sum / m->weight : cfg->prior;
}

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    (void)cfg;
    n->out->score = LEAT_SCORE_VALUE; /* an estimate of the label: the host measures RMSE */
    return LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct mean *m = self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        b->score[e] = (float)mean_of(ctx->cfg, m); /* always before learning */
        if (!isfinite(b->ex_label[e])) {
            ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_LABEL, "the label is no number");
            continue;
        }
        m->sum += (double)b->ex_weight[e] * (double)b->ex_label[e];
        m->weight += (double)b->ex_weight[e];
    }
    return LEAT_OK;
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                 struct leat_result *r)
{
    static const char *const columns[] = {"weight"};
    double mean = mean_of(ctx->cfg, self);
    (void)q;
    int status = r->columns(r, columns, 1);
    return status < 0 ? status : r->row(r, "mean", 4, &mean);
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct mean *m = self;
    (void)ctx;
    w->f64(w, "sum", m->sum);
    return w->f64(w, "weight", m->weight); /* after a failure the writer does nothing more */
}

/* Read all and check all; nothing of the live state has changed until then. */
static int read_state(struct leat_reader *r, struct mean *in)
{
    if (r->f64(r, "sum", &in->sum) || r->f64(r, "weight", &in->weight)) return LEAT_EDATA;
    if (!isfinite(in->sum)) return r->refuse(r, "field \"sum\" is %g: it must be finite", in->sum);
    if (!(in->weight >= 0))
        return r->refuse(r, "field \"weight\" is %g: at least 0 is possible", in->weight);
    return LEAT_OK;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct mean in;
    (void)ctx, (void)version;
    int status = read_state(r, &in);
    if (status == LEAT_OK) *(struct mean *)self = in;
    return status;
}

static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct mean in, *m = self;
    (void)ctx;
    int status = read_state(r, &in);
    if (status != LEAT_OK) return status;
    m->sum += weight * in.sum;
    m->weight += weight * in.weight;
    return LEAT_OK;
}

static const struct leat_stage mean = {
    .name = "learn.mean",
    .summary = "predicts the mean label so far",
    .doc = "The mean of the labels, each counted by the importance of its example.",
    .example = "leat.learn.mean { prior = 3.5 }",
    .kind = LEAT_LEARNER,
    .caps = LEAT_STATEFUL,
    LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, LEAT_HAS_SCORE),
    LEAT_PARAMS(params, struct cfg),
    .instance_size = sizeof(struct mean),
    .negotiate = negotiate,
    .process = process,
    .learner = LEAT_ROLE(leat_learner, .query = query),
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore,
                       .merge = merge),
};

LEAT_PLUGIN("mean", "1.0", "Apache-2.0", "the mean label", &mean);
