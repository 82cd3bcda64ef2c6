/* command_new.c -- `leat new plugin|pipeline|application NAME`: makes files from the installed
 * templates.
 *
 * A template (runtime/sdk/templates) is a working file for a stage called `mystage`. In the new
 * file, the requested name replaces "mystage", in the text and in the file name. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/memory/memory.h"
#include "core/text/plain_text.h"
#include "program/cli/application/application.h"
#include "program/cli/command_line/command_line.h"
#include "command.h"

static const char PLACEHOLDER[] = "mystage";
enum { NAME_MAX_BYTES = 40 };

/* A template, and the file that is made from it. */
struct new_template {
    const char *from; /* path below the folder of templates; NULL: this folder has no such file */
    const char *to;   /* path in the new folder; NULL: the same name */
    const char *what; /* description that is printed */
    bool runs;        /* true if the file is executable */
};

/* Kinds of plugins, and the groups of stages to which they belong. */
static const struct {
    const char *kind, *group;
} kinds[] = {{"source", "source"}, {"parser", "parse"}, {"feature", "feature"},
             {"learner", "learn"}, {"sink", "sink"},    {"transaction", "sink"}};
enum { N_KINDS = sizeof kinds / sizeof *kinds };
static const char *const langs[] = {"c", "cpp", "rust"};

struct making {
    struct arena arena;
    struct registry known;
    const char *templates; /* folder of the templates */
    const char *name;
};

static int new_refuse(const char *what, const char *text)
{
    plain_text_line(stderr, "leat: %s: %s", what, text);
    return EXIT_CONFIG;
}

/* Returns why `name` cannot be the name of a file, a stage and a C function; NULL if it can. */
static const char *name_fault(const char *name)
{
    size_t n = strlen(name);
    if (n > NAME_MAX_BYTES) return "a name has at most 40 characters";
    if (!islower((unsigned char)name[0])) return "a name begins with a lower-case letter";
    for (size_t i = 0; i < n; i++)
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
            return "a name has lower-case letters, digits and _ only";
    return NULL;
}

/* True for a keyword of Lua, which cannot follow a dot: leat.feature.end. */
static bool is_lua_word(const char *name)
{
    static const char *const words[] = {"and",   "break", "do",       "else", "elseif", "end",
                                        "false", "for",   "function", "goto", "if",     "in",
                                        "local", "nil",   "not",      "or",   "repeat", "return",
                                        "then",  "true",  "until",    "while"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i])) return true;
    return false;
}

/* Returns the template's text with the requested name in place of "mystage". */
static char *new_named(struct making *m, const char *text, size_t n, size_t *n_out)
{
    const size_t old = sizeof PLACEHOLDER - 1, new = strlen(m->name);
    char *out = arena_alloc(&m->arena, n / old * (new > old ? new - old : 0) + n + 1), *to = out;
    for (const char *p = text, *end = text + n; p < end;) {
        bool here = (size_t)(end - p) >= old && !memcmp(p, PLACEHOLDER, old);
        memcpy(to, here ? m->name : p, here ? new : 1);
        to += here ? new : 1;
        p += here ? old : 1;
    }
    *to = '\0';
    *n_out = (size_t)(to - out);
    return out;
}

static char *read_template(struct making *m, const char *from, size_t *n)
{
    char *path = arena_printf(&m->arena, "%s/%s", m->templates, from), *text = NULL;
    FILE *f = fopen(path, "r");
    struct stat st;
    if (f && !fstat(fileno(f), &st)) {
        text = arena_alloc(&m->arena, (size_t)st.st_size + 1);
        *n = fread(text, 1, (size_t)st.st_size, f);
        if (*n != (size_t)st.st_size) text = NULL;
    }
    if (!text) new_refuse(path, f ? "cannot be read" : strerror(errno));
    if (f) fclose(f);
    return text;
}

static int new_write_file(const char *path, const char *text, size_t n, bool runs)
{
    FILE *f = fopen(path, "wx");
    bool whole = f && fwrite(text, 1, n, f) == n;
    if (f && fclose(f)) whole = false;
    if (whole && (!runs || !chmod(path, 0755))) return EXIT_DONE;
    new_refuse(path, strerror(errno));
    return EXIT_DATA;
}

static const char *file_name(struct making *m, const struct new_template *t)
{
    const char *to = t->to ? t->to : t->from;
    size_t n;
    return new_named(m, to, strlen(to), &n);
}

static int make_file(struct making *m, const char *folder, const struct new_template *t)
{
    size_t n;
    char *text = read_template(m, t->from, &n);
    if (!text) return EXIT_DATA;
    char *path = arena_printf(&m->arena, "%s/%s", folder, file_name(m, t));
    text = new_named(m, text, n, &n);
    int status = new_write_file(path, text, n, t->runs);
    if (status == EXIT_DONE) plain_text_line(stdout, "%-28s %s", path, t->what);
    return status;
}

/* Returns a file name that occurs twice among the n files; NULL if there is none. */
static const char *same_file(struct making *m, const struct new_template *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; t[i].from && j < i; j++)
            if (t[j].from && !strcmp(file_name(m, &t[i]), file_name(m, &t[j])))
                return file_name(m, &t[i]);
    return NULL;
}

static int make_folder(struct making *m, const struct new_template *t, size_t n)
{
    const char *same = same_file(m, t, n);
    if (same)
        return new_refuse(m->name, arena_printf(&m->arena,
                                                "the template has a file %s already: take "
                                                "another name",
                                                same));
    if (mkdir(m->name, 0777)) {
        new_refuse(m->name, errno == EEXIST ? "this name exists here already: take another name, "
                                              "or remove it"
                                            : strerror(errno));
        return errno == EEXIST ? EXIT_CONFIG : EXIT_DATA;
    }
    int status = EXIT_DONE;
    for (size_t i = 0; i < n && status == EXIT_DONE; i++)
        if (t[i].from) status = make_file(m, m->name, &t[i]);
    if (status == EXIT_DONE) plain_text_line(stdout, "next: cd %s && make test", m->name);
    return status;
}

/* Returns the index of `text` in a list. If the list lacks it, prints an error that suggests the
 * nearest word, and returns -1. */
static int find_word(const char *option, const char *text, const char *const *words, size_t n,
                     struct arena *a)
{
    const char *list = words[0];
    for (size_t i = 0; i < n; i++)
        if (!strcmp(text, words[i])) return (int)i;
    for (size_t i = 1; i < n; i++)
        list = arena_printf(a, "%s%s%s", list, i + 1 < n ? ", " : " or ", words[i]);
    const char *near = diag_suggest(text, words, n);
    plain_text_line(stderr, "leat: --%s takes %s, not %s%s%s%s", option, list, text,
                    near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
    return -1;
}

static int new_pipeline(struct making *m)
{
    static const struct new_template files[] = {
        {"pipeline/mystage.lua", "mystage.lua", "the pipeline; begin here", false},
        {"pipeline/mystage_test.lua", "mystage_test.lua", "its tests: leat test", false},
        {"pipeline/mystage.csv", "mystage.csv", "some records", false},
        {"pipeline/Makefile", "Makefile", "make test, make run", false},
    };
    return make_folder(m, files, sizeof files / sizeof *files);
}

static int new_plugin(struct making *m, const struct command_line *c)
{
    const char *words[N_KINDS];
    for (int i = 0; i < N_KINDS; i++)
        words[i] = kinds[i].kind;
    const char *kind_given = c->kind ? c->kind : "feature", *lang_given = c->lang ? c->lang : "c";
    int kind = find_word("kind", kind_given, words, N_KINDS, &m->arena);
    int lang = find_word("lang", lang_given, langs, sizeof langs / sizeof *langs, &m->arena);
    if (kind < 0 || lang < 0) return EXIT_CONFIG;
    if (is_lua_word(m->name))
        return new_refuse(m->name, "this word of Lua cannot name a stage: take another name");
    bool rust = !strcmp(langs[lang], "rust");
    const char *stage = arena_printf(&m->arena, "%s.%s", kinds[kind].group, m->name);
    if (registry_find(&m->known, stage))
        return new_refuse(stage, "a stage has this name already: take another one");
    const struct new_template files[] = {
        {arena_printf(&m->arena, "%s.%s", words[kind], rust ? "rs" : "c"),
         arena_printf(&m->arena, "mystage.%s", rust ? "rs" : langs[lang]),
         arena_printf(&m->arena, "%s; begin here", stage), false},
        {arena_printf(&m->arena, "%s.lua", words[kind]), "test.lua", "a pipeline that uses it",
         false},
        {"test.sh", "test.sh", "runs the pipeline, kills it and continues it", true},
        {rust ? "rust.mk" : "plugin.mk", "Makefile", "make; make test; make install", false},
        {rust ? "leat.rs" : "CMakeLists.txt", NULL,
         rust ? "the declarations of leat's headers" : "the same for CMake", false},
        {rust ? "leat_calls.rs" : NULL, NULL, "the declarations of batches and calls", false},
        {rust ? "leat_constants.rs" : NULL, NULL, "the constants of leat's headers", false},
        {rust && !strcmp(words[kind], "transaction") ? "sqlite.rs" : NULL, NULL,
         "the functions of SQLite that the stage calls", false},
    };
    return make_folder(m, files, sizeof files / sizeof *files);
}

/* Makes a folder and those above it. Returns false, with errno, if it cannot. */
static bool new_make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = !mkdir(path, 0777) || errno == EEXIST;
        *slash = '/';
        if (!made) return false;
    }
    return !mkdir(path, 0777) || errno == EEXIST;
}

/* Makes a script and its test in the user's folder of applications. */
static int new_application(struct making *m)
{
    static const struct new_template files[] = {
        {"application/mystage.lua", "mystage.lua", "the application; begin here", false},
        {"application/mystage_test.lua", "mystage_test.lua", "its test", false},
    };
    const char *folder = application_folder(&m->arena);
    struct application had;
    if (command_is_built_in(m->name))
        return new_refuse(m->name, "leat has a command of this name: take another one");
    if (application_find(m->name, &had, &m->arena))
        return new_refuse(had.path, "there is an application of this name: take another one");
    if (!folder)
        return new_refuse(m->name, "set HOME or XDG_DATA_HOME, which say where your files belong");
    if (!new_make_folders(arena_strdup(&m->arena, folder))) {
        new_refuse(folder, strerror(errno));
        return EXIT_DATA;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int code = make_file(m, folder, &files[i]);
        if (code != EXIT_DONE) return code;
    }
    plain_text_line(stdout, "next: leat %s FILE; leat %s --help; leat test %s", m->name, m->name,
                    folder);
    return EXIT_DONE;
}

int command_new(const struct command_line *c)
{
    static const char *const whats[] = {"plugin", "pipeline", "application"};
    enum { PLUGIN, PIPELINE, APPLICATION, N_WHATS } what = 0;
    while (what < N_WHATS && strcmp(c->script, whats[what]) != 0)
        what++;
    if (what == N_WHATS) {
        const char *near = diag_suggest(c->script, whats, N_WHATS);
        plain_text_line(
            stderr, "leat: new makes a plugin, a pipeline or an application, not '%s'%s%s%s",
            c->script, near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
        return EXIT_CONFIG;
    }
    struct making m = {.name = c->n_operands ? c->operand[0] : ""};
    if (c->n_operands != 1)
        return usage_error("give one name: leat new ", what == PLUGIN     ? "plugin NAME"
                                                       : what == PIPELINE ? "pipeline NAME"
                                                                          : "application NAME");
    if (what != PLUGIN && (c->kind || c->lang))
        return usage_error("only a plugin has a kind and a language: remove ",
                           c->kind ? "--kind" : "--lang");
    if (name_fault(m.name)) return new_refuse(m.name, name_fault(m.name));
    m.templates = command_share(&m.arena, "templates");
    if (access(m.templates, R_OK | X_OK)) return new_refuse(m.templates, strerror(errno));
    command_load_plugins(&m.known, c);
    int status = what == PLUGIN     ? new_plugin(&m, c)
                 : what == PIPELINE ? new_pipeline(&m)
                                    : new_application(&m);
    registry_free(&m.known);
    arena_free(&m.arena);
    return status;
}
