/* laws_of_batches.c -- laws of batches: their contents, sizes and lanes, and statuses of calls. */
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

/* ---- effects of a stage on its batches ---- */

enum { RECORDS = 96, LANES = 3 };

const char *law_takes_batches(const struct subject *s)
{
    return s->stage->kind == LEAT_SOURCE ? "a source gets no batches" : NULL;
}

static const struct feeding plain = {.flavour = PLAIN, .to = RECORDS, .end = true};
static const struct feeding hostile = {.flavour = HOSTILE, .to = 2 * RECORDS, .end = true};

/* Gives the stage ordinary and hostile records. The harness reports what the stage does wrong. */
static void give_all(const struct subject *s)
{
    struct harness *h = subject_open(s);
    trace_feed(s, h, plain, NULL);
    trace_feed(s, h, hostile, NULL);
    subject_close(h);
}

static void source_or_all(const struct subject *s)
{
    if (s->stage->kind != LEAT_SOURCE) {
        give_all(s);
        return;
    }
    struct harness *h = subject_open(s);
    struct trace t = trace_produced(s, h, 100);
    trace_free(&t);
    subject_close(h);
}

static void survives(const struct subject *s)
{
    struct subject full = *s;
    full.batch = 128;
    struct harness *h = subject_open(&full);
    trace_feed(&full, h, (struct feeding){.flavour = HOSTILE, .to = 640}, NULL);
    trace_feed(&full, h, plain, NULL);
    subject_close(h);
}

/* ---- selections ---- */

/* Removes records from h->b by giving them `status`: each record r with r % of != 0, or all records
 * if `of` is 0. */
static void filter(struct harness *h, uint32_t of, uint8_t status)
{
    struct leat_batch *b = &h->b;
    uint32_t n = 0;
    for (uint32_t r = 0; r < b->n; r++)
        if (!of || r % of) {
            b->status[r] = status;
            b->reason[r] = status == LEAT_ROW_REJECTED ? LEAT_R_SYNTAX : LEAT_R_NONE;
        } else
            b->sel[n++] = r;
    b->n_sel = n;
    n = 0;
    for (uint32_t e = 0; e < b->n_examples; e++)
        if (b->status[b->ex_record[e]] == LEAT_ROW_OK) b->ex_sel[n++] = e;
    b->n_ex_sel = n;
}

/* Fills cells and labels of invalid records with garbage. The stage must not read them. */
static void spoil(struct harness *h)
{
    struct leat_batch *b = &h->b;
    for (uint32_t r = 0; r < b->n; r++) {
        if (b->status[r] == LEAT_ROW_OK) continue;
        for (uint32_t c = 0; c < h->in.n_columns; c++)
            memset(b->column[c].boolean + r * column_type_bytes(h->in.column[c].type), 0xf0,
                   column_type_bytes(h->in.column[c].type));
        if (h->in.has & LEAT_HAS_LABEL) b->label[r] = 1e30f;
    }
}

static int batches_give(struct harness *h)
{
    if (h->stage->process) return harness_process(h);
    if (!h->stage->expand) return LEAT_OK;
    h->b.kind = LEAT_BATCH_DATA;
    return h->stage->expand(&h->ctx, h->self, &h->b, &h->made);
}

static void batches_empty(const struct subject *s)
{
    struct harness *h = subject_open(s);
    for (int k = 0; k < 4; k++) {
        trial_step("a batch %s",
                   k == 0 ? "without records" : "whose records are all filtered or rejected");
        harness_clear(h);
        if (h->stage->expand) harness_empty(&h->made);
        if (k) records_add(s, h, PLAIN, 0, s->batch);
        if (k) filter(h, 0, k == 1 ? LEAT_ROW_FILTERED : LEAT_ROW_REJECTED);
        if (k == 3) spoil(h);
        int status = batches_give(h);
        if (status < 0)
            trial_fails("it returned %d: %s, in %s", status, h->said,
                        k ? "a batch without valid records" : "an empty batch");
        if (h->n_rejections)
            trial_fails("it rejected a record that was filtered or rejected already");
    }
    harness_clear(h);
    trace_feed(s, h, plain, NULL);
    subject_close(h);
}

/* Gives the stage batches in which only every third record is valid, and returns its output.
 * `spoilt`: invalid records contain garbage. */
static struct trace give_some(const struct subject *s, bool spoilt)
{
    struct trace all = {0};
    FILE *out = open_memstream(&all.text, &all.n);
    struct harness *h = subject_open(s);
    for (uint32_t k = 0; k < RECORDS; k += s->batch) {
        trial_step("a batch with filtered or rejected records");
        harness_clear(h);
        records_add(s, h, PLAIN, k, s->batch);
        filter(h, 3, LEAT_ROW_FILTERED);
        if (spoilt) spoil(h);
        int status = harness_process(h);
        if (status < 0) trial_fails("process returned %d: %s", status, h->said);
        trace_batch(h, out);
    }
    struct trace answer = trace_answer(s, h);
    fwrite(answer.text, 1, answer.n, out);
    trace_free(&answer);
    fclose(out);
    subject_close(h);
    return all;
}

static const char *processes(const struct subject *s)
{
    return s->stage->process ? NULL : "it has no function process";
}

static void selected_only(const struct subject *s)
{
    struct trace a = give_some(s, false), b = give_some(s, true);
    trace_same(&a, &b, "its output, when filtered and rejected records have other contents,");
}

/* ---- use of a batch after the call that passed it ---- */

static void not_kept(const struct subject *s)
{
    struct harness *h = subject_new(s);
    uint32_t from = h->impl->n_arrays;
    if (harness_open(h, s->batch) < 0) trial_fails("open failed: %s", h->said);
    for (uint32_t k = 0; k < RECORDS; k += s->batch) {
        trace_feed(s, h, (struct feeding){.flavour = PLAIN, .from = k, .to = k + s->batch}, NULL);
        harness_forbid(h, from, h->impl->n_arrays, "a batch of an earlier call");
        from = h->impl->n_arrays;
        harness_make_batches(h, s->batch);
    }
    subject_close(h);
}

/* ---- sizes, lanes ---- */

static void batches_append(struct trace *t, struct trace more)
{
    t->text = realloc(t->text, t->n + more.n + 1);
    memcpy(t->text + t->n, more.text, more.n + 1);
    t->n += more.n;
    trace_free(&more);
}

/* Returns the stage's output for the records of f, followed by its final answer and state. */
static struct trace all_of(const struct subject *s, struct feeding f)
{
    struct subject with = *s;
    if (s->stage->kind == LEAT_SINK) return trace_of(s, f);
    if (!f.batch) f.batch = s->batch;
    with.batch = f.arranged ? ARRANGED_ROOM * f.batch : f.batch;
    struct harness *h = subject_open(&with);
    struct trace t = trace_next(&with, h, f);
    batches_append(&t, trace_answer(&with, h));
    batches_append(&t, trace_state(&with, h));
    subject_close(h);
    return t;
}

static void batches_sizes(const struct subject *s)
{
    static const uint32_t tried[] = {1, 7, 1024, 16};
    struct trace expected = all_of(s, plain);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        struct feeding f = plain;
        char what[80];
        f.batch = tried[i];
        f.uneven = tried[i] == 16;
        struct trace found = all_of(s, f);
        snprintf(what, sizeof what, "its output in batches of %s%u records",
                 f.uneven ? "1 to " : "", tried[i]);
        trace_same(&expected, &found, what);
        trace_free(&found);
    }
}

static const char *batches_is_learner(const struct subject *s)
{
    return s->stage->kind == LEAT_LEARNER ? NULL : "it is not a learner";
}

static void slices(const struct subject *s)
{
    struct trace expected = all_of(s, plain);
    struct feeding f = plain;
    f.slice = 3;
    struct trace found = all_of(s, f);
    trace_same(&expected, &found,
               "its output, when it learns each batch in slices and the other records are not "
               "selected,");
    trace_free(&found);
    trace_free(&expected);
}

/* ---- places within a batch ---- */

/* Compares the results of the same records in other arrangements (records.h). Some stages depend on
 * the order of records, others on the order of examples. So a stage passes if one of the two
 * arrangements does not change the results. */
static void arrangements(const struct subject *s)
{
    static const uint32_t tried[] = {7, 1024};
    const bool learns = s->stage->kind == LEAT_LEARNER;
    struct trace expected = all_of(s, plain);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        struct feeding f = plain;
        f.batch = tried[i];
        f.arranged = learns ? EXAMPLES_BACK : RECORDS_BACK;
        struct trace found = all_of(s, f);
        bool same = trace_is_same(&expected, &found);
        trace_free(&found);
        if (same) continue;
        f.arranged = learns ? RECORDS_BACK : EXAMPLES_BACK;
        found = all_of(s, f);
        trace_same(&expected, &found,
                   learns ? "its output, when records and texts lie elsewhere in the batch,"
                          : "its output, when examples and texts lie elsewhere in the batch,");
        trace_free(&found);
    }
}

static const char *in_lanes(const struct subject *s)
{
    return s->stage->caps & LEAT_PARALLEL ? NULL : "it does not declare LEAT_PARALLEL";
}

static void lanes(const struct subject *s)
{
    struct harness *lane[LANES];
    struct feeding f = plain;
    f.end = false;
    struct trace one = trace_of(s, f), all = {0};
    FILE *out = open_memstream(&all.text, &all.n);
    for (uint32_t i = 0; i < LANES; i++) {
        lane[i] = subject_new(s);
        lane[i]->lane = i;
        if (harness_open(lane[i], s->batch) < 0) trial_fails("open failed: %s", lane[i]->said);
    }
    for (uint32_t k = 0; k < RECORDS; k += s->batch) {
        f.from = k;
        f.to = k + s->batch;
        trace_feed(s, lane[k / s->batch % LANES], f, out);
    }
    fclose(out);
    trace_same(&one, &all, "the output of three lanes");
    for (uint32_t i = 0; i < LANES; i++)
        subject_close(lane[i]);
}

static const struct law laws[] = {
    {LAW("whole-batch", "each batch that it leaves is whole, and its values are finite", NULL,
         source_or_all),
     WATCH(BREACH_WHOLE)},
    {LAW("columns-filled", "it fills each column that it adds", NULL, source_or_all),
     WATCH(BREACH_UNFILLED)},
    {LAW("changes", "it changes nothing without declaring it", law_takes_batches, give_all),
     WATCH(BREACH_CHANGED)},
    {LAW("figures", "its figures are declared, and counters only grow", NULL, source_or_all),
     WATCH(BREACH_FIGURE)},
    {LAW("hostile", "it rejects records that it cannot take, and goes on", law_takes_batches,
         survives),
     .watches = 1u << BREACH_WHOLE | 1u << BREACH_RETURNED},
    {LAW("empty", "it takes batches without valid records", law_takes_batches, batches_empty)},
    {LAW("selected-only", "it reads only records that are selected", processes, selected_only)},
    {LAW("not-kept", "it keeps nothing of a batch after the call", law_takes_batches, not_kept)},
    {LAW("batch-sizes", "its output does not depend on the sizes of batches", law_takes_batches,
         batches_sizes)},
    {LAW("slices", "a learner learns a batch also in slices", batches_is_learner, slices)},
    {LAW("arrangement",
         "its output does not depend on where records, examples and texts lie in a batch",
         law_takes_batches, arrangements)},
    {LAW("lanes", "three lanes have the same output as one", in_lanes, lanes)},
};
const struct law_table laws_of_batches = {laws, sizeof laws / sizeof *laws};

/* ---- returned statuses: makes every call that the stage has ---- */

enum { BATCHES = 3 };

/* ---- checks before a run ---- */

/* Makes the calls before a run (pure calls) that the harness does not make on its own. */
static void batches_check(const struct subject *s)
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

/* Checks the status of a call, then clears h->said. */
static void batches_returned(struct harness *h, const char *call, int status)
{
    subject_told(h, call, harness_returned(h, call, status));
    h->said[0] = 0;
}

static void batches_work(const struct subject *s, struct harness *h)
{
    struct feeding f = {.flavour = PLAIN, .to = BATCHES * s->batch};
    if (s->stage->kind != LEAT_SOURCE) {
        trace_feed(s, h, f, NULL);
        return;
    }
    struct trace t = trace_produced(s, h, BATCHES);
    trace_free(&t);
}

static void batches_fence(const struct subject *s, struct harness *h)
{
    const struct leat_transaction *role = s->stage->transaction;
    const struct leat_position *list;
    uint64_t checkpoint;
    uint32_t n;
    trial_step("fence and positions");
    h->said[0] = 0;
    batches_returned(h, "fence", role->fence(&h->ctx, h->self, &checkpoint));
    if (role->positions)
        batches_returned(h, "positions", role->positions(&h->ctx, h->self, &list, &n));
}

static void batches_ask(const struct subject *s, struct harness *h)
{
    trial_step("query");
    h->said[0] = 0;
    if (s->stage->learner->query) harness_ask(h, LEAT_QUERY_TOP, 10, 0);
    if (s->stage->asker->show) batches_returned(h, "show", law_show(h, 3, false));
}

/* Passes a dead letter to the stage. */
static void batches_reject(const struct subject *s, struct harness *h)
{
    const struct leat_letters *role = s->stage->letters;
    const struct leat_dead_letter l = {.size = sizeof l,
                                       .pipeline = "test",
                                       .stage = "parse",
                                       .reason = "number",
                                       .input = "a.csv",
                                       .offset = 10,
                                       .line = 2,
                                       .message = "it is not a number",
                                       .n_message = 15,
                                       .record = "red,x",
                                       .n_record = 5,
                                       .timestamp = -1};
    trial_step("take and flush");
    h->said[0] = 0;
    if (role->take) batches_returned(h, "take", role->take(&h->ctx, h->self, &l));
    if (role->flush) batches_returned(h, "flush", role->flush(&h->ctx, h->self));
}

static void checkpoint(const struct subject *s, struct harness *h, bool commits)
{
    struct leat_position at = {.source = "source", .format = "test/1", .bytes = "", .n = 0};
    const struct leat_source *role = s->stage->source;
    trial_step("tick");
    h->said[0] = 0;
    if (s->stage->tick) batches_returned(h, "tick", s->stage->tick(&h->ctx, h->self, 1));
    trial_step("barrier");
    if (s->stage->barrier) batches_returned(h, "barrier", s->stage->barrier(&h->ctx, h->self, 1));
    trial_step("position, commit and durable");
    if (role->position) batches_returned(h, "position", role->position(&h->ctx, h->self, &at));
    if (commits)
        batches_returned(h, "commit", s->stage->transaction->commit(&h->ctx, h->self, 1, &at, 1));
    if (role->durable) batches_returned(h, "durable", role->durable(&h->ctx, h->self, 1));
}

/* Makes a snapshot of the stage, restores it in a second instance and merges it there. Ignores a
 * refusal of the state, because another law checks that. */
static void batches_states(const struct subject *s, struct harness *h)
{
    struct subject same = *s;
    size_t n;
    if (!subject_has_state(s)) return;
    trial_step("snapshot");
    const void *state = harness_snapshot(h, &n);
    if (!state) trial_fails("snapshot failed: %s", h->said);
    same.instance = h->impl->instance; /* a restored sink continues the files of the first */
    struct harness *again = subject_new(&same);
    trial_step("restore");
    int status = harness_continue(again, s->batch, state, n);
    trial_step("merge");
    if (status >= 0 && subject_merges(s)) harness_merge(again, state, n, 1);
    subject_close(again);
}

/* Opens the stage. Asks a source for its header, as if a parser wanted one. */
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
    batches_check(s);
    struct harness *h = open_asked(s);
    h->ctx.transactional = commits;
    if (commits) batches_fence(s, h);
    batches_work(s, h);
    batches_ask(s, h);
    batches_reject(s, h);
    checkpoint(s, h, commits);
    batches_states(s, h);
    subject_close(h);
}

/* Repeats all calls while the configuration is read-only, so that a write to it crashes. */
static void configured(const struct subject *s)
{
    struct subject locked = *s;
    locked.locked = true;
    all(&locked);
}

static const struct law returns_laws[] = {
    {LAW("returns", "each call returns only a status that it may return", NULL, all),
     WATCH(BREACH_RETURNED)},
    {LAW("config", "it changes nothing of its configuration while it works", NULL, configured)},
};
const struct law_table laws_of_returns = {returns_laws, sizeof returns_laws / sizeof *returns_laws};
