/* main.c -- the table of commands: maps arguments to a command and its exit code. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "command.h"
#include "core/text/plain_text.h"
#include "program/cli/command_line/command_line.h"
#include "host/plugin/call_trap.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "core/version.h"

/* True if an operand is the empty string. A shell passes one for an unset variable. */
static bool has_empty_operand(const struct command_line *c)
{
    bool found = c->script && !*c->script;
    for (size_t i = 0; i < c->n_operands; i++)
        found |= !*c->operand[i];
    return found;
}

static const char no_script[] = "the pipeline is missing: leat ";
static const char no_file[] = "the file is missing: leat ";
static const char no_summary[] = "a summary or snapshot is missing: leat ";
static const char one_script[] = "leat takes one pipeline at a time; remove ";

enum { OF_RUN = 1, TAKES_SCRIPT = 2 };

static const struct main_command {
    const char *name;
    const char *missing, *usage; /* messages about a missing operand; NULL: no operand is needed */
    const char *excess;          /* message about a second operand; NULL: any number is allowed */
    int (*run)(const struct command_line *); /* NULL: main() handles the command */
    unsigned flags;
} commands[] = {
    {"run", no_script, "run PIPELINE.lua", one_script, command_run, OF_RUN | TAKES_SCRIPT},
    {"check", no_script, "check PIPELINE.lua", one_script, command_check, TAKES_SCRIPT},
    {"graph", no_script, "graph PIPELINE.lua", one_script, command_graph, TAKES_SCRIPT},
    {"trace", no_script, "trace PIPELINE.lua", one_script, command_trace, TAKES_SCRIPT},
    {"top", "the run is missing: leat ", "top ADDRESS:PORT, or leat top DIR",
     "leat top shows one run; remove ", command_top, 0},
    {"plugins", NULL, NULL, "leat describes one stage at a time; remove ", command_plugins, 0},
    {"peek", no_file, "peek FILE, or leat peek TOPIC --brokers HOST:PORT",
     "leat peek takes one operand (several files as a,b or '*.csv'); remove ", command_peek, 0},
    {"model", NULL, NULL, NULL, command_model, 0},
    {"report", no_summary, "report SUMMARY.json|SNAPSHOT|DIR... -o FILE.html|FILE.md", NULL,
     command_report, 0},
    {"test", no_file, "test FILE_test.lua", NULL, command_test, 0},
    {"plugin", "the action is missing: leat ", "plugin test FILE.so", NULL, command_plugin, 0},
    {"new", "the kind and the name are missing: leat ",
     "new plugin NAME, or leat new pipeline NAME", NULL, command_new, 0},
    {"completion", "the shell is missing: leat ", "completion bash|zsh",
     "leat completes for one shell at a time; remove ", command_completion, 0},
    {"help", NULL, NULL, NULL, NULL, 0},
    {"version", NULL, NULL, NULL, NULL, 0}};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static const struct main_command *main_find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i].run && !strcmp(name, commands[i].name)) return &commands[i];
    return NULL;
}

static int main_unknown(const char *name, const struct command_line *c)
{
    struct arena arena = {0};
    const char *names[N_COMMANDS], *script = application_script(name, &arena);
    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i].name;
    const char *near = diag_suggest(name, names, N_COMMANDS);
    if (script)
        plain_text_line(stderr,
                        "leat: '%s' is a pipeline, not a command: leat run %s --set data=%s; "
                        "--help instead of --set lists its arguments",
                        name, script, c->script ? c->script : "FILE");
    else
        plain_text_line(
            stderr, "leat: unknown command '%s'%s%s%s; `leat help` lists the commands and options",
            name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    arena_free(&arena);
    return EXIT_CONFIG;
}

static int main_dispatch(const char *name, struct command_line *c)
{
    const struct main_command *m = main_find(name);
    if (!m) return main_unknown(name, c);
    bool runs = m->flags & OF_RUN;
    if (m->usage && !c->script) return usage_error(m->missing, m->usage);
    if (has_empty_operand(c)) return usage_error("an argument must not be empty: leat ", name);
    if (options_check(name, c) != EXIT_DONE) return EXIT_CONFIG;
    if (runs && !c->state.dir && c->state.resets.n)
        return usage_error("--reset needs --state DIR: --reset ", c->state.resets.id[0]);
    if (c->keep_open && !c->state.dir)
        return usage_error("--keep-open needs --state DIR, which keeps open windows and lines", "");
    if (runs && !c->http && c->http_token)
        return usage_error("--http-token needs --http ADDRESS:PORT", "");
    if (c->n_operands && m->excess) return usage_error(m->excess, c->operand[0]);
    return m->run(c);
}

static bool main_takes_script(const char *name)
{
    const struct main_command *m = main_find(name);
    return m && m->flags & TAKES_SCRIPT;
}

/* Opens closed standard streams on /dev/null with the wrong mode, so that reading and writing fail.
 * Otherwise a file opened later would take the number of the stream. */
static void guard_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0) exit(EXIT_DATA);
}

/* Returns the reason for lost output. `error` is errno, if the last failed call set it. */
static const char *why_lost(int error)
{
    static const int lost[] = {ENOSPC, EDQUOT, EFBIG, EIO, EPIPE, EBADF};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        if (error == lost[i]) return strerror(error);
    return "a part of the output was lost";
}

/* Flushes standard output. Returns status; if output was lost, prints a message and returns an
 * error. */
static int flush_output(int status)
{
    if (fflush(stdout) != EOF && !ferror(stdout)) return status;
    log_message(LEAT_ERROR, "standard output: %s", why_lost(errno));
    return status == EXIT_DONE ? EXIT_DATA : status;
}

/* Runs a command. Returns its exit code. */
static int run_command(int argc, char **argv)
{
    signal(SIGUSR1, SIG_IGN); /* ignored until a run handles it (signals.h) */
    signal(SIGUSR2, SIG_IGN);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    struct command_line c = {.log_level = -1,
                             .state.every_ns = INT64_C(10000000000),
                             .stop_timeout_ns = INT64_C(20000000000)};
    if (argc < 2 || !strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
        !strcmp(argv[1], "-h")) {
        if (argc > 2)
            options_help(argv[2]);
        else
            usage_print(argc < 2 ? stderr : stdout);
        return flush_output(argc < 2 ? EXIT_CONFIG : EXIT_DONE);
    }
    if (!strcmp(argv[1], "version") || !strcmp(argv[1], "--version")) {
        puts("leat " LEAT_VERSION);
        return flush_output(EXIT_DONE);
    }
    /* A failed allocation ends the process, because JSON with missing parts would look complete
     * (json_text.h). */
    json_set_alloc_funcs(memory_take, free);
    c.args = memory_take((size_t)argc * sizeof *c.args);
    c.plugin_paths = memory_take((size_t)argc * sizeof *c.plugin_paths);
    c.state.resets.id = c.reset = memory_take((size_t)argc * sizeof *c.reset);
    c.weight = memory_take((size_t)argc * sizeof *c.weight);
    const char *command = argv[1];
    int status = options_take(&c, argc - 1, argv + 1);
    if (!status && optind < argc - 1) c.script = argv[1 + optind++];
    c.operand = (const char **)argv + 1 + optind;
    c.n_operands = optind < argc - 1 ? (size_t)(argc - 1 - optind) : 0;
    if (c.help && c.script && main_takes_script(command))
        status = command_script_help(&c);
    else if (c.help)
        options_help(command);
    else if (!status)
        status = main_dispatch(command, &c);
    free(c.args);
    free(c.plugin_paths);
    free(c.reset);
    free(c.weight);
    return flush_output(status);
}

int main(int argc, char **argv)
{
    guard_standard_streams();
    memory_returns_blocks();
    call_trap_install();
    int status = run_command(argc, argv);
    call_trap_done();
    return status;
}
