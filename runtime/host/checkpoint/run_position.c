/* run_position.c -- see run_position.h. */
#include "run_position.h"

#include <stdlib.h>
#include <string.h>

#include "host/plugin/status_text.h"
#include "host/log/log.h"
#include "checkpoint_inside.h"
#include "host/exec/run.h"
#include "instance_state.h"

/* ---- making ---- */

static bool is_carried(const struct instance *i, const struct snapshot_section *section, uint32_t n)
{
    uint32_t kind = i->node->stage->kind;
    return kind == LEAT_SOURCE ||
           (kind != LEAT_LEARNER && (n < 2 || section[1].n <= RUN_POSITION_STATE));
}

/* At most 2 sections for each instance, after the first two. */
static uint32_t add_states(struct run *r, struct snapshot_section *section)
{
    struct instance_cursor at = {0};
    uint32_t n = 2;
    for (struct instance *i; (i = checkpoint_next_instance(r, &at));) {
        uint32_t more = instance_state_sections(i->saved, i, section + n);
        n += is_carried(i, section + n, more) ? more : 0;
    }
    return n;
}

static int reserve(struct run_position *p, size_t n)
{
    char *bytes = n > p->cap ? realloc(p->bytes, n) : p->bytes;
    if (!bytes) return LEAT_ENOMEM;
    p->cap = n > p->cap ? n : p->cap;
    p->bytes = bytes;
    p->n = n;
    return LEAT_OK;
}

int run_position_make(struct run_position *p, struct run *r, const char *fingerprint,
                      uint64_t checkpoint)
{
    struct state_writer run = {0};
    struct snapshot_section *section =
        calloc(2 * checkpoint_count_instances(r) + 4, sizeof *section);
    int status = section ? instance_state_run_write(&run, r) : LEAT_ENOMEM;
    if (status == LEAT_OK) {
        section[0] = (struct snapshot_section){"pipeline", fingerprint, strlen(fingerprint)};
        section[1] = (struct snapshot_section){"run", run.bytes, run.n};
        uint32_t n = add_states(r, section);
        status = r->control.failed ? r->control.failed : reserve(p, snapshot_bytes(section, n));
        if (status == LEAT_OK) snapshot_put(p->bytes, checkpoint, section, n);
    }
    if (status == LEAT_ENOMEM)
        control_fail(&r->control, status,
                     "there is not enough memory for the position of a checkpoint");
    free(section);
    state_writer_free(&run);
    return status;
}

void run_position_free(struct run_position *p)
{
    free(p->bytes);
    *p = (struct run_position){0};
}

/* ---- reading ---- */

/* `to` is a zeroed snapshot, and stays one if the sink keeps no position of a run. */
static int parse(struct checkpoints *c, const struct leat_position *given, struct snapshot *to)
{
    const struct commit *commit = &c->commit;
    if (strcmp(given->format, RUN_POSITION_FORMAT) != 0)
        return control_fail(
            &c->run->control, LEAT_EDATA,
            "transaction %s keeps a position in format %s, and this version of leat "
            "reads %s: use the version that wrote it",
            commit->name, given->format, RUN_POSITION_FORMAT);
    char *copy = malloc(given->n + 1);
    if (!copy)
        return control_fail(&c->run->control, LEAT_ENOMEM,
                            "there is not enough memory for the position of %s", commit->name);
    memcpy(copy, given->bytes, given->n);
    int status = snapshot_parse(to, copy, given->n);
    if (status != LEAT_OK)
        return control_fail(&c->run->control, status,
                            "the position that transaction %s keeps cannot be used: it %s",
                            commit->name, to->error);
    if (to->checkpoint != commit->done)
        return control_fail(
            &c->run->control, LEAT_EDATA,
            "transaction %s keeps the position of checkpoint %llu, and has committed "
            "checkpoint %llu: its rows and its positions do not belong together",
            commit->name, (unsigned long long)to->checkpoint, (unsigned long long)commit->done);

    return LEAT_OK;
}

/* Positions of sources are not the host's to read. */
static int read_kept(struct checkpoints *c, struct snapshot *to)
{
    const struct leat_position *list;
    uint32_t n;
    int status = commit_kept(&c->commit, c->run, &list, &n);
    for (uint32_t i = 0; status == LEAT_OK && i < n; i++)
        if (!*list[i].source && !to->n) status = parse(c, &list[i], to);
    return status;
}

/* ---- what a run may do without ---- */

/* Which nodes feed the sink, itself included. */
static const bool *feeders_of(const struct graph *g, const struct node *sink)
{
    bool *feeds = arena_alloc(g->arena, g->n_nodes * sizeof *feeds);
    feeds[sink->index] = true;
    for (uint32_t k = g->n_nodes; k-- > 0;) {
        const struct node *n = g->order[k];
        for (uint32_t j = 0; j < n->n_out; j++)
            feeds[n->index] |= feeds[g->edge[n->out[j]].to];
    }
    return feeds;
}

/* Why the sink would get other records if this stage, of which there is no state of the checkpoint,
 * were to continue; NULL: it would not. */
static const char *why_other_records(const struct checkpoints *c, const struct node *n)
{
    if (n->asked) return "its answers come from a model that is lost";
    if (n->stage->kind == LEAT_SOURCE && !commit_takes_position_of(&c->commit, n))
        return "how far it was read is lost";
    if (n->stage->kind != LEAT_TRANSFORM || !free_change_keeps(n)) return NULL;
    return n->stage->caps & LEAT_LEARNS ? NULL : "the records that it makes depend on its state";
}

static const char *newest_of(const struct checkpoints *c, const struct snapshot *from)
{
    struct arena *a = c->run->graph->arena;
    return from ? arena_printf(a, "the newest usable snapshot in %s is of checkpoint %llu",
                               c->options->dir, (unsigned long long)from->checkpoint)
                : arena_printf(a, "%s has no snapshot", c->options->dir);
}

static int refuse(struct checkpoints *c, const struct node *n, const char *why,
                  const struct snapshot *from)
{
    return control_fail(
        &c->run->control, LEAT_EDATA,
        "%s: %s. Transaction %s has committed checkpoint %llu, but %s: bring back a copy of the "
        "snapshots, or start over with another name of the transaction, another output and another "
        "--state DIR",
        n->label, why, c->commit.name, (unsigned long long)c->commit.done, newest_of(c, from));
}

/* In `lost`: the stages that lack what they had kept since the snapshot. */
static int check_stages(struct checkpoints *c, const struct snapshot *kept,
                        const struct snapshot *from, const char **lost)
{
    const struct graph *g = c->run->graph;
    const bool *feeds = feeders_of(g, c->commit.sink->node);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || checkpoint_is_reset(c->options, n)) continue;
        bool is_kept = instance_state_is_in(run_instance(c->run, n, 0), kept);
        const char *why = is_kept && !n->asked ? NULL : why_other_records(c, n);
        if (feeds[i] && why) return refuse(c, n, why, from);
        if (!is_kept && free_change_keeps(n))
            *lost = arena_printf(g->arena, "%s%s%s", *lost, **lost ? ", " : "", n->id);
    }
    return LEAT_OK;
}

static void report(const struct checkpoints *c, const struct snapshot *from, const char *lost)
{
    log_message(
        *lost ? LEAT_WARN : LEAT_INFO,
        "transaction %s has committed checkpoint %llu, but %s: the records continue exactly "
        "after that checkpoint%s%s",
        c->commit.name, (unsigned long long)c->commit.done, newest_of(c, from),
        *lost ? ", and these stages lack what they learned in between: " : "", lost);
}

/* ---- continuing ---- */

static int restore_all(struct checkpoints *c, const struct snapshot *kept,
                       const struct snapshot *from)
{
    struct instance_cursor at = {0};
    const struct snapshot *run = kept->n ? kept : from;
    int status = run ? instance_state_run_read(c->run, run) : LEAT_OK;
    for (struct instance *i; status == LEAT_OK && (i = checkpoint_next_instance(c->run, &at));) {
        const struct snapshot *of = instance_state_is_in(i, kept) ? kept : from;
        if (of) status = instance_state_restore(i, of, checkpoint_restarts(c, i->node));
    }
    return status;
}

int run_position_resume(struct checkpoints *c, const struct snapshot *from, struct diag *d)
{
    struct snapshot kept = {0};
    const char *lost = "";
    int status = read_kept(c, &kept);
    if (status == LEAT_OK && kept.n)
        status = checkpoint_compare(c, &kept, "position that the sink keeps", d);
    if (status == LEAT_OK && from) status = checkpoint_compare(c, from, "snapshot", d);
    if (status == LEAT_OK) status = check_stages(c, &kept, from, &lost);
    if (status == LEAT_OK) report(c, from, lost);
    if (status == LEAT_OK) status = restore_all(c, &kept, from);
    snapshot_free(&kept);
    return status;
}
