/* options.c -- implementation of command_line.h: the table of options, and `leat completion`. */
#include "command_line.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/plain_text.h"
#include "core/version.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/params/param_type.h"
#include "host/params/quantity.h"
#include "program/cli/command.h"
#include "program/cli/command_line/docs.h"
#include "program/page/page.h"

/* ---- the options ---- */

enum { MOST_RECORDS = 100000 };

void usage_print(FILE *out)
{
    fprintf(out, "leat %s: %s\n\n%s\n", LEAT_VERSION,
            "learn from streams in fixed memory, and read back what was learned, by name",
            usage_doc);
}

int usage_error(const char *text, const char *what)
{
    plain_text_line(stderr, "leat: %s%s; `leat help` lists the commands and options", text, what);
    return EXIT_CONFIG;
}

/* Adds the argument "key=value". arguments_unite() looks for those that are given twice. */
static int take_set(struct command_line *c, const char *text)
{
    char *eq = strchr(text, '=');
    if (!eq || eq == text) return usage_error("--set takes key=value, not ", text);
    *eq = 0;
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

/* Takes --every, which has the form of a stage's parameter of type LEAT_INTERVAL. */
static int take_every(struct command_line *c, const char *text)
{
    static const struct leat_param every = {.name = "every", .type = LEAT_INTERVAL};
    struct arena arena = {0};
    union param_cell cell;
    const struct value v = {.type = VALUE_TEXT, .text = text, .n = strlen(text)};
    const char *wrong = param_read(&every, &v, &arena, &cell);
    if (wrong) usage_error("--every takes a time such as 10s or a number of records, not ", text);
    c->every_given = true;
    c->state.every_ns = wrong ? 0 : cell.interval.ns;
    c->state.every_records = wrong ? 0 : (uint64_t)cell.interval.examples;
    arena_free(&arena);
    return wrong ? EXIT_CONFIG : 0;
}

static int take_on_crash(struct command_line *c, const char *text)
{
    c->on_crash_given = true;
    c->state.stop_on_crash = !strcmp(text, "stop");
    if (c->state.stop_on_crash || !strcmp(text, "bisect")) return 0;
    return usage_error("--on-crash takes bisect or stop, not ", text);
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

static int take_records(struct command_line *c, const char *text)
{
    int64_t n;
    if (quantity_count(text, &n) != QUANTITY_OK || n < 1 || n > MOST_RECORDS)
        return usage_error("--records takes a number of records, at most 100000, not ", text);
    c->records = (uint32_t)n;
    return 0;
}

static int options_take_memory(struct command_line *c, const char *text)
{
    int64_t bytes;
    if (quantity_bytes(text, &bytes) != QUANTITY_OK || bytes < 1)
        return usage_error("--memory takes a size such as 2GB, not ", text);
    c->memory = (uint64_t)bytes;
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

static int take_path(struct command_line *c, const char *text)
{
    c->plugin_paths[c->n_plugin_paths++] = text;
    return 0;
}

static int take_level(struct command_line *c, const char *text)
{
    const char *level = strrchr(text, '=');
    int taken = log_level_of(level ? level + 1 : text);
    if (taken < 0 || level == text)
        return usage_error("--log-level takes error, warn, info or debug, or STAGE= and one of "
                           "them, not ",
                           text);
    if (!level) {
        bool other = c->log_level >= 0 && c->log_level != taken;
        c->log_level = taken;
        return other ? usage_error("--log-level has two levels: remove one, such as ", text) : 0;
    }
    return log_set_stage_level(text, (size_t)(level - text), taken)
               ? 0
               : usage_error("--log-level takes the levels of at most 16 stages: leave out ", text);
}

static int take_log_format(struct command_line *c, const char *text)
{
    c->log_json = !strcmp(text, "json");
    return c->log_json || !strcmp(text, "text")
               ? 0
               : usage_error("--log-format takes text or json, not ", text);
}

static int take_report(struct command_line *c, const char *text)
{
    c->report = text;
    return page_format_of(text) == PAGE_FORMATS
               ? usage_error("the name of a report must end in .html or .md: --report ", text)
               : 0;
}

/* Takes the name of a split, which becomes a part of messages and of a file's name. */
static int take_split(struct command_line *c, const char *text)
{
    enum { LONGEST = 200 };
    c->state.split = text;
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            return usage_error("--split takes a name without control characters, not ", text);
    return strlen(text) <= LONGEST
               ? 0
               : usage_error("--split takes a name of at most 200 bytes, not ", text);
}

static int take_of(struct command_line *c, const char *text)
{
    int64_t n;
    if (quantity_count(text, &n) != QUANTITY_OK || n < 1 || n > 100000000)
        return usage_error("--of takes the number of all splits, not ", text);
    c->of = (uint64_t)n;
    return 0;
}

static int take_reset(struct command_line *c, const char *text)
{
    c->reset[c->state.resets.n++] = text;
    return 0;
}

/* Commands as bits. Each option has the set of its commands. */
enum {
    RUN = 1,
    CHECK = 2,
    GRAPH = 4,
    PLUGINS = 8,
    INFO = 16,
    TOP = 32,
    DUMP = 64,
    LOAD = 128,
    VERIFY = 256,
    MERGE = 512,
    DIFF = 1024,
    PEEK = 2048,
    TEST = 4096,
    REPORT = 8192,
    PLUGIN_TEST = 16384,
    NEW = 32768,
    TRACE = 65536,
    WATCH = 131072,
    GROUP = 262144,
    PREDICT = 524288,
    COMPLETION = 1048576,
    ALL = 2097151
};
static const char *const command_names[] = {
    "run",        "check",      "graph",      "plugins",      "model info",
    "model top",  "model dump", "model load", "model verify", "model merge",
    "model diff", "peek",       "test",       "report",       "plugin test",
    "new",        "trace",      "top",        "group status", "predict"};
enum { N_COMMANDS = sizeof command_names / sizeof *command_names };

/* An option's text is taken by the function `take`, or stored in a member of struct command_line (a
 * text or a flag), or becomes an argument: --brokers LIST is --set brokers=LIST. */
#define MEMBER(F) .member = offsetof(struct command_line, F)
static const struct {
    const char *name;
    int has_text;
    unsigned of; /* set of commands that have the option */
    bool again;  /* true if each of several values counts */
    int (*take)(struct command_line *, const char *text);
    size_t member;
    const char *argument;
} options[] = {
    {"set", required_argument,
     RUN | CHECK | GRAPH | TOP | MERGE | PEEK | PLUGIN_TEST | TRACE | GROUP | PREDICT, true,
     .take = take_set},
    {"brokers", required_argument, PEEK | GROUP, .argument = "brokers"},
    {"topic", required_argument, GROUP, .argument = "topic"},
    {"state-topic", required_argument, GROUP, .argument = "state_topic"},
    {"columns", required_argument, PEEK, .argument = "columns"},
    {"registry", required_argument, PEEK, .argument = "registry"},
    {"registry-login", required_argument, PEEK, .argument = "registry_login"},
    {"registry-ca", required_argument, PEEK, .argument = "registry_ca"},
    {"schema", required_argument, PEEK, .argument = "schema"},
    {"plugin-path", required_argument, ALL, true, .take = take_path},
    {"summary", required_argument, RUN | CHECK | GRAPH, MEMBER(summary)},
    {"report", required_argument, RUN | CHECK, .take = take_report},
    {"output", required_argument, REPORT, MEMBER(report)},
    {"progress", required_argument, RUN | PEEK | PREDICT, .take = take_progress},
    {"quiet", no_argument, RUN | PREDICT, MEMBER(quiet)},
    {"log-level", required_argument, ALL, true, .take = take_level},
    {"log-format", required_argument, RUN | PREDICT, .take = take_log_format},
    {"json", no_argument,
     CHECK | GRAPH | PLUGINS | INFO | DIFF | PEEK | PLUGIN_TEST | TRACE | GROUP, MEMBER(json)},
    {"online", no_argument, CHECK, MEMBER(online)},
    {"offline", no_argument, CHECK, MEMBER(offline)},
    {"format", required_argument, GRAPH | TOP | REPORT | PEEK | PREDICT, MEMBER(format)},
    {"markdown", no_argument, PLUGINS, MEMBER(markdown)},
    {"lua", no_argument, PLUGINS, MEMBER(lua)},
    {"paths", no_argument, PLUGINS, MEMBER(paths)},
    {"state", required_argument, RUN | CHECK | TRACE, MEMBER(state.dir)},
    {"split", required_argument, RUN | CHECK, .take = take_split},
    {"base64", no_argument, RUN | MERGE, MEMBER(state.base64)},
    {"of", required_argument, VERIFY | MERGE, .take = take_of},
    {"every", required_argument, RUN | CHECK, .take = take_every},
    {"reset", required_argument, RUN | CHECK, true, .take = take_reset},
    {"on-crash", required_argument, RUN, .take = take_on_crash},
    {"keep-open", no_argument, RUN, MEMBER(keep_open)},
    {"stop-timeout", required_argument, RUN | PREDICT, .take = take_stop_timeout},
    {"http", required_argument, RUN, MEMBER(http)},
    {"http-token", required_argument, RUN | WATCH, MEMBER(http_token)},
    {"debug-plugins", no_argument, RUN, MEMBER(debug_plugins)},
    {"once", no_argument, WATCH, MEMBER(once)},
    {"stage", required_argument, TOP | DUMP | PLUGIN_TEST | TRACE | WATCH | PREDICT, MEMBER(stage)},
    {"records", required_argument, TRACE, .take = take_records},
    {"learn", no_argument, TRACE, MEMBER(learn)},
    {"law", required_argument, PLUGIN_TEST, MEMBER(law)},
    {"kind", required_argument, NEW, MEMBER(kind)},
    {"lang", required_argument, NEW, MEMBER(lang)},
    {"k", required_argument, TOP | DIFF | GROUP, .take = take_k},
    {"weight", required_argument, MERGE, true, .take = take_weight},
    {"memory", required_argument, INFO | TOP | VERIFY | MERGE | DIFF | LOAD | REPORT | WATCH,
     .take = options_take_memory},
    {"help", no_argument, ALL, MEMBER(help)}};
enum { N_OPTIONS = sizeof options / sizeof *options };

/* Returns the index of the option with a short form: -o is --output, -n is --records. */
static int option_of_letter(int letter)
{
    const char *name = letter == 'o' ? "output" : letter == 'n' ? "records" : NULL;
    int i = 0;
    while (name && strcmp(options[i].name, name))
        i++;
    return name ? i : letter;
}

/* Returns the set of commands to which a command line may refer: one command, or all actions of
 * `model` if the action is unknown. Returns 0 if there is none. */
static unsigned commands_meant(const char *name, const char *action)
{
    unsigned group = 0;
    size_t n = strlen(name);
    for (int i = 0; i < N_COMMANDS; i++) {
        const char *known = command_names[i];
        if (strncmp(known, name, n)) continue;
        if (!known[n] || (known[n] == ' ' && action && !strcmp(known + n + 1, action)))
            return 1u << i;
        if (known[n] == ' ') group |= 1u << i;
    }
    return group;
}

/* Refuses an option that none of the commands in `bits` has. Suggests --set if it may be an
 * argument of the script, or the option with the most similar name. */
static int unknown_option(const char *text, unsigned bits)
{
    const char *names[N_OPTIONS], *word = text + strspn(text, "-");
    size_t n = 0;
    for (int i = 0; i < N_OPTIONS; i++)
        if (!bits || options[i].of & bits) names[n++] = options[i].name;
    size_t len = strcspn(word, "=");
    char *bare = memory_take(len + 1);
    memcpy(bare, word, len);
    bare[len] = 0;
    const char *near = diag_suggest(bare, names, n);
    bool set = !near && strchr(word, '=') && (!bits || bits & (RUN | CHECK | GRAPH | PEEK | TRACE));
    free(bare);
    if (set) near = word;
    plain_text_line(stderr, "leat: unknown option '%s'%s%s%s%s", text,
                    near ? ": did you mean --" : "", set ? "set " : "", near ? near : "",
                    near ? "?" : "");
    fputs("leat: the options are", stderr);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s --%s", i ? "," : "", names[i]);
    fputs("; `leat help` says what they do\n", stderr);
    return EXIT_CONFIG;
}

/* Refuses the argument at which getopt stopped. In a group of short options such as -xyz, optind
 * still points to the group. */
static int refuse_option(char *const *argv, int answer)
{
    const char *last = argv[optind - 1];
    if (answer == ':') return usage_error("a value must follow ", last);
    if (optopt > 0 && optopt < N_OPTIONS) return usage_error("this option takes no value: ", last);
    bool inside = optopt && argv[optind] && argv[optind][0] == '-' && argv[optind][1] == optopt;
    return unknown_option(inside ? argv[optind] : last, commands_meant(argv[0], argv[1]));
}

/* Refuses an option that has one value and is given two. `before` is the first, or NULL. */
static int refuse_second(const char *name, const char *before, const char *now)
{
    struct arena a = {0};
    const struct argument two[] = {{name, before}, {name, now}};
    bool differ = before && strcmp(before, now) != 0;
    if (differ)
        usage_error("an option has one value: remove one of ",
                    arena_printf(&a, "%s and %s", argument_text(&two[0], true, &a),
                                 argument_text(&two[1], true, &a)));
    arena_free(&a);
    return differ ? EXIT_CONFIG : 0;
}

/* Takes the option, with its value optarg. *before is its earlier value, or NULL. */
static int take_option(struct command_line *c, int option, const char **before)
{
    c->given |= UINT64_C(1) << option;
    if (options[option].has_text && !*optarg)
        return usage_error("an empty value is not allowed for --", options[option].name);
    if (options[option].has_text && !options[option].again) {
        if (refuse_second(options[option].name, *before, optarg)) return EXIT_CONFIG;
        *before = optarg;
    }
    if (options[option].take) return options[option].take(c, optarg);
    if (options[option].argument) {
        c->args[c->n_args++] = (struct argument){options[option].argument, optarg};
        return 0;
    }
    char *member = (char *)c + options[option].member;
    if (options[option].has_text)
        memcpy(member, &optarg, sizeof optarg);
    else
        memcpy(member, &(bool){true}, sizeof(bool));
    return 0;
}

int options_take(struct command_line *c, int argc, char **argv)
{
    struct option known[N_OPTIONS + 1] = {{.name = NULL}};
    const char *before[N_OPTIONS] = {NULL};
    int status = 0, option;
    for (int i = 0; i < N_OPTIONS; i++)
        known[i] = (struct option){options[i].name, options[i].has_text, NULL, i};
    while (!status && (option = getopt_long(argc, argv, ":o:n:", known, NULL)) != -1) {
        option = option_of_letter(option);
        status = option < N_OPTIONS ? take_option(c, option, &before[option])
                                    : refuse_option(argv, option);
    }
    return status;
}

int options_check(const char *name, const struct command_line *c)
{
    unsigned bit = commands_meant(name, c->script);
    for (int i = 0; bit && i < N_OPTIONS; i++) {
        if (!(c->given & UINT64_C(1) << i) || options[i].of & bit) continue;
        fprintf(stderr, "leat: --%s is not an option of this command; it belongs to",
                options[i].name);
        for (int k = 0, n = 0; k < N_COMMANDS; k++)
            if (options[i].of & 1u << k)
                fprintf(stderr, "%s leat %s", n++ ? "," : "", command_names[k]);
        fputc('\n', stderr);
        return EXIT_CONFIG;
    }
    return EXIT_DONE;
}

/* True if this line of the usage describes the command `name` or one of its options. A continuation
 * line has the result of the line before it (`before`). */
static bool is_about(const char *line, const char *name, unsigned bits, bool before)
{
    size_t n = strlen(name);
    if (!strncmp(line, "  leat ", 7)) return !strncmp(line + 7, name, n) && line[7 + n] == ' ';
    if (!strncmp(line, "  --", 4)) {
        size_t len = strcspn(line + 4, " ");
        for (int i = 0; i < N_OPTIONS; i++)
            if (strlen(options[i].name) == len && !strncmp(options[i].name, line + 4, len))
                return options[i].of & bits;
        return false;
    }
    return before && *line == ' ';
}

void options_help(const char *name)
{
    unsigned bits = commands_meant(name, NULL);
    size_t n;
    if (!bits) usage_print(stdout);
    bool on = false;
    for (const char *line = usage_doc; bits && *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        if ((on = is_about(line, name, bits, on))) printf("%.*s\n", (int)n, line);
    }
}

int options_of_run(const char *name)
{
    for (int i = 0; i < N_OPTIONS; i++)
        if (options[i].of & RUN && !strcmp(options[i].name, name)) return options[i].has_text != 0;
    return -1;
}

void options_each_of_run(void (*see)(void *to, const char *name), void *to)
{
    for (int i = 0; i < N_OPTIONS; i++)
        if (options[i].of & RUN) see(to, options[i].name);
}

/* True if the line of the usage describes one of the n hidden options, or --set. */
static bool options_is_hidden(const char *line, const char *const *hidden, size_t n)
{
    size_t len = strcspn(line + 4, " ");
    bool is = len == 3 && !strncmp(line + 4, "set", 3);
    for (size_t i = 0; i < n; i++)
        is |= strlen(hidden[i]) == len && !strncmp(line + 4, hidden[i], len);
    return is;
}

void options_print_of_run(const char *const *hidden, size_t n_hidden)
{
    bool on = false;
    size_t n;
    for (const char *line = usage_doc; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        bool begins = !strncmp(line, "  --", 4);
        if (begins || *line != ' ' || !strncmp(line, "  leat ", 7))
            on = begins && is_about(line, "run", RUN, false) &&
                 !options_is_hidden(line, hidden, n_hidden);
        if (on) printf("%.*s\n", (int)n, line);
    }
}

/* Calls see() for each option of each command, in a fixed order. */
static void options_each(void (*see)(void *to, const char *option, bool has_text,
                                     const char *command),
                         void *to)
{
    for (int k = 0; k < N_COMMANDS; k++)
        for (int i = 0; i < N_OPTIONS; i++)
            if (options[i].of & 1u << k)
                see(to, options[i].name, options[i].has_text, command_names[k]);
}

/* ---- `leat completion` ---- */

struct options_list {
    const char *command; /* command of the line that is being written; NULL: no line yet */
};

static void options_see(void *to, const char *option, bool has_text, const char *command)
{
    struct options_list *l = to;
    (void)has_text;
    if (l->command != command) printf("%s    '%s') options='", l->command ? "' ;;\n" : "", command);
    l->command = command;
    printf(" --%s", option);
}

static const char before[] =
    "# Completion of leat's command lines.\n"
    "_leat() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options words\n"
    "    local command=${COMP_WORDS[1]}\n"
    "    [[ $command == model || $command == plugin || $command == group ]] && "
    "command+=\" ${COMP_WORDS[2]}\"\n"
    "    case $command in\n";

static const char after[] =
    "' ;;\n"
    "    *) [[ -z $command || $COMP_CWORD == 1 ]] || "
    "options=$(leat help \"$command\" 2>/dev/null | "
    "sed -n 's/^  \\(--[a-z0-9_.-]*\\).*/\\1/p') ;;\n"
    "    esac\n"
    "    case $before in\n"
    "    --progress) words='auto always never' ;;\n"
    "    --kind) words='source parser feature learner sink transaction' ;;\n"
    "    --lang) words='c cpp rust' ;;\n"
    "    --log-level) words='error warn info debug' ;;\n"
    "    --log-format) words='text json' ;;\n"
    "    --state|--plugin-path) mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); return ;;\n"
    "    esac\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        words='run check graph trace top peek plugins plugin model predict group report test "
    "new completion help version'\n"
    "        words+=\" $(leat help 2>/dev/null | "
    "sed -n '/^applications:/,$s/^  \\([A-Za-z][^ ]*\\) .*/\\1/p')\"\n"
    "    elif ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == model ]]; then\n"
    "        words='info top dump load verify merge diff'\n"
    "    elif ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == plugin ]]; then\n"
    "        words='test'\n"
    "    elif ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == group ]]; then\n"
    "        words='status'\n"
    "    elif [[ $word == -* ]]; then\n"
    "        words=$options\n"
    "    elif [[ $command == plugins ]]; then\n"
    "        words=$(leat plugins 2>/dev/null | "
    "sed -n 's/^\\([a-z_0-9]*\\.[a-z_0-9.]*\\) .*/\\1/p')\n"
    "    elif ((COMP_CWORD == 2)) && [[ $command == new ]]; then\n"
    "        words='plugin pipeline application'\n"
    "    elif [[ $command == completion ]]; then\n"
    "        words='bash zsh'\n"
    "    fi\n"
    "    if [[ -n $words ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
    "    else\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "    fi\n"
    "}\n"
    "complete -o filenames -F _leat leat\n";

int command_completion(const struct command_line *c)
{
    struct options_list l = {0};
    bool zsh = !strcmp(c->script, "zsh");
    if (!zsh && strcmp(c->script, "bash"))
        return usage_error("leat completes for bash and zsh only, not for ", c->script);
    if (zsh) puts("autoload -U +X bashcompinit && bashcompinit");
    fputs(before, stdout);
    options_each(options_see, &l);
    fputs(after, stdout);
    return EXIT_DONE;
}
