/* main.c -- the table of commands: maps arguments to a command and its exit code. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "command.h"
#include "core/text/plain_text.h"
#include "program/cli/application/application.h"
#include "program/cli/command_line/command_line.h"
#include "host/plugin/call_trap.h"
#include "host/log/command_words.h"
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
    {"peek", no_file, "peek FILE, or leat peek kafka://HOST:PORT/TOPIC",
     "leat peek takes one operand (several files as a,b or '*.csv'); remove ", command_peek, 0},
    {"predict", "the state is missing: leat ", "predict STATE [FILE]...", NULL, command_predict, 0},
    {"model", NULL, NULL, NULL, command_model, 0},
    {"group", "the action is missing: leat ", "group status GROUP --brokers HOST:PORT", NULL,
     command_group, 0},
    {"report", no_summary, "report SUMMARY.json|SNAPSHOT|DIR... -o FILE.html|FILE.md", NULL,
     command_report, 0},
    {"test", no_file, "test FILE_test.lua", NULL, command_test, 0},
    {"plugin", "the action is missing: leat ", "plugin test FILE.so", NULL, command_plugin, 0},
    {"new", "the kind and the name are missing: leat ",
     "new plugin NAME, leat new pipeline NAME, or leat new application NAME", NULL, command_new, 0},
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

/* Returns the present name of an application that had another one; NULL if it had none. */
static const char *main_renamed(const char *name)
{
    static const char *const names[][2] = {
        {"deltoids", "compare"}, {"pmi", "pairs"}, {"ratings", "rate"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i][0])) return names[i][1];
    return NULL;
}

static int main_unknown(const char *name)
{
    struct arena arena = {0};
    const struct application *app;
    size_t n = application_list(&arena, &app);
    const char **names = arena_alloc(&arena, (N_COMMANDS + n) * sizeof *names);
    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i].name;
    for (size_t i = 0; i < n; i++)
        names[N_COMMANDS + i] = app[i].name;
    const char *near = main_renamed(name);
    if (!near) near = diag_suggest(name, names, N_COMMANDS + n);
    plain_text_line(stderr,
                    "leat: unknown command '%s'%s%s%s; `leat help` lists the commands and options",
                    name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    arena_free(&arena);
    return EXIT_CONFIG;
}

bool command_is_built_in(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (!strcmp(name, commands[i].name)) return true;
    return false;
}

/* Returns the file for the state of a split: FOLDER/ID.snapshot if `path` is a folder. */
static const char *main_split_file(struct command_line *c, const char *path, const char *id)
{
    struct stat st;
    size_t len = strlen(path);
    bool folder = path[len - 1] == '/' || (!stat(path, &st) && S_ISDIR(st.st_mode));
    if (!folder) return path;
    c->split_file = memory_take(len + 3 * strlen(id) + sizeof "/.snapshot");
    char *to =
        c->split_file + sprintf(c->split_file, "%s%s", path, path[len - 1] == '/' ? "" : "/");
    for (const char *at = id; *at; at++) {
        bool plain = isalnum((unsigned char)*at) || strchr("_-", *at) || (*at == '.' && at > id);
        to += sprintf(to, plain ? "%c" : "%%%02X", (unsigned char)*at);
    }
    strcpy(to, ".snapshot");
    return c->split_file;
}

/* Completes the options of a run with --split. Returns 0, or an exit code after a message. */
static int main_take_split(struct command_line *c)
{
    struct checkpoint_options *o = &c->state;
    if (!o->split && o->dir && !strcmp(o->dir, "-"))
        return usage_error("--state - writes one state at the end, which needs --split ID", "");
    if (!o->split) return o->base64 ? usage_error("--base64 needs --split ID", "") : 0;
    if (!o->dir) return usage_error("--split needs --state FILE, --state FOLDER/ or --state -", "");
    if (o->resets.n || c->every_given || c->keep_open || c->on_crash_given)
        return usage_error("--reset, --every, --keep-open and --on-crash are for runs that "
                           "continue: a split is learned at once, without them",
                           "");
    bool standard = !strcmp(o->dir, "-");
    if (standard && c->summary && !strcmp(c->summary, "-"))
        return usage_error("--summary - and --state - cannot both be standard output", "");
    if (standard && !o->base64 && isatty(STDOUT_FILENO))
        return usage_error("--state - writes bytes, and standard output is a terminal: send it to "
                           "a file or a program, or add --base64",
                           "");
    o->out = standard ? o->dir : main_split_file(c, o->dir, o->split);
    o->dir = NULL;
    o->every_ns = 0;
    return 0;
}

static int main_dispatch(const char *name, struct command_line *c)
{
    const struct main_command *m = main_find(name);
    if (!m) return main_unknown(name);
    bool runs = m->flags & OF_RUN;
    if (m->usage && !c->script) return usage_error(m->missing, m->usage);
    if (has_empty_operand(c)) return usage_error("an argument must not be empty: leat ", name);
    if (options_check(name, c) != EXIT_DONE) return EXIT_CONFIG;
    if (m->flags & TAKES_SCRIPT && main_take_split(c) != 0) return EXIT_CONFIG;
    if (runs && !c->state.dir && c->state.resets.n)
        return usage_error("--reset needs --state DIR: --reset ", c->state.resets.id[0]);
    if (c->keep_open && !c->state.dir)
        return usage_error("--keep-open needs --state DIR, which keeps open windows and lines", "");
    if (runs && !c->http && c->http_token)
        return usage_error("--http-token needs --http ADDRESS:PORT", "");
    if (c->n_operands && m->excess) return usage_error(m->excess, c->operand[0]);
    struct arena a = {0};
    int code = application_unite(c, m->flags & TAKES_SCRIPT ? c->script : NULL, &a);
    if (code == EXIT_DONE) code = m->run(c);
    arena_free(&a);
    return code;
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

/* Prints the help of a command or an application; without a name, the list of both. */
static int main_help(const char *name, FILE *out)
{
    struct arena arena = {0};
    struct application app;
    int code = EXIT_DONE;
    if (name && !command_is_built_in(name) && application_find(name, &app, &arena)) {
        code = application_help(&app);
    } else if (name) {
        options_help(name);
    } else {
        usage_print(out);
        application_print_list(out);
    }
    arena_free(&arena);
    return code;
}

/* Reads the command line `argv`, whose first word is the command, and runs it. */
static int main_run_line(struct command_line *c, int argc, char **argv)
{
    /* A failed allocation ends the process, because JSON with missing parts would look complete
     * (json_text.h). */
    json_set_alloc_funcs(memory_take, free);
    size_t most = (size_t)argc + 1;
    c->args = memory_take(most * sizeof *c->args);
    c->plugin_paths = memory_take(most * sizeof *c->plugin_paths);
    c->state.resets.id = c->reset = memory_take(most * sizeof *c->reset);
    c->weight = memory_take(most * sizeof *c->weight);
    int status = options_take(c, argc, argv);
    if (!status && optind < argc) c->script = argv[optind++];
    c->operand = (const char **)argv + optind;
    c->n_operands = optind < argc ? (size_t)(argc - optind) : 0;
    if (c->help && c->script && main_takes_script(argv[0]))
        status = command_script_help(c);
    else if (c->help)
        options_help(argv[0]);
    else if (!status)
        status = main_dispatch(argv[0], c);
    free(c->args);
    free(c->plugin_paths);
    free(c->reset);
    free(c->weight);
    free(c->split_file);
    return status;
}

/* Runs `leat NAME …` of an application. */
static int main_run_application(const struct application *app, struct command_line *c, int argc,
                                char **argv, struct arena *a)
{
    char **words;
    int n;
    bool helps;
    int code = application_words(app, argc, argv, a, &n, &words, &helps);
    if (code != EXIT_DONE) return code;
    if (helps) return application_help(app);
    c->application = app->name;
    if (!app->of_user) c->subject = arena_printf(a, "leat %s", app->name);
    command_words_use_options(true);
    return main_run_line(c, n, words);
}

/* Runs a command. Returns its exit code. */
static int run_command(int argc, char **argv)
{
    signal(SIGUSR1, SIG_IGN); /* ignored until a run handles it (signals.h) */
    signal(SIGUSR2, SIG_IGN);
    struct command_line c = {.log_level = -1,
                             .state.every_ns = INT64_C(10000000000),
                             .stop_timeout_ns = INT64_C(20000000000)};
    if (argc < 2 || !strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
        !strcmp(argv[1], "-h")) {
        int status = main_help(argc > 2 ? argv[2] : NULL, argc < 2 ? stderr : stdout);
        return flush_output(argc < 2 ? EXIT_CONFIG : status);
    }
    if (!strcmp(argv[1], "version") || !strcmp(argv[1], "--version")) {
        puts("leat " LEAT_VERSION);
        return flush_output(EXIT_DONE);
    }
    struct arena arena = {0};
    struct application app;
    int status = !command_is_built_in(argv[1]) && application_find(argv[1], &app, &arena)
                     ? main_run_application(&app, &c, argc - 1, argv + 1, &arena)
                     : main_run_line(&c, argc - 1, argv + 1);
    arena_free(&arena);
    return flush_output(status);
}

struct main_call {
    int argc, status;
    char **argv;
};

static void *main_run_command(void *of)
{
    struct main_call *c = of;
    c->status = run_command(c->argc, c->argv);
    return NULL;
}

/* Makes `least` bytes the stack of every thread, and runs the command on one. */
static void main_run_on_thread(struct main_call *c, size_t least)
{
    pthread_attr_t a;
    pthread_t thread;
    int error = pthread_attr_init(&a);
    if (!error) error = pthread_attr_setstacksize(&a, least);
    if (!error) error = pthread_setattr_default_np(&a);
    if (!error) error = pthread_create(&thread, &a, main_run_command, c);
    if (error) {
        plain_text_line(stderr, "leat: there is no memory for the stack of a thread, %zu KB: %s",
                        least >> 10, strerror(error));
        return;
    }
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL); /* signals are for the command */
    pthread_join(thread, NULL);
}

/* Runs the command. The limit of the stack is also that of each thread by default, and a small one
 * is too little for the calls of a script. */
static void main_run(struct main_call *c)
{
    const size_t least = 1 << 20;
    struct rlimit is;
    if (getrlimit(RLIMIT_STACK, &is) || is.rlim_cur == RLIM_INFINITY || is.rlim_cur >= least)
        main_run_command(c);
    else
        main_run_on_thread(c, least);
}

int main(int argc, char **argv)
{
    guard_standard_streams();
    memory_returns_blocks();
    call_trap_install();
    struct main_call call = {argc, EXIT_CONFIG, argv};
    main_run(&call);
    call_trap_done();
    return call.status;
}
