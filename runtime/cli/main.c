/* main.c -- the command line: arguments → a command → its exit code; nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "base/log.h"
#include "plugin/param_type.h"
#include "plugin/quantity.h"
#include "base/version.h"

static const char USAGE[] =
    "leat " LEAT_VERSION
    ": learn from streams in fixed memory, and read back by name what was learned\n"
    "\n"
    "  leat run PIPELINE.lua [--set key=value]... [--plugin-path DIR]... [--summary FILE.json]\n"
    "           [--progress auto|always|never] [--quiet] [--log-level error|warn|info|debug]\n"
    "           [--state DIR [--every 10s|ROWS] [--reset STAGE]...] [--stop-timeout 20s]\n"
    "  leat check PIPELINE.lua [--set key=value]... [--json]      everything but running\n"
    "  leat graph PIPELINE.lua [--format text|dot|json]           the stages and how they connect\n"
    "  leat plugins [NAME] [--json] [--markdown]                  all stages, or one with its parameters\n"
    "  leat model info DIR|FILE [--json]                          what a snapshot holds\n"
    "  leat model top DIR|FILE [--stage ID] [--k N] [--format table|jsonl|csv]\n"
    "                                                             a learner's heaviest features\n"
    "  leat model dump DIR|FILE [--stage ID]                      every field exactly, as JSON lines\n"
    "  leat model load TEXT DIR|FILE                              make a snapshot from such lines\n"
    "  leat model verify DIR|FILE                                 ok, or what is damaged\n"
    "  leat model merge OUT IN1 IN2... [--weight W]...            one model from several\n"
    "  leat model diff A B [--k N] [--json]                       parameters, figures, weights that differ\n"
    "  leat help | version\n"
    "\n"
    "  --set key=value      reaches the script as leat.args.key\n"
    "  --plugin-path DIR    look for plugins there first (also LEAT_PLUGIN_PATH=DIR:DIR)\n"
    "  --summary FILE       write one JSON object at the end; - is standard output\n"
    "  --state DIR          keep snapshots of all that is learned, and continue from the last one\n"
    "  --every 10s|ROWS     time or records between snapshots (default 10s); 0: only at the end\n"
    "  --stop-timeout 20s   end that long after SIGINT, SIGTERM or SIGHUP, whatever is not finished\n"
    "  --reset STAGE        start this stage from nothing, or drop it if the pipeline lacks it\n"
    "\n"
    "exit codes: 0 done; 1 data or run error; 2 usage or configuration; 3 another run took over the\n"
    "            transactional output, or its transaction could not be committed; 5 the run did not end\n"
    "            within --stop-timeout; 130 second interrupt\n";

enum {
    OPT_SET = 256,
    OPT_PATH,
    OPT_SUMMARY,
    OPT_PROGRESS,
    OPT_QUIET,
    OPT_LEVEL,
    OPT_JSON,
    OPT_FORMAT,
    OPT_MARKDOWN,
    OPT_STATE,
    OPT_EVERY,
    OPT_RESET,
    OPT_STOP_TIMEOUT,
    OPT_STAGE,
    OPT_K,
    OPT_WEIGHT,
    OPT_HELP
};

static const struct option options[] = {{"set", required_argument, NULL, OPT_SET},
                                        {"plugin-path", required_argument, NULL, OPT_PATH},
                                        {"summary", required_argument, NULL, OPT_SUMMARY},
                                        {"progress", required_argument, NULL, OPT_PROGRESS},
                                        {"quiet", no_argument, NULL, OPT_QUIET},
                                        {"log-level", required_argument, NULL, OPT_LEVEL},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"format", required_argument, NULL, OPT_FORMAT},
                                        {"markdown", no_argument, NULL, OPT_MARKDOWN},
                                        {"state", required_argument, NULL, OPT_STATE},
                                        {"every", required_argument, NULL, OPT_EVERY},
                                        {"reset", required_argument, NULL, OPT_RESET},
                                        {"stop-timeout", required_argument, NULL, OPT_STOP_TIMEOUT},
                                        {"stage", required_argument, NULL, OPT_STAGE},
                                        {"k", required_argument, NULL, OPT_K},
                                        {"weight", required_argument, NULL, OPT_WEIGHT},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

static int usage_error(const char *text, const char *what)
{
    fprintf(stderr, "leat: %s%s; `leat help` lists the commands and options\n", text, what);
    return EXIT_CONFIG;
}

/* "key=value" → one more argument; a key given again takes the later value. */
static int add_argument(struct command_line *c, char *text)
{
    char *eq = strchr(text, '=');
    if (!eq || eq == text) return usage_error("--set takes key=value, not ", text);
    *eq = 0;
    for (size_t i = 0; i < c->n_args; i++)
        if (!strcmp(c->args[i].key, text)) {
            c->args[i].value = eq + 1;
            return 0;
        }
    c->args[c->n_args++] = (struct argument){text, eq + 1};
    return 0;
}

static int take_progress(struct command_line *c, const char *text)
{
    static const char *const modes[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, modes[i])) {
            c->progress = (enum progress_mode)i;
            return 0;
        }
    return usage_error("--progress takes auto, always or never, not ", text);
}

/* Read as a stage's parameter of that type is. */
static int take_every(struct command_line *c, const char *text)
{
    static const struct leat_param every = {.name = "every", .type = LEAT_INTERVAL};
    struct arena arena = {0};
    union param_cell cell;
    const struct value v = {.type = VALUE_TEXT, .text = text, .n = strlen(text)};
    const char *wrong = param_read(&every, &v, &arena, &cell);
    if (wrong) usage_error("--every takes a time such as 10s or a number of records, not ", text);
    c->state.every_ns = wrong ? 0 : cell.interval.ns;
    c->state.every_records = wrong ? 0 : (uint64_t)cell.interval.examples;
    arena_free(&arena);
    return wrong ? EXIT_CONFIG : 0;
}

static int take_stop_timeout(struct command_line *c, const char *text)
{
    if (quantity_ns(text, &c->stop_timeout_ns) != QUANTITY_OK || c->stop_timeout_ns <= 0)
        return usage_error("--stop-timeout takes a time such as 20s, not ", text);
    return 0;
}

static int take_k(struct command_line *c, const char *text)
{
    int64_t k;
    if (quantity_count(text, &k) != QUANTITY_OK || k < 1 || k > UINT32_MAX)
        return usage_error("--k takes a number of rows, not ", text);
    c->k = (uint32_t)k;
    return 0;
}

static int take_weight(struct command_line *c, const char *text)
{
    double w;
    if (quantity_float(text, &w) != QUANTITY_OK || !(w >= 0))
        return usage_error("--weight takes a number of at least 0, not ", text);
    c->weight[c->n_weights++] = w;
    return 0;
}

static int take_option(struct command_line *c, int option)
{
    switch (option) {
    case OPT_SET:
        return add_argument(c, optarg);
    case OPT_PATH:
        c->plugin_paths[c->n_plugin_paths++] = optarg;
        return 0;
    case OPT_SUMMARY:
        c->summary = optarg;
        return 0;
    case OPT_PROGRESS:
        return take_progress(c, optarg);
    case OPT_QUIET:
        c->quiet = true;
        return 0;
    case OPT_LEVEL:
        c->log_level = log_level_of(optarg);
        return c->log_level < 0
                   ? usage_error("--log-level takes error, warn, info or debug, not ", optarg)
                   : 0;
    case OPT_STATE:
        c->state.dir = optarg;
        return 0;
    case OPT_EVERY:
        return take_every(c, optarg);
    case OPT_RESET:
        c->reset[c->state.n_reset++] = optarg;
        return 0;
    case OPT_STOP_TIMEOUT:
        return take_stop_timeout(c, optarg);
    case OPT_STAGE:
        c->stage = optarg;
        return 0;
    case OPT_K:
        return take_k(c, optarg);
    case OPT_WEIGHT:
        return take_weight(c, optarg);
    case OPT_JSON:
        c->json = true;
        return 0;
    case OPT_FORMAT:
        c->format = optarg;
        return 0;
    case OPT_MARKDOWN:
        c->markdown = true;
        return 0;
    default: /* getopt has reported what is wrong */
        return EXIT_CONFIG;
    }
}

static int dispatch(const char *name, struct command_line *c)
{
    static const struct {
        const char *name;
        int needs_script;
        int (*run)(const struct command_line *);
    } commands[] = {{"run", 1, command_run},
                    {"check", 1, command_check},
                    {"graph", 1, command_graph},
                    {"plugins", 0, command_plugins},
                    {"model", 0, command_model}};
    const char *names[] = {"run", "check", "graph", "plugins", "model", "help", "version"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(name, commands[i].name)) continue;
        if (commands[i].needs_script && !c->script)
            return usage_error("the pipeline is missing: leat ", i == 0   ? "run PIPELINE.lua"
                                                                 : i == 1 ? "check PIPELINE.lua"
                                                                          : "graph PIPELINE.lua");
        if (i == 0 && !c->state.dir && c->state.n_reset)
            return usage_error("--reset needs --state DIR: --reset ", c->state.reset[0]);
        if (c->n_operands && commands[i].run != command_model)
            return usage_error("leat takes one pipeline at a time; remove ", c->operand[0]);
        return commands[i].run(c);
    }
    const char *near = diag_suggest(name, names, sizeof names / sizeof *names);
    fprintf(stderr,
            "leat: unknown command '%s'%s%s%s; `leat help` lists the commands and options\n", name,
            near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return EXIT_CONFIG;
}

/* A standard stream that was closed would be the next file opened; here it becomes one that fails.
 */
static void guard_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0) exit(EXIT_DATA);
}

int main(int argc, char **argv)
{
    guard_standard_streams();
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    struct command_line c = {.log_level = -1,
                             .state.every_ns = INT64_C(10000000000),
                             .stop_timeout_ns = INT64_C(20000000000)};
    if (argc < 2 || !strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
        !strcmp(argv[1], "-h")) {
        fputs(USAGE, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_CONFIG : EXIT_DONE;
    }
    if (!strcmp(argv[1], "version") || !strcmp(argv[1], "--version")) {
        puts("leat " LEAT_VERSION);
        return EXIT_DONE;
    }
    c.args = calloc((size_t)argc, sizeof *c.args);
    c.plugin_paths = calloc((size_t)argc, sizeof *c.plugin_paths);
    c.state.reset = c.reset = calloc((size_t)argc, sizeof *c.reset);
    c.weight = calloc((size_t)argc, sizeof *c.weight);
    int status = c.args && c.plugin_paths && c.reset && c.weight ? 0 : EXIT_DATA, option;
    const char *command = argv[1];
    argv[1] = argv[0]; /* so that getopt's own messages begin "leat:" */
    while (!status && (option = getopt_long(argc - 1, argv + 1, "", options, NULL)) != -1) {
        if (option == OPT_HELP) {
            fputs(USAGE, stdout);
            goto out;
        }
        status = take_option(&c, option);
    }
    if (!status && optind < argc - 1) c.script = argv[1 + optind++];
    c.operand = (const char **)argv + 1 + optind;
    c.n_operands = optind < argc - 1 ? (size_t)(argc - 1 - optind) : 0;
    if (!status) status = dispatch(command, &c);
out:
    free(c.args);
    free(c.plugin_paths);
    free(c.reset);
    free(c.weight);
    return status;
}
