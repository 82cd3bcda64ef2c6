/* slotted.c -- stages of linear learners with slots: memory, examples, answers; see slotted.h. */
#include "slotted.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linear_loop.h"
#include "common/answers/answer.h"

/* ---- configuration ---- */

static uint32_t classes_of(const struct slotted_cfg *c, const struct leat_schema *in)
{
    return linear_classes(&c->linear, in);
}

/* A model's share of what is given for all of them. */
static uint64_t share_of(int64_t bytes, const struct slotted_cfg *c, const struct leat_schema *in)
{
    return (uint64_t)bytes / linear_models(classes_of(c, in));
}

static size_t names_bytes(const struct slotted_facts *f, uint32_t name_bytes, bool has_parts)
{
    return names_block_bytes(f->slots, name_bytes) +
           (has_parts ? f->slots * sizeof(struct redundancy_parts) : 0);
}

static bool has_parts(const struct leat_schema *in) { return in && in->has & LEAT_HAS_NAMES; }

/* The longest name that is kept: name_bytes, or less where budget_total leaves less. */
static uint32_t longest_name(const struct slotted_cfg *c, const struct leat_schema *in,
                             const struct slotted_facts *f)
{
    uint32_t most = in ? linear_name_bytes(&c->linear, in) : (uint32_t)c->linear.name_bytes;
    uint64_t taken = f->block + names_bytes(f, 0, has_parts(in)), left;
    if (!c->budget_total) return most;
    left = share_of(c->budget_total, c, in) - taken; /* slotted_shape leaves room */
    return left / f->slots < most ? (uint32_t)(left / f->slots) : most;
}

/* What the model takes with its index and names of a usual length. */
static uint64_t total_of(const struct slotted_kind *kind, const struct slotted_cfg *c,
                         const struct leat_schema *in, const void *pattern)
{
    struct slotted_facts f = kind->facts(pattern);
    uint32_t most = in ? linear_name_bytes(&c->linear, in) : (uint32_t)c->linear.name_bytes;
    uint32_t name = most < SLOTTED_NAME ? most : SLOTTED_NAME;
    return f.block + names_bytes(&f, name, has_parts(in));
}

enum { STEPS = 64, MAX_PATTERN = 4096 };

/* Makes of the pattern `given` the shape for the fewest bytes for which there is one; 0s: none. */
static void make_smallest(const struct slotted_kind *kind, slotted_fit *fit, const void *given,
                          void *pattern)
{
    uint64_t fails = 0, fits = UINT64_C(1) << 40; /* more than any shape takes */
    while (fits - fails > 1) {
        uint64_t middle = fails + (fits - fails) / 2;
        memcpy(pattern, given, kind->model_bytes);
        *(fit(middle, pattern) ? &fits : &fails) = middle;
    }
    memcpy(pattern, given, kind->model_bytes);
    if (!fit(fits, pattern)) memset(pattern, 0, kind->model_bytes);
}

bool slotted_shape(const struct slotted_kind *kind, const struct slotted_cfg *c,
                   const struct leat_schema *in, slotted_fit *fit, void *pattern)
{
    char given[MAX_PATTERN];
    assert(kind->model_bytes <= sizeof given);
    if (!c->budget_total) return fit(share_of(c->budget, c, in), pattern);
    memcpy(given, pattern, kind->model_bytes);
    uint64_t total = share_of(c->budget_total, c, in);
    for (uint64_t k = STEPS; k; k--) { /* the largest model that leaves room for the others */
        memcpy(pattern, given, kind->model_bytes);
        if (fit(total * k / STEPS, pattern) && total_of(kind, c, in, pattern) <= total) return true;
    }
    make_smallest(kind, fit, given, pattern);
    return kind->facts(pattern).slots && total_of(kind, c, in, pattern) <= total;
}

/* Why no model fits into budget_total, when `pattern` is the smallest one. param: what
 * its shape is due to. */
static void misfit_total(const struct slotted_kind *kind, const void *pattern,
                         const struct slotted_cfg *c, const struct leat_schema *in,
                         const char *param, char text[256])
{
    uint32_t models = linear_models(classes_of(c, in));
    const char *given = strcmp(param, "budget") ? param : NULL;
    if (!kind->facts(pattern).slots)
        snprintf(text, 256, "no sketch has so many cells: lower %s", param);
    else
        snprintf(
            text, 256,
            "%lld bytes are too few: %s%s%s model takes at least %llu with its index and names. "
            "Raise budget_total%s%s",
            (long long)c->budget_total, given ? "with " : "", given ? given : "",
            given ? " as given the" : "the",
            (unsigned long long)(models * total_of(kind, c, in, pattern)),
            given ? ", or lower " : "", given ? given : "");
}

/* Why no model fits: the kernel's words about "a budget of 1024 bytes", or "a budget of 1024 bytes,
 * 10 for each of 100 classes". */
static void misfit(const struct slotted_kind *kind, const void *pattern,
                   const struct slotted_cfg *c, const struct leat_schema *in, const char *param,
                   char text[256])
{
    char budget[96];
    if (c->budget_total) {
        misfit_total(kind, pattern, c, in, param, text);
        return;
    }
    uint32_t classes = classes_of(c, in);
    int n = snprintf(budget, sizeof budget, "a budget of %lld bytes", (long long)c->budget);
    if (classes)
        snprintf(budget + n, sizeof budget - (size_t)n, ", %llu for each of %u classes",
                 (unsigned long long)share_of(c->budget, c, in), classes);
    kind->misfit(pattern, budget, text);
}

int slotted_refuse_shape(const struct slotted_kind *kind, const void *pattern,
                         const struct slotted_cfg *c, const char *param, struct leat_diag *d)
{
    char why[256];
    misfit(kind, pattern, c, NULL, param, why);
    d->error(d, c->budget_total ? "budget_total" : param, "%s", why);
    return LEAT_EARG;
}

int slotted_check_charge(const struct slotted_kind *kind, const void *pattern,
                         const struct slotted_cfg *c, const char *param, int64_t value,
                         struct leat_diag *d)
{
    uint64_t charged = kind->facts(pattern).charged;
    if (c->budget_total || charged <= (uint64_t)c->budget) return LEAT_OK;
    d->error(
        d, param,
        "%lld features take %llu bytes, more than budget = %lld bytes: give fewer, or a larger "
        "budget",
        (long long)value, (unsigned long long)charged, (long long)c->budget);
    return LEAT_EARG;
}

int slotted_check_width(int64_t width, struct leat_diag *d)
{
    if (!(width & (width - 1))) return LEAT_OK;
    d->error(d, "width", "%lld is not a power of two", (long long)width);
    return LEAT_EARG;
}

static void take_note(const struct slotted_kind *kind, const struct slotted_facts *f,
                      uint32_t classes, const char *total, struct leat_plan *p)
{
    char sketch[48] = "", each[48] = "";
    if (f->width) snprintf(sketch, sizeof sketch, ", sketch %u x %u", f->depth, f->width);
    if (classes) snprintf(each, sizeof each, ", for each of %u classes", classes);
    snprintf(p->note, sizeof p->note, "%s%u%s%s, charged %llu bytes%s%s", kind->note_before,
             f->slots, kind->note_after, sketch, (unsigned long long)f->charged, each, total);
}

int slotted_plan(const struct slotted_kind *kind, const void *pattern, bool fits, const void *cfg,
                 const struct leat_schema *in, struct leat_plan *p)
{
    const struct slotted_cfg *c = cfg;
    if (!fits) {
        misfit(kind, pattern, c, in, "budget", p->note);
        return LEAT_EARG;
    }
    struct slotted_facts f = kind->facts(pattern);
    uint32_t classes = classes_of(c, in), n = linear_models(classes);
    uint32_t name_bytes = longest_name(c, in, &f);
    char total[96] = "";
    p->state_bytes = n * f.block;
    p->names_bytes = n * names_bytes(&f, name_bytes, has_parts(in));
    if (c->budget_total)
        snprintf(total, sizeof total, ", %llu with index and names of at most %u bytes",
                 (unsigned long long)(p->state_bytes + p->names_bytes), name_bytes);
    p->work_bytes = f.scratch + n * (f.beside + kind->model_bytes + sizeof(struct slotted)) +
                    name_bytes + 1 + (classes ? f.max_row * sizeof(uint64_t) : 0) +
                    shown_bytes(f.slots, f.counts, has_parts(in), classes);
    take_note(kind, &f, classes, total, p);
    return LEAT_OK;
}

/* ---- memory ---- */

void slotted_release(struct leat_ctx *ctx, struct slotted *s, uint32_t n)
{
    for (uint32_t c = 0; s && c < n; c++) {
        ctx->host->free(ctx, s[c].parts);
        ctx->host->free(ctx, s[c].names_block);
        ctx->host->free(ctx, s[c].block);
        ctx->host->free(ctx, s[c].model);
    }
    ctx->host->free(ctx, s);
}

/* What copies are made to. */
struct template
{
    const struct slotted_kind *kind;
    const void *pattern;
    uint32_t name_bytes;
    bool has_parts;
};

/* A fresh copy with its own scratch or that of `lender`; false: no memory. */
static bool make_copy(struct leat_ctx *ctx, const struct template *t, const void *lender,
                      struct slotted *s)
{
    const struct leat_host *h = ctx->host;
    struct slotted_facts f = t->kind->facts(t->pattern);
    *s = (struct slotted){.model = h->alloc(ctx, t->kind->model_bytes),
                          .block = h->alloc(ctx, f.block + f.beside + (lender ? 0 : f.scratch)),
                          .names_block = h->alloc(ctx, names_block_bytes(f.slots, t->name_bytes)),
                          .parts = t->has_parts ? h->alloc(ctx, f.slots * sizeof *s->parts) : NULL};
    if (!s->model || !s->block || !s->names_block || (t->has_parts && !s->parts)) return false;
    t->kind->init(s->model, t->pattern, lender, s->block);
    names_init(&s->names, f.slots, t->name_bytes, s->names_block);
    return true;
}

/* Fresh copies for all classes, or LEAT_ENOMEM. */
static int make_copies(struct leat_ctx *ctx, const struct template *t, uint32_t classes,
                       struct slotted **out)
{
    uint32_t n = linear_models(classes);
    struct slotted *s = ctx->host->alloc(ctx, n * sizeof *s);
    bool made = s != NULL;
    for (uint32_t c = 0; c < n && made; c++)
        made = make_copy(ctx, t, c ? s[0].model : NULL, &s[c]);
    *out = s;
    if (made) return LEAT_OK;
    slotted_release(ctx, s, n);
    *out = NULL;
    struct slotted_facts f = t->kind->facts(t->pattern);
    return ctx->host->fail(ctx, LEAT_ENOMEM,
                           "there is not enough memory for %u features: %zu bytes", f.slots,
                           n * (f.block + f.beside) + f.scratch);
}

int slotted_make_like(struct leat_ctx *ctx, const struct slotted_stage *st, struct slotted **out)
{
    const struct slotted *l = st->copy;
    struct template t = {st->kind, l->model, l->names.max_bytes, l->parts != NULL};
    return make_copies(ctx, &t, st->classes, out);
}

void slotted_replace(struct leat_ctx *ctx, struct slotted_stage *st, struct slotted *s)
{
    slotted_release(ctx, st->copy, linear_models(st->classes));
    st->copy = s;
}

void slotted_close(struct leat_ctx *ctx, void *self)
{
    struct slotted_stage *st = self;
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->hash);
    slotted_release(ctx, st->copy, linear_models(st->classes));
    *st = (struct slotted_stage){0};
}

int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_kind *kind,
                 const void *pattern, bool fits)
{
    struct slotted_stage *st = self;
    const struct leat_host *h = ctx->host;
    const struct slotted_cfg *c = ctx->cfg;
    char why[256];
    if (!fits) {
        misfit(kind, pattern, c, ctx->in, "budget", why);
        return h->fail(ctx, LEAT_EARG, "%s", why);
    }
    struct slotted_facts f = kind->facts(pattern);
    uint32_t name_bytes = longest_name(c, ctx->in, &f);
    struct template t = {kind, pattern, name_bytes, has_parts(ctx->in)};
    st->kind = kind;
    drift_watch_open(&st->watch, &c->linear);
    st->classes = classes_of(c, ctx->in);
    int status = make_copies(ctx, &t, st->classes, &st->copy);
    if (status != LEAT_OK) return status;
    size_t hash_bytes = f.max_row * sizeof *st->hash;
    st->text = h->alloc(ctx, name_bytes + 1);
    st->hash = st->classes ? h->alloc(ctx, hash_bytes) : NULL;
    if (st->text && (st->hash || !st->classes)) return LEAT_OK;
    slotted_close(ctx, st);
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a name of %u bytes",
                   name_bytes);
}

/* ---- examples ---- */

static void take_name(struct slotted_stage *st, struct slotted *s, const struct leat_batch *b,
                      uint32_t slot, uint32_t entry)
{
    assert(slot < s->names.slots);
    /* one byte more than is kept: names_set sees that it must cut */
    size_t cap = s->names.max_bytes + 1, len = leat_name_text(b, entry, st->text, cap);
    names_set(&s->names, slot, st->text, len < cap ? len : cap);
    if (s->parts) s->parts[slot] = answer_parts(b, entry);
}

LINEAR_INLINE bool learn(struct leat_ctx *ctx, void *self, uint32_t c, const struct leat_batch *b,
                         const struct linear_example *ex, const uint64_t *hash, double *margin)
{
    struct slotted_stage *st = self;
    struct slotted *s = &st->copy[c];
    const struct linear_entrant *in;
    int64_t n = st->kind->learn(s->model, &ex->row, hash, margin, &in);
    for (int64_t k = 0; k < n; k++)
        take_name(st, s, b, in[k].slot, ex->start + in[k].entry);
    return n >= 0;
}

static const uint64_t *hash_row(void *self, const struct linear_row *row)
{
    struct slotted_stage *st = self;
    st->kind->hash(st->copy->model, row, st->hash);
    return st->hash;
}

static double margin_of(void *self, uint32_t c, const struct linear_row *row)
{
    struct slotted_stage *st = self;
    return st->kind->margin(st->copy[c].model, row);
}

static struct drift_watch *watch_of(void *self) { return &((struct slotted_stage *)self)->watch; }

static void forget(void *self, const struct drift_action *what)
{
    struct slotted_stage *st = self;
    for (uint32_t c = 0; c < linear_models(st->classes); c++)
        st->kind->forget(st->copy[c].model, what->share, what->sums);
}

static struct sgd *clock_of(void *self, uint32_t c)
{
    const struct slotted_stage *st = self;
    return st->kind->clock(st->copy[c].model);
}

int slotted_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct slotted_stage *st = self;
    uint32_t max_row = st->kind->facts(st->copy->model).max_row;
    const struct linear_calls calls = {learn, hash_row, margin_of, watch_of, forget, clock_of};
    return linear_process(ctx, st, b, max_row, st->classes, &calls);
}

/* ---- answers ---- */

static uint64_t names_cut(const struct slotted_stage *st)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < linear_models(st->classes); c++)
        n += st->copy[c].names.cut;
    return n;
}

static void report(struct leat_ctx *ctx, const struct slotted_stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct slotted *s = st->copy;
    struct slotted_facts f = st->kind->facts(s->model);
    double n = linear_models(st->classes);
    const struct slotted_cfg *c = ctx->cfg;
    double budget = (double)(c->budget_total ? c->budget_total : c->budget);
    /* a shape that was given may take more */
    h->metric(ctx, "budget_bytes", fmax(budget, n * (double)f.charged));
    h->metric(ctx, "names_cut", (double)names_cut(st));
    h->metric(ctx, "model_bytes", n * (double)f.charged);
    h->metric(ctx, "table_bytes", n * (double)(f.block - f.charged));
    h->metric(ctx, "names_bytes",
              n * (double)names_bytes(&f, s->names.max_bytes, s->parts != NULL));
    drift_watch_report(ctx, &st->watch);
    if (st->classes) return; /* the others are of one model each */
    st->kind->report(ctx, s->model);
    h->metric(ctx, "bias", f.sgd->bias);
}

static uint32_t rank(void *asked, uint32_t k, uint32_t min_count, float *weight, uint32_t *top)
{
    struct slotted_asked *a = asked;
    return a->kind->rank(a->of->model, k, min_count, weight, top);
}

static double weigh(void *asked, const float *weight, uint32_t slot)
{
    struct slotted_asked *a = asked;
    return a->kind->weigh(a->of->model, slot);
}

static const char *name_of(void *asked, uint32_t slot, size_t *len)
{
    return names_get(&((struct slotted_asked *)asked)->of->names, slot, len);
}

static struct shown_model shown_copy(void *self, uint32_t copy)
{
    struct slotted_stage *st = self;
    const struct slotted *s = &st->copy[copy];
    struct slotted_facts f = st->kind->facts(s->model);
    st->asked = (struct slotted_asked){st->kind, s};
    return (struct shown_model){.of = &st->asked,
                                .sgd = f.sgd,
                                .n = f.used,
                                .counts = f.counts,
                                .count = f.count,
                                .parts = s->parts,
                                .rank = rank,
                                .weigh = weigh,
                                .name = name_of};
}

int slotted_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                  struct leat_result *out)
{
    struct slotted_stage *st = self;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report(ctx, st);
    return shown_all(ctx, q, st, st->classes, shown_copy, out);
}

/* A budget that features do not need is no fault: its memory is not touched. But it
 * may be a slip. */
static void tell_unused(struct leat_ctx *ctx, const struct slotted_stage *st)
{
    enum { MUCH = 64, FEW_BYTES = 1 << 20 };
    struct slotted_facts f = st->kind->facts(st->copy->model);
    double budget = (double)((const struct slotted_cfg *)ctx->cfg)->budget;
    if (!f.used || budget < FEW_BYTES || f.used >= f.slots / MUCH) return;
    double enough = fmax(1024, exp2(ceil(log2(budget * 2 * f.used / f.slots))));
    ctx->host->log(ctx, LEAT_INFO,
                   "%u features use a small part of budget = %.0f bytes, and the rest is not "
                   "touched: budget = \"%.0fKB\" would hold them twice",
                   f.used, budget, enough / 1024);
}

int slotted_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    report(ctx, self);
    return LEAT_OK;
}

int slotted_stop(struct leat_ctx *ctx, void *self)
{
    report(ctx, self);
    tell_unused(ctx, self);
    return LEAT_OK;
}
