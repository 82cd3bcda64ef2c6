/* period.c -- label.period: labels records by the period that their event time lies in.
 *
 * Each lane counts its records, and the stage judges all lanes together at the end. */
#include <stdbool.h>

#include <leat/plugin.h>

#include "common/zone_file.h"
#include "core/time/utc.h"
#include "kernels/text/time_span.h"
#include "labels/docs.h"
#include "label.h"

struct period_cfg {
    const char *before, *after, *zone, *newest;
};

/* The two periods. `rest`: the second one is all other times. */
struct period_pair {
    struct time_span first, second;
    bool rest;
};

enum { FIRST, SECOND, OUTSIDE, WITHOUT, KINDS };

struct period {
    struct period_pair pair;
    int64_t newest;                     /* of the parameter, or TIME_NONE */
    int64_t low, high;                  /* first and last time of the records; high < 0: none */
    uint64_t records[KINDS], surpasses; /* number of records after `newest` */
};

static const struct leat_param period_params[] = {
    LEAT_PARAM(struct period_cfg, before, LEAT_STRING,
               .doc = "records before this time: 2024-05-17, 2024-05, a time of iso8601, or -7d, "
                      "seven days before `newest`; or a span FROM..TO"),
    LEAT_PARAM(struct period_cfg, after, LEAT_STRING,
               .doc = "records from this time on, or in a span FROM..TO"),
    LEAT_PARAM(struct period_cfg, zone, LEAT_STRING, .def = "UTC",
               .doc = "time zone of times without an offset: UTC, +02:00, Europe/Berlin"),
    LEAT_PARAM(struct period_cfg, newest, LEAT_STRING,
               .doc = "newest time of the data, which -7d counts from"),
};

/* ---- before the run ---- */

/* Sets *s from a parameter. `from`: the span begins at a single moment, otherwise it ends there. */
static const char *period_of(struct time_span_reader *r, const char *text, bool from,
                             struct time_span *s)
{
    *s = TIME_SPAN_ALL;
    if (!text) return NULL;
    if (time_span_is(text)) return time_span_read(r, text, s);
    return time_moment(r, text, from ? &s->from : &s->to);
}

/* Fault of a parameter: a sentence, or NULL if there is none. */
struct period_fault {
    const char *param, *text, *why;
    char zone[ZONE_WHY];
};

/* Reads all parameters. Returns false if one is wrong. */
static bool period_read(const struct period_cfg *c, struct period_pair *p, int64_t *newest,
                        struct period_fault *f)
{
    struct time_span_reader r;
    *f = (struct period_fault){"zone", c->zone, .why = NULL};
    if (!zone_file_find(&r.reader.zone, c->zone, f->zone)) return f->why = f->zone, false;
    time_span_begin(&r, TIME_NONE);
    f->param = "newest", f->text = c->newest;
    *newest = TIME_NONE;
    if (c->newest && (f->why = time_moment(&r, c->newest, newest))) return false;
    r.newest = *newest;
    f->param = "before", f->text = c->before;
    if ((f->why = period_of(&r, c->before, false, &p->first))) return false;
    f->param = "after", f->text = c->after;
    if ((f->why = period_of(&r, c->after, true, &p->second))) return false;
    p->rest = !c->before || !c->after;
    if (!c->before) p->first = p->second;
    return true;
}

static int period_validate(const void *cfg, struct leat_diag *d)
{
    const struct period_cfg *c = cfg;
    struct period_pair p;
    struct period_fault f;
    int64_t newest;
    if (!c->before && !c->after) {
        d->error(d, NULL, "no period is given: set `before`, `after`, or both");
        return LEAT_OK;
    }
    if (!period_read(c, &p, &newest, &f))
        d->error(d, f.param, "'%s': %s%s", f.text, f.why,
                 f.param[0] == 'z' ? "" : ": give 2024-05-17, 2024-05-17T13:55, 2024-05 or -7d");
    else if (!p.rest && p.first.from < p.second.to && p.second.from < p.first.to)
        d->error(d, "after", "'%s' and '%s' overlap: a record must lie in one period at most",
                 c->before, c->after);
    return LEAT_OK;
}

static int period_negotiate(const void *cfg, struct leat_negotiation *n)
{
    if (!(n->in->has & LEAT_HAS_TIMESTAMP))
        n->diag->error(n->diag, NULL,
                       "records have no event time here: put leat.parse.time before this stage");
    return label_negotiate(cfg, n);
}

static int period_open(struct leat_ctx *ctx, void *self)
{
    struct period *st = self;
    struct period_fault f;
    st->high = TIME_NONE;
    if (period_read(ctx->cfg, &st->pair, &st->newest, &f)) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG, "%s = '%s': %s", f.param, f.text, f.why);
}

/* ---- records ---- */

static void period_note(struct period *st, int64_t t)
{
    if (st->high < 0 || t < st->low) st->low = t;
    if (t > st->high) st->high = t;
    st->surpasses += st->newest >= 0 && t > st->newest;
}

static int period_kind(const struct period_pair *p, int64_t t)
{
    if (t < 0) return WITHOUT;
    if (time_span_has(p->first, t)) return FIRST;
    return p->rest || time_span_has(p->second, t) ? SECOND : OUTSIDE;
}

static int period_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    static const char *const figure[KINDS] = {"first", "second", "outside", "without_time"};
    struct period *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        int64_t t = b->timestamp[r];
        int kind = period_kind(&st->pair, t);
        st->records[kind]++;
        if (t >= 0) period_note(st, t);
        if (kind == FIRST || kind == SECOND)
            b->label[r] = kind == FIRST ? 1 : -1;
        else
            leat_filter(b, r);
    }
    for (int k = 0; k < KINDS; k++)
        ctx->host->metric(ctx, figure[k], (double)st->records[k]);
    return LEAT_OK;
}

/* ---- the end ---- */

static void period_add(struct period *all, const struct period *lane)
{
    for (int k = 0; k < KINDS; k++)
        all->records[k] += lane->records[k];
    all->surpasses += lane->surpasses;
    if (lane->high < 0) return;
    if (all->high < 0 || lane->low < all->low) all->low = lane->low;
    if (lane->high > all->high) all->high = lane->high;
}

/* Warns that a period has no records. */
static void period_warn_empty(struct leat_ctx *ctx, const struct period *all, int kind)
{
    const struct period_cfg *c = ctx->cfg;
    char low[UTC_TEXT], high[UTC_TEXT];
    const char *of = c->before && (kind == FIRST || all->pair.rest) ? c->before : c->after;
    bool rest = kind == SECOND && all->pair.rest, span = time_span_is(of);
    bool before = (of == c->before) != rest; /* the rest of what is before a time comes after it */
    int n_low = (int)utc_write(low, all->low), n_high = (int)utc_write(high, all->high);
    ctx->host->log(ctx, LEAT_WARN, "no record lies %s %s: their times are from %.*s to %.*s",
                   span     ? (rest ? "outside" : "in")
                   : before ? "before"
                            : "from",
                   of, n_low, low, n_high, high);
}

static void period_warn_late(struct leat_ctx *ctx, const struct period *all)
{
    const struct period_cfg *c = ctx->cfg;
    char high[UTC_TEXT];
    int n = (int)utc_write(high, all->high);
    ctx->host->log(ctx, LEAT_WARN,
                   "%llu records are later than %s, the newest time of a sample, which the periods "
                   "count from: the newest is %.*s; give dates in place of times before the end",
                   (unsigned long long)all->surpasses, c->newest, n, high);
}

static void period_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    struct period all = *(const struct period *)self[0];
    for (uint32_t i = 1; i < lanes; i++)
        period_add(&all, self[i]);
    if (all.records[WITHOUT])
        ctx->host->log(ctx, LEAT_WARN, "%llu records have no event time and are left out",
                       (unsigned long long)all.records[WITHOUT]);
    if (all.surpasses) period_warn_late(ctx, &all);
    for (int k = FIRST; k <= SECOND && all.high >= 0; k++)
        if (!all.records[k]) period_warn_empty(ctx, &all, k);
}

static const struct leat_figure period_figures[] = {
    {"first", "records", "records labelled +1", LEAT_COUNTER},
    {"second", "records", "records labelled -1", LEAT_COUNTER},
    {"outside", "records", "records between the two periods: they are filtered", LEAT_COUNTER},
    {"without_time", "records", "records without an event time: they are filtered", LEAT_COUNTER},
};

const struct leat_stage label_period = {
    .name = "label.period",
    .summary = "labels records by their event time: those of one period against another",
    .doc = period_doc,
    .example = "leat.label.period { before = \"2024-05-01\", after = \"2024-06-01\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_LABEL),
    LEAT_PARAMS(period_params, struct period_cfg),
    LEAT_FIGURES(period_figures),
    LEAT_INSTANCE(struct period, period_open, NULL),
    .validate = period_validate,
    .negotiate = period_negotiate,
    .process = period_process,
    .finish = period_finish,
};
