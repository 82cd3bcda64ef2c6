/* laws_of_states.c -- snapshots of transforms and learners, and what is read back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

enum { BATCHES = 6, HOSTILE_BATCHES = 20 };

const char *law_has_state(const struct subject *s)
{
    if (s->stage->kind != LEAT_TRANSFORM && s->stage->kind != LEAT_LEARNER)
        return "it is no transform or learner";
    return subject_has_state(s) ? NULL : "it has no snapshot and restore";
}

static const char *is_transform(const struct subject *s)
{
    return s->stage->kind == LEAT_TRANSFORM ? NULL : "it is no transform";
}

static const char *takes_into_state(const struct subject *s)
{
    if (law_takes_batches(s)) return law_takes_batches(s);
    return subject_has_state(s) ? NULL : "it has no snapshot and restore";
}

static struct feeding batches(const struct subject *s, uint32_t from, uint32_t to)
{
    return (struct feeding){
        .flavour = PLAIN, .from = from * s->batch, .to = to * s->batch, .end = to == BATCHES};
}

/* ---- what is declared ---- */

static void declared(const struct subject *s)
{
    if (s->stage->caps & LEAT_STATEFUL) return;
    struct harness *fresh = subject_open(s), *used = subject_open(s);
    struct feeding f = batches(s, 3, BATCHES);
    trace_feed(s, used, batches(s, 0, 3), NULL);
    struct trace expected = trace_next(s, fresh, f), found = trace_next(s, used, f);
    trace_same(&expected, &found,
               "it depends on earlier records and does not declare LEAT_STATEFUL: what it gives");
    subject_close(fresh);
    subject_close(used);
}

/* ---- restore ---- */

static struct harness *continued(const struct subject *s, const struct trace *state, uint32_t after)
{
    struct harness *h = subject_new(s);
    trial_step("restore of the state after batch %u", after);
    int status = harness_continue(h, s->batch, state->text, state->n);
    if (status < 0)
        trial_fails("its own state after batch %u is refused (%d): %s", after, status, h->said);
    return h;
}

static void same_end(const struct subject *s, struct harness *whole, struct harness *part,
                     uint32_t after)
{
    char what[120];
    struct trace a = trace_answer(s, whole), b = trace_answer(s, part);
    snprintf(what, sizeof what, "the answer of one restored after batch %u of %d", after, BATCHES);
    trace_same(&a, &b, what);
    struct trace c = trace_state(s, whole), d = trace_state(s, part);
    snprintf(what, sizeof what, "the last state of one restored after batch %u of %d", after,
             BATCHES);
    trace_same(&c, &d, what);
    trace_free(&a), trace_free(&b), trace_free(&c), trace_free(&d);
}

static void restores(const struct subject *s)
{
    struct trace state[BATCHES], given[BATCHES];
    struct harness *whole = subject_open(s);
    for (uint32_t k = 0; k < BATCHES; k++) {
        state[k] = trace_bytes(whole);
        given[k] = trace_next(s, whole, batches(s, k, k + 1));
    }
    for (uint32_t k = 0; k < BATCHES; k++) {
        struct harness *part = continued(s, &state[k], k);
        for (uint32_t j = k; j < BATCHES; j++) {
            char what[120];
            struct trace t = trace_next(s, part, batches(s, j, j + 1));
            snprintf(what, sizeof what, "batch %u of one restored after batch %u", j + 1, k);
            trace_same(&given[j], &t, what);
            trace_free(&t);
        }
        same_end(s, whole, part, k);
        subject_close(part);
    }
    subject_close(whole);
}

static void writes_the_same(const struct subject *s)
{
    struct harness *h = subject_open(s);
    trace_feed(s, h, batches(s, 0, BATCHES - 1), NULL);
    struct trace bytes = trace_bytes(h), expected = trace_state(s, h);
    struct harness *copy = continued(s, &bytes, BATCHES - 1);
    struct trace found = trace_state(s, copy);
    trace_same(&expected, &found, "the snapshot of a restored state");
    subject_close(copy);
    subject_close(h);
}

/* ---- what comes in ---- */

static double element_of(const struct stored_field *f, uint64_t i)
{
    double v;
    float single;
    if (f->element == LEAT_F64) {
        memcpy(&v, f->payload + i * sizeof v, sizeof v);
        return v;
    }
    memcpy(&single, f->payload + i * sizeof single, sizeof single);
    return (double)single;
}

/* Of a field: which element is no finite number; -1: all are, or it has none of floating point. */
static int64_t nonfinite(const struct stored_field *f)
{
    if (f->text || (f->element != LEAT_F64 && f->element != LEAT_F32)) return -1;
    for (uint64_t i = 0; i < (f->array ? f->count : 1); i++)
        if (!isfinite(element_of(f, i))) return (int64_t)i;
    return -1;
}

void law_must_be_finite(struct harness *h, const char *when, const char *expected)
{
    static struct state_reader r;
    struct trace is = trace_bytes(h);
    if (state_reader_init(&r, is.text, is.n) != LEAT_OK) trial_fails("its state: %s", r.error);
    for (uint32_t i = 0; i < r.n_fields; i++) {
        const struct stored_field *f = &r.field[i];
        int64_t at = nonfinite(f);
        if (at >= 0)
            trial_fails("field '%.*s' of its state has NaN or infinity, as element %lld%s\n"
                        "expected: %s",
                        (int)f->name_len, f->name, (long long)at, when, expected);
    }
    state_reader_free(&r);
    trace_free(&is);
}

/* Numbers that are infinite, missing or huge are among them. */
static void stays_finite(const struct subject *s)
{
    struct harness *h = subject_open(s);
    for (uint32_t k = 0; k < HOSTILE_BATCHES; k++) {
        const struct feeding f = {
            .flavour = HOSTILE, .from = k * s->batch, .to = (k + 1) * s->batch};
        trace_feed(s, h, f, NULL);
        law_must_be_finite(h, "", "it rejects what would make its state so");
    }
    subject_close(h);
}

/* ---- older states ---- */

static void versions(const struct subject *s)
{
    struct harness *h = subject_open(s);
    trace_feed(s, h, batches(s, 0, 3), NULL);
    struct trace is = trace_bytes(h);
    for (uint32_t v = 0; v < s->stage->state->version; v++) {
        trial_step("restore of a state of version %u", v);
        int status = harness_restore_as(h, is.text, is.n, v);
        if (status != LEAT_OK && status != LEAT_EDATA)
            trial_fails("a state of version %u: restore returned %d", v, status);
        if (status == LEAT_OK) harness_restore(h, is.text, is.n);
    }
    struct trace after = trace_bytes(h);
    trace_same(&is, &after, "its state, after states of older versions,");
    subject_close(h);
}

static const struct law laws[] = {
    {LAW("stateful", "it declares that it depends on earlier records", is_transform, declared)},
    {LAW("restore", "restored at any boundary, it gives what it would have given", law_has_state,
         restores)},
    {LAW("snapshot", "the snapshot of a restored state has the same bytes", law_has_state,
         writes_the_same)},
    {LAW("finite", "no NaN and no infinity comes into its state", takes_into_state, stays_finite)},
    {LAW("versions", "states of older versions are read or refused", law_has_state, versions),
     WATCH(BREACH_RETURNED)},
};
const struct law_table laws_of_states = {laws, sizeof laws / sizeof *laws};
