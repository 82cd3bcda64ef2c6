/* session.c -- implementation of session.h: prepares a script, and reports its problems. */
#include "session.h"

#include <stdio.h>

#include "host/log/command_words.h"
#include "host/log/log.h"
#include "host/checkpoint/checkpoint.h"
#include "host/checkpoint/commit.h"
#include "program/cli/command_line/command_line.h"
#include "program/cli/predict/frozen.h"
#include "host/exec/trial/parsed.h"
#include "host/exec/trial/peek.h"
#include "host/exec/trial/sample.h"
#include "host/exec/plan/plan.h"
#include "host/graph/outside/files.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/graph/outside/references.h"
#include "host/graph/outside/streams.h"
#include "host/lua/script/builder.h"

const struct lua_beginning session_beginnings = {peek_text, peek_list, sample_text, parsed_records};

/* Negotiates the schemas. In a run, sources read headers when they open. If the run cannot start,
 * the messages need the columns, so headers are read here. */
static void check_schemas(struct session *s, enum session_depth depth)
{
    struct diag draft = {.arena = &s->arena};
    negotiate(&s->graph, &draft);
    if (depth > SESSION_SCHEMAS || draft.errors || s->diag.errors)
        peek_headers(&s->graph, &s->diag);
    negotiate(&s->graph, &s->diag);
}

void session_take_words(const struct session *s)
{
    command_words_take(s->graph.takes, s->graph.n_takes);
}

static int prepare_session(struct session *s, enum session_depth depth)
{
    const struct command_line *c = &s->line;
    command_load_plugins(&s->known, c);
    if (c->frozen) registry_add_builtin(&s->known, &frozen_plugin);
    s->graph.snapshots = checkpoint_saves(&c->state);
    s->graph.split = c->state.split;
    int built = lua_build(c->script, c->args, c->n_args, command_lua_dir(&s->arena), &s->known,
                          &session_beginnings, &s->graph, &s->diag);
    s->graph.keeps_open = c->keep_open;
    s->graph.inspects = c->debug_plugins;
    if (c->frozen && built == LEAT_OK) frozen_extend(c->frozen, &s->graph);
    int linked = built == LEAT_OK ? graph_link(&s->graph, &s->known, &s->diag) : LEAT_EARG;
    /* Must follow the loading of plugins. Most are loaded when one of their stages is linked. */
    if (!s->reloads) session_take_words(s);
    registry_print_notices(&s->known, c->log_level >= LEAT_INFO, stderr);
    if (built != LEAT_OK || depth == SESSION_LINKED) return linked;
    if (depth > SESSION_OFFLINE)
        files_check(&s->graph, c->summary, c->report, c->state.dir, &s->diag);
    if (depth == SESSION_RECORDS) files_awaited(&s->graph, &s->diag);
    if (depth == SESSION_SCHEMAS || depth == SESSION_RECORDS) references_check(&s->graph, &s->diag);
    streams_check(&s->graph, &s->diag);
    if (!graph_has_cycle(&s->graph)) check_schemas(s, depth);
    if (depth == SESSION_HEADERS) return s->diag.errors ? LEAT_EARG : LEAT_OK;
    commit_check(&s->graph, c->state.dir, &s->diag);
    checkpoint_check(&s->graph, &c->state, &s->diag);
    if (depth == SESSION_RECORDS && !s->diag.errors) peek_tables(&s->graph, &s->diag);
    /* Skipped during a reload, because the present run still uses the memory of its learners. */
    if (depth == SESSION_RECORDS && !s->reloads && !s->diag.errors)
        peek_stages(&s->graph, &s->diag);
    if (depth == SESSION_RECORDS && !s->diag.errors) peek_records(&s->graph, &s->diag);
    if (s->reloads && !s->diag.errors) checkpoint_reload_resets(&s->graph, &s->line.state);
    if ((depth == SESSION_RECORDS || depth == SESSION_OFFLINE) && !s->diag.errors)
        forecast_make(&s->forecast, &s->graph, &c->state, &s->diag);
    return s->diag.errors ? LEAT_EARG : LEAT_OK;
}

int session_prepare(struct session *s, const struct command_line *c, enum session_depth depth)
{
    *s = (struct session){.line = *c, .diag.arena = &s->arena, .graph.arena = &s->arena};
    return prepare_session(s, depth);
}

int session_prepare_reload(struct session *s, const struct command_line *c)
{
    struct plan plan;
    *s = (struct session){.line = *c,
                          .reloads = true,
                          .during = "reloading",
                          .diag.arena = &s->arena,
                          .graph.arena = &s->arena};
    int status = prepare_session(s, SESSION_RECORDS);
    return status == LEAT_OK ? plan_make(&plan, &s->graph, &s->diag) : status;
}

void session_release(struct session *s)
{
    if (!s->reloads) command_words_take(NULL, 0);
    registry_free(&s->known);
    arena_free(&s->arena);
}

void session_name_subject(struct session *s, const char *subject)
{
    for (struct problem *p = s->diag.first; p; p = p->next)
        p->at = (struct location){subject, 0};
}

void session_print_problems(struct session *s, const struct command_line *c)
{
    argument_words(&s->diag, &s->graph, c->args, c->n_args);
    if (c->application && c->subject) session_name_subject(s, c->subject);
    char text[64];
    diag_log(&s->diag, s->during);
    snprintf(text, sizeof text, "leat: %zu error%s", s->diag.errors,
             s->diag.errors == 1 ? "" : "s");
    if (s->diag.errors) log_line(text);
}

bool session_only_files(const struct diag *d) { return d->errors && d->errors == d->file_errors; }
