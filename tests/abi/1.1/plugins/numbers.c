/* numbers.c -- plugin of ABI 1.1 in C: a source of numbers with a state, examples of them, and a
 * sink that counts. Never changed once 1.1 is out: later builds load what is built from it. */
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

struct cfg {
    int64_t n;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, n, LEAT_INT, .def = "10", .min = 1, .max = 1e9, .doc = "how many"),
};

struct source {
    uint64_t next;
    char *text; /* memory of the host */
};

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)cfg, (void)in, (void)out;
    p->work_bytes = 64;
    return LEAT_OK;
}

static int open_source(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    st->text = ctx->host->alloc(ctx, 64);
    return st->text ? ctx->host->name_input(ctx, 0, "numbers") : LEAT_ENOMEM;
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct source *st = self;
    const struct cfg *cfg = ctx->cfg;
    const struct leat_extent begin = {0, 0, 0, b->n_bytes, st->next, 0};
    b->extent[b->n_extents++] = begin;
    while (st->next < (uint64_t)cfg->n && b->n < b->cap && b->n_bytes < b->fill_bytes) {
        int len = snprintf(st->text, 64, "%u", (unsigned)st->next);
        uint32_t off = leat_add_bytes(b, (uint32_t)len);
        if (off == LEAT_NULL) break;
        memcpy(b->bytes + off, st->text, (size_t)len);
        if (leat_add_record(b, off, (uint32_t)len) < 0) break;
        b->extent[0].n++;
        st->next++;
    }
    return st->next < (uint64_t)cfg->n ? LEAT_OK : LEAT_EOS;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct source *st = self;
    (void)ctx;
    return w->u64(w, "next", st->next);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct source *st = self;
    (void)ctx, (void)version;
    return r->u64(r, "next", &st->next);
}

static const struct leat_source source_role = {
    .size = sizeof(struct leat_source),
    .framings = LEAT_FRAMINGS_OF_MESSAGES,
    .produce = produce,
};

static const struct leat_stage numbers = {
    .name = "source.numbers",
    .summary = "the numbers below n",
    .doc = "As text, one a record.",
    .example = "leat.source.numbers { n = 10 }",
    .kind = LEAT_SOURCE,
    LEAT_FLOW(0, LEAT_HAS_RECORDS),
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct source, open_source, NULL),
    .plan = plan,
    .source = &source_role,
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),
};

static int one_example(const void *cfg, struct leat_negotiation *n)
{
    (void)cfg;
    n->add_bounds(n, &(struct leat_bounds){.examples_per_record = 1, .entries_per_record = 1});
    return LEAT_OK;
}

static int make_examples(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    (void)self;
    for (LEAT_EACH_RECORD(b, r)) {
        char last = b->bytes[b->raw[r].off + b->raw[r].len - 1];
        b->label[r] = last % 2 ? 1 : -1;
        if (leat_add_example(b, r) < 0 || leat_add_entry(b, (uint64_t)last, 1) < 0)
            return ctx->host->fail(ctx, LEAT_EFULL, "the batch is full");
    }
    return LEAT_OK;
}

static const struct leat_stage digits = {
    .name = "feature.digits",
    .summary = "an example of the last digit",
    .doc = "The label is +1 for odd numbers, -1 for even ones.",
    .example = "leat.feature.digits {}",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL),
    .negotiate = one_example,
    .process = make_examples,
};

static int count(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    double *rows = self;
    *rows += b->n_sel;
    ctx->host->metric(ctx, "rows", *rows);
    return LEAT_OK;
}

static const struct leat_figure figures[] = {{"rows", "records", "rows", LEAT_COUNTER}};

static const struct leat_stage rows = {
    .name = "sink.rows",
    .summary = "counts rows",
    .doc = "A figure of the summary.",
    .example = "leat.sink.rows {}",
    .kind = LEAT_SINK,
    LEAT_FIGURES(figures),
    LEAT_INSTANCE(double, NULL, NULL),
    .process = count,
};

LEAT_PLUGIN("numbers", "1.0", "Apache-2.0", "numbers, in C", &numbers, &digits, &rows);
