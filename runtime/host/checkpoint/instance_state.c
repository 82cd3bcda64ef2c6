/* instance_state.c -- implementation of instance_state.h: saves, restores and merges states. */
#include "instance_state.h"

#include <assert.h>
#include <stdio.h>

#include "host/plugin/status_text.h"
#include "core/time/clock.h"
#include "host/exec/instance/input_clock.h"
#include "host/exec/run.h"
#include "host/metrics/read_checked.h"
#include "host/memory/process_memory.h"

/* Versions of the sections `host` and `run`. In version 1, `host` lacks the field time_end, and
 * `run` lacks the field created. Before version 3, `host` lacks the fields of ask_time.h, and
 * before version 4 the field unmeasured. */
enum { HOST_VERSION = 4, RUN_VERSION = 4 };

static const char this_leat[] = "this version of leat";

static void state_section_name(const char *id, const struct instance *i, const char *kind,
                               char name[SNAPSHOT_NAME])
{
    snprintf(name, SNAPSHOT_NAME, "%s/%s/%u", kind, id, (unsigned)i->ctx.lane);
}

static uint64_t state_count(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Counters of an instance, in the order in which its section has them. */
enum { COUNTERS = 5 };
static const char *const counters[COUNTERS] = {"in", "out", "filtered", "rejected", "batches"};

/* Writes the section `host`. `learned`: without the places of the inputs in time. */
static void state_write_host(struct state_writer *w, struct instance *i, const uint64_t v[COUNTERS],
                             bool learned)
{
    struct leat_writer *b = &w->base;
    for (int k = 0; k < COUNTERS; k++)
        b->u64(b, counters[k], v[k]);
    if (i->node->stage->expand) b->u64(b, "ended_after", i->ended_after);
    if (i->learning.progressive) {
        b->u64(b, "time_end", i->learning.time_end);
        learned ? b->u64(b, "several", 0) : ask_time_write(i, b);
        b->u64(b, "unmeasured", progressive_unmeasured(i->learning.progressive));
        progressive_write(i->learning.progressive, b);
    }
    for (uint32_t k = 0; k < i->learning.n_asks; k++) {
        char name[STATE_MAX_NAME + 1];
        snprintf(name, sizeof name, "ask_%u", (unsigned)k);
        b->u64(b, name, i->learning.asks[k]->next_examples);
    }
}

/* Adds the counts of an instance to v. */
static void state_add_counts(const struct instance *i, uint64_t v[COUNTERS])
{
    v[0] += state_count(&i->count.in);
    v[1] += state_count(&i->count.out);
    v[2] += state_count(&i->count.filtered);
    v[3] += state_count(&i->count.rejected);
}

static int state_not_saved(struct instance *i, int status, const char *why)
{
    char cure[MEMORY_CURE_TEXT];
    if (status == LEAT_ENOMEM)
        return instance_fail(i, status,
                             "its state cannot be saved: there is not enough memory for a copy: "
                             "%s, or lower its max_features or budget",
                             memory_cure(cure));
    return instance_fail(i, status, "its state cannot be saved: %s",
                         *why ? why : status_text(status)); /* a stage may fail without a reason */
}

/* True if the clock of the instance is part of the stage's state. */
static bool state_has_clock(const struct instance *i)
{
    return i->clock && i->node->stage->caps & LEAT_CLOCK;
}

static int state_call_snapshot(struct instance_state *s, struct instance *i)
{
    instance_enter(i->own, "snapshot", clock_ns());
    int status = i->node->stage->state->snapshot(&i->ctx, i->self, &s->stage.base);
    if (status == LEAT_OK && state_has_clock(i))
        status = event_clock_write(&i->clock->times, &s->stage.base);
    return instance_return(i->own, "snapshot", status);
}

/* True if the stage's state belongs to what is saved. The state of a split has no positions. */
static bool state_is_kept(const struct instance *i)
{
    const struct leat_stage *stage = i->node->stage;
    bool outside = stage->kind == LEAT_SOURCE || stage->kind == LEAT_SINK;
    return stage->state->snapshot && i->phase != INSTANCE_CLOSED &&
           !(outside && i->run->graph->split);
}

int instance_state_take(struct instance_state *s, struct instance *i)
{
    const struct leat_stage *stage = i->node->stage;
    int status = state_writer_begin(&s->host, "host", HOST_VERSION);
    if (status != LEAT_OK) return state_not_saved(i, status, s->host.error);
    uint64_t counts[COUNTERS] = {[COUNTERS - 1] = i->reading.batches};
    state_add_counts(i, counts);
    state_write_host(&s->host, i, counts, false);
    s->whole = false;
    s->has_stage = state_is_kept(i);
    if (!s->has_stage) return LEAT_OK;
    status = state_writer_begin(&s->stage, i->node->name, stage->state->version);
    if (status == LEAT_OK) status = state_call_snapshot(s, i);
    return status >= 0 ? LEAT_OK : state_not_saved(i, status, s->stage.error);
}

static bool state_is_finished(struct state_writer *w, struct instance *i)
{
    int status = state_writer_finish(w);
    if (status != LEAT_OK) state_not_saved(i, status, w->error);
    return status == LEAT_OK;
}

uint32_t instance_state_sections(struct instance_state *s, struct instance *i,
                                 struct snapshot_section out[2])
{
    if (!s->whole &&
        (!state_is_finished(&s->host, i) || (s->has_stage && !state_is_finished(&s->stage, i))))
        return 0;
    /* The checksums are computed only once, even if several snapshots contain these states. */
    s->whole = true;
    state_section_name(i->node->id, i, "host", out[0].name);
    out[0].bytes = s->host.bytes;
    out[0].n = s->host.n;
    if (!s->has_stage) return 1;
    state_section_name(i->node->id, i, "stage", out[1].name);
    out[1].bytes = s->stage.bytes;
    out[1].n = s->stage.n;
    return 2;
}

/* Takes the section `host` of a stage with the counts of all its lanes, without positions. */
static int state_take_learned(struct instance_state *s, struct run *r, struct node *n)
{
    struct instance *i = run_instance(r, n, 0);
    uint64_t counts[COUNTERS] = {0};
    int status = i->saved ? LEAT_OK : instance_state_take(s, i);
    if (status == LEAT_OK) status = state_writer_begin(&s->host, "host", HOST_VERSION);
    if (status != LEAT_OK) return state_not_saved(i, status, s->host.error);
    for (int lane = 0; lane < n->lanes; lane++)
        state_add_counts(run_instance(r, n, (uint32_t)lane), counts);
    state_write_host(&s->host, i, counts, true);
    return LEAT_OK;
}

uint32_t instance_state_learned(struct instance_state *s, struct run *r, struct node *n,
                                struct snapshot_section out[2])
{
    struct instance *i = run_instance(r, n, 0);
    struct snapshot_section saved[2];
    if (state_take_learned(s, r, n) != LEAT_OK) return 0;
    uint32_t sections = instance_state_sections(s, i, out);
    if (!sections || !i->saved) return sections;
    uint32_t kept = instance_state_sections(i->saved, i, saved);
    if (kept == 2) out[1] = saved[1];
    return kept;
}

void instance_state_trim(struct instance_state *s)
{
    state_writer_trim(&s->stage);
    state_writer_trim(&s->host);
}

void instance_state_free(struct instance_state *s)
{
    state_writer_free(&s->host);
    state_writer_free(&s->stage);
}

/* ---- restoring and merging the states of an instance ---- */

static int state_read_counters(struct leat_reader *r, uint64_t v[COUNTERS])
{
    int status = LEAT_OK;
    for (int k = 0; k < COUNTERS && status == LEAT_OK; k++)
        status = read_checked_count(r, counters[k], &v[k]);
    return status;
}

static void state_set_counters(struct instance *i, const uint64_t v[COUNTERS])
{
    _Atomic uint64_t *const to[] = {&i->count.in, &i->count.out, &i->count.filtered,
                                    &i->count.rejected};
    for (int k = 0; k < COUNTERS - 1; k++)
        atomic_store_explicit(to[k], v[k], memory_order_relaxed);
    i->reading.batches = v[COUNTERS - 1];
}

static int state_read_asks(struct instance *i, struct leat_reader *r, bool use)
{
    int status = LEAT_OK;
    for (uint32_t k = 0; k < i->learning.n_asks && status == LEAT_OK; k++) {
        char name[STATE_MAX_NAME + 1];
        uint64_t next;
        snprintf(name, sizeof name, "ask_%u", (unsigned)k);
        status = read_checked_count(r, name, &next);
        if (use) i->learning.asks[k]->next_examples = next;
    }
    return status;
}

static int state_read_time(struct leat_reader *r, uint64_t *end)
{
    int status = r->u64(r, "time_end", end);
    if (status == LEAT_OK && *end > INT64_MAX)
        return r->refuse(r, "time_end is %llu, which is not a time", (unsigned long long)*end);
    return status;
}

/* Reads the part of section host that belongs to the model: a reset skips it. */
static int state_read_learner(struct instance *i, struct leat_reader *r, uint32_t version)
{
    uint64_t time_end = 0, unmeasured = 0;
    int status = state_read_asks(i, r, false);
    if (status == LEAT_OK && i->learning.progressive && version >= 2)
        status = state_read_time(r, &time_end);
    if (status == LEAT_OK && i->learning.progressive && version >= 4)
        status = read_checked_count(r, "unmeasured", &unmeasured);
    if (status == LEAT_OK && i->learning.progressive)
        status = progressive_read(i->learning.progressive, r);
    if (status == LEAT_OK && i->learning.progressive)
        status = ask_time_read(i, r, version, time_end);
    if (status != LEAT_OK) return status;
    if (i->learning.progressive) progressive_set_unmeasured(i->learning.progressive, unmeasured);
    i->learning.time_end = time_end;
    return state_read_asks(i, r, true);
}

/* Reads section host. Changes the instance only if the whole section is valid. */
static int state_read_host(struct instance *i, struct leat_reader *r, uint32_t version, bool reset)
{
    uint64_t v[COUNTERS];
    uint64_t ended_after = 0;
    int status = state_read_counters(r, v);
    if (status == LEAT_OK && i->node->stage->expand)
        status = read_checked_count(r, "ended_after", &ended_after);
    if (status == LEAT_OK && !reset) status = state_read_learner(i, r, version);
    if (status != LEAT_OK) return status;
    state_set_counters(i, v);
    i->ended_after = reset ? 0 : ended_after;
    return LEAT_OK;
}

static int state_refused(struct instance *i, const struct snapshot_section *from, const char *what,
                         const char *why)
{
    instance_fail(i, LEAT_EDATA, "section %s cannot be %s: %s", from->name, what,
                  *why ? why : "the stage gives no reason");
    /* A lack of memory does not make the section invalid. */
    return atomic_load(&i->run->control.failed) == LEAT_ENOMEM ? LEAT_ENOMEM : LEAT_EDATA;
}

static const struct snapshot_section *
state_section_of(const struct instance *i, const struct snapshot *from, const char *kind)
{
    char name[SNAPSHOT_NAME];
    state_section_name(i->node->id, i, kind, name);
    const struct snapshot_section *own = snapshot_find(from, name);
    if (own || !i->node->was) return own;
    state_section_name(i->node->was, i, kind, name);
    return snapshot_find(from, name);
}

bool instance_state_is_in(const struct instance *i, const struct snapshot *from)
{
    return state_section_of(i, from, "host") != NULL;
}

static int state_restore_section(struct instance *i, const struct snapshot_section *host,
                                 bool reset)
{
    struct state_reader r;
    int status = state_reader_init(&r, host->bytes, host->n);
    if (status == LEAT_OK) status = state_reader_expect(&r, "host", HOST_VERSION, 0, this_leat);
    if (status == LEAT_OK) status = state_read_host(i, &r.base, r.version, reset);
    if (status != LEAT_OK) status = state_refused(i, host, "restored", r.error);
    state_reader_free(&r);
    return status;
}

/* Adds the counts of those lanes that the run before had, and this one lacks, to the last lane.
 * Only stages without a state have lanes. */
static int state_restore_lanes(struct instance *i, const struct snapshot *from, bool reset)
{
    const uint32_t own = i->ctx.lane;
    const struct snapshot_section *host;
    int status = LEAT_OK;
    for (i->ctx.lane++; status == LEAT_OK && (host = state_section_of(i, from, "host"));
         i->ctx.lane++) {
        const uint64_t in = state_count(&i->count.in), out = state_count(&i->count.out),
                       filtered = state_count(&i->count.filtered),
                       rejected = state_count(&i->count.rejected);
        status = state_restore_section(i, host, reset);
        atomic_fetch_add(&i->count.in, in);
        atomic_fetch_add(&i->count.out, out);
        atomic_fetch_add(&i->count.filtered, filtered);
        atomic_fetch_add(&i->count.rejected, rejected);
    }
    i->ctx.lane = own;
    return status;
}

int instance_state_restore_host(struct instance *i, const struct snapshot *from, bool reset)
{
    const struct snapshot_section *host = state_section_of(i, from, "host");
    int status = host ? state_restore_section(i, host, reset) : LEAT_OK;
    if (status == LEAT_OK && i->ctx.lane + 1 == (uint32_t)i->node->lanes)
        status = state_restore_lanes(i, from, reset);
    return status;
}

/* Handles a snapshot without a state of the stage. A sink then writes from the beginning; a merged
 * snapshot has no states of sinks (model_merge.c). For any other stage the run fails. */
static int state_no_stage(struct instance *i)
{
    if (i->node->stage->kind == LEAT_SINK) return LEAT_OK;
    return instance_fail(
        i, LEAT_EDATA,
        "the snapshot has no section stage/%s/%u; use --reset %s to restart the stage", i->node->id,
        (unsigned)i->ctx.lane, i->node->id);
}

/* Calls the stage's restore(). If that and the clock of the state are valid, takes both. */
static int state_call_restore(struct instance *i, struct state_reader *r)
{
    const bool has_clock = state_has_clock(i);
    struct event_clock read = {0};
    int status = LEAT_OK;
    if (has_clock && !event_clock_init(&read, i->clock->times.n_sources)) status = LEAT_ENOMEM;
    if (has_clock && status == LEAT_OK) status = event_clock_read(&read, &r->base);
    if (status == LEAT_OK)
        status = i->node->stage->state->restore(&i->ctx, i->self, &r->base, r->version);
    if (has_clock && status == LEAT_OK) {
        event_clock_fini(&i->clock->times);
        i->clock->times = read;
    } else {
        event_clock_fini(&read);
    }
    return status;
}

/* Calls the stage's restore(), or its merge() with `weight`. */
static int state_call_stage(struct instance *i, struct state_reader *r, bool merges, double weight)
{
    const struct leat_stage *stage = i->node->stage;
    instance_enter(i, merges ? "merge" : "restore", clock_ns());
    i->memory.borrows = true;
    int status =
        merges ? stage->state->merge(&i->ctx, i->self, &r->base, weight) : state_call_restore(i, r);
    i->memory.borrows = false;
    host_note_merged(i);
    instance_memory_settle(i);
    return instance_return(i, merges ? "merge" : "restore", status);
}

/* Returns, for messages, who defines the version of the stage's state: leat, or another plugin. */
static const char *state_maker_of(const struct node *n, char text[128])
{
    if (!n->type || !n->type->plugin || n->type->trusted) return this_leat;
    snprintf(text, 128, "plugin %s %s", n->type->plugin->name, n->type->plugin->version);
    return text;
}

/* Restores or merges the stage's state. A merge accepts only states of the current version. */
static int state_read_stage(struct instance *i, const struct snapshot *from, bool merges,
                            double weight)
{
    const struct leat_stage *stage = i->node->stage;
    const struct snapshot_section *section = state_section_of(i, from, "stage");
    struct state_reader r;
    char maker[128];
    if (!section) return state_no_stage(i);
    int status = state_reader_init(&r, section->bytes, section->n);
    if (status == LEAT_OK)
        status = state_reader_expect(&r, i->node->name, stage->state->version, merges,
                                     state_maker_of(i->node, maker));
    if (status == LEAT_OK) status = state_call_stage(i, &r, merges, weight);
    if (status < 0) status = state_refused(i, section, merges ? "merged" : "restored", r.error);
    state_reader_free(&r);
    return status;
}

int instance_state_restore_stage(struct instance *i, const struct snapshot *from)
{
    return state_read_stage(i, from, false, 1);
}

int instance_state_merge_stage(struct instance *i, const struct snapshot *from, double weight)
{
    assert(i->node->stage->state->merge);
    return state_read_stage(i, from, true, weight);
}

int instance_state_restore(struct instance *i, const struct snapshot *from, bool reset)
{
    assert(i->phase != INSTANCE_STARTED);
    int status = instance_state_restore_host(i, from, reset);
    if (status != LEAT_OK || reset || !i->node->stage->state->restore) return status;
    return instance_state_restore_stage(i, from);
}

/* ---- the section `run` of a snapshot ---- */

int instance_state_run_write(struct state_writer *w, struct run *r, bool learned)
{
    int status = state_writer_begin(w, "run", RUN_VERSION);
    if (status != LEAT_OK) return status;
    w->base.u64(&w->base, "created", learned ? 0 : clock_unix_ns());
    rejects_write(&r->rejects, &w->base, !learned);
    return state_writer_finish(w);
}

int instance_state_run_read(struct run *r, const struct snapshot *from)
{
    const struct snapshot_section *run = snapshot_find(from, "run");
    struct state_reader in = {0};
    if (!run && !from->checkpoint) return LEAT_OK; /* the state of a shard has none */
    int status = run ? state_reader_init(&in, run->bytes, run->n) : LEAT_EDATA;
    if (status == LEAT_OK) status = state_reader_expect(&in, "run", RUN_VERSION, 0, this_leat);
    if (status == LEAT_OK && in.version >= 2)
        status = in.base.u64(&in.base, "created", &r->saved_at);
    if (status == LEAT_OK) status = rejects_read(&r->rejects, &in.base);
    if (status != LEAT_OK)
        control_fail(&r->control, status, "section 'run' cannot be restored: %s",
                     run ? in.error : "it is missing");
    state_reader_free(&in);
    return status;
}

/* ---- iterating over all instances of a run ---- */

uint32_t instance_state_count(const struct run *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage) n += (uint32_t)r->graph->node[i].lanes;
    return n;
}

struct instance *instance_state_next(const struct run *r, struct instance_cursor *at)
{
    for (; at->node < r->graph->n_nodes; at->node++, at->lane = 0) {
        const struct node *n = &r->graph->node[at->node];
        if (n->stage && at->lane < (uint32_t)n->lanes) return run_instance(r, n, at->lane++);
    }
    return NULL;
}
