/* application_words.c -- the command line of an application, as the one of `leat run`. */
#include "application.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text/nearest.h"
#include "core/text/plain_text.h"
#include "host/log/diag.h"
#include "host/plugin/registry.h"
#include "program/cli/command.h"
#include "program/cli/command_line/command_line.h"

/* The command line that is being read, and the one that is being made. */
struct application_line {
    const struct application *app;
    struct declarations known;
    struct arena *arena;
    int argc, at; /* argv[at] is the word under way */
    char **argv;
    char **words; /* of `leat run` */
    int n_words;
    char **operand;
    size_t n_operands;
    bool helps;
};

static int application_refuse(const struct application_line *l, const char *text, const char *what)
{
    plain_text_line(stderr, "leat %s: %s%s; `leat %s --help` lists the arguments", l->app->name,
                    text, what, l->app->name);
    return EXIT_CONFIG;
}

static void application_add(struct application_line *l, const char *word)
{
    l->words[l->n_words++] = arena_strdup(l->arena, word);
}

static void application_set(struct application_line *l, const char *key, const char *value)
{
    application_add(l, "--set");
    application_add(l, arena_printf(l->arena, "%s=%s", key, value));
}

static const struct declared *application_declared(const struct application_line *l,
                                                   const char *name)
{
    for (size_t i = 0; i < l->known.n; i++)
        if (!strcmp(l->known.list[i].name, name)) return &l->known.list[i];
    return NULL;
}

/* ---- options ---- */

static void application_dashed(char *name, char from, char to)
{
    for (; *name; name++)
        if (*name == from) *name = to;
}

struct application_names {
    const char **list;
    size_t n;
};

static void application_see(void *to, const char *name)
{
    struct application_names *names = to;
    names->list[names->n++] = name;
}

/* Returns where a parameter of stages is set; NULL if no stage has it. */
static const char *application_takers(const char *name, struct arena *a)
{
    static const struct command_line none = {.log_level = -1};
    struct registry known;
    command_load_plugins(&known, &none);
    const char *set = registry_takers(&known, name, a);
    registry_free(&known);
    return set;
}

/* Refuses an option. Suggests the nearest argument or option of `leat run`, or says where to set a
 * parameter of a stage. */
static int application_unknown(const struct application_line *l, const char *word, const char *name)
{
    enum { OF_RUN = 64 };
    struct application_names names = {
        arena_alloc(l->arena, (l->known.n + OF_RUN) * sizeof *names.list), 0};
    for (size_t i = 0; i < l->known.n; i++) {
        char *known = arena_strdup(l->arena, l->known.list[i].name);
        application_dashed(known, '_', '-');
        application_see(&names, known);
    }
    options_each_of_run(application_see, &names);
    char *dashed = arena_strdup(l->arena, name);
    application_dashed(dashed, '_', '-');
    const char *near = diag_suggest(dashed, names.list, names.n);
    bool slip = near && nearest_distance(dashed, near) <= 2;
    const char *set = slip ? NULL : application_takers(name, l->arena);
    const char *hint = set    ? arena_printf(l->arena, ": %s", set)
                       : near ? arena_printf(l->arena, ": did you mean --%s?", near)
                              : "";
    plain_text_line(stderr, "leat %s: unknown option '%s'%s; `leat %s --help` lists the arguments",
                    l->app->name, word, hint, l->app->name);
    return EXIT_CONFIG;
}

/* Returns the value of an option: the text after =, or the next word. NULL if there is none. */
static const char *application_value(struct application_line *l, const char *after)
{
    if (after) return after;
    const char *next = l->at + 1 < l->argc ? l->argv[l->at + 1] : NULL;
    if (!next || !strncmp(next, "--", 2)) return NULL;
    l->at++;
    return next;
}

/* Returns the value of an argument that is true or false. A file after it is an operand; another
 * word is a value, which the script refuses if it is wrong. */
static const char *application_flag(struct application_line *l, const char *after)
{
    static const char *const values[] = {"true", "false", "yes", "no", "1", "0"};
    if (after) return after;
    const char *next = l->at + 1 < l->argc ? l->argv[l->at + 1] : "";
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strcmp(next, values[i])) return l->argv[++l->at];
    bool is_operand = !access(next, F_OK) || strpbrk(next, "*?[,") || strstr(next, "://");
    return !*next || *next == '-' || is_operand ? "true" : l->argv[++l->at];
}

/* True if a word "key=value" follows a --set. */
static bool application_has(const struct application_line *l, const char *key)
{
    size_t n = strlen(key);
    for (int i = 2; i < l->n_words; i++)
        if (!strncmp(l->words[i], key, n) && l->words[i][n] == '=' &&
            !strcmp(l->words[i - 1], "--set"))
            return true;
    return false;
}

/* Takes an argument of the script. */
static int application_argument(struct application_line *l, const char *key, bool is_flag,
                                const char *after)
{
    const char *word = l->argv[l->at];
    const char *value = is_flag ? application_flag(l, after) : application_value(l, after);
    if (!value) return application_refuse(l, "a value must follow ", word);
    application_set(l, key, value);
    return EXIT_DONE;
}

/* Takes an option of `leat run`. */
static int application_option(struct application_line *l, bool has_text, const char *after)
{
    const char *word = l->argv[l->at];
    application_add(l, word);
    if (!has_text || after) return EXIT_DONE;
    const char *value = application_value(l, NULL);
    if (!value) return application_refuse(l, "a value must follow ", word);
    application_add(l, value);
    return EXIT_DONE;
}

/* Takes a word that begins with "--". An argument of the script comes before an option of `leat
 * run`. A name with a dot is a parameter of one stage, which the script knows. */
static int application_take_option(struct application_line *l)
{
    const char *word = l->argv[l->at], *eq = strchr(word, '='), *after = eq ? eq + 1 : NULL;
    char *name = eq ? arena_strndup(l->arena, word + 2, (size_t)(eq - word) - 2)
                    : arena_strdup(l->arena, word + 2);
    char *key = arena_strdup(l->arena, name);
    application_dashed(key, '-', '_');
    const struct declared *d = application_declared(l, key);
    if (d) return application_argument(l, d->name, d->is_flag, after);
    int of_run = options_of_run(name);
    if (!strcmp(name, "help")) l->helps = true;
    if (of_run >= 0) return application_option(l, of_run == 1, after);
    bool next_is_option = l->at + 1 == l->argc || !strncmp(l->argv[l->at + 1], "--", 2);
    if (strchr(key, '.')) return application_argument(l, key, false, after);
    if (!l->known.is_whole) return application_argument(l, key, next_is_option, after);
    return application_unknown(l, word, name);
}

/* ---- operands ---- */

const char *application_item(struct arena *a, const char *name)
{
    if (!strchr(name, ',')) return name;
    char *to = arena_alloc(a, 2 * strlen(name) + 3), *at = to;
    *at++ = '"';
    for (; *name; name++) {
        if (*name == '"') *at++ = '"';
        *at++ = *name;
    }
    *at++ = '"';
    *at = 0;
    return to;
}

/* Returns the length of NAME in NAME://…; 0 if the text begins otherwise. */
static size_t scheme_length(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return strncmp(text + n, "://", 3) ? 0 : n;
}

/* Takes kafka://HOST:PORT[,HOST:PORT]/TOPIC[,TOPIC], or NAME://… for source.NAME of a plugin. */
static int application_topic(struct application_line *l, const char *url)
{
    size_t n = scheme_length(url);
    const char *name = arena_strndup(l->arena, url, n), *brokers = url + n + 3;
    const char *slash = strchr(brokers, '/');
    if (!application_declared(l, "brokers") || !application_declared(l, "topic"))
        return application_refuse(l, "this application reads no topics: remove ", url);
    if (l->n_operands > 1)
        return application_refuse(l, "a topic is read alone: remove ",
                                  l->operand[l->operand[0] == url ? 1 : 0]);
    if (!slash || slash == brokers || !slash[1])
        return application_refuse(
            l, arena_printf(l->arena, "write %s://HOST:PORT/TOPIC, not ", name), url);
    if (strcmp(name, "kafka") != 0) application_set(l, "source", name);
    application_set(l, "brokers", arena_strndup(l->arena, brokers, (size_t)(slash - brokers)));
    application_set(l, "topic", slash + 1);
    return EXIT_DONE;
}

/* Refuses an argument that is given twice: as an operand and as an option. */
static int application_once(const struct application_line *l, const char *name)
{
    if (!application_has(l, name)) return EXIT_DONE;
    return application_refuse(l, "give the files either as operands or by an option: remove --",
                              name);
}

/* Gives each operand to its own argument. */
static int application_each(struct application_line *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->known.n; i++) {
        if (l->known.list[i].operand != ONE_OPERAND) continue;
        if (application_once(l, l->known.list[i].name)) return EXIT_CONFIG;
        application_set(l, l->known.list[i].name, application_item(l->arena, l->operand[n++]));
    }
    return EXIT_DONE;
}

static int application_take_operands(struct application_line *l)
{
    const struct declared *all = NULL;
    size_t ones = 0;
    for (size_t i = 0; i < l->known.n; i++) {
        ones += l->known.list[i].operand == ONE_OPERAND;
        if (l->known.list[i].operand == ALL_OPERANDS) all = &l->known.list[i];
    }
    if (!l->n_operands) return EXIT_DONE;
    for (size_t i = 0; i < l->n_operands; i++) {
        if (!*l->operand[i])
            return application_refuse(l, "the name of a file must not be empty", "");
        if (scheme_length(l->operand[i])) return application_topic(l, l->operand[i]);
    }
    if (ones == l->n_operands) return application_each(l);
    if (!all && ones > l->n_operands)
        return application_refuse(l, "a file is missing after ", l->operand[l->n_operands - 1]);
    if (!all) return application_refuse(l, "no file belongs here: remove ", l->operand[ones]);
    if (application_once(l, all->name)) return EXIT_CONFIG;
    const char *list = application_item(l->arena, l->operand[0]);
    for (size_t i = 1; i < l->n_operands; i++)
        list = arena_printf(l->arena, "%s,%s", list, application_item(l->arena, l->operand[i]));
    application_set(l, all->name, list);
    return EXIT_DONE;
}

/* ---- the whole line ---- */

static int application_take(struct application_line *l)
{
    bool options_end = false;
    int code = EXIT_DONE;
    for (l->at = 1; l->at < l->argc && code == EXIT_DONE; l->at++) {
        char *word = l->argv[l->at];
        if (!options_end && !strcmp(word, "--"))
            options_end = true;
        else if (options_end || *word != '-' || !word[1])
            l->operand[l->n_operands++] = word;
        else if (word[1] == '-')
            code = application_take_option(l);
        else if (!strcmp(word, "-h"))
            l->helps = true;
        else
            code = application_unknown(l, word, word + 1);
    }
    return code == EXIT_DONE && !l->helps ? application_take_operands(l) : code;
}

int application_words(const struct application *app, int argc, char **argv, struct arena *a,
                      int *n_words, char ***words, bool *helps)
{
    /* at most two words for each word, and four for a topic */
    size_t most = 2 * (size_t)argc + 8;
    struct application_line l = {.app = app, .arena = a, .argc = argc, .argv = argv};
    l.words = arena_alloc(a, (most + 1) * sizeof *l.words);
    l.operand = arena_alloc(a, (size_t)argc * sizeof *l.operand);
    int code = application_arguments(app->path, NULL, &l.known, a);
    if (code != EXIT_DONE) return code;
    application_add(&l, "run");
    application_add(&l, app->path);
    code = application_take(&l);
    l.words[l.n_words] = NULL;
    *n_words = l.n_words;
    *words = l.words;
    *helps = l.helps;
    return code;
}
