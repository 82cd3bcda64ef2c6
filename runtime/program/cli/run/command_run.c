/* command_run.c -- `leat run`; and `leat peek`, which runs a built-in script. */
#include "program/cli/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/log/json_text.h"
#include "core/time/clock.h"
#include "host/checkpoint/checkpoint.h"
#include "host/store/snapshot_file.h"
#include "program/cli/application/application.h"
#include "program/cli/command_line/command_line.h"
#include "program/cli/model/model_labels.h"
#include "program/cli/outcome/outcome.h"
#include "program/cli/outcome/comparison.h"
#include "program/cli/session.h"
#include "program/cli/summary/summary.h"
#include "program/cli/predict/frozen.h"
#include "program/page/page.h"
#include "host/exec/calls.h"
#include "host/exec/run.h"
#include "host/graph/outside/files.h"
#include "progress.h"
#include "reload.h"
#include "signals.h"
#include "watched.h"

static const uint64_t BAR_NS = UINT64_C(200000000), SAVING_NS = UINT64_C(10000000);

/* Rollbacks in this process. After a rollback, the next run continues at the last committed
 * checkpoint. */
struct goings_back {
    unsigned all, in_vain; /* in_vain: rollbacks since the last new checkpoint */
    uint64_t committed;
};

/* State of `leat run` that outlives a single run. */
struct life {
    struct command_line line; /* command line for reading the script again after a rollback */
    struct goings_back back;
    struct reload reload;
    struct http *http;
    bool had_terminal, has_begun;
    enum { THEN_END, THEN_SCRIPT, THEN_NEXT, THEN_BEFORE } then; /* action after this run */
};

/* Waits until the workers have ended. Redraws the bar and handles reloads meanwhile. */
static void wait_for_end(struct run *r, struct progress *bar, struct reload *l, struct signals *s)
{
    while (!control_await(&r->control, clock_ns() + (l->saving ? SAVING_NS
                                                     : bar->on ? BAR_NS
                                                               : CALLS_LOOK_NS))) {
        progress_update(bar, r);
        calls_look(r);
        reload_try(l, r, s);
    }
    progress_end(bar);
}

static void finish_learners(const struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (n->stage && n->stage->kind == LEAT_LEARNER)
            progressive_finish(run_instance(r, n, 0)->learning.progressive);
    }
}

static void line(void *to, const char *text) { log_line(text); }

/* Prints the position at which the run continues, for example for the log of a service that was
 * killed. */
static void tell_resumed(const struct run *r, const struct checkpoints *c)
{
    char text[160];
    if (!c->resumed) return;
    snprintf(text, sizeof text, "leat: continues after %llu records, from snapshot %llu of --state",
             (unsigned long long)r->before, (unsigned long long)c->resumed);
    log_line(text);
}

/* Prints the comparison of learners. A table (option `figures`) goes to standard output, unless the
 * summary goes there. Without a table, prints sentences after the progress bar, unless the script's
 * answer is no prediction (option `progress_table`). */
static void show_figures(const struct run *r, const struct command_line *c)
{
    bool summary = c->summary && !strcmp(c->summary, "-");
    int32_t figures = r->graph->options.figures;
    figures_table_print(r, summary && figures == FIGURES_TABLE ? stderr : stdout);
    bool predicts = r->graph->options.progress_table;
    if (figures != FIGURES_TABLE && !c->quiet && predicts)
        comparison_report_sentences(r, line, NULL);
}

enum { MOST_IN_VAIN = 5 };

/* Prepares to run again from the last committed checkpoint after a rollback. Returns exit code 3 if
 * several rollbacks in succession brought no new checkpoint. No data is lost then. */
static int go_back(struct life *l, struct run *r, int stopped)
{
    struct goings_back *g = &l->back;
    g->all++;
    g->in_vain = r->checkpoints->commit.done > g->committed ? 1 : g->in_vain + 1;
    g->committed = r->checkpoints->commit.done;
    if (stopped) return EXIT_DATA;
    if (g->in_vain > MOST_IN_VAIN) return EXIT_FENCED;
    l->then = THEN_SCRIPT;
    log_message(LEAT_WARN, "%s; the run returns to the last committed checkpoint",
                r->control.reason);
    struct timespec pause = {0, 10000000L << g->in_vain};
    nanosleep(&pause, NULL);
    return EXIT_DONE;
}

static int exit_code(struct life *l, struct run *r, int stopped)
{
    switch (atomic_load(&r->control.failed)) {
    case LEAT_OK:
        return EXIT_DONE;
    case LEAT_EARG:
        return EXIT_CONFIG;
    case LEAT_EOS:
        return EXIT_DEADLINE; /* a split that was stopped */
    case LEAT_EROLLBACK:
        return go_back(l, r, stopped);
    case LEAT_EFENCED:
        return EXIT_FENCED;
    case LEAT_ESTUCK:
        return EXIT_STUCK;
    default:
        return EXIT_DATA;
    }
}

/* Returns the summary of a run, formatted like a printed one, so that the page equals that of `leat
 * report`. NULL if nobody needs it. */
static json_t *results_of(const struct run *r, const struct command_line *c, int code)
{
    const struct options *o = &r->graph->options;
    bool tells = !c->quiet && r->end && (o->asked || o->counted || o->answered);
    return c->summary || c->report || tells ? json_as_printed(summary_json(r, c, code)) : NULL;
}

/* Prints the question of the run if it has counts, and the answer in a sentence. */
static void tell_sentences(const struct run *r, const json_t *results)
{
    static const char *const members[] = {"asked", "answered"};
    const char *bare = r->graph->options.asked;
    for (size_t i = 0; i < 2; i++) {
        const char *text = json_string_value(json_object_get(results, members[i]));
        if (text && !(bare && !strcmp(text, bare)))
            log_line(arena_printf(r->graph->arena, "leat: %s", text));
    }
}

/* Writes --summary and --report. Returns the exit code. Does not replace the report if the run has
 * not begun, for example because another run holds the --state directory. */
static int write_results(const struct run *r, const struct command_line *c, const json_t *o,
                         int code)
{
    int status = LEAT_OK;
    bool begun = r->end > r->start;
    if (!c->summary && !c->report) return code;
    if (c->summary) status = summary_write(o, c->summary);
    if (c->report && begun && page_write_file(c->report, PAGE_FORMATS, &o, 1) != LEAT_OK)
        status = LEAT_EIO;
    return status == LEAT_OK ? code : EXIT_DATA;
}

/* Warns before the run that it waits for inputs that do not exist yet. */
static void tell_awaited(struct session *s)
{
    struct diag awaited = {.arena = &s->arena};
    files_awaited(&s->graph, &awaited);
    diag_log(&awaited, NULL);
}

/* Prints the lines about the run as a whole. */
static void conclude(struct run *r, const struct command_line *c)
{
    if (c->frozen) return; /* it has learned nothing to conclude from */
    finish_learners(r);
    if (r->control.failed) return;
    show_figures(r, c);
    run_finish(r);
    learner_faults_warn(r);
    in_order_warn(r);
    no_answer_warn(r);
    lost_records_warn(r);
}

/* Prints the script's warnings before the run starts. */
static void run_command_tell_problems(struct session *s) { session_print_problems(s, &s->line); }

/* Ends a run whose split has no record, not even a header: writes an empty state. The problems of a
 * missing header do not matter. Returns false if the run has another fault. */
static bool run_command_end_empty(struct session *s, struct checkpoints *c, int *status)
{
    if (!c->run->no_input || !c->options->out) return false;
    s->diag = (struct diag){.arena = &s->arena};
    *status = checkpoint_write_empty(c);
    return true;
}

/* Runs the opened stages to their end. */
static void run_command_work(struct session *s, struct run *r, struct signals *signals,
                             struct life *l)
{
    struct progress bar;
    struct watched watched;
    const struct command_line *c = &s->line;
    progress_init(&bar, c);
    service_tell("READY=1\n");
    reload_is_done(&l->reload, s);
    s->line.state.resets.n = 0; /* the stages have restarted, and the first snapshot records that */
    watched_begin(&watched, l->http, r, c);
    wait_for_end(r, &bar, &l->reload, signals);
    watched_end(&watched, l->http);
    checkpoint_join(r->checkpoints);
    if (reload_switches(&l->reload, r, signals))
        l->then = THEN_NEXT;
    else
        conclude(r, c);
}

/* True if the old script must run again after a failed reload. False if the run was stopped before
 * it could open, or if another process has taken over. */
static bool is_undone(const struct life *l, const struct run *r, int status)
{
    return l->reload.before && status != LEAT_OK && status != LEAT_EOS &&
           r->control.failed != LEAT_EFENCED;
}

/* Sends the signals that this run received to the process again, for the next run. */
static void pass_on(const struct signals *s)
{
    if (atomic_load(&s->stopped)) kill(getpid(), SIGTERM);
    if (atomic_load(&s->reload)) kill(getpid(), SIGHUP);
}

static int end_code(const struct session *s, struct life *l, struct run *r, int stopped)
{
    if (l->then != THEN_END) return EXIT_DONE;
    return s->diag.errors ? EXIT_CONFIG : exit_code(l, r, stopped);
}

static void run_command_begin(struct session *s, struct life *l)
{
    if (l->has_begun) return;
    l->has_begun = true;
    tell_awaited(s);
    log_levels_check(&s->graph);
}

/* Ends a run that never started. Counts the records of earlier runs, if their snapshot was read. */
static void never_started(struct run *r, bool stopped)
{
    r->end = r->start;
    r->before = run_records(r);
    if (stopped) log_line("leat: stopped by a signal before the run began: no record was read");
}

static int run_graph(struct session *s, struct life *l)
{
    struct run run;
    struct checkpoints checkpoints;
    const struct command_line *c = &s->line;
    struct signals signals = {.run = &run,
                              .checkpoints = &checkpoints,
                              .timeout = c->stop_timeout_ns,
                              .had_terminal = l->had_terminal,
                              .continues = l->reload.before != NULL,
                              .state_dir = c->state.dir};
    signals_block(&signals);
    run_command_begin(s, l);
    run_init(&run, &s->graph);
    checkpoint_init(&checkpoints, &run, &c->state, l->back.all);
    signals_listen(&signals);
    if (c->every_given && !run.checkpoint_hooks)
        log_message(LEAT_WARN, "--every has no effect without --state DIR: nothing is saved");
    if (c->on_crash_given && !c->state.dir)
        log_message(LEAT_WARN, "--on-crash has no effect without --state DIR: no crash is noted");
    bool table = c->progress == PROGRESS_AUTO ? s->graph.options.progress_table
                                              : c->progress == PROGRESS_ALWAYS;
    int status = checkpoint_open(&checkpoints, &s->diag, c->quiet || !table);
    if (status == LEAT_OK && c->frozen) status = frozen_restore(c->frozen, &run);
    if (status == LEAT_OK) status = checkpoint_start(&checkpoints);
    bool empty = status == LEAT_EARG && run_command_end_empty(s, &checkpoints, &status);
    atomic_store(&signals.continues, false);
    run_command_tell_problems(s);
    if (status == LEAT_OK && s->graph.split) model_labels_warn(&s->graph);
    if (status == LEAT_OK && !l->reload.before && !c->quiet) tell_resumed(&run, &checkpoints);
    if (status == LEAT_OK && !empty) run_command_work(s, &run, &signals, l);
    if (is_undone(l, &run, status)) l->then = THEN_BEFORE;
    signals_run_over(&signals);
    rejects_close(&run.rejects);
    int code = end_code(s, l, &run, signals.stopped);
    bool begun = run.end != 0;
    if (run.control.failed && l->then != THEN_SCRIPT)
        log_message(LEAT_ERROR, "%s", run.control.reason);
    if (!run.end) never_started(&run, status == LEAT_EOS && signals.stopped && l->then == THEN_END);
    json_t *results = l->then == THEN_END ? results_of(&run, c, code) : NULL;
    if (begun && l->then == THEN_END && !c->quiet) tell_sentences(&run, results);
    if (begun && l->then != THEN_NEXT) (c->quiet ? summary_quiet : summary_line)(&run);
    if (begun && code == EXIT_DONE && l->then == THEN_END) next_step_tell(&run, c);
    if (!s->diag.errors && l->then == THEN_END) code = write_results(&run, c, results, code);
    json_decref(results);
    checkpoint_close(&checkpoints);
    signals_end(&signals);
    if (l->then != THEN_END) pass_on(&signals);
    return code;
}

/* Ends a run whose input files are faulty. Writes its summary and report all the same. */
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
    control_fail(&run.control, LEAT_EIO, "%s%s%s", p->stage ? p->stage : "", p->stage ? ": " : "",
                 p->text);
    run.end = run.start;
    json_t *results = results_of(&run, &writable, EXIT_DATA);
    write_results(&run, &writable, results, EXIT_DATA);
    json_decref(results);
    checkpoint_close(&checkpoints);
    return EXIT_DATA;
}

/* Prints what the script chose from its data, as its argument `thresholds` asks. Runs nothing. */
static int print_choices(struct session *s)
{
    session_print_problems(s, &s->line);
    bool is_written = fputs(s->graph.choices, stdout) >= 0 && fflush(stdout) == 0;
    if (!is_written)
        log_message(LEAT_ERROR, "standard output cannot be written: %s", strerror(errno));
    return is_written ? EXIT_DONE : EXIT_DATA;
}

/* Reads and runs the script, as in a new process. */
static int run_command_run_script(struct session *s, struct life *l)
{
    int code = EXIT_CONFIG;
    int status = session_prepare(s, &l->line, SESSION_SCHEMAS);
    if (l->line.subject && !l->line.application) session_name_subject(s, l->line.subject);
    if (status == LEAT_OK && s->graph.choices) return print_choices(s);
    if (status == LEAT_OK) return run_graph(s, l);
    session_print_problems(s, &l->line);
    if (session_only_files(&s->diag)) code = refuse_files(s, &l->line);
    return code;
}

/* Sets *now to the session that runs next, or to NULL if the script must be read again. */
static void run_command_follow(struct life *l, struct session **now)
{
    if (l->then == THEN_NEXT) {
        reload_switch(&l->reload, now);
    } else if (l->then == THEN_BEFORE) {
        reload_undo(&l->reload, now);
    } else {
        reload_drop(&l->reload);
        l->line = (*now)->line;
        session_release(*now);
        free(*now);
        *now = NULL;
    }
}

int command_run(const struct command_line *c)
{
    log_set_json(c->log_json);
    if (c->log_level >= 0)
        log_set_level(c->log_level);
    else if (c->quiet)
        log_set_level(LEAT_WARN); /* warnings about answers are printed even with --quiet */
    struct life l = {.line = *c, .had_terminal = signals_have_terminal()};
    if (c->state.dir) signals_hold_hang_up();
    if (c->state.out && !strcmp(c->state.out, "-") && !snapshot_file_reserve_output()) {
        log_message(LEAT_ERROR, "standard output: %s", strerror(errno));
        return EXIT_DATA;
    }
    int code = watched_open(c, &l.http);
    if (code != EXIT_DONE) return code;
    l.reload = (struct reload){.line = c, .http = l.http};
    struct session *now = NULL;
    do {
        l.then = THEN_END;
        bool built = now != NULL;
        if (!built) now = memory_take(sizeof *now);
        code = built ? run_graph(now, &l) : run_command_run_script(now, &l);
        run_command_follow(&l, &now);
    } while (l.then != THEN_END);
    http_close(l.http);
    return code;
}

int command_peek(const struct command_line *c)
{
    struct arena a = {0};
    struct command_line run = *c;
    run.script = arena_printf(&a, "%s/leat/peek.lua", command_lua_dir(&a));
    run.subject = c->script;
    run.quiet = true;
    run.args = arena_alloc(&a, (c->n_args + 3) * sizeof *run.args);
    for (size_t i = 0; i < c->n_args; i++)
        run.args[i] = c->args[i];
    run.args[run.n_args++] = (struct argument){"data", c->script};
    if (c->format) run.args[run.n_args++] = (struct argument){"format", c->format};
    if (c->json) run.args[run.n_args++] = (struct argument){"out", "jsonl"};
    int code = application_unite(&run, NULL, &a);
    if (code == EXIT_DONE) code = command_run(&run);
    arena_free(&a);
    return code;
}
