/* laws_of_batches.c -- what a stage does to the batches that it is lent. */
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

enum { RECORDS = 96, LANES = 3 };

const char *law_takes_batches(const struct subject *s)
{
    return s->stage->kind == LEAT_SOURCE ? "a source gets no batches" : NULL;
}

static const struct feeding plain = {.flavour = PLAIN, .to = RECORDS, .end = true};
static const struct feeding hostile = {.flavour = HOSTILE, .to = 2 * RECORDS, .end = true};

/* The breaches that it watches for. */
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

/* Takes every record of h->b out for which k % of != 0; of 0: all. */
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

/* What nobody may read. */
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

static int give(struct harness *h)
{
    if (h->stage->process) return harness_process(h);
    if (!h->stage->expand) return LEAT_OK;
    h->b.kind = LEAT_BATCH_DATA;
    return h->stage->expand(&h->ctx, h->self, &h->b, &h->made);
}

static void empty(const struct subject *s)
{
    struct harness *h = subject_open(s);
    for (int k = 0; k < 4; k++) {
        trial_step("a batch %s", k == 0 ? "without records" : "whose records are all out already");
        harness_clear(h);
        if (h->stage->expand) harness_empty(&h->made);
        if (k) records_add(s, h, PLAIN, 0, s->batch);
        if (k) filter(h, 0, k == 1 ? LEAT_ROW_FILTERED : LEAT_ROW_REJECTED);
        if (k == 3) spoil(h);
        int status = give(h);
        if (status < 0)
            trial_fails("it returned %d: %s, in %s", status, h->said,
                        k ? "a batch without valid records" : "an empty batch");
        if (h->n_rejections) trial_fails("it rejected a record that was out already");
    }
    harness_clear(h);
    trace_feed(s, h, plain, NULL);
    subject_close(h);
}

/* Every third record is valid; `spoilt`: what the others hold is nothing. */
static struct trace give_some(const struct subject *s, bool spoilt)
{
    struct trace all = {NULL};
    FILE *out = open_memstream(&all.text, &all.n);
    struct harness *h = subject_open(s);
    for (uint32_t k = 0; k < RECORDS; k += s->batch) {
        trial_step("a batch with records that are out already");
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
    return s->stage->process ? NULL : "it has no process";
}

static void selected_only(const struct subject *s)
{
    struct trace a = give_some(s, false), b = give_some(s, true);
    trace_same(&a, &b, "what it gives, when records that are out already hold other things,");
}

/* ---- batches that are gone ---- */

static void not_kept(const struct subject *s)
{
    struct harness *h = subject_new(s);
    uint32_t from = h->impl->n_arrays;
    if (harness_open(h, s->batch) < 0) trial_fails("open failed: %s", h->said);
    for (uint32_t k = 0; k < RECORDS; k += s->batch) {
        trace_feed(s, h, (struct feeding){.flavour = PLAIN, .from = k, .to = k + s->batch}, NULL);
        harness_forbid(h, from, h->impl->n_arrays, "a batch that it was lent for an earlier call");
        from = h->impl->n_arrays;
        harness_make_batches(h, s->batch);
    }
    subject_close(h);
}

/* ---- sizes, lanes ---- */

static void append(struct trace *t, struct trace more)
{
    t->text = realloc(t->text, t->n + more.n + 1);
    memcpy(t->text + t->n, more.text, more.n + 1);
    t->n += more.n;
    trace_free(&more);
}

/* With the answer and the state that it comes to. */
static struct trace all_of(const struct subject *s, struct feeding f)
{
    struct subject with = *s;
    if (s->stage->kind == LEAT_SINK) return trace_of(s, f);
    if (!f.batch) f.batch = s->batch;
    with.batch = f.arranged ? ARRANGED_ROOM * f.batch : f.batch;
    struct harness *h = subject_open(&with);
    struct trace t = trace_next(&with, h, f);
    append(&t, trace_answer(&with, h));
    append(&t, trace_state(&with, h));
    subject_close(h);
    return t;
}

static void sizes(const struct subject *s)
{
    static const uint32_t tried[] = {1, 7, 1024, 16};
    struct trace expected = all_of(s, plain);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        struct feeding f = plain;
        char what[80];
        f.batch = tried[i];
        f.uneven = tried[i] == 16;
        struct trace found = all_of(s, f);
        snprintf(what, sizeof what, "what it gives in batches of %s%u records",
                 f.uneven ? "1 to " : "", tried[i]);
        trace_same(&expected, &found, what);
        trace_free(&found);
    }
}

static const char *is_learner(const struct subject *s)
{
    return s->stage->kind == LEAT_LEARNER ? NULL : "it is no learner";
}

static void slices(const struct subject *s)
{
    struct trace expected = all_of(s, plain);
    struct feeding f = plain;
    f.slice = 3;
    struct trace found = all_of(s, f);
    trace_same(&expected, &found,
               "what it gives when it learns each batch in slices, of which "
               "the other records are not selected,");
    trace_free(&found);
    trace_free(&expected);
}

/* ---- where things lie ---- */

/* What goes by records depends on their order, and what goes by examples on theirs: a stage gives
 * the same in one of the two arrangements. */
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
                   learns ? "what it gives when records and texts lie elsewhere in the batch"
                          : "what it gives when examples and texts lie elsewhere in the batch");
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
    struct trace one = trace_of(s, f), all = {NULL};
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
    trace_same(&one, &all, "what three lanes give");
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
    {LAW("hostile", "it rejects what it cannot take and goes on", law_takes_batches, survives),
     .watches = 1u << BREACH_WHOLE | 1u << BREACH_RETURNED},
    {LAW("empty", "it takes batches without valid records", law_takes_batches, empty)},
    {LAW("selected-only", "it reads only records that are selected", processes, selected_only)},
    {LAW("not-kept", "it keeps nothing of a batch after the call", law_takes_batches, not_kept)},
    {LAW("batch-sizes", "what it gives does not depend on the sizes of batches", law_takes_batches,
         sizes)},
    {LAW("slices", "a learner learns a batch also in slices", is_learner, slices)},
    {LAW("arrangement",
         "what it gives does not depend on where records, examples and texts lie in a batch",
         law_takes_batches, arrangements)},
    {LAW("lanes", "three lanes give what one gives", in_lanes, lanes)},
};
const struct law_table laws_of_batches = {laws, sizeof laws / sizeof *laws};
