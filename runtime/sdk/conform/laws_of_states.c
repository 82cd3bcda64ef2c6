/* laws_of_states.c -- laws of states: snapshots and restores, forged states. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

/* ---- snapshots of transforms and learners ---- */

enum { BATCHES = 6, HOSTILE_BATCHES = 20 };

const char *law_has_state(const struct subject *s)
{
    if (s->stage->kind != LEAT_TRANSFORM && s->stage->kind != LEAT_LEARNER)
        return "it is not a transform or learner";
    return subject_has_state(s) ? NULL : "it has no snapshot and restore";
}

static const char *is_transform(const struct subject *s)
{
    return s->stage->kind == LEAT_TRANSFORM ? NULL : "it is not a transform";
}

static const char *takes_into_state(const struct subject *s)
{
    if (law_takes_batches(s)) return law_takes_batches(s);
    return subject_has_state(s) ? NULL : "it has no snapshot and restore";
}

static struct feeding states_batches(const struct subject *s, uint32_t from, uint32_t to)
{
    return (struct feeding){
        .flavour = PLAIN, .from = from * s->batch, .to = to * s->batch, .end = to == BATCHES};
}

/* ---- declarations ---- */

static void declared(const struct subject *s)
{
    if (s->stage->caps & LEAT_STATEFUL) return;
    struct harness *fresh = subject_open(s), *used = subject_open(s);
    struct feeding f = states_batches(s, 3, BATCHES);
    trace_feed(s, used, states_batches(s, 0, 3), NULL);
    struct trace expected = trace_next(s, fresh, f), found = trace_next(s, used, f);
    trace_same(&expected, &found,
               "it depends on earlier records and does not declare LEAT_STATEFUL: its output");
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

static void states_same_end(const struct subject *s, struct harness *whole, struct harness *part,
                            uint32_t after)
{
    char what[120];
    struct trace a = trace_answer(s, whole), b = trace_answer(s, part);
    snprintf(what, sizeof what,
             "the answer of the stage restored after batch %u of "
             "%d",
             after, BATCHES);
    trace_same(&a, &b, what);
    struct trace c = trace_state(s, whole), d = trace_state(s, part);
    snprintf(what, sizeof what, "the last state of the stage restored after batch %u of %d", after,
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
        given[k] = trace_next(s, whole, states_batches(s, k, k + 1));
    }
    for (uint32_t k = 0; k < BATCHES; k++) {
        struct harness *part = continued(s, &state[k], k);
        for (uint32_t j = k; j < BATCHES; j++) {
            char what[120];
            struct trace t = trace_next(s, part, states_batches(s, j, j + 1));
            snprintf(what, sizeof what, "batch %u of the stage restored after batch %u", j + 1, k);
            trace_same(&given[j], &t, what);
            trace_free(&t);
        }
        states_same_end(s, whole, part, k);
        subject_close(part);
    }
    subject_close(whole);
}

static void writes_the_same(const struct subject *s)
{
    struct harness *h = subject_open(s);
    trace_feed(s, h, states_batches(s, 0, BATCHES - 1), NULL);
    struct trace bytes = trace_bytes(h), expected = trace_state(s, h);
    struct harness *copy = continued(s, &bytes, BATCHES - 1);
    struct trace found = trace_state(s, copy);
    trace_same(&expected, &found, "the snapshot of a restored state");
    subject_close(copy);
    subject_close(h);
}

/* ---- finite numbers ---- */

static double states_element_of(const struct stored_field *f, uint64_t i)
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

/* Returns the index of the first element that is not finite. Returns -1 if there is none, or if the
 * field does not have floats. */
static int64_t nonfinite(const struct stored_field *f)
{
    if (f->text || (f->element != LEAT_F64 && f->element != LEAT_F32)) return -1;
    for (uint64_t i = 0; i < (f->array ? f->count : 1); i++)
        if (!isfinite(states_element_of(f, i))) return (int64_t)i;
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

/* Gives the stage hostile records, with infinite, missing and huge numbers. Its state must stay
 * finite. */
static void stays_finite(const struct subject *s)
{
    struct harness *h = subject_open(s);
    for (uint32_t k = 0; k < HOSTILE_BATCHES; k++) {
        const struct feeding f = {
            .flavour = HOSTILE, .from = k * s->batch, .to = (k + 1) * s->batch};
        trace_feed(s, h, f, NULL);
        law_must_be_finite(h, "", "it rejects records that would make its state so");
    }
    subject_close(h);
}

/* ---- older states ---- */

static void versions(const struct subject *s)
{
    struct harness *h = subject_open(s);
    trace_feed(s, h, states_batches(s, 0, 3), NULL);
    struct trace is = trace_bytes(h);
    for (uint32_t v = 0; v < s->stage->state->version; v++) {
        trial_step("restore of a state of version %u", v);
        int status = harness_restore_as(h, is.text, is.n, v);
        if (status != LEAT_OK && status != LEAT_EDATA)
            trial_fails("a state of version %u: restore returned %d", v, status);
        if (status == LEAT_OK) harness_restore(h, is.text, is.n);
    }
    struct trace after = trace_bytes(h);
    trace_same(&is, &after, "its state, after the restore of older versions,");
    subject_close(h);
}

static const struct law laws[] = {
    {LAW("stateful", "if it depends on earlier records, it declares that", is_transform, declared)},
    {LAW("restore", "after a restore between any two batches, it has the same output",
         law_has_state, restores)},
    {LAW("snapshot", "the snapshot of a restored state has the same bytes", law_has_state,
         writes_the_same)},
    {LAW("finite", "its state never has NaN or infinity", takes_into_state, stays_finite)},
    {LAW("versions", "states of older versions are read or refused", law_has_state, versions),
     WATCH(BREACH_RETURNED)},
};
const struct law_table laws_of_states = {laws, sizeof laws / sizeof *laws};

/* ---- forged states ---- */

enum { ELEMENTS = 5 };                       /* elements of an array that are replaced in turn */
static const uint64_t MAX_WRITTEN = 1 << 30; /* most bytes of all forged states */

enum forgery {
    LACKS,
    OTHER_NAME,
    SHORTER,
    OTHER_TYPE,
    LARGE,
    HUGE,
    ALL_ONES,
    FORGERIES,
    NUMBER = FORGERIES, /* one number of the field is replaced */
    UNTOUCHED
};
static const char *const forgeries[] = {"without field",
                                        "with another name for field",
                                        "with a shorter field",
                                        "with another type of field",
                                        "with a large number in field",
                                        "with a huge number in field",
                                        "with all bits set in field"};

/* Change of one field in a forged state. With NUMBER, element `element` becomes `number`. */
struct forged {
    uint32_t field;
    enum forgery how;
    uint64_t element;
    double number;
};

static size_t states_width_of(uint32_t element)
{
    if (element == LEAT_U8) return 1;
    return element == LEAT_U32 || element == LEAT_F32 ? 4 : 8;
}

static void put_array(struct state_writer *w, const struct stored_field *f, const char *name,
                      uint32_t element, uint64_t n, const void *payload)
{
    w->base.array(&w->base, name, element, payload, n);
}

/* Writes a forged text. Depending on `how`, it is shorter, longer, not UTF-8, or an array of
 * bytes. */
static void forge_text(struct state_writer *w, const struct stored_field *f, const char *name,
                       enum forgery how)
{
    size_t n = (size_t)f->count, more = how == LARGE ? 1 << 10 : how == HUGE ? 1 << 20 : 0;
    char *copy = malloc(n + more + 1);
    memcpy(copy, f->payload, n);
    memset(copy + n, 'x', more);
    n += more;
    if (how == SHORTER && n) n--;
    if (how == ALL_ONES) memset(copy, 0xff, n);
    if (how == OTHER_TYPE)
        put_array(w, f, name, LEAT_U8, n, copy);
    else
        w->base.text(&w->base, name, copy, n);
    free(copy);
}

static void states_put_number(char *payload, uint32_t element, const struct forged *g)
{
    const float single = (float)g->number;
    if (element == LEAT_F64) memcpy(payload + g->element * sizeof g->number, &g->number, 8);
    if (element == LEAT_F32) memcpy(payload + g->element * sizeof single, &single, 4);
}

/* Writes an array, forged as `how` says. */
static void forge_array(struct state_writer *w, const struct stored_field *f, const char *name,
                        enum forgery how, const struct forged *g)
{
    uint64_t n = f->count;
    uint32_t element = f->element;
    size_t bytes = (size_t)n * states_width_of(element);
    char *copy = memcpy(aligned_alloc(64, (bytes + 128) & ~(size_t)63), f->payload, bytes);
    if (how == SHORTER && n) n--;
    if (how == OTHER_TYPE) element = element == LEAT_U8 ? LEAT_U8 : element ^ (LEAT_U32 ^ LEAT_F32);
    if ((how == HUGE || how == ALL_ONES) && n)
        memset(copy + bytes / 2 / states_width_of(element) * states_width_of(element),
               how == HUGE ? 0x7f : 0xff, states_width_of(element));
    if (how == NUMBER) states_put_number(copy, element, g);
    put_array(w, f, name, element, n, copy);
    free(copy);
}

static void forge_field(struct state_writer *w, const struct state_reader *r, uint32_t i,
                        const struct forged *g)
{
    const struct stored_field *f = &r->field[i];
    const enum forgery how = g->field == i ? g->how : UNTOUCHED;
    char name[STATE_MAX_NAME + 3];
    snprintf(name, sizeof name, "%.*s%s", (int)f->name_len, f->name, how == OTHER_NAME ? "x" : "");
    if (how == LACKS) return;
    if (f->text) forge_text(w, f, name, how);
    if (f->array) forge_array(w, f, name, how, g);
    if (f->array || f->text) return;
    uint64_t v;
    double d;
    memcpy(&v, f->payload, sizeof v);
    if (how == NUMBER) memcpy(&v, &g->number, sizeof v);
    if (how == LARGE) v = f->element == LEAT_F64 ? UINT64_C(0x7e37e43c8800759c) : 1 << 26;
    if (how == HUGE) v = f->element == LEAT_F64 ? UINT64_C(0x7fe0000000000000) : INT64_MAX;
    if (how == ALL_ONES) v = UINT64_MAX;
    memcpy(&d, &v, sizeof d);
    bool other = how == OTHER_TYPE;
    if ((f->element == LEAT_F64) != other)
        w->base.f64(&w->base, name, d);
    else if (f->element == LEAT_I64 && !other)
        w->base.i64(&w->base, name, (int64_t)v);
    else
        w->base.u64(&w->base, name, v);
}

/* Returns n so that every n-th of the forgeries can be tried within MAX_WRITTEN bytes. A forgery
 * writes the whole state, with the zeros of sparse arrays, and makes the stage write its memory. */
static uint32_t every_nth(const struct harness *h, const struct state_reader *r)
{
    uint64_t all = (state_reader_bytes(r) + h->allocated) * r->n_fields * FORGERIES;
    return 1 + (uint32_t)(all / MAX_WRITTEN);
}

/* Writes the state with one field forged. Returns false if writing fails. */
static bool forge(const struct subject *s, const struct state_reader *r, const struct forged *g,
                  struct state_writer *w)
{
    if (state_writer_begin(w, s->stage->name, s->stage->state->version) != LEAT_OK) return false;
    for (uint32_t k = 0; k < r->n_fields; k++)
        forge_field(w, r, k, g);
    return state_writer_finish(w) == LEAT_OK;
}

/* Restores a forged state in a stage with the state `is`. The stage must either refuse the forged
 * state, giving a reason and changing nothing, or accept it and then work. */
static void try_forged(const struct subject *s, struct harness *h, const struct trace *is,
                       const void *bytes, size_t n, const char *what, bool finite)
{
    size_t blocks = h->allocations;
    trial_step("restore of a state %s", what);
    int status = harness_restore(h, bytes, n);
    if (status == LEAT_OK) {
        char when[200];
        snprintf(when, sizeof when, ", after the restore of a state %s", what);
        trial_step("process%s", when);
        trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = s->batch}, NULL);
        if (finite) law_must_be_finite(h, when, "restore refuses it with LEAT_EDATA (-4)");
        if (harness_restore(h, is->text, is->n) < 0)
            trial_fails(
                "it restores a state %s, and then refuses the state that it saved itself: %s", what,
                h->said);
        return;
    }
    if (status != LEAT_EDATA && status != LEAT_ENOMEM)
        trial_fails("a state %s: restore returned %d\nexpected: LEAT_EDATA (-4)", what, status);
    struct trace after = trace_bytes(h);
    if (after.n != is->n || memcmp(after.text, is->text, is->n) != 0)
        trial_fails("restore refuses a state %s, but has changed what the stage had learned", what);
    if (h->allocations != blocks)
        trial_fails("the refused restore of a state %s leaves %zd blocks more", what,
                    (ssize_t)(h->allocations - blocks));
    trace_free(&after);
}

/* A stage in h with its state `is`, and the state `from` of another instance, which is forged. */
struct forge {
    struct harness *h;
    struct trace is, from;
    struct state_reader *r;
};

static struct forge begin_forging(const struct subject *s)
{
    static struct state_reader r;
    struct forge f = {.h = subject_open(s), .r = &r};
    struct harness *other = subject_open(s);
    trace_feed(s, f.h, (struct feeding){.flavour = PLAIN, .to = 3 * s->batch}, NULL);
    trace_feed(s, other, (struct feeding){.flavour = OTHER, .to = 3 * s->batch}, NULL);
    f.is = trace_bytes(f.h);
    f.from = trace_bytes(other);
    subject_close(other);
    if (state_reader_init(&r, f.from.text, f.from.n) != LEAT_OK)
        trial_fails("its state: %s", r.error);
    return f;
}

static void end_forging(struct forge *f)
{
    state_reader_free(f->r);
    trace_free(&f->is), trace_free(&f->from);
    subject_close(f->h);
}

static void states_damaged(const struct subject *s)
{
    static struct state_writer w;
    struct forge f = begin_forging(s);
    const uint32_t step = every_nth(f.h, f.r);
    for (uint32_t i = 0; i < f.r->n_fields; i++)
        for (enum forgery how = 0; how < FORGERIES; how++) {
            char what[120];
            if ((i * FORGERIES + how) % step) continue;
            snprintf(what, sizeof what, "%s '%.*s'", forgeries[how], (int)f.r->field[i].name_len,
                     f.r->field[i].name);
            const struct forged g = {.field = i, .how = how};
            if (forge(s, f.r, &g, &w)) try_forged(s, f.h, &f.is, w.bytes, w.n, what, false);
        }
    end_forging(&f);
}

/* ---- numbers ---- */

static bool has_numbers(const struct stored_field *f)
{
    return !f->text && (f->element == LEAT_F64 || f->element == LEAT_F32) &&
           (!f->array || f->count);
}

/* Returns the index of one of ELEMENTS elements of the field, equally spaced: which = 0 is the
 * first element, which = ELEMENTS - 1 the last. */
static uint64_t element_at(const struct stored_field *f, uint32_t which)
{
    return f->array ? (f->count - 1) * which / (ELEMENTS - 1) : 0;
}

static void forge_number(const struct subject *s, struct forge *f, uint32_t i, uint32_t which)
{
    static struct state_writer w;
    static const double numbers[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const struct stored_field *field = &f->r->field[i];
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        char what[120];
        const struct forged g = {i, NUMBER, element_at(field, which), numbers[k]};
        snprintf(what, sizeof what, "with %g as element %llu of '%.*s'", numbers[k],
                 (unsigned long long)g.element, (int)field->name_len, field->name);
        if (forge(s, f->r, &g, &w)) try_forged(s, f->h, &f->is, w.bytes, w.n, what, true);
    }
}

static void states_numbers(const struct subject *s)
{
    struct forge f = begin_forging(s);
    const uint32_t step = every_nth(f.h, f.r);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f.r->n_fields; i++)
        for (uint32_t which = 0; has_numbers(&f.r->field[i]) && which < ELEMENTS; which++) {
            if (which && !f.r->field[i].array) break;
            if (n++ % step == 0) forge_number(s, &f, i, which);
        }
    end_forging(&f);
}

static const struct law forgeries_laws[] = {
    {LAW("damaged-state",
         "a damaged state is refused with a reason and changes nothing, or is harmless",
         law_has_state, states_damaged),
     WATCH(BREACH_RETURNED)},
    {LAW("damaged-numbers", "a state with NaN or infinity is refused, or the model stays finite",
         law_has_state, states_numbers)},
};
const struct law_table laws_of_forgeries = {forgeries_laws,
                                            sizeof forgeries_laws / sizeof *forgeries_laws};
