/* check.c -- `leat check`: the plan of a pipeline, and whether its stages resume from the
 * snapshot. */
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/byte_size.h"
#include "core/report/terminal.h"
#include "core/text/plain_text.h"
#include "print_pipeline.h"
#include "host/exec/answers/ask.h"
#include "host/exec/trial/peek.h"
#include "host/exec/plan/plan_memory.h"
#include "host/flow/ring.h"
#include "host/graph/linalg.h"
#include "host/log/json_text.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/plugin/describe.h"
#include "program/cli/command.h"
#include "program/cli/command_line/command_line.h"
#include "program/cli/session.h"
#include "program/cli/wrap_lines.h"

/* ---- the effect of the snapshot on each stage ---- */

static const char *const words[] = {[FORECAST_RESUMES] = "resumes",
                                    [FORECAST_STARTS] = "starts fresh",
                                    [FORECAST_REFUSED] = "is refused",
                                    [FORECAST_DROPPED] = "is dropped",
                                    [FORECAST_KEEPS_NOTHING] = "keeps nothing"};
static const char *const outcome_names[] = {[FORECAST_RESUMES] = "resume",
                                            [FORECAST_STARTS] = "fresh",
                                            [FORECAST_REFUSED] = "refuse",
                                            [FORECAST_DROPPED] = "drop",
                                            [FORECAST_KEEPS_NOTHING] = "nothing"};

static void print_forecast(const struct forecast *f, const char *dir, FILE *out)
{
    fputc('\n', out);
    if (f->has_snapshot)
        plain_text_line(out, "state: snapshot %llu in %s", (unsigned long long)f->checkpoint, dir);
    else
        plain_text_line(out, "state: no snapshot in %s", dir);
    for (uint32_t i = 0; i < f->n; i++) {
        const struct forecast_stage *s = &f->stage[i];
        plain_text_line(out, "  %-26s %s%s%s", s->id, words[s->outcome], s->why ? ": " : "",
                        s->why ? s->why : "");
    }
}

/* Returns {"snapshot": number or null, "stages": [{"id", "outcome", "why"}]}. */
static json_t *print_forecast_json(const struct forecast *f)
{
    json_t *stages = json_array();
    for (uint32_t i = 0; i < f->n; i++) {
        const struct forecast_stage *s = &f->stage[i];
        json_array_append_new(stages, json_pack("{s:o, s:s, s:o*}", "id", json_text(s->id),
                                                "outcome", outcome_names[s->outcome], "why",
                                                s->why ? json_text(s->why) : NULL));
    }
    json_t *snapshot = f->has_snapshot ? json_integer((json_int_t)f->checkpoint) : json_null();
    return json_pack("{s:o, s:o}", "snapshot", snapshot, "stages", stages);
}

/* ---- a checked pipeline as text and JSON ---- */

static const char *kind_name(const struct node *n)
{
    const char *kind = n->stage ? describe_kind(n->stage) : NULL;
    if (kind) return kind;
    return n->kind == NODE_TEE     ? "tee"
           : n->kind == NODE_MERGE ? "merge"
           : n->kind == NODE_ROUTE ? "route"
                                   : "?";
}

/* Returns the contents of records with this schema, such as "columns, labels". */
static const char *gives(const struct leat_schema *s, const struct graph *g)
{
    return s->has ? describe_has(s->has, g->arena) : "nothing";
}

/* True if schema s begins with the columns of schema `in`. */
static bool extends(const struct leat_schema *in, const struct leat_schema *s)
{
    for (uint32_t i = 0; i < in->n_columns; i++)
        if (i >= s->n_columns || s->column[i].type != in->column[i].type ||
            strcmp(s->column[i].name, in->column[i].name))
            return false;
    return true;
}

/* Prints the columns that the stage adds: "(new columns: c)". Prints "(columns: a, b)" if its input
 * has no columns that it keeps. */
static void check_show_columns(const struct leat_schema *in, const struct leat_schema *s, FILE *out)
{
    uint32_t first = extends(in, s) ? in->n_columns : 0;
    if (s->open && !in->open) fputs(" (columns: known when the input is open)", out);
    for (uint32_t i = first; i < s->n_columns; i++) {
        fputs(i > first ? ", " : first || s->open ? " (new columns: " : " (columns: ", out);
        plain_text_print(out, s->column[i].name); /* a header may contain any bytes */
        if (s->column[i].type != LEAT_TEXT)
            fprintf(out, ":%s", column_type_name(s->column[i].type));
    }
    if (s->n_columns > first) fputs(")", out);
}

enum {
    LABEL = 28,
    NARROWEST = 110 /* columns; a narrower terminal shows a stage's output on a separate line */
};

static void show_sizes(const struct node *n, int width, FILE *out)
{
    char a[BYTE_SIZE_TEXT];
    fprintf(out, " %*s", width,
            byte_size(n->plan.state_bytes + (n->stage ? n->stage->instance_size : 0), a));
    fprintf(out, " %*s", width, byte_size(n->plan.names_bytes, a));
    fprintf(out, " %*s", width,
            byte_size(n->plan.work_bytes + (n->asked ? ask_bytes(&n->ask) : 0), a));
}

/* Prints a label. If a row is narrow and the label too long for its column, the rest of the row
 * moves to the next line. */
static void show_label(const char *label, bool narrow, FILE *out)
{
    bool breaks = narrow && strlen(label) > LABEL;
    fprintf(out, "%-*s", LABEL, label);
    if (breaks) fprintf(out, "\n%*s", LABEL, "");
}

static void show_stages(const struct graph *g, bool narrow, FILE *out)
{
    int width = narrow ? 9 : 12;
    fprintf(out, "%-*s %-10s %5s %*s %*s %*s%s\n", LABEL, "stage", "kind", "lanes", width, "state",
            width, "names", width, "work", narrow ? "" : "  gives");
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = g->order[i];
        show_label(n->label, narrow, out);
        fprintf(out, " %-10s %5d", kind_name(n), n->lanes);
        show_sizes(n, width, out);
        if (n->n_out) {
            fprintf(out, "%s%s", narrow ? "\n  gives " : "  ", gives(&n->schema_out, g));
            check_show_columns(&n->schema_in, &n->schema_out, out);
        }
        fputc('\n', out);
        int indent = narrow ? 0 : LABEL + 1;
        if (n->plan.note[0]) plain_text_line(out, "%*s  %s", indent, "", n->plan.note);
        if (n->asked) fprintf(out, "%*s  asks %s\n", indent, "", n->asked->label);
    }
}

static void show_memory(const struct graph *g, const struct plan *p, FILE *out)
{
    char a[BYTE_SIZE_TEXT], b[BYTE_SIZE_TEXT];
    fputs("\nmemory (upper bounds; leat touches only what it fills)\n", out);
    fprintf(out, "  process %-24s %-23s %12s\n", "", "program, stacks, script",
            byte_size(p->process_bytes, a));
    for (uint32_t i = 0; i < p->n_pools; i++)
        fprintf(out, "  pool    %-24s %3u batches of %10s %12s\n", p->pool[i].what,
                (unsigned)p->pool[i].n, byte_size(batch_bytes(&p->pool[i].shape), a),
                byte_size(p->pool[i].n * batch_bytes(&p->pool[i].shape), b));
    fprintf(out, "  rings   %-24s %3u slots each           %12s\n", "", (unsigned)p->ring_slots,
            byte_size(p->ring_bytes, a));
    fprintf(out, "  stages  %-48s %12s\n", "", byte_size(p->stage_bytes, a));
    fprintf(out, "  answers %-48s %12s\n", "", byte_size(p->answer_bytes, a));
    if (p->shards)
        fprintf(out, "  shards  %-24s %3u states                %12s\n", "",
                (unsigned)p->counted_shards, byte_size(p->shard_bytes, a));
    if (g->snapshots)
        fprintf(out, "  state   %-24s %-23s %12s\n", "", "copies for snapshots",
                byte_size(p->snapshot_bytes, a));
    fprintf(out, "  total   %-48s %12s\n", "", byte_size(p->bytes, a));
    if (!g->snapshots && p->snapshot_bytes)
        fprintf(out, "  and %s more with --state, for copies of the states\n",
                byte_size(p->snapshot_bytes, a));
    if (p->open_shards && p->counted_shards == 1)
        fprintf(out,
                "  and %s more for each input after the first; how many there are, the source "
                "asks at the start (and leat check --online)\n",
                byte_size(p->shard_bytes, a));
    for (uint32_t i = 0; i < p->n_pools; i++)
        if (p->pool[i].open)
            fprintf(out,
                    "  and 8 bytes a record for each column of %s, which are counted once "
                    "it is open\n",
                    p->pool[i].what);
}

static void show_threads(const struct plan *p, FILE *out)
{
    fprintf(out, "\nthreads: %u\n", (unsigned)p->threads);
    for (uint32_t i = 0; i < p->n_segments; i++) {
        const struct segment *s = &p->segment[i];
        fprintf(out, "  %u", (unsigned)s->index + 1);
        if (s->lanes > 1) fprintf(out, " (%u lanes)", (unsigned)s->lanes);
        fputs(": ", out);
        for (uint32_t k = 0; k < s->n_nodes; k++)
            fprintf(out, "%s%s", k ? " | " : "", s->node[k]->id);
        if (s->fork) fprintf(out, "%s%s", s->n_nodes ? " | " : "", s->fork->id);
        if (!s->n_nodes && !s->fork) fputs(s->n_in == 1 ? "lanes collected" : "merge", out);
        for (uint32_t k = 0; k < s->n_out; k++)
            fprintf(out, "%s%u", k ? ", " : "  -> ", (unsigned)s->out[k]->to->index + 1);
        fputc('\n', out);
    }
}

static void show_plan(const struct graph *g, const struct plan *p, bool narrow, FILE *out)
{
    plain_text_line(out, "pipeline %s (%s)", g->name, g->script);
    fputc('\n', out);
    show_stages(g, narrow, out);
    show_memory(g, p, out);
    show_threads(p, out);
    const char *library = linalg_name(g->options.linalg);
    if (library) fprintf(out, "products of matrices: by %s\n", library);
}

/* Prints the stages with their schemas, the memory plan and the thread plan. On a terminal, lines
 * are no wider than the terminal. If that is narrow, each stage's output has a separate line. */
static void print_plan(const struct graph *g, const struct plan *p, FILE *out)
{
    char *text = NULL;
    size_t n, columns = terminal_columns(fileno(out));
    FILE *lines = columns ? open_memstream(&text, &n) : NULL;
    show_plan(g, p, columns && columns < NARROWEST, lines ? lines : out);
    if (!lines) return;
    if (fclose(lines)) memory_lost();
    wrap_lines(out, text, columns);
    free(text);
}

static json_t *schema_json(const struct leat_schema *s, const struct graph *g)
{
    json_t *columns = json_array();
    for (uint32_t i = 0; i < s->n_columns; i++)
        json_array_append_new(columns, json_pack("{s:o, s:s}", "name", json_text(s->column[i].name),
                                                 "type", column_type_name(s->column[i].type)));
    return json_pack("{s:s, s:b, s:o}", "has", gives(s, g), "open", (int)s->open, "columns",
                     columns);
}

static void add_outside(json_t *o, const char *key, const struct node *n, bool reads)
{
    const char *name;
    json_t *names = json_array();
    for (uint32_t k = 0; (name = graph_notes_outside(n, reads, k)); k++)
        json_array_append_new(names, json_text(name));
    if (json_array_size(names)) json_object_set(o, key, names);
    json_decref(names);
}

static json_t *node_json(const struct graph *g, const struct node *n, bool planned)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:i}", "id", n->id, "plugin", n->name, "kind",
                          kind_name(n), "line", n->at.line, "lanes", n->lanes);
    add_outside(o, "reads", n, true);
    add_outside(o, "writes", n, false);
    if (!planned) return o;
    json_object_set_new(o, "out", schema_json(&n->schema_out, g));
    json_object_set_new(o, "state_bytes", json_integer((json_int_t)n->plan.state_bytes));
    json_object_set_new(o, "names_bytes", json_integer((json_int_t)n->plan.names_bytes));
    json_object_set_new(o, "work_bytes", json_integer((json_int_t)n->plan.work_bytes));
    if (n->plan.note[0]) json_object_set_new(o, "note", json_text(n->plan.note));
    return o;
}

json_t *print_plan_graph(const struct graph *g, bool planned)
{
    json_t *nodes = json_array(), *edges = json_array();
    for (uint32_t i = 0; i < g->n_nodes; i++)
        json_array_append_new(nodes, node_json(g, planned ? g->order[i] : &g->node[i], planned));
    for (uint32_t i = 0; i < g->n_edges; i++) {
        json_t *e = json_pack("{s:s, s:s}", "from", g->node[g->edge[i].from].id, "to",
                              g->node[g->edge[i].to].id);
        if (g->edge[i].key) json_object_set_new(e, "branch", json_text(g->edge[i].key));
        json_array_append_new(edges, e);
    }
    return json_pack("{s:s, s:s*, s:o, s:o}", "pipeline", g->name, "linalg",
                     linalg_name(g->options.linalg), "stages", nodes, "edges", edges);
}

static json_t *problems_json(const struct diag *d)
{
    json_t *a = json_array();
    for (const struct problem *p = d->first; p; p = p->next) {
        json_t *o = json_pack("{s:s, s:s*, s:i, s:s*, s:s*, s:s*, s:o}", "severity",
                              p->severity == DIAG_WARNING ? "warning" : "error", "file", p->at.file,
                              "line", p->at.line, "stage", p->stage, "param", p->param, "argument",
                              p->argument, "message", json_text(p->text));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *plan_json(const struct plan *p)
{
    json_t *pools = json_array(), *threads = json_array();
    for (uint32_t i = 0; i < p->n_pools; i++)
        json_array_append_new(pools, json_pack("{s:s, s:i, s:I}", "of", p->pool[i].what, "batches",
                                               (int)p->pool[i].n, "batch_bytes",
                                               (json_int_t)batch_bytes(&p->pool[i].shape)));
    for (uint32_t i = 0; i < p->n_segments; i++) {
        json_t *stages = json_array();
        for (uint32_t k = 0; k < p->segment[i].n_nodes; k++)
            json_array_append_new(stages, json_string(p->segment[i].node[k]->id));
        json_array_append_new(
            threads, json_pack("{s:i, s:o}", "lanes", (int)p->segment[i].lanes, "stages", stages));
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:I, s:o, s:o}", "bytes",
                     (json_int_t)p->bytes, "process_bytes", (json_int_t)p->process_bytes,
                     "snapshot_bytes", (json_int_t)p->snapshot_bytes, "pool_bytes",
                     (json_int_t)p->pool_bytes, "ring_bytes", (json_int_t)p->ring_bytes,
                     "stage_bytes", (json_int_t)p->stage_bytes, "answer_bytes",
                     (json_int_t)p->answer_bytes, "shards", (int)p->counted_shards, "shard_bytes",
                     (json_int_t)p->shard_bytes, "pools", pools, "threads", threads);
}

/* Prints the plan, the problems, and the effect of --state on each stage, as one JSON object.
 * g->name is NULL if the script has failed. */
static void print_check_json(const struct graph *g, const struct plan *p, const struct diag *d,
                             const struct forecast *f, FILE *out)
{
    json_t *o = json_pack("{s:b, s:o}", "ok", d->errors == 0, "problems", problems_json(d));
    if (p) {
        json_object_set_new(o, "graph", print_plan_graph(g, true));
        json_object_set_new(o, "plan", plan_json(p));
    }
    if (f->n) json_object_set_new(o, "state", print_forecast_json(f));
    json_print(o, JSON_INDENT(2), out);
}

/* ---- `leat check` ---- */

int command_check(const struct command_line *c)
{
    struct session s;
    struct plan plan = {0};
    if (c->online && c->offline) {
        fputs("leat: --offline opens nothing, and --online asks brokers: give one of them\n",
              stderr);
        return EXIT_CONFIG;
    }
    int status = session_prepare(&s, c, c->offline ? SESSION_OFFLINE : SESSION_RECORDS);
    bool planned = status == LEAT_OK;
    if (planned) status = plan_make(&plan, &s.graph, &s.diag);
    if (status == LEAT_OK) plan_memory_check_limit(&plan, &s.graph, &s.diag);
    if (status == LEAT_OK && c->online) {
        if (c->log_level >= 0) log_set_level(c->log_level);
        peek_online(&s.graph, &s.diag);
        plan_memory_add_up(&plan, &s.graph); /* sources have told how many inputs there are */
        plan_memory_check(&plan, &s.graph, &s.diag);
        status = s.diag.errors ? LEAT_EARG : LEAT_OK;
    }
    if (c->json) {
        argument_words(&s.diag, &s.graph, c->args, c->n_args);
        print_check_json(&s.graph, planned ? &plan : NULL, &s.diag, &s.forecast, stdout);
    } else {
        session_print_problems(&s, c);
        if (status == LEAT_OK) print_plan(&s.graph, &plan, stdout);
        if (s.forecast.n) print_forecast(&s.forecast, c->state.dir, stdout);
    }
    int code = status == LEAT_OK             ? EXIT_DONE
               : session_only_files(&s.diag) ? EXIT_DATA
                                             : EXIT_CONFIG;
    session_release(&s);
    return code;
}
