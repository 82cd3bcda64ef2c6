/* drift.c -- implementation of drift.h: ADWIN on prediction errors, and actions. */
#include "drift.h"

#include "common/state/adwin_fields.h"
#include "kernels/base/count.h"

/* CHECK_EVERY: number of examples between two checks. LOG_FIRST: number of rises that a run
 * logs. */
enum { CHECK_EVERY = 32, LOG_FIRST = 10 };
static const double DELTA = 0.002; /* probability of a false alarm per check */

enum { NONE, RAISE, FADE, RESET };
const char *const linear_drift_actions[] = {"none", "raise", "fade", "reset", NULL};

/* Factors of each action for weights and for accumulators. An accumulator of 1/16 of its value
 * makes steps four times as large. */
static const struct drift_action actions[] = {
    [NONE] = {1, 1}, [RAISE] = {1, 1.0 / 16}, [FADE] = {0.5, 1.0 / 16}, [RESET] = {0, 0}};
static const char *const done[] = {
    [RAISE] = "steps are four times as large, until they have shrunk again",
    [FADE] = "weights are halved, and steps are four times as large, until they have shrunk again",
    [RESET] = "all weights are 0"};

void drift_watch_open(struct drift_watch *w, const struct linear_cfg *c)
{
    *w = (struct drift_watch){.action = c->on_drift};
    adwin_init(&w->adwin, DELTA);
}

const struct drift_action *drift_watch_see(struct leat_ctx *ctx, struct drift_watch *w, bool wrong)
{
    struct adwin_change c;
    adwin_add(&w->adwin, wrong);
    if (++w->examples % CHECK_EVERY || !adwin_check(&w->adwin, &c) || c.after <= c.before)
        return NULL;
    adwin_init(&w->adwin, DELTA); /* restarts: earlier errors do not predict later ones */
    if (++w->rises <= LOG_FIRST)
        ctx->host->log(
            ctx, LEAT_WARN,
            "the error has risen from %.3g to %.3g, about since example %.0f of %llu: %s%s",
            c.before, c.after, (double)w->examples - c.newer + 1, (unsigned long long)w->examples,
            done[w->action], w->rises == LOG_FIRST ? ". Further rises are only counted" : "");
    return &actions[w->action];
}

void drift_watch_report(struct leat_ctx *ctx, const struct drift_watch *w)
{
    if (w->action) ctx->host->metric(ctx, "drifts", (double)w->rises);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct drift_watch, member)
static const struct state_field fields[] = {
    {"watched", STATE_VALUE, .at = AT(examples), .max = COUNT_MAX},
    {"drifts", STATE_VALUE, .at = AT(rises), .limit = AT(examples)},
    ADWIN_FIELDS(AT, adwin),
};
#undef AT
static const struct state_field action[] = {
    {"on_drift", STATE_SAME, .at = STATE_MEMBER_OF(struct drift_watch, action, LEAT_U32),
     .choices = linear_drift_actions},
};

int drift_watch_write(const struct drift_watch *w, struct leat_writer *out)
{
    int status = state_write(out, STATE_TABLE(action), w);
    return status == LEAT_OK && w->action ? state_write(out, STATE_TABLE(fields), w) : status;
}

int drift_watch_read(struct drift_watch *w, struct leat_reader *r)
{
    struct drift_watch now = *w;
    int status = state_read(r, STATE_TABLE(action), &now);
    if (status != LEAT_OK || !now.action) return status;
    if (state_read(r, STATE_TABLE(fields), &now) != LEAT_OK) return LEAT_EDATA;
    const char *wrong = adwin_broken(&now.adwin);
    if (!wrong && adwin_window(&now.adwin).n > (double)now.examples)
        wrong = "watched is smaller than what the window has seen";
    if (wrong) return r->refuse(r, "%s", wrong);
    *w = now;
    return LEAT_OK;
}

void drift_watch_join(struct drift_watch *live, const struct drift_watch *other, double weight)
{
    if (!(weight > 0) || !other->examples) return;
    if (weight == 1 && !live->examples) {
        *live = *other;
        return;
    }
    live->examples = count_add(live->examples, other->examples, weight);
    live->rises = count_add(live->rises, other->rises, weight);
    adwin_init(&live->adwin, DELTA);
}
