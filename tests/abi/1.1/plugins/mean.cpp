/* mean.cpp -- plugin of ABI 1.1 in C++17: a learner with state, merge and an answer, whose tables
 * are filled by assignments. Never changed once 1.1 is out. */
#include <cmath>

#include <leat/plugin.h>

namespace
{

struct cfg {
    double prior, plus;
};

struct mean {
    double sum, weight;
};

double mean_of(const leat_ctx *ctx, const mean *m)
{
    return m->weight > 0 ? m->sum / m->weight : static_cast<const cfg *>(ctx->cfg)->prior;
}

int negotiate(const void *, leat_negotiation *n)
{
    n->out->score = LEAT_SCORE_VALUE;
    return LEAT_OK;
}

int process(leat_ctx *ctx, void *self, leat_batch *b)
{
    mean *m = static_cast<mean *>(self);
    for (LEAT_EACH_EXAMPLE(b, e)) {
        b->score[e] = static_cast<float>(mean_of(ctx, m));
        if (!std::isfinite(b->ex_label[e])) continue;
        m->sum += static_cast<double>(b->ex_weight[e] * b->ex_label[e]);
        m->weight += static_cast<double>(b->ex_weight[e]);
    }
    return LEAT_OK;
}

int query(leat_ctx *ctx, void *self, const leat_query *, leat_result *r)
{
    static const char *const columns[] = {"weight"};
    const double value =
        mean_of(ctx, static_cast<mean *>(self)) + static_cast<const cfg *>(ctx->cfg)->plus;
    const int status = r->columns(r, columns, 1);
    return status < 0 ? status : r->row(r, "mean", 4, &value);
}

int snapshot(leat_ctx *, void *self, leat_writer *w)
{
    const mean *m = static_cast<mean *>(self);
    w->f64(w, "sum", m->sum);
    return w->f64(w, "weight", m->weight);
}

int read_state(leat_reader *r, mean *in)
{
    return r->f64(r, "sum", &in->sum) || r->f64(r, "weight", &in->weight) ? LEAT_EDATA : LEAT_OK;
}

int restore(leat_ctx *, void *self, leat_reader *r, uint32_t)
{
    mean in{};
    const int status = read_state(r, &in);
    if (status == LEAT_OK) *static_cast<mean *>(self) = in;
    return status;
}

int merge(leat_ctx *, void *self, leat_reader *r, double weight)
{
    mean in{}, *m = static_cast<mean *>(self);
    const int status = read_state(r, &in);
    m->sum += weight * in.sum, m->weight += weight * in.weight;
    return status;
}

leat_param declare_prior()
{
    leat_param p{};
    p.name = "prior", p.offset = offsetof(cfg, prior), p.type = LEAT_FLOAT, p.def = "0";
    p.min = -1, p.max = 1, p.doc = "prediction before the first example";
    return p;
}
leat_param declare_plus()
{
    leat_param p{};
    p.name = "plus", p.offset = offsetof(cfg, plus), p.type = LEAT_FLOAT, p.def = "0";
    p.flags = LEAT_QUESTION, p.min = -1, p.max = 1, p.doc = "added to the mean that is shown";
    return p;
}
const leat_param params[] = {declare_prior(), declare_plus()};

leat_learner declare_learner()
{
    leat_learner l{};
    l.size = sizeof l, l.query = query;
    return l;
}
const leat_learner learner = declare_learner();

leat_state declare_state()
{
    leat_state s{};
    s.size = sizeof s, s.version = 1, s.snapshot = snapshot, s.restore = restore, s.merge = merge;
    return s;
}
const leat_state state = declare_state();

leat_stage declare_stage()
{
    leat_stage s{};
    s.name = "learn.mean_label", s.summary = "the mean label";
    s.doc = "In C++.", s.example = "leat.learn.mean_label {}";
    s.kind = LEAT_LEARNER, s.caps = LEAT_STATEFUL;
    s.needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, s.makes = LEAT_HAS_SCORE;
    s.params = params, s.n_params = 2, s.param_size = sizeof(leat_param), s.cfg_size = sizeof(cfg);
    s.instance_size = sizeof(mean);
    s.negotiate = negotiate, s.process = process, s.learner = &learner, s.state = &state;
    return s;
}
const leat_stage mean_label = declare_stage();

} // namespace

LEAT_PLUGIN("mean", "1.0", "Apache-2.0", "the mean label, in C++", &mean_label);
