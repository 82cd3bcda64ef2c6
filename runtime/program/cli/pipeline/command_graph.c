/* command_graph.c -- `leat graph`: the stages and how they connect, and what a run did there. */
#include <string.h>

#include "host/log/log.h"
#include "core/text/plain_text.h"
#include "program/cli/session.h"
#include "host/exec/trial/peek.h"
#include "host/graph/negotiate/negotiate.h"
#include "print_graph.h"

/* The threads that a run would have. The graph is shown whatever is wrong with it, and with files
 * that are not there: nothing is said of that here. */
static bool make_plan(struct session *s, struct plan *p)
{
    struct diag draft = {.arena = &s->arena}, unsaid = {.arena = &s->arena};
    if (graph_has_cycle(&s->graph)) return false;
    negotiate(&s->graph, &draft);
    peek_headers(&s->graph, &unsaid);
    negotiate(&s->graph, &unsaid);
    return !unsaid.errors && plan_make(p, &s->graph, &unsaid) == LEAT_OK;
}

/* NULL without --summary. */
static int read_summary(struct graph_view *v, const char *path, json_t **to)
{
    json_error_t error;
    *to = path ? json_load_file(path, JSON_ALLOW_NUL, &error) : NULL;
    if (!path) return LEAT_OK;
    v->summary = *to;
    const char *fault = *to ? graph_notes_fault(v) : error.text;
    if (!fault) return LEAT_OK;
    log_message(LEAT_ERROR, "--summary %s: %s", path, fault);
    return LEAT_EDATA;
}

static int print(const struct graph_view *v, const char *format)
{
    if (!strcmp(format, "text"))
        print_graph_text(v, stdout);
    else if (!strcmp(format, "dot"))
        print_graph_dot(v, stdout);
    else if (!strcmp(format, "json"))
        print_graph_json(v, stdout);
    else {
        plain_text_line(stderr, "leat: --format takes text, dot or json, not %s", format);
        return LEAT_EARG;
    }
    return LEAT_OK;
}

int command_graph(const struct command_line *c)
{
    struct session s;
    struct plan plan = {0};
    json_t *summary = NULL;
    const char *format = c->format ? c->format : c->json ? "json" : "text";
    int status = session_prepare(&s, c, SESSION_LINKED);
    struct graph_view view = {.graph = &s.graph};
    session_print_problems(&s, c);
    if (status == LEAT_OK && make_plan(&s, &plan)) view.plan = &plan;
    if (status == LEAT_OK) status = read_summary(&view, c->summary, &summary);
    if (status == LEAT_OK) status = print(&view, format);
    json_decref(summary);
    session_release(&s);
    return status == LEAT_OK ? EXIT_DONE : status == LEAT_EDATA ? EXIT_DATA : EXIT_CONFIG;
}
