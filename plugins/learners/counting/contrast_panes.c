/* contrast_panes.c -- implementation of contrast_panes.h. */
#include "contrast_panes.h"

#include <stdio.h>
#include <string.h>

#include "common/state/state_fields.h"
#include "common/state/state_prefix.h"
#include "core/time/utc.h"
#include "kernels/text/time_span.h"

const char *const contrast_panes_choices[] = {"outliers", "all", NULL};

/* ---- parameters and memory ---- */

/* Three quarters, as the panes have the counts of many times. */
uint64_t contrast_panes_budget(const struct contrast_panes_cfg *c, uint64_t budget)
{
    return c->panes ? budget - budget / 4 : 0;
}

static struct panes_options contrast_panes_options(const struct contrast_panes_cfg *c,
                                                   uint64_t seed)
{
    return (struct panes_options){
        .every = c->panes, .keep = c->keep, .seed = (uint32_t)seed, .of = (uint32_t)c->of};
}

/* Sets *of and *against to the periods of c; `newest` is a time in ns. Returns NULL, or a sentence
 * about the fault of *param. Leaves *against as it is if there is no such parameter. */
static const char *contrast_panes_periods(const struct contrast_panes_cfg *c, int64_t newest,
                                          struct time_span *of, struct time_span *against,
                                          const char **param)
{
    struct time_span_reader r;
    int64_t ago;
    time_zone_fixed(&r.reader.zone, 0);
    time_span_begin(&r, newest);
    *param = "period";
    const char *wrong = time_span_read(&r, c->period, of);
    if (wrong || !c->against) return wrong;
    *param = "against";
    if (!time_ago(c->against, &ago)) return time_span_read(&r, c->against, against);
    if (of->from < ago) return "that is before 1970: give `period` a beginning";
    *against =
        (struct time_span){of->from - ago, of->to == INT64_MAX ? newest + 1 - ago : of->to - ago};
    return NULL;
}

void contrast_panes_validate(const struct contrast_panes_cfg *c, uint64_t budget, bool fades,
                             struct leat_diag *d)
{
    const struct panes_options o = contrast_panes_options(c, 0);
    struct time_span of, against;
    const char *param;
    if (!c->panes) {
        if (c->period || c->against)
            d->error(d, c->period ? "period" : "against",
                     "the model has no panes, so it knows no periods: set panes = \"5min\"");
        return;
    }
    if (fades) d->error(d, "panes", "panes do not fade: leave out half_life");
    if (c->keep < c->panes)
        d->error(d, "keep", "is shorter than a pane: keep at least the length of `panes`");
    else if (panes_most(&o) > PANES_MOST)
        d->error(d, "keep", "needs more than %d panes: give longer `panes`", PANES_MOST);
    else if (panes_room(&o, contrast_panes_budget(c, budget)) < PANES_FEWEST_ROOM)
        d->error(d, "budget", "%u panes need at least %u kB", panes_most(&o),
                 panes_most(&o) * PANES_FEWEST_ROOM / 60);
    if (c->against && !c->period)
        d->error(d, "against", "needs a period: set period = \"FROM..TO\"");
    if (!c->period) return;
    const char *wrong = contrast_panes_periods(c, INT64_MAX / 2, &of, &against, &param);
    if (wrong) d->error(d, param, "'%s': %s", *param == 'p' ? c->period : c->against, wrong);
}

void contrast_panes_negotiate(const struct contrast_panes_cfg *c, struct leat_negotiation *n)
{
    if (c->panes && !(n->in->has & LEAT_HAS_TIMESTAMP))
        n->diag->error(n->diag, "panes",
                       "need event times, and the records have none: put leat.parse.time { "
                       "\"COLUMN\" } after the parser");
}

/* The struct, and after it the block of the kernel. */
static size_t contrast_panes_head(void) { return (sizeof(struct panes) + 63) & ~(size_t)63; }

size_t contrast_panes_bytes(const struct contrast_panes_cfg *c, uint64_t budget)
{
    const struct panes_options o = contrast_panes_options(c, 0);
    if (!c->panes) return 0;
    return contrast_panes_head() +
           panes_block_bytes(&o, panes_room(&o, contrast_panes_budget(c, budget)));
}

int contrast_panes_make(struct leat_ctx *ctx, const struct panes_options *o, uint32_t room,
                        struct contrast_held *h)
{
    size_t n = contrast_panes_head() + panes_block_bytes(o, room);
    h->panes = ctx->host->alloc(ctx, n);
    if (!h->panes)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u panes",
                               panes_most(o));
    panes_init(h->panes, o, room, (char *)h->panes + contrast_panes_head());
    return LEAT_OK;
}

int contrast_panes_begin(struct leat_ctx *ctx, const struct contrast_panes_cfg *c, uint64_t budget,
                         uint64_t seed, struct contrast_held *h)
{
    const struct panes_options o = contrast_panes_options(c, seed);
    if (!c->panes) return LEAT_OK;
    return contrast_panes_make(ctx, &o, panes_room(&o, contrast_panes_budget(c, budget)), h);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct panes, member)
static const struct state_field contrast_panes_fields[] = {
    {"panes", STATE_SAME, .at = AT(opt.every)},
    {"keep", STATE_SAME, .at = AT(opt.keep)},
    {"panes_of", STATE_SAME, .at = AT(opt.of), .choices = contrast_panes_choices},
    {"panes_room", STATE_SAME, .at = AT(room), .hint = "budget"},
    {"n_panes", STATE_VALUE, .at = AT(n), .limit = AT(most)},
    {"panes_newest", STATE_VALUE, .at = AT(newest), .min = -1, .max = 0x1p63},
    {"panes_late", STATE_VALUE, .at = AT(late), .max = COUNT_MAX},
    {"panes_timeless", STATE_VALUE, .at = AT(timeless), .max = COUNT_MAX},
    {"panes_ahead", STATE_VALUE, .at = AT(ahead), .max = COUNT_MAX},
    {"panes_least", STATE_VALUE, .at = AT(front.least), .max = 0x1p63},
    {"panes_run", STATE_VALUE, .at = AT(front.ahead), .max = HALF_LIFE_SURE - 1},
    {"panes_first", STATE_VALUE, .at = AT(front.seen), .max = HALF_LIFE_FIRST},
};
#undef AT

/* A pane as a state has it. */
struct contrast_panes_pane {
    struct pane pane;
    struct panes_entries e;
    uint32_t limit;
};
#define AT(member) STATE_MEMBER(struct contrast_panes_pane, member)
static const struct state_field contrast_pane_fields[] = {
    {"first", STATE_VALUE, .at = AT(pane.first), .max = 0x1p62},
    {"level", STATE_VALUE, .at = AT(pane.level), .max = 40},
    {"records", STATE_VALUE, .at = AT(pane.records), .max = COUNT_MAX},
    {"missing", STATE_VALUE, .at = AT(pane.missing)},
    {"ids", STATE_LENT, .at = AT(e.id), .count = {AT(pane.n)}, .sets_count = true,
     .limit = AT(limit)},
    {"counts", STATE_LENT, .at = AT(e.count), .count = {AT(pane.n)}},
    {"excess", STATE_LENT, .at = AT(e.excess), .count = {AT(pane.n)}},
};
#undef AT

int contrast_panes_write(const struct contrast_held *h, struct leat_writer *w)
{
    struct panes *p = h->panes;
    int status = state_write(w, STATE_TABLE(contrast_panes_fields), p);
    for (uint32_t i = 0; i < p->n && status == LEAT_OK; i++) {
        char prefix[STATE_PREFIX_MAX];
        struct state_prefix_writer to;
        struct contrast_panes_pane t = {p->pane[i], panes_entries(p, &p->pane[i]), p->limit};
        snprintf(prefix, sizeof prefix, "pane%u.", i);
        status =
            state_write(state_prefix_writer(&to, w, prefix), STATE_TABLE(contrast_pane_fields), &t);
    }
    return status;
}

int contrast_panes_read(struct leat_reader *r, struct contrast_held *h)
{
    struct panes *p = h->panes, read = *p;
    int status = state_read(r, STATE_TABLE(contrast_panes_fields), &read);
    if (status != LEAT_OK) return status;
    p->late = read.late;
    p->timeless = read.timeless;
    p->ahead = read.ahead;
    p->front = read.front;
    panes_advance(p, read.newest);
    for (uint32_t i = 0; i < read.n && status == LEAT_OK; i++) {
        char prefix[STATE_PREFIX_MAX];
        struct state_prefix_reader from;
        struct contrast_panes_pane t = {.limit = p->limit};
        snprintf(prefix, sizeof prefix, "pane%u.", i);
        struct leat_reader *of = state_prefix_reader(&from, r, prefix, "a pane");
        status = state_read(of, STATE_TABLE(contrast_pane_fields), &t);
        if (status != LEAT_OK) return status;
        const char *wrong = t.pane.first > read.newest ? "a pane is newer than the newest one"
                                                       : panes_unite(p, &t.pane, &t.e);
        if (wrong) return r->refuse(r, "%s", wrong);
    }
    return status;
}

void contrast_panes_unite(const struct contrast_held *other, double weight, struct contrast_held *h)
{
    struct panes *to = h->panes, *from = other->panes;
    panes_advance(to, from->newest);
    to->late += from->late;
    to->timeless += from->timeless;
    to->ahead += from->ahead;
    uint32_t seen = from->front.seen > to->front.seen ? from->front.seen : to->front.seen;
    to->front = (struct half_life_clock){.seen = seen};
    for (uint32_t i = 0; i < from->n; i++) {
        struct panes_entries e = panes_entries(from, &from->pane[i]);
        struct pane of = from->pane[i];
        if (weight != 1) panes_scale(&of, &e, weight);
        panes_unite(to, &of, &e);
    }
}

/* ---- sums of two periods ---- */

/* Two sums, with the model that has them as its counts. */
struct contrast_panes_view {
    struct panes_sum sum[2]; /* of `against`, and of `period` */
    struct contrast_held held;
    struct panes_bounds *bounds; /* [2][members] */
    uint32_t *count, *excess;    /* [members][2], [members] */
};

static struct contrast_shape contrast_panes_shape(const struct contrast_shape *s)
{
    return (struct contrast_shape){.members = s->members, .width = 1};
}

size_t contrast_panes_answer_bytes(const struct contrast_shape *s)
{
    const struct contrast_shape of = contrast_panes_shape(s);
    return contrast_block_bytes(&of) +
           s->members * (2 * sizeof(struct panes_bounds) + 3 * sizeof(uint32_t));
}

static void contrast_panes_free(struct leat_ctx *ctx, struct contrast_panes_view *v)
{
    ctx->host->free(ctx, v->held.block);
    ctx->host->free(ctx, v->bounds);
    ctx->host->free(ctx, v->count);
    ctx->host->free(ctx, v->excess);
}

static int contrast_panes_alloc(struct leat_ctx *ctx, const struct contrast_held *h,
                                struct contrast_panes_view *v)
{
    const struct leat_host *host = ctx->host;
    const struct contrast_shape s = contrast_panes_shape(&h->model.shape);
    const struct contrast_options o = {.both = true, .seed = h->model.opt.seed};
    *v = (struct contrast_panes_view){
        .held = {.names = h->names, .parts = h->parts, .unsampled = true},
        .bounds = host->alloc(ctx, 2 * (size_t)s.members * sizeof *v->bounds),
        .count = host->alloc(ctx, 2 * (size_t)s.members * sizeof *v->count),
        .excess = host->alloc(ctx, s.members * sizeof *v->excess)};
    v->held.block = host->alloc(ctx, contrast_block_bytes(&s));
    if (!v->held.block || !v->bounds || !v->count || !v->excess)
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for two periods");
    for (size_t y = 0; y < 2; y++)
        v->sum[y].bounds = v->bounds + y * s.members;
    contrast_init(&v->held.model, &s, &o, v->held.block);
    return LEAT_OK;
}

/* Gives a span without the middle of a pane the pane that has most time in common with it and is
 * not one of the other span, or else the pane that holds its beginning. */
static void contrast_panes_take_nearest(const struct panes *p, const struct time_span *span,
                                        const bool *other, bool *in)
{
    int64_t most = 0;
    uint32_t nearest = p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        struct panes_times own = panes_times_of(p, &p->pane[i]);
        int64_t from = own.from > span->from ? own.from : span->from;
        int64_t to = own.to < span->to ? own.to : span->to;
        bool begins = from == span->from && from < own.to;
        if (other[i] ? !begins || most : to - from <= most) continue;
        if (!other[i]) most = to - from;
        nearest = i;
    }
    if (nearest < p->n) in[nearest] = true;
}

/* Adds the panes of two periods. If `rest`, the other period is all other panes. A period without
 * the middle of a pane has the one with most time in common. Returns false if a pane is in both. */
static bool contrast_panes_add(const struct contrast_held *h, const struct time_span span[2],
                               bool rest, struct contrast_panes_view *v)
{
    const struct panes *p = h->panes;
    bool apart = true, any[2] = {rest, false}, in[2][PANES_MOST];
    for (int y = 0; y < 2; y++)
        for (uint32_t i = 0; i < p->n; i++)
            any[y] |= in[y][i] =
                panes_in(p, &p->pane[i], (struct panes_times){span[y].from, span[y].to});
    for (int y = 1; y >= 0; y--)
        if (!any[y]) contrast_panes_take_nearest(p, &span[y], in[!y], in[y]);
    for (uint32_t i = 0; i < p->n; i++) {
        if (rest) in[0][i] = !in[1][i];
        apart &= !(in[0][i] && in[1][i]);
    }
    for (int y = 0; y < 2; y++)
        panes_sum(p, in[y], &h->model.index, &v->sum[y]);
    return apart;
}

/* Sets the counts of the view's model to the sums. Returns false if one is too large for it. */
static bool contrast_panes_load(const struct contrast_held *h, struct contrast_panes_view *v)
{
    struct contrast_parts p = contrast_parts(&h->model);
    struct contrast_parts own = contrast_parts(&v->held.model);
    uint32_t cells[2 * CONTRAST_DEPTH];
    for (uint32_t s = 0; s < p.n; s++) {
        uint32_t excess[2];
        for (int y = 0; y < 2; y++) {
            struct panes_bounds of = v->sum[y].bounds[s];
            uint64_t records = v->sum[y].records, most = of.low > records ? of.low : records;
            uint64_t high = of.high < most ? of.high : most;
            if (high >= UINT32_MAX) return false;
            v->count[2 * (size_t)s + (size_t)y] = (uint32_t)high;
            excess[y] = (uint32_t)(high - of.low);
        }
        v->excess[s] = contrast_pack(excess);
    }
    for (uint32_t y = 0; y < 2; y++) {
        uint64_t n = v->sum[y].records;
        for (uint32_t k = 0; k < CONTRAST_DEPTH; k++)
            cells[y * CONTRAST_DEPTH + k] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
        p.clock.records[y] = n;
    }
    p.clock.t = p.clock.records[0] + p.clock.records[1];
    p.count = v->count;
    p.excess = v->excess;
    p.words = p.max_words = own.max_words;
    p.word = cells;
    p.cell_bits = 32;
    p.sample[0] = own.sample[0];
    p.sample[1] = own.sample[1];
    return !contrast_load(&v->held.model, &p);
}

/* ---- messages ---- */

static void contrast_panes_tell(struct leat_ctx *ctx, const char *param, const char *text,
                                const struct panes_sum *s)
{
    char from[UTC_TEXT], to[UTC_TEXT];
    int n_from = (int)utc_write(from, s->times.from), n_to = (int)utc_write(to, s->times.to);
    if (!s->panes)
        ctx->host->log(ctx, LEAT_WARN, "%s = '%s': no pane has records of this time", param, text);
    else
        ctx->host->log(ctx, LEAT_WARN, "%s = '%s': %u pane%s from %.*s to %.*s, %llu records",
                       param, text, s->panes, s->panes == 1 ? "" : "s", n_from, from, n_to, to,
                       (unsigned long long)s->records);
}

static void contrast_panes_tell_all(struct leat_ctx *ctx, const struct contrast_panes_cfg *c,
                                    const struct leat_query *q, const struct panes_sum sum[2])
{
    uint64_t unnamed = sum[0].unnamed > sum[1].unnamed ? sum[0].unnamed : sum[1].unnamed;
    contrast_panes_tell(ctx, "period", c->period, &sum[1]);
    contrast_panes_tell(ctx, "against", c->against ? c->against : "all other times", &sum[0]);
    if (unnamed >= 20 && unnamed >= q->min_count)
        ctx->host->log(ctx, LEAT_WARN,
                       "features without a row, because the model no longer has their names, have "
                       "up to %llu records in a pane: give a larger budget",
                       (unsigned long long)unnamed);
}

void contrast_panes_finish(struct leat_ctx *ctx, const struct panes *p)
{
    char newest[UTC_TEXT];
    int n = p->newest < 0 ? 0 : (int)utc_write(newest, p->newest * p->opt.every);
    if (p->late)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu records are in no pane, because the newest one, of %.*s or later, is "
                       "more than `keep` after them: raise `keep`",
                       (unsigned long long)p->late, n, newest);
    if (p->ahead)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu records are in no pane, because they are far ahead of the others "
                       "around them, whose newest pane is of %.*s: check the clocks",
                       (unsigned long long)p->ahead, n, newest);
    if (p->timeless)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu records are in no pane, because they have no event time",
                       (unsigned long long)p->timeless);
}

/* ---- the answer ---- */

static int contrast_panes_compare(struct leat_ctx *ctx, const struct contrast_held *h,
                                  const struct contrast_panes_cfg *c, const struct leat_query *q,
                                  struct contrast_panes_view *v)
{
    const struct panes *p = h->panes;
    struct time_span span[2] = {{0, 0}, {0, 0}};
    const char *param = "";
    int64_t newest = p->newest < 0 ? TIME_NONE : (p->newest + 1) * p->opt.every - 1;
    const char *wrong = NULL;
    if (p->newest >= 0) /* without a pane the periods are empty */
        wrong = contrast_panes_periods(c, newest, &span[1], &span[0], &param);
    if (!c->against) span[0] = (struct time_span){0, 0};
    if (wrong)
        return ctx->host->fail(ctx, LEAT_EARG, "%s = '%s': %s", param,
                               *param == 'p' ? c->period : c->against, wrong);
    int status = contrast_panes_alloc(ctx, h, v);
    if (status != LEAT_OK) return status;
    bool apart = contrast_panes_add(h, span, !c->against, v);
    if (!q->beside) contrast_panes_tell_all(ctx, c, q, v->sum);
    if (!apart)
        return ctx->host->fail(ctx, LEAT_EARG,
                               "period and against have a pane in common: give periods that are "
                               "apart, and longer ones the older they are");
    if (contrast_panes_load(h, v)) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG,
                           "a feature has more than 4294967294 records in a period: give a shorter "
                           "one");
}

int contrast_panes_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                          const struct contrast_panes_cfg *c, const struct leat_query *q,
                          struct leat_result *out, struct contrast_found *found)
{
    struct contrast_panes_view v = {.bounds = NULL};
    int status = contrast_panes_compare(ctx, h, c, q, &v);
    if (status == LEAT_OK) status = contrast_answer(ctx, &v.held, q, out, found);
    contrast_panes_free(ctx, &v);
    return status;
}
