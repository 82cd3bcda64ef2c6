/* slotted.c -- implementation of slotted.h: choice of shapes, memory, examples, answers. */
#include "slotted.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linear_loop.h"
#include "common/answers/answer.h"

/* ---- configuration ---- */

struct linear_options slotted_options(const struct slotted_cfg *c, const struct leat_schema *in)
{
    const struct linear_cfg *l = &c->linear;
    return (struct linear_options){.sgd = linear_options(l),
                                   .counts = l->counts,
                                   .precision = (enum adaptive_precision)l->precision,
                                   .max_row = in ? linear_max_row(l, in) : 0};
}

static uint32_t slotted_classes_of(const struct slotted_cfg *c, const struct leat_schema *in)
{
    return linear_classes(&c->linear, in);
}

/* Returns the bytes for the model of one class, if the models of all classes together have
 * `bytes`. */
static uint64_t slotted_share_of(int64_t bytes, const struct slotted_cfg *c,
                                 const struct leat_schema *in)
{
    return (uint64_t)bytes / linear_models(slotted_classes_of(c, in));
}

static int64_t slotted_budget_of(const struct slotted_ask *ask, const struct slotted_cfg *c)
{
    return ask->budget ? ask->budget : c->budget;
}

static size_t slotted_names_bytes(uint32_t slots, uint32_t name_bytes, bool has_parts)
{
    return names_block_bytes(slots, names_room(slots, name_bytes)) +
           (has_parts ? slots * sizeof(struct redundancy_parts) : 0);
}

static bool has_parts(const struct leat_schema *in) { return in && in->has & LEAT_HAS_NAMES; }

/* Memory of a model. */
struct slotted_bytes {
    size_t block, scratch; /* bytes except scratch memory; bytes of scratch memory */
    size_t beside;         /* further bytes of the kernel, which do not depend on the budget */
    uint64_t charged;      /* bytes that count towards the budget (kernel's cost model) */
};

static struct slotted_bytes slotted_bytes_of(const struct linear_kernel *k,
                                             const struct linear_shape *shape,
                                             const struct linear_options *opt)
{
    struct linear_options bare = *opt;
    bare.max_row = 0;
    size_t own = store_block_bytes(k, shape, &bare),
           beside = k->beside_bytes ? k->beside_bytes(opt) : 0;
    return (struct slotted_bytes){.block = own - beside,
                                  .scratch = store_block_bytes(k, shape, opt) - own,
                                  .beside = beside,
                                  .charged = store_charged_bytes(k, shape, opt)};
}

/* Returns the length to which names are cut: name_bytes, or less if budget_total leaves less. */
static uint32_t slotted_longest_name(const struct slotted_cfg *c, const struct leat_schema *in,
                                     size_t block, uint32_t slots)
{
    uint32_t most = in ? linear_name_bytes(&c->linear, in) : (uint32_t)c->linear.name_bytes;
    uint64_t taken = block + slotted_names_bytes(slots, 0, has_parts(in)), left;
    if (!c->budget_total) return most;
    left = slotted_share_of(c->budget_total, c, in) -
           taken; /* at least 0, because slotted_choose_shape() leaves room for names */
    return left / slots < most ? (uint32_t)(left / slots) : most;
}

enum { STEPS = 64, USUAL_NAME = 24 };

/* Returns the bytes of a model with its index and with names of the usual length. */
static uint64_t slotted_total_of(const struct slotted_ask *ask, const struct slotted_cfg *c,
                                 const struct leat_schema *in, const struct linear_shape *shape)
{
    struct slotted_bytes bytes = slotted_bytes_of(ask->kind->kernel, shape, &ask->opt);
    uint32_t most = in ? linear_name_bytes(&c->linear, in) : (uint32_t)c->linear.name_bytes;
    return bytes.block +
           slotted_names_bytes(shape->active, most < USUAL_NAME ? most : USUAL_NAME, has_parts(in));
}

static bool slotted_fit(const struct slotted_ask *ask, uint64_t bytes, struct linear_shape *shape)
{
    const struct slotted_kind *k = ask->kind;
    *shape = ask->shape;
    return (k->shape_for ? k->shape_for : k->kernel->shape_for)(bytes, &ask->opt, shape);
}

/* Finds the shape that needs the fewest bytes; all members are 0 if there is none. */
static void slotted_choose_smallest(const struct slotted_ask *ask, struct linear_shape *shape)
{
    uint64_t fails = 0, fits = UINT64_C(1) << 40; /* fits: more bytes than any shape takes */
    while (fits - fails > 1) {
        uint64_t middle = fails + (fits - fails) / 2;
        *(slotted_fit(ask, middle, shape) ? &fits : &fails) = middle;
    }
    if (!slotted_fit(ask, fits, shape)) *shape = (struct linear_shape){0};
}

/* Chooses the shape for one model's part of the budget. With budget_total, that part must also have
 * room for the index and for names of USUAL_NAME bytes (or name_bytes, if that is less). If no
 * shape fits, returns false. With budget_total, *shape is then the smallest shape; all members are
 * 0 if there is none. */
static bool slotted_choose_shape(const struct slotted_ask *ask, const struct slotted_cfg *c,
                                 const struct leat_schema *in, struct linear_shape *shape)
{
    if (!c->budget_total)
        return slotted_fit(ask, slotted_share_of(slotted_budget_of(ask, c), c, in), shape);
    uint64_t total = slotted_share_of(c->budget_total, c, in);
    /* Finds the largest model that leaves room for index and names. */
    for (uint64_t k = STEPS; k; k--)
        if (slotted_fit(ask, total * k / STEPS, shape) &&
            slotted_total_of(ask, c, in, shape) <= total)
            return true;
    slotted_choose_smallest(ask, shape);
    return shape->active && slotted_total_of(ask, c, in, shape) <= total;
}

/* Writes the reason why no model fits into budget_total. `shape` is the smallest shape. `param` is
 * the parameter that determined it. */
static void slotted_misfit_total(const struct slotted_ask *ask, const struct linear_shape *shape,
                                 const struct slotted_cfg *c, const struct leat_schema *in,
                                 const char *param, char text[256])
{
    uint32_t models = linear_models(slotted_classes_of(c, in));
    const char *given = strcmp(param, "budget") ? param : NULL;
    if (!shape->active)
        snprintf(text, 256, "a sketch cannot have so many cells: lower %s", param);
    else
        snprintf(
            text, 256,
            "%lld bytes are too few: %s%s%s model takes at least %llu with its index and names. "
            "Raise budget_total%s%s",
            (long long)c->budget_total, given ? "with " : "", given ? given : "",
            given ? " unchanged, the" : "the",
            (unsigned long long)(models * slotted_total_of(ask, c, in, shape)),
            given ? ", or lower " : "", given ? given : "");
}

/* Writes the reason why no model fits. The kernel's text refers to "a budget of 1024 bytes", or to
 * "a budget of 1024 bytes, 10 for each of 100 classes". */
static void slotted_misfit(const struct slotted_ask *ask, const struct linear_shape *shape,
                           const struct slotted_cfg *c, const struct leat_schema *in,
                           const char *param, char text[256])
{
    char budget[96];
    if (c->budget_total) {
        slotted_misfit_total(ask, shape, c, in, param, text);
        return;
    }
    uint32_t classes = slotted_classes_of(c, in);
    int n = snprintf(budget, sizeof budget, "a budget of %lld bytes", (long long)c->budget);
    if (classes)
        snprintf(budget + n, sizeof budget - (size_t)n, ", %llu for each of %u classes",
                 (unsigned long long)slotted_share_of(c->budget, c, in), classes);
    ask->kind->misfit(shape, &ask->opt, budget, text);
}

void slotted_misfit_rows(const struct linear_kernel *k, const struct linear_shape *s,
                         const struct linear_options *opt, const char *budget, char text[256])
{
    if (linear_cells(s) > LINEAR_MAX_CELLS)
        snprintf(text, 256, "%u rows of %u cells are more than %u cells", s->depth, s->width,
                 LINEAR_MAX_CELLS);
    else if (!linear_cells(s))
        snprintf(text, 256, "no row of %s fits with %u features in %s",
                 s->width ? "that width" : "cells", s->active, budget);
    else
        snprintf(text, 256, "%u features and %u rows of %u cells take %llu bytes, more than %s",
                 s->active, s->depth, s->width, (unsigned long long)store_charged_bytes(k, s, opt),
                 budget);
}

int slotted_check_width(int64_t width, struct leat_diag *d)
{
    if (!(width & (width - 1))) return LEAT_OK;
    d->error(d, "width", "%lld is not a power of two", (long long)width);
    return LEAT_EARG;
}

/* Refuses a shape that costs more than the budget. That happens if a parameter determines the
 * number of slots; slotted_choose_shape() does not check it. */
static int slotted_check_charge(const struct slotted_ask *ask, const struct linear_shape *shape,
                                const struct slotted_cfg *c, struct leat_diag *d)
{
    int64_t budget = slotted_budget_of(ask, c);
    uint64_t charged = store_charged_bytes(ask->kind->kernel, shape, &ask->opt);
    if (c->budget_total || charged <= (uint64_t)budget) return LEAT_OK;
    d->error(d, ask->slots_param,
             "%u features take %llu bytes, more than budget = %lld bytes: give fewer, or a larger "
             "budget",
             shape->active, (unsigned long long)charged, (long long)budget);
    return LEAT_EARG;
}

int slotted_validate(const struct slotted_learner *l, const void *cfg, struct leat_diag *d)
{
    const struct slotted_cfg *c = cfg;
    int status = linear_validate(&c->linear, d);
    if (l->validate && l->validate(cfg, d) != LEAT_OK) return LEAT_EARG;
    struct slotted_ask ask = l->ask(cfg, NULL);
    struct linear_shape shape;
    char why[256];
    if (slotted_choose_shape(&ask, c, NULL, &shape)) {
        int fits = slotted_check_charge(&ask, &shape, c, d);
        return status == LEAT_OK ? fits : status;
    }
    slotted_misfit(&ask, &shape, c, NULL, ask.param, why);
    d->error(d, c->budget_total ? "budget_total" : ask.param, "%s", why);
    return LEAT_EARG;
}

static void slotted_take_note(const struct slotted_kind *kind, const struct linear_shape *s,
                              uint64_t charged, uint32_t classes, const char *total,
                              struct leat_plan *p)
{
    char sketch[48] = "", each[48] = "";
    if (s->width) snprintf(sketch, sizeof sketch, ", sketch %u x %u", s->depth, s->width);
    if (classes) snprintf(each, sizeof each, ", for each of %u classes", classes);
    snprintf(p->note, sizeof p->note, "%s%u%s%s, charged %llu bytes%s%s", kind->note_before,
             s->active, kind->note_after, sketch, (unsigned long long)charged, each, total);
}

int slotted_plan(const struct slotted_learner *l, const void *cfg, const struct leat_schema *in,
                 struct leat_plan *p)
{
    const struct slotted_cfg *c = cfg;
    struct slotted_ask ask = l->ask(cfg, in);
    struct linear_shape shape;
    if (!slotted_choose_shape(&ask, c, in, &shape)) {
        slotted_misfit(&ask, &shape, c, in, "budget", p->note);
        return LEAT_EARG;
    }
    const struct linear_kernel *k = ask.kind->kernel;
    struct slotted_bytes bytes = slotted_bytes_of(k, &shape, &ask.opt);
    uint32_t classes = slotted_classes_of(c, in), n = linear_models(classes);
    uint32_t name_bytes = slotted_longest_name(c, in, bytes.block, shape.active);
    char total[96] = "";
    p->state_bytes = n * bytes.block;
    p->names_bytes = n * slotted_names_bytes(shape.active, name_bytes, has_parts(in));
    if (c->budget_total)
        snprintf(total, sizeof total, ", %llu with index and names of at most %u bytes",
                 (unsigned long long)(p->state_bytes + p->names_bytes), name_bytes);
    p->work_bytes =
        bytes.scratch + n * (bytes.beside + k->model_bytes + sizeof(struct slotted)) + name_bytes +
        1 + (classes ? ask.opt.max_row * sizeof(uint64_t) : 0) +
        n * averaged_bytes(c->linear.averaged, shape.active) + units_bytes(in, ask.opt.max_row) +
        shown_bytes(shape.active, ask.opt.counts, c->linear.averaged, has_parts(in), classes);
    slotted_take_note(ask.kind, &shape, bytes.charged, classes, total, p);
    return LEAT_OK;
}

/* ---- memory ---- */

void slotted_release(struct leat_ctx *ctx, struct slotted *s, uint32_t n)
{
    for (uint32_t c = 0; s && c < n; c++) {
        merged_free(ctx, s[c].merged);
        averaged_close(ctx, &s[c].averages);
        ctx->host->free(ctx, s[c].parts);
        ctx->host->free(ctx, s[c].names_block);
        ctx->host->free(ctx, s[c].block);
        ctx->host->free(ctx, s[c].model);
    }
    ctx->host->free(ctx, s);
}

/* Shape and options for new copies of a model. */
struct slotted_pattern {
    const struct linear_kernel *kernel;
    const struct linear_shape *shape;
    const struct linear_options *opt;
    uint32_t name_bytes;
    bool has_parts, averaged;
};

/* Creates an empty copy of a model. If `lender` is NULL, allocates scratch memory for the copy;
 * otherwise the copy uses that of `lender`. Returns false if there is not enough memory. */
static bool slotted_make_copy(struct leat_ctx *ctx, const struct slotted_pattern *t,
                              const struct store *lender, struct slotted *s)
{
    const struct leat_host *h = ctx->host;
    struct linear_options opt = *t->opt;
    uint32_t slots = t->shape->active;
    const size_t room = names_room(slots, t->name_bytes);
    if (lender) opt.max_row = 0;
    *s = (struct slotted){.model = h->alloc(ctx, t->kernel->model_bytes),
                          .block = h->alloc(ctx, store_block_bytes(t->kernel, t->shape, &opt)),
                          .names_block = h->alloc(ctx, names_block_bytes(slots, room)),
                          .parts = t->has_parts ? h->alloc(ctx, slots * sizeof *s->parts) : NULL};
    bool averages = averaged_open(ctx, t->averaged, slots, &s->averages);
    if (!s->model || !s->block || !s->names_block || (t->has_parts && !s->parts) || !averages)
        return false;
    store_init(s->model, t->kernel, t->shape, &opt, s->block);
    if (lender) store_borrow(s->model, lender);
    names_init(&s->names, slots, t->name_bytes, room, s->names_block);
    return true;
}

/* Creates an empty copy of a model for each class. Returns LEAT_OK or LEAT_ENOMEM. */
static int slotted_make_copies(struct leat_ctx *ctx, const struct slotted_pattern *t,
                               uint32_t classes, struct slotted **out)
{
    uint32_t n = linear_models(classes);
    struct slotted *s = ctx->host->alloc(ctx, n * sizeof *s);
    bool made = s != NULL;
    for (uint32_t c = 0; c < n && made; c++)
        made = slotted_make_copy(ctx, t, c ? s[0].model : NULL, &s[c]);
    *out = s;
    if (made) return LEAT_OK;
    slotted_release(ctx, s, n);
    *out = NULL;
    struct slotted_bytes bytes = slotted_bytes_of(t->kernel, t->shape, t->opt);
    return ctx->host->fail(ctx, LEAT_ENOMEM,
                           "there is not enough memory for %u features: %zu bytes",
                           t->shape->active, n * (bytes.block + bytes.beside) + bytes.scratch);
}

int slotted_make_like(struct leat_ctx *ctx, const struct slotted_held *live, struct slotted **out)
{
    const struct slotted *l = live->copy;
    struct slotted_pattern t = {l->model->kernel,   &l->model->shape, &l->model->opt,
                                l->names.max_bytes, l->parts != NULL, l->averages.of != NULL};
    return slotted_make_copies(ctx, &t, live->classes, out);
}

static void slotted_close(struct leat_ctx *ctx, void *self)
{
    struct slotted_stage *st = self;
    ctx->host->free(ctx, st->hash);
    slotted_release(ctx, st->held.copy, linear_models(st->held.classes));
}

static int slotted_begin(struct leat_ctx *ctx, void *self)
{
    struct slotted_stage *st = self;
    const struct leat_host *h = ctx->host;
    const struct slotted_cfg *c = ctx->cfg;
    struct slotted_ask ask = st->of->ask(c, ctx->in);
    struct linear_shape shape;
    char why[256];
    if (!slotted_choose_shape(&ask, c, ctx->in, &shape)) {
        slotted_misfit(&ask, &shape, c, ctx->in, "budget", why);
        return h->fail(ctx, LEAT_EARG, "%s", why);
    }
    const struct linear_kernel *k = ask.kind->kernel;
    size_t block = slotted_bytes_of(k, &shape, &ask.opt).block;
    uint32_t name_bytes = slotted_longest_name(c, ctx->in, block, shape.active);
    struct slotted_pattern t = {
        k, &shape, &ask.opt, name_bytes, has_parts(ctx->in), c->linear.averaged};
    ask.opt.seed = h->seed(ctx);
    st->held.kind = ask.kind;
    st->held.classes = slotted_classes_of(c, ctx->in);
    drift_watch_open(&st->held.watch, &c->linear);
    int status = units_reserve(ctx, st->learner.units, ask.opt.max_row);
    if (status == LEAT_OK) status = slotted_make_copies(ctx, &t, st->held.classes, &st->held.copy);
    if (status != LEAT_OK) return status;
    st->hash = st->held.classes ? h->alloc(ctx, ask.opt.max_row * sizeof *st->hash) : NULL;
    if (st->hash || !st->held.classes) return learner_text(ctx, &st->learner, name_bytes);
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the hashes of %u entries",
                   ask.opt.max_row);
}

/* ---- examples ---- */

static void slotted_take_name(struct slotted_stage *st, struct slotted *s,
                              const struct leat_batch *b, uint32_t slot, uint32_t entry)
{
    learner_take_name(&st->learner, &s->names, slot, b, entry);
    if (s->parts) s->parts[slot] = answer_parts(b, entry);
    if (s->averages.of) averages_set(&s->averages, slot, (struct average){0});
}

/* Adds the weights of all slots to their averages. */
static __attribute__((noinline)) void slotted_sample(struct slotted *s)
{
    const struct store *m = s->model;
    double records = (double)(m->sgd.t - s->averages.taken);
    double weight[AVERAGES_TOGETHER];
    float stored[AVERAGES_TOGETHER];
    for (uint32_t from = 0, n; from < m->set.n; from += n) {
        n = m->set.n - from < AVERAGES_TOGETHER ? m->set.n - from : AVERAGES_TOGETHER;
        store_weights(m, from, n, weight, stored);
        averages_add(&s->averages, from, n, weight, stored, records);
    }
    averages_taken(&s->averages, m->sgd.t);
}

LINEAR_INLINE bool slotted_learn(struct leat_ctx *ctx, void *self, uint32_t c,
                                 const struct leat_batch *b, const struct linear_example *ex,
                                 const uint64_t *hash, double *margin)
{
    struct slotted_stage *st = self;
    struct slotted *s = &st->held.copy[c];
    struct store *m = s->model;
    if (m->kernel->learn(m, &ex->row, hash, margin) != LINEAR_OK) return false;
    for (uint32_t k = 0; k < m->n_entrants; k++)
        slotted_take_name(st, s, b, m->entrant[k].slot, ex->start + m->entrant[k].entry);
    if (averages_due(&s->averages, ex->row.n, m->set.n, m->sgd.t)) slotted_sample(s);
    return true;
}

static const uint64_t *slotted_hash_row(void *self, const struct linear_row *row)
{
    struct slotted_stage *st = self;
    const struct store *m = st->held.copy->model;
    m->kernel->hash(m, row->n, row->id, st->hash);
    return st->hash;
}

static double slotted_margin_of(void *self, uint32_t c, const struct linear_row *row)
{
    struct slotted_stage *st = self;
    return store_margin(st->held.copy[c].model, row->n, row->id, row->x);
}

static struct drift_watch *slotted_watch_of(void *self)
{
    return &((struct slotted_stage *)self)->held.watch;
}

static void slotted_forget(void *self, const struct drift_action *what)
{
    struct slotted_held *held = &((struct slotted_stage *)self)->held;
    for (uint32_t c = 0; c < linear_models(held->classes); c++) {
        struct slotted *s = &held->copy[c];
        s->model->kernel->forget(s->model, what->share, what->sums);
        averages_restart(&s->averages, s->model->set.n);
    }
}

static struct sgd *slotted_clock_of(void *self, uint32_t c)
{
    return &((struct slotted_stage *)self)->held.copy[c].model->sgd;
}

static void slotted_shift(void *self, uint32_t c, uint64_t id, double shift)
{
    struct store *m = ((struct slotted_stage *)self)->held.copy[c].model;
    m->sgd.bias += store_weight(m, id) * shift;
}

/* Forgets the sums of merged models, which are going to learn. */
static void slotted_leave_sums(struct leat_ctx *ctx, struct slotted_held *h)
{
    for (uint32_t c = 0; c < linear_models(h->classes); c++) {
        merged_free(ctx, h->copy[c].merged);
        h->copy[c].merged = NULL;
    }
}

int slotted_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct slotted_stage *st = self;
    if (st->held.copy->merged && b->n_examples) slotted_leave_sums(ctx, &st->held);
    uint32_t max_row = st->held.copy->model->opt.max_row;
    const struct linear_calls calls = {slotted_learn,    slotted_hash_row, slotted_margin_of,
                                       slotted_watch_of, slotted_forget,   slotted_clock_of,
                                       slotted_shift};
    return linear_process(ctx, st, b, max_row, st->held.classes, &calls);
}

/* ---- answers ---- */

static uint64_t slotted_names_cut(const struct slotted_held *held)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < linear_models(held->classes); c++)
        n += held->copy[c].names.cut;
    return n;
}

void slotted_report_active(struct leat_ctx *ctx, const struct store *s)
{
    ctx->host->metric(ctx, "active", (double)s->set.n);
}

static double slotted_model_weight(const void *model, uint64_t id)
{
    return store_weight(model, id);
}

static void slotted_report(struct leat_ctx *ctx, void *self)
{
    const struct slotted_held *held = &((const struct slotted_stage *)self)->held;
    const struct leat_host *h = ctx->host;
    const struct slotted *s = held->copy;
    const struct store *m = s->model;
    struct slotted_bytes bytes = slotted_bytes_of(m->kernel, &m->shape, &m->opt);
    double n = linear_models(held->classes);
    const struct slotted_cfg *c = ctx->cfg;
    double budget = (double)(c->budget_total ? c->budget_total : c->budget);
    /* the real size may exceed the budget if parameters determine the shape */
    h->metric(ctx, "budget_bytes", fmax(budget, n * (double)bytes.charged));
    h->metric(ctx, "names_cut", (double)slotted_names_cut(held));
    h->metric(ctx, "model_bytes", n * (double)bytes.charged);
    h->metric(ctx, "table_bytes", n * (double)(bytes.block - bytes.charged));
    h->metric(
        ctx, "names_bytes",
        n * (double)slotted_names_bytes(m->shape.active, s->names.max_bytes, s->parts != NULL));
    drift_watch_report(ctx, &held->watch);
    merged_report(ctx, s->merged);
    if (held->classes) return; /* the other figures describe a single model */
    held->kind->report(ctx, m);
    h->metric(ctx, "bias",
              m->sgd.bias +
                  units_constant(((const struct learner *)self)->units, slotted_model_weight, m));
}

static uint32_t slotted_rank(void *of, uint32_t k, uint32_t min_count, float *weight, uint32_t *top)
{
    return store_top(((struct slotted *)of)->model, k, min_count, weight, top);
}

static double slotted_weigh(void *of, const float *weight, uint32_t slot)
{
    return store_slot_weight(((struct slotted *)of)->model, slot);
}

static const char *slotted_name_of(void *of, uint32_t slot, size_t *len)
{
    return names_get(&((struct slotted *)of)->names, slot, len);
}

static struct shown_model slotted_shown_copy(void *self, uint32_t copy)
{
    struct slotted *s = &((struct slotted_stage *)self)->held.copy[copy];
    const struct store *m = s->model;
    return (struct shown_model){.of = s,
                                .sgd = &m->sgd,
                                .n = m->set.n,
                                .counts = m->opt.counts,
                                .count = m->count,
                                .parts = s->parts,
                                .averages = s->averages.of ? &s->averages : NULL,
                                .spread = s->merged ? s->merged->spread : NULL,
                                .rank = slotted_rank,
                                .weigh = slotted_weigh,
                                .name = slotted_name_of,
                                .units = ((struct slotted_stage *)self)->learner.units,
                                .folded_id = m->set.id};
}

static int slotted_answer(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                          struct leat_result *out)
{
    return shown_all(ctx, q, self, ((struct slotted_stage *)self)->held.classes, slotted_shown_copy,
                     out);
}

/* Logs that the budget is much larger than needed. This is harmless, because unused memory is not
 * touched, but it may be a mistake. */
static void slotted_tell_unused(struct leat_ctx *ctx, void *self)
{
    enum { MUCH = 64, FEW_BYTES = 1 << 20 };
    const struct store *m = ((const struct slotted_stage *)self)->held.copy->model;
    uint32_t used = m->set.n, slots = m->shape.active;
    double budget = (double)((const struct slotted_cfg *)ctx->cfg)->budget;
    if (!used || budget < FEW_BYTES || used >= slots / MUCH) return;
    double enough = 1024;
    while (enough < budget * 2 * used / slots)
        enough *= 2;
    ctx->host->log(ctx, LEAT_INFO,
                   "%u features use a small part of budget = %.0f bytes, and the rest stays "
                   "unused: budget = \"%.0fKB\" would hold twice as many",
                   used, budget, enough / 1024);
}

/* ---- opening ---- */

static const struct learner_method slotted_method = {
    .open = slotted_begin,
    .close = slotted_close,
    .report = slotted_report,
    .answer = slotted_answer,
    .finish = slotted_tell_unused,
    .held = &slotted_state,
    .units = linear_units,
    .version = LINEAR_STATE_VERSION,
};

int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_learner *l)
{
    ((struct slotted_stage *)self)->of = l;
    return learner_open(ctx, self, &slotted_method);
}
