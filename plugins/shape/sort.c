/* sort.c -- shape.sort: outputs records in the order of event time, within a bounded lateness.
 *
 * A heap holds each record until the event time that all inputs have reached (leat_host.event_time)
 * is at least `lateness` after that of the record. Any earlier record that comes then is late. If
 * the budget is used up, the record with the earliest time is output early. See
 * kernels/window/held.h for the heap, and kept_record.h for the format of a record. */
#include <leat/plugin.h>

#include <stdio.h>

#include "kept_record.h"
#include "shape/docs.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 2, SECOND = 1000000000, MINUTE = 60 };

static const char *const sort_late_names[] = {"reject", "filter", "pass", NULL};
enum sort_late { REJECT, FILTER, PASS };

struct sort_cfg {
    int64_t lateness, budget, max_ahead;
    int32_t late;
};

struct sort {
    struct held held;
    void *block;
    struct leat_clock clock;
    bool noted;     /* `clock` has the time of the next record of the input batch */
    uint64_t given; /* largest event time + 1 among output records; 0: none */
    uint64_t late, early, peak, farthest; /* farthest: largest distance behind `latest` */
    uint64_t crowded; /* late records of this run that come after some that went early */
    uint64_t budget;
    uint32_t at; /* next record of the input batch */
};

static const struct leat_param sort_params[] = {
    LEAT_PARAM(struct sort_cfg, lateness, LEAT_DURATION, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .max = 3.2e8, .unit = "seconds",
               .doc = "how much earlier than the latest record a record may be, by event time; "
                      "each record is held for this long"),
    LEAT_PARAM(
        struct sort_cfg, late, LEAT_CHOICE, .def = "reject", .choices = sort_late_names,
        .doc = "what to do with a late record, which is earlier than one already passed on: reject "
               "it, leave it out, or let it pass out of order; it is counted in each case"),
    LEAT_PARAM(struct sort_cfg, budget, LEAT_SIZE, .def = "64MB", .min = 65536, .max = 1e12,
               .unit = "bytes",
               .doc = "memory for the records that are held; when it is used up, the earliest are "
                      "passed on early"),
    LEAT_PARAM(struct sort_cfg, max_ahead, LEAT_DURATION, .max = 3.2e8, .unit = "seconds",
               .doc = "a record that is this much later than the latest before it in its file or "
                      "partition sends out no others, unless nine more such records follow; by "
                      "default a minute, or twice `lateness`"),
};

/* ---- before the run ---- */

static int sort_negotiate(const void *config, struct leat_negotiation *n)
{
    return kept_negotiate(n);
}

static int sort_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    const struct sort_cfg *cfg = config;
    p->state_bytes = (uint64_t)cfg->budget;
    snprintf(p->note, sizeof p->note, "holds at most %llu records",
             (unsigned long long)cfg->budget / (kept_least(in) + 24));
    return LEAT_OK;
}

static int open_sort(struct leat_ctx *ctx, void *self)
{
    const struct sort_cfg *cfg = ctx->cfg;
    struct sort *st = self;
    st->budget = (uint64_t)cfg->budget;
    return kept_open(ctx, &st->held, &st->block, st->budget);
}

static void close_sort(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct sort *)self)->block);
}

/* ---- records ---- */

static int64_t sort_max_ahead(const struct sort_cfg *cfg)
{
    int64_t twice = 2 * cfg->lateness, minute = (int64_t)MINUTE * SECOND;
    return cfg->max_ahead ? cfg->max_ahead : twice > minute ? twice : minute;
}

/* Handles a late record according to the parameter `late`. Returns true if the heap shall hold the
 * record. */
static bool sort_take_late(struct leat_ctx *ctx, struct sort *st, struct leat_batch *b, uint32_t r,
                           uint64_t before)
{
    const struct sort_cfg *cfg = ctx->cfg;
    uint64_t seconds = (before + SECOND - 1) / SECOND;
    bool crowded = before <= (uint64_t)cfg->lateness;
    st->late++;
    st->crowded += crowded;
    if (cfg->late == PASS) return true;
    if (cfg->late == FILTER)
        leat_filter(b, r);
    else if (crowded)
        ctx->host->reject(ctx, b, r, LEAT_R_TIME,
                          "later records were passed on early, because budget = %llu bytes was "
                          "used up: raise budget, lower lateness, or give files in order of time",
                          (unsigned long long)st->budget);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_TIME,
                          "the record is late: it is %.9g s earlier than the latest before it; "
                          "lateness = \"%llus\" would have kept it in order",
                          (double)before / SECOND, (unsigned long long)seconds);
    return false;
}

static void sort_take(struct leat_ctx *ctx, struct sort *st, struct leat_batch *b, uint32_t r,
                      const struct leat_batch *out)
{
    if (b->timestamp[r] < 0) {
        ctx->host->reject(ctx, b, r, LEAT_R_TIME, "the record has no event time");
        return;
    }
    uint64_t key = (uint64_t)b->timestamp[r] + 1, before = 0;
    if (st->clock.input > b->timestamp[r]) before = (uint64_t)(st->clock.input - b->timestamp[r]);
    if (before > st->farthest) st->farthest = before;
    if (key < st->given && !sort_take_late(ctx, st, b, r, before)) return;
    if (!kept_take(ctx, &st->held, key, b, r, out)) return;
    if (st->held.n > st->peak) st->peak = st->held.n;
}

/* True if the first record is `lateness` earlier than the time `reached`. */
static bool sort_is_due(const struct leat_ctx *ctx, const struct sort *st, int64_t reached)
{
    const struct sort_cfg *cfg = ctx->cfg;
    return held_key(&st->held) + (uint64_t)cfg->lateness <= (uint64_t)(reached + 1);
}

/* Outputs all records that are due, and earlier ones if the budget is used up. Returns false if the
 * batch is full. */
static bool sort_give_due(struct leat_ctx *ctx, struct sort *st, bool all, struct leat_batch *out)
{
    while (st->held.n) {
        bool due = all || sort_is_due(ctx, st, st->clock.now);
        uint64_t key = held_key(&st->held);
        if (!due && !held_is_over(&st->held)) break;
        bool early = !due && !sort_is_due(ctx, st, st->clock.latest);
        if (!kept_give(ctx, &st->held, out)) return false;
        st->early += early;
        if (key > st->given) st->given = key;
    }
    return true;
}

/* Takes the event time of the next record, once. */
static int sort_note(struct leat_ctx *ctx, struct sort *st, const struct leat_batch *in)
{
    uint32_t r = st->at < in->n_sel ? in->sel[st->at] : LEAT_NULL;
    if (st->noted) return LEAT_OK;
    st->noted = true;
    return ctx->host->event_time(ctx, in, r, sort_max_ahead(ctx->cfg), &st->clock);
}

static int sort_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                       struct leat_batch *out)
{
    struct sort *st = self;
    int status;
    bool end = in->kind == LEAT_BATCH_END;
    for (; st->at < in->n_sel; st->at++, st->noted = false) {
        if ((status = sort_note(ctx, st, in)) != LEAT_OK) return status;
        if (!sort_give_due(ctx, st, false, out)) return LEAT_AGAIN;
        sort_take(ctx, st, in, in->sel[st->at], out);
    }
    if ((status = sort_note(ctx, st, in)) != LEAT_OK) return status;
    if (!sort_give_due(ctx, st, end, out)) return LEAT_AGAIN;
    st->at = 0;
    st->noted = false;
    if (end) st->given = 0; /* a run may continue after its end with other event times */
    return LEAT_OK;
}

static int sort_stop(struct leat_ctx *ctx, void *self)
{
    const struct sort *st = self;
    ctx->host->metric(ctx, "late_records", (double)st->late);
    ctx->host->metric(ctx, "gone_early", (double)st->early);
    ctx->host->metric(ctx, "held_peak", (double)st->peak);
    ctx->host->metric(ctx, "farthest_back_seconds", (double)st->farthest / SECOND);
    return LEAT_OK;
}

static void sort_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct sort *st = self[0];
    const struct sort_cfg *cfg = ctx->cfg;
    if (st->early)
        ctx->host->log(ctx, LEAT_WARN,
                       "budget: %llu records were passed on early, because the budget was used up: "
                       "raise it, or lower lateness",
                       (unsigned long long)st->early);
    if (cfg->late == REJECT) return;
    const char *went = cfg->late == PASS ? "passed out of order" : "are left out";
    if (st->crowded)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu records came after later ones that were passed on early, because "
                       "budget = %llu bytes was used up, and %s: raise budget, lower lateness, or "
                       "give files in order of time",
                       (unsigned long long)st->crowded, (unsigned long long)st->budget, went);
    if (st->late > st->crowded)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu records came too late, and %s: raise lateness to \"%llus\"",
                       (unsigned long long)(st->late - st->crowded), went,
                       (unsigned long long)(st->farthest + SECOND - 1) / SECOND);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct sort, member)
static const struct state_field sort_fields[] = {
    {"budget", STATE_SAME, .at = AT(budget)}, {"given", STATE_VALUE, .at = AT(given)},
    {"late", STATE_VALUE, .at = AT(late)},    {"early", STATE_VALUE, .at = AT(early)},
    {"peak", STATE_VALUE, .at = AT(peak)},    {"farthest", STATE_VALUE, .at = AT(farthest)},
};
#undef AT

static int sort_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct sort *st = self;
    int status = state_write(w, STATE_TABLE(sort_fields), st);
    if (status == LEAT_OK) status = kept_save_columns(ctx, w);
    return status == LEAT_OK ? kept_save(&st->held, w) : status;
}

static int sort_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct sort *st = self, read = *st;
    int status = state_check_version(r, version, STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(sort_fields), &read);
    if (status == LEAT_OK) status = kept_check_columns(ctx, r);
    if (status != LEAT_OK) return status;
    if (read.given > (uint64_t)INT64_MAX + 1) return r->refuse(r, "given is not a time");
    status = kept_restore(ctx, &read.held, r, UINT64_MAX);
    if (status == LEAT_OK) *st = read;
    return status;
}

static const struct leat_figure sort_figures[] = {
    {"late_records", "records", "records that came after later records were passed on",
     LEAT_COUNTER},
    {"gone_early", "records", "records that were passed on early to make room for others",
     LEAT_COUNTER},
    {"held_peak", "records", "most records that were held at a time", LEAT_GAUGE},
    {"farthest_back_seconds", "seconds",
     "longest time by which a record was earlier than the latest", LEAT_GAUGE},
};

const struct leat_stage shape_sort = {
    .name = "shape.sort",
    .summary = "records in the order of their event times",
    .doc = sort_doc,
    .example = "leat.shape.sort { lateness = \"30s\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL | LEAT_CLOCK,
    .needs = LEAT_HAS_RECORDS | LEAT_HAS_TIMESTAMP,
    LEAT_PARAMS(sort_params, struct sort_cfg),
    LEAT_FIGURES(sort_figures),
    LEAT_INSTANCE(struct sort, open_sort, close_sort),
    .negotiate = sort_negotiate,
    .plan = sort_plan,
    .stop = sort_stop,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = sort_snapshot,
                       .restore = sort_restore),
    .expand = sort_expand,
    .finish = sort_finish,
};
