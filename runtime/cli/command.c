/* command.c -- see command.h. */
#include "command.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "exec/answer.h"
#include "argument_words.h"
#include "comparison_report.h"
#include "figures_table.h"
#include "log_levels.h"
#include "lost_records.h"
#include "next_step.h"
#include "no_answer.h"
#include "plugin/describe.h"
#include "plugin/mentions.h"
#include "plugin/places.h"
#include "base/log.h"
#include "base/plain_text.h"
#include "lua/script/script_help.h"
#include "lua/stages.h"
#include "graph/files.h"
#include "checkpoint/checkpoint.h"
#include "exec/beside/late.h"
#include "exec/beside/peek.h"
#include "exec/plan.h"
#include "exec/run.h"
#include "print_plan.h"
#include "service.h"
#include "session.h"
#include "signals.h"
#include "summary.h"
#include "watched.h"
#include "write_report.h"

static const uint64_t BAR_NS = UINT64_C(200000000);

const char *command_share(struct arena *a, const char *what)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return arena_printf(a, "%s/../share/leat/%s", dirname(path), what);
}

const char *command_lua_dir(struct arena *a)
{
    const char *given = getenv("LEAT_LUA_PATH");
    return given && *given ? given : command_share(a, "lua");
}

void command_load_plugins(struct registry *known, const struct command_line *c)
{
    registry_init(known);
    registry_add_builtin(known, &lua_plugin);
    registry_load_all(known, c->plugin_paths, c->n_plugin_paths);
}

/* A script that the user has not written is not what is wrong. */
static void name_subject(struct diag *d, const char *subject)
{
    for (struct problem *p = d->first; p; p = p->next)
        p->at = (struct location){subject, 0};
}

int command_check(const struct command_line *c)
{
    struct session s;
    struct plan plan = {0};
    int status = session_prepare(&s, c, SESSION_RECORDS);
    bool planned = status == LEAT_OK;
    if (planned) status = plan_make(&plan, &s.graph, &s.diag);
    if (status == LEAT_OK && c->online) {
        if (c->log_level >= 0) log_set_level(c->log_level);
        peek_online(&s.graph, &s.diag);
        status = s.diag.errors ? LEAT_EARG : LEAT_OK;
    }
    if (c->json) {
        argument_words(&s.diag, c->args, c->n_args);
        print_check_json(&s.graph, planned ? &plan : NULL, &s.diag, stdout);
    } else {
        session_print_problems(&s, c);
        if (status == LEAT_OK) print_plan(&s.graph, &plan, stdout);
    }
    int code = status == LEAT_OK             ? EXIT_DONE
               : session_only_files(&s.diag) ? EXIT_DATA
                                             : EXIT_CONFIG;
    session_release(&s);
    return code;
}

int command_script_help(const struct command_line *c)
{
    struct session s = {.diag.arena = &s.arena};
    command_load_plugins(&s.known, c);
    int status = lua_script_help(c->script, command_lua_dir(&s.arena), &s.known,
                                 &session_beginnings, &s.diag, stdout);
    session_print_problems(&s, c);
    session_release(&s);
    return status == LEAT_OK ? EXIT_DONE : EXIT_CONFIG;
}

/* In the order in which they are searched. */
static void print_places(struct arena *a, const struct command_line *c)
{
    const struct place *place;
    size_t n = places_list(a, c->plugin_paths, c->n_plugin_paths, &place);
    for (size_t i = 0; i < n; i++)
        plain_text_line(stdout, "%s (%s%s)", place[i].path, place[i].named_by,
                        place_exists(&place[i]) ? "" : "; it does not exist");
}

/* One stage, or all of them without `type`, in the form that the options name. */
static void describe(const struct registry *known, const struct stage_type *type,
                     const struct command_line *c)
{
    if (c->json)
        type ? describe_stage_json(type, stdout) : describe_json(known, stdout);
    else if (c->lua)
        type ? describe_stage_lua(type, stdout) : describe_lua(known, stdout);
    else if (c->markdown)
        type ? describe_stage_markdown(type, stdout) : describe_markdown(known, stdout);
    else
        type ? describe_stage(type, stdout) : describe_list(known, stdout);
}

int command_plugins(const struct command_line *c)
{
    struct session s = {.diag.arena = &s.arena};
    int status = EXIT_DONE;
    command_load_plugins(&s.known, c);
    const struct stage_type *type = c->script ? registry_find(&s.known, c->script) : NULL;
    if (!c->script) registry_load_rest(&s.known);
    registry_print_notices(&s.known, true, stderr);
    struct stage_type pipeline = {.stage = &graph_options};
    if (c->script && !strcmp(c->script, "pipeline")) type = &pipeline;
    if (c->paths) {
        print_places(&s.arena, c);
    } else if (c->script && !type) {
        mentions_tell(&s.known, c->script, &s.arena);
        status = EXIT_CONFIG;
    } else {
        describe(&s.known, type, c);
    }
    session_release(&s);
    return status;
}

/* Until the workers are done, with the bar drawn some times a second. */
static void wait_for_end(struct run *r, struct progress *bar)
{
    while (!run_await(r, clock_ns() + (bar->on ? BAR_NS : LATE_LOOK_NS))) {
        progress_update(bar, r);
        late_look(r);
    }
    progress_end(bar);
}

static void finish_learners(const struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (n->stage && n->stage->kind == LEAT_LEARNER)
            progressive_finish(run_instance(r, n, 0)->progressive);
    }
}

static void line(void *to, const char *text) { log_line(text); }

/* The answer of learners that are compared: a table where the pipeline asks for one, which is for
 * people and leaves standard output to a summary; else sentences, beside the progress table. */
static void show_figures(const struct run *r, const struct command_line *c)
{
    bool summary = c->summary && !strcmp(c->summary, "-");
    int32_t figures = r->graph->options.figures;
    figures_table_print(r, summary && figures == FIGURES_TABLE ? stderr : stdout);
    if (figures != FIGURES_TABLE && !c->quiet) comparison_report_sentences(r, line, NULL);
}

enum { HEAVIEST = 100 }; /* of several classes each has some of them */

/* Are the heaviest weights 0, so that all are? Penalties do that, and values that are 0. */
static bool has_no_weight(struct instance *i)
{
    struct arena arena = {NULL};
    struct answer a = {.n_rows = 0};
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = HEAVIEST};
    if (!i->node->stage->learner->query || answer_take(&a, i, &want, &arena) != LEAT_OK)
        return false;
    uint32_t weight = answer_column(&a, "weight"), zeros = 0;
    bool shown = weight < a.n_columns && (a.n_rows || graph_score(i->node) != LEAT_SCORE_CLASS);
    for (uint32_t r = 0; shown && r < a.n_rows; r++)
        zeros += a.values[(size_t)r * a.n_columns + weight] == 0;
    arena_free(&arena);
    return shown && zeros == a.n_rows;
}

/* Labels from which no learner learns what is meant, and predictions that are worse than none. What
 * learns in no order counts, and does not predict. */
static void warn_of_learners(const struct run *r)
{
    char text[512];
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (!n->stage || n->stage->kind != LEAT_LEARNER) continue;
        struct instance *first = run_instance(r, n, 0);
        const struct progressive *p = first->progressive;
        bool in_order = !(n->stage->caps & LEAT_ANY_ORDER);
        uint64_t records = atomic_load(&first->in) - atomic_load(&first->rejected);
        const char *fault = progressive_example_fault(p, records, in_order, text, sizeof text);
        if (!fault && in_order && progressive_examples(p) && has_no_weight(first))
            fault =
                "all its weights are 0, so that it predicts the same for every record: lower "
                "the penalties (l1, lambda), give more records (learn.bear steps once a batch is "
                "whole), or see whether features have values other than 0";
        if (!fault && in_order) fault = progressive_loss_fault(p, text, sizeof text);
        if (fault) log_message(LEAT_WARN, "%s: %s", n->label, fault);
    }
}

/* A run that let nothing through, or too little, is not a success. */
static void check_outcome(struct run *r)
{
    if (!r->failed) rejects_finish(&r->rejects);
}

/* Runs of one process: each continues at the last committed checkpoint of the run before it. */
struct goings_back {
    unsigned all, in_vain; /* in_vain: in a row, without a checkpoint between them */
    uint64_t committed;
    int again;
};

enum { MOST_IN_VAIN = 5 };

/* The last checkpoint was taken back. Again, or the exit code 3: nothing is lost, but it does not
 * work.
 */
static int go_back(struct goings_back *g, struct run *r, int stopped)
{
    g->all++;
    g->in_vain = r->checkpoints->commit.done > g->committed ? 1 : g->in_vain + 1;
    g->committed = r->checkpoints->commit.done;
    g->again = !stopped && g->in_vain <= MOST_IN_VAIN;
    if (!g->again) return stopped ? EXIT_DATA : EXIT_FENCED;
    log_message(LEAT_WARN, "%s; the run returns to the last committed checkpoint", r->reason);
    struct timespec pause = {0, 10000000L << g->in_vain};
    nanosleep(&pause, NULL);
    return EXIT_DONE;
}

static int exit_code(struct goings_back *g, struct run *r, int stopped)
{
    switch (r->failed) {
    case LEAT_OK:
        return EXIT_DONE;
    case LEAT_EARG:
        return EXIT_CONFIG;
    case LEAT_EROLLBACK:
        return go_back(g, r, stopped);
    case LEAT_EFENCED:
        return EXIT_FENCED;
    default:
        return EXIT_DATA;
    }
}

/* --summary and --report. Returns the exit code. */
static int write_results(const struct run *r, const struct command_line *c, int code)
{
    int status = LEAT_OK;
    if (!c->summary && !c->report) return code;
    json_t *o = json_as_printed(summary_json(r, c, code)); /* `leat report` gives the same page */
    if (c->summary) status = summary_write(o, c->summary);
    if (c->report && write_report(c->report, PAGE_FORMATS, &(const json_t *){o}, 1) != LEAT_OK)
        status = LEAT_EIO;
    json_decref(o);
    return status == LEAT_OK ? code : EXIT_DATA;
}

/* At once: a run that waits has no end at which this could be said. */
static void tell_awaited(struct session *s)
{
    struct diag awaited = {.arena = &s->arena};
    files_awaited(&s->graph, &awaited);
    diag_log(&awaited);
}

static int run_graph(struct session *s, const struct command_line *c, struct goings_back *back,
                     struct http *http)
{
    struct run run;
    struct progress bar;
    struct watched watched;
    struct checkpoints checkpoints;
    struct signals signals = {.run = &run,
                              .checkpoints = &checkpoints,
                              .timeout = c->stop_timeout_ns,
                              .state_dir = c->state.dir};
    signals_block(&signals);
    if (!back->all) {
        tell_awaited(s);
        log_levels_check(&s->graph);
    }
    progress_init(&bar, c->progress, c->quiet);
    run_init(&run, &s->graph);
    checkpoint_init(&checkpoints, &run, &c->state, back->all);
    signals_listen(&signals);
    if (c->every_given && !run.checkpoint_hooks)
        log_message(LEAT_WARN, "--every has no effect without --state DIR: nothing is saved");
    bool table = s->graph.options.progress_table || c->progress == PROGRESS_ALWAYS;
    int status = checkpoint_open(&checkpoints, &s->diag, c->quiet || !table);
    if (status == LEAT_OK && (status = checkpoint_start(&checkpoints)) == LEAT_OK) {
        service_tell("READY=1\n");
        watched_begin(&watched, http, &run, c);
        wait_for_end(&run, &bar);
        watched_end(&watched, http);
        checkpoint_join(&checkpoints);
        check_outcome(&run);
        finish_learners(&run);
        if (!run.failed) {
            show_figures(&run, c);
            run_finish(&run);
            warn_of_learners(&run);
            no_answer_warn(&run);
            lost_records_warn(&run);
        }
    }
    signals_run_over(&signals);
    rejects_close(&run.rejects);
    session_print_problems(s, c);
    int code = s->diag.errors ? EXIT_CONFIG : exit_code(back, &run, signals.stopped);
    if (run.failed && !back->again) log_message(LEAT_ERROR, "%s", run.reason);
    if (run.end) (c->quiet ? summary_quiet : summary_line)(&run);
    if (run.end && code == EXIT_DONE && !back->again) next_step_tell(&run, c);
    if (!run.end) run.end = run.start; /* it never started */
    if (!s->diag.errors && !back->again) code = write_results(&run, c, code);
    checkpoint_close(&checkpoints);
    signals_end(&signals);
    return code;
}

/* The run has a summary and a report all the same, if those can be written. */
static int refuse_files(struct session *s, const struct command_line *c)
{
    struct run run;
    struct checkpoints checkpoints;
    struct command_line writable = *c;
    const struct problem *p = s->diag.first;
    while (p->severity != DIAG_FILE)
        p = p->next;
    if (p->param && !strcmp(p->param, "--summary")) writable.summary = NULL;
    if (p->param && !strcmp(p->param, "--report")) writable.report = NULL;
    run_init(&run, &s->graph);
    checkpoint_init(&checkpoints, &run, &c->state, 0);
    run_fail(&run, LEAT_EIO, "%s%s%s", p->stage ? p->stage : "", p->stage ? ": " : "", p->text);
    run.end = run.start;
    write_results(&run, &writable, EXIT_DATA);
    checkpoint_close(&checkpoints);
    return EXIT_DATA;
}

int command_run(const struct command_line *c)
{
    struct session s;
    log_set_json(c->log_json);
    if (c->log_level >= 0)
        log_set_level(c->log_level);
    else if (c->quiet)
        log_set_level(LEAT_WARN); /* what makes an answer doubtful is always said */
    struct http *http;
    int code = watched_open(c, &http);
    if (code != EXIT_DONE) return code;
    struct goings_back back = {0};
    do { /* from the script on, as a process does that is started again */
        code = EXIT_CONFIG;
        back.again = 0;
        int status = session_prepare(&s, c, SESSION_SCHEMAS);
        if (c->subject) name_subject(&s.diag, c->subject);
        if (status == LEAT_OK) {
            code = run_graph(&s, c, &back, http);
        } else {
            session_print_problems(&s, c);
            if (session_only_files(&s.diag)) code = refuse_files(&s, c);
        }
        session_release(&s);
    } while (back.again);
    http_close(http);
    return code;
}

int command_peek(const struct command_line *c)
{
    struct arena a = {NULL};
    struct command_line run = *c;
    run.script = arena_printf(&a, "%s/leat/peek.lua", command_lua_dir(&a));
    run.subject = c->script;
    run.quiet = true;
    run.args = arena_alloc(&a, (c->n_args + 2) * sizeof *run.args);
    for (size_t i = 0; i < c->n_args; i++)
        run.args[i] = c->args[i];
    run.args[run.n_args++] = (struct argument){"data", c->script};
    if (c->json) run.args[run.n_args++] = (struct argument){"out", "jsonl"};
    int code = command_run(&run);
    arena_free(&a);
    return code;
}
