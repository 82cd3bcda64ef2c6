/* application.c -- implementation of application.h: finds applications, and describes them. */
#include "application.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text/plain_text.h"
#include "host/log/log.h"
#include "host/plugin/places.h"
#include "program/cli/command.h"
#include "program/cli/session.h"

/* ---- finding them ---- */

static const char application_ending[] = ".lua", application_test[] = "_test.lua";

const char *application_folder(struct arena *a) { return places_of_user(a, "pipelines"); }

/* Returns the folder that comes with leat: it lies above the Lua modules. The path also works if
 * the folder of the modules is a symbolic link. */
static const char *application_shipped(struct arena *a)
{
    char path[PATH_MAX];
    const char *folder = arena_printf(a, "%s/leat/../../pipelines", command_lua_dir(a));
    return realpath(folder, path) ? arena_strdup(a, path) : NULL;
}

/* True if the file name is that of an application. Its name begins with a letter, so that it is no
 * option. */
static bool application_is_script(const char *file)
{
    size_t n = strlen(file), end = sizeof application_ending - 1,
           test = sizeof application_test - 1;
    bool letter = (*file >= 'a' && *file <= 'z') || (*file >= 'A' && *file <= 'Z');
    return letter && n > end && !strcmp(file + n - end, application_ending) &&
           !(n > test && !strcmp(file + n - test, application_test));
}

/* True if folder and script are the user's. Otherwise warns that the script is not used. */
static bool is_trusted(const char *folder, const char *script)
{
    const char *of_folder = places_distrust(folder), *of_script = places_distrust(script);
    if (of_folder)
        log_message(LEAT_WARN, "no application of %s is used: %s", folder, of_folder);
    else if (of_script)
        log_message(LEAT_WARN, "%s is not used: %s", script, of_script);
    return !of_folder && !of_script;
}

bool application_find(const char *name, struct application *to, struct arena *a)
{
    const char *folder[] = {application_folder(a), application_shipped(a)};
    const char *file = arena_printf(a, "%s%s", name, application_ending);
    if (strchr(name, '/') || !application_is_script(file)) return false;
    for (size_t i = 0; i < 2; i++) {
        if (!folder[i]) continue;
        *to = (struct application){name, arena_printf(a, "%s/%s", folder[i], file), i == 0};
        if (access(to->path, R_OK)) continue;
        if (i || is_trusted(folder[i], to->path)) return true;
    }
    return false;
}

static int application_by_name(const void *a, const void *b)
{
    const struct application *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (int)y->of_user - (int)x->of_user;
}

size_t application_list(struct arena *a, const struct application **list)
{
    struct application *all = NULL;
    size_t n = 0, cap = 0, kept = 0;
    const char *folder[] = {application_folder(a), application_shipped(a)};
    for (size_t i = 0; i < 2; i++) {
        DIR *dir = folder[i] ? opendir(folder[i]) : NULL;
        for (const struct dirent *e; dir && (e = readdir(dir));) {
            if (!application_is_script(e->d_name)) continue;
            if (n == cap) all = arena_grow(a, all, n, &cap, sizeof *all);
            const char *path = arena_printf(a, "%s/%s", folder[i], e->d_name);
            size_t len = strlen(e->d_name) - (sizeof application_ending - 1);
            all[n++] = (struct application){arena_strndup(a, e->d_name, len), path, i == 0};
        }
        if (dir) closedir(dir);
    }
    if (n) qsort(all, n, sizeof *all, application_by_name);
    for (size_t i = 0; i < n; i++)
        if (!kept || strcmp(all[kept - 1].name, all[i].name) != 0) all[kept++] = all[i];
    *list = all;
    return kept;
}

/* ---- describing them ---- */

void application_print_list(FILE *out)
{
    struct arena arena = {0};
    const struct application *list;
    size_t n = application_list(&arena, &list);
    if (n)
        fputs("\napplications: leat NAME [FILE]... [--ARGUMENT VALUE]...; leat NAME --help\n", out);
    for (size_t i = 0; i < n; i++) {
        char question[256];
        lua_script_question(list[i].path, question, sizeof question);
        plain_text_line(out, "  %-12s %s", list[i].name, question);
    }
    arena_free(&arena);
}

int application_arguments(const char *script, const struct command_line *c, struct declarations *to,
                          struct arena *a)
{
    static const struct command_line none = {.log_level = -1};
    struct session s = {.diag.arena = a};
    if (!c) c = &none;
    command_load_plugins(&s.known, c);
    int status = lua_script_arguments(script, command_lua_dir(a), &s.known, &session_beginnings,
                                      &s.diag, to);
    session_print_problems(&s, c);
    session_release(&s);
    return status == LEAT_OK ? EXIT_DONE : EXIT_CONFIG;
}

enum { APPLICATION_COLUMN = 27 }; /* two blanks follow, which docs/package/man.sh looks for */

/* Prints "  --time-zone ZONE   help (default UTC)". */
static void application_print_argument(const struct declared *d, struct arena *a)
{
    char *name = arena_strdup(a, d->name);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    const char *option =
        d->is_flag ? arena_printf(a, "--%s", name) : arena_printf(a, "--%s %s", name, d->value);
    bool shown = d->fallback && !(d->is_flag && !strcmp(d->fallback, "false"));
    const char *also = d->is_required ? "(required)"
                       : shown        ? arena_printf(a, "(default: %s)", d->fallback)
                                      : "";
    plain_text_line(stdout, "  %-*s  %s%s%s", APPLICATION_COLUMN, option, d->help ? d->help : "",
                    d->help && *also ? " " : "", also);
}

static const char *application_operands(const struct declarations *d)
{
    bool all = false, one = false;
    for (size_t i = 0; i < d->n; i++) {
        all |= d->list[i].operand == ALL_OPERANDS;
        one |= d->list[i].operand == ONE_OPERAND;
    }
    return one ? " [A B | FILE]" : all ? " [FILE]..." : "";
}

/* Prints the options of `leat run`, except those whose names are arguments of the script. */
static void application_print_options(const struct declarations *d, struct arena *a)
{
    const char **hidden = arena_alloc(a, (d->n + 1) * sizeof *hidden);
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (options_of_run(d->list[i].name) >= 0) hidden[n++] = d->list[i].name;
    puts("\noptions of every run");
    options_print_of_run(hidden, n);
    for (size_t i = 0; i < n; i++)
        printf("  (--%s is the argument above; `leat run` has an option of this name)\n",
               hidden[i]);
}

int application_help(const struct application *app)
{
    struct arena arena = {0};
    struct declarations d = {0};
    int code = application_arguments(app->path, NULL, &d, &arena);
    if (code == EXIT_DONE) {
        printf("leat %s%s [--ARGUMENT VALUE]... [OPTION]...\n\n", app->name,
               application_operands(&d));
        lua_script_comment(app->path, stdout);
        if (app->of_user) putchar('\n');
        if (app->of_user) plain_text_line(stdout, "script: %s", app->path);
        const char *title = "";
        for (size_t i = 0; i < d.n; i++) {
            const char *of = d.list[i].title ? d.list[i].title : "arguments";
            if (strcmp(of, title) != 0) putchar('\n');
            if (strcmp(of, title) != 0) plain_text_line(stdout, "%s", of);
            title = of;
            application_print_argument(&d.list[i], &arena);
        }
        application_print_options(&d, &arena);
    }
    arena_free(&arena);
    return code;
}
