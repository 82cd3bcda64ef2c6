/* laws_of_returns.c -- each call that the stage has is made: what it returns, and that it leaves
 * its configuration alone. What they may return is in base/calls/call_status.h, which the harness
 * goes by, and the run. */
#include "laws.h"
#include "trace.h"

enum { BATCHES = 3 };

/* ---- while checking ---- */

/* The harness has made the others. */
static void check(const struct subject *s)
{
    struct leat_framing f = {0};
    struct leat_ask ask = {.size = sizeof ask};
    struct harness *h = subject_new(s);
    trial_step("framing and ask");
    if (s->stage->framing) harness_returned(h, "framing", s->stage->framing(h->cfg, &f));
    if (s->stage->asker->ask) harness_returned(h, "ask", s->stage->asker->ask(h->cfg, &ask));
    harness_plan(h);
    trial_forgets(h);
    harness_free(h);
}

/* ---- at work ---- */

/* What the stage said before has been dealt with. */
static void returned(struct harness *h, const char *call, int status)
{
    subject_told(h, call, harness_returned(h, call, status));
    h->said[0] = 0;
}

static void work(const struct subject *s, struct harness *h)
{
    struct feeding f = {.flavour = PLAIN, .to = BATCHES * s->batch};
    if (s->stage->kind != LEAT_SOURCE) {
        trace_feed(s, h, f, NULL);
        return;
    }
    struct trace t = trace_produced(s, h, BATCHES);
    trace_free(&t);
}

static void fence(const struct subject *s, struct harness *h)
{
    const struct leat_transaction *role = s->stage->transaction;
    const struct leat_position *list;
    uint64_t checkpoint;
    uint32_t n;
    trial_step("fence and positions");
    h->said[0] = 0;
    returned(h, "fence", role->fence(&h->ctx, h->self, &checkpoint));
    if (role->positions) returned(h, "positions", role->positions(&h->ctx, h->self, &list, &n));
}

static void ask(const struct subject *s, struct harness *h)
{
    trial_step("query");
    h->said[0] = 0;
    if (s->stage->learner->query) harness_ask(h, LEAT_QUERY_TOP, 10, 0);
    if (s->stage->asker->show) returned(h, "show", law_show(h, 3, false));
}

/* A rejected record. */
static void reject(const struct subject *s, struct harness *h)
{
    const struct leat_letters *role = s->stage->letters;
    const struct leat_dead_letter l = {.size = sizeof l,
                                       .pipeline = "test",
                                       .stage = "parse",
                                       .reason = "number",
                                       .input = "a.csv",
                                       .offset = 10,
                                       .line = 2,
                                       .message = "it is no number",
                                       .n_message = 15,
                                       .record = "red,x",
                                       .n_record = 5,
                                       .timestamp = -1};
    trial_step("take and flush");
    h->said[0] = 0;
    if (role->take) returned(h, "take", role->take(&h->ctx, h->self, &l));
    if (role->flush) returned(h, "flush", role->flush(&h->ctx, h->self));
}

static void checkpoint(const struct subject *s, struct harness *h, bool commits)
{
    struct leat_position at = {.source = "source", .format = "test/1", .bytes = "", .n = 0};
    const struct leat_source *role = s->stage->source;
    trial_step("tick");
    h->said[0] = 0;
    if (s->stage->tick) returned(h, "tick", s->stage->tick(&h->ctx, h->self, 1));
    trial_step("barrier");
    if (s->stage->barrier) returned(h, "barrier", s->stage->barrier(&h->ctx, h->self, 1));
    trial_step("position, commit and durable");
    if (role->position) returned(h, "position", role->position(&h->ctx, h->self, &at));
    if (commits) returned(h, "commit", s->stage->transaction->commit(&h->ctx, h->self, 1, &at, 1));
    if (role->durable) returned(h, "durable", role->durable(&h->ctx, h->self, 1));
}

/* That it takes its own state is another law. */
static void states(const struct subject *s, struct harness *h)
{
    struct subject same = *s;
    size_t n;
    if (!subject_has_state(s)) return;
    trial_step("snapshot");
    const void *state = harness_snapshot(h, &n);
    if (!state) trial_fails("snapshot failed: %s", h->said);
    same.instance = h->impl->instance; /* a sink continues its files */
    struct harness *again = subject_new(&same);
    trial_step("restore");
    int status = harness_continue(again, s->batch, state, n);
    trial_step("merge");
    if (status >= 0 && subject_merges(s)) harness_merge(again, state, n, 1);
    subject_close(again);
}

/* A source is asked for a header, as if its parser wanted one. */
static struct harness *open_asked(const struct subject *s)
{
    struct harness *h = subject_new(s);
    h->framing.header |= s->stage->source->header != NULL;
    trial_step("open");
    int status = harness_open(h, s->batch);
    if (status < 0) subject_fails(h, "open or start", status);
    return h;
}

static void all(const struct subject *s)
{
    bool commits = !law_commits(s);
    check(s);
    struct harness *h = open_asked(s);
    h->ctx.transactional = commits;
    if (commits) fence(s, h);
    work(s, h);
    ask(s, h);
    reject(s, h);
    checkpoint(s, h, commits);
    states(s, h);
    subject_close(h);
}

/* The same calls; the first one that writes there crashes. */
static void configured(const struct subject *s)
{
    struct subject locked = *s;
    locked.locked = true;
    all(&locked);
}

static const struct law laws[] = {
    {LAW("returns", "each call returns what it may", NULL, all), WATCH(BREACH_RETURNED)},
    {LAW("config", "it changes nothing of its configuration while it works", NULL, configured)},
};
const struct law_table laws_of_returns = {laws, sizeof laws / sizeof *laws};
