/* command_trace.c -- `leat trace`: the first records through all stages. Nothing is written: sinks
 * are not opened, and a state is only read. */
#include "host/log/log.h"
#include "host/log/json_text.h"
#include "core/text/plain_text.h"
#include "program/cli/command_line/options.h"
#include "program/cli/session.h"
#include "host/store/snapshot_dir.h"
#include "trace.h"

enum { DEFAULT_RECORDS = 5 };

/* What sources and sinks have kept is not taken: they may read and write elsewhere. */
static struct checkpoint_options options_of(struct session *s, const struct command_line *c)
{
    struct checkpoint_options o = c->state;
    const char **apart = arena_alloc(&s->arena, (s->graph.n_nodes + 1) * sizeof *apart);
    o.resets = (struct free_change_resets){apart, 0};
    for (uint32_t i = 0; i < s->graph.n_nodes; i++) {
        const struct node *n = &s->graph.node[i];
        if (n->stage && (n->stage->kind == LEAT_SOURCE || n->stage->kind == LEAT_SINK))
            apart[o.resets.n++] = n->id;
    }
    return o;
}

/* Not that a source begins again. */
static void take_errors(struct diag *to, const struct diag *from)
{
    for (const struct problem *p = from->first; p; p = p->next)
        if (p->severity != DIAG_WARNING)
            diag_add(to, DIAG_ERROR, p->at, p->stage, p->param, "%s", p->text);
}

/* LEAT_OK; without a state when none is asked for. */
static int read_state(struct session *s, const struct command_line *c, struct snapshot *from)
{
    if (!c->state.dir) return LEAT_OK;
    struct checkpoint_options o = options_of(s, c);
    struct diag found = {.arena = &s->arena};
    forecast_make(&s->forecast, &s->graph, &o, &found);
    take_errors(&s->diag, &found);
    if (s->diag.errors) return LEAT_EARG;
    int status = snapshot_dir_newest(c->state.dir, from);
    if (status == LEAT_OK) return LEAT_OK;
    log_message(LEAT_ERROR, "--state %s: it holds no snapshot that can be read", c->state.dir);
    return status;
}

/* The stage of --stage; NULL: none was given. */
static int find_stage(const struct session *s, const struct command_line *c,
                      const struct node **only)
{
    *only = c->stage ? graph_find(&s->graph, c->stage) : NULL;
    if (!c->stage || *only) return LEAT_OK;
    log_message(LEAT_ERROR,
                "--stage: the pipeline has no stage '%s'; `leat graph` shows their names",
                c->stage);
    return LEAT_EARG;
}

static int trace(struct session *s, const struct command_line *c)
{
    struct snapshot from = {0};
    struct trace_options o = {.records = c->records ? c->records : DEFAULT_RECORDS,
                              .learns = c->learn};
    json_t *found = NULL;
    int status = find_stage(s, c, &o.only);
    if (status == LEAT_OK) status = read_state(s, c, &from);
    if (c->state.dir) o.from = &from;
    o.changes = s->forecast.changes;
    if (status == LEAT_OK) status = trace_make(&s->graph, &o, &s->diag, &found);
    if (found && c->json)
        json_print(found, JSON_INDENT(2), stdout);
    else if (found)
        trace_print(found);
    if (found && !c->json) json_decref(found);
    snapshot_free(&from);
    return status;
}

int command_trace(const struct command_line *c)
{
    struct session s;
    struct command_line stateless = *c; /* its state is read, and no run will continue there */
    stateless.state.dir = NULL;
    log_set_level(c->log_level >= 0 ? c->log_level : LEAT_WARN);
    int status = session_prepare(&s, &stateless, SESSION_HEADERS);
    int code = session_only_files(&s.diag) ? EXIT_DATA : EXIT_CONFIG;
    if (status == LEAT_OK) {
        status = trace(&s, c);
        code = status == LEAT_OK ? EXIT_DONE : status == LEAT_EARG ? EXIT_CONFIG : EXIT_DATA;
    }
    session_print_problems(&s, c);
    session_release(&s);
    return code;
}
