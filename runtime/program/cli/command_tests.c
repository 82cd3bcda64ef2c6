/* command_tests.c -- `leat test`: tests of pipelines; `leat plugin test`: conformance of
 * plugins. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "core/text/plain_text.h"
#include "host/exec/trial/parsed.h"
#include "host/exec/trial/peek.h"
#include "host/exec/trial/sample.h"
#include "host/log/log.h"
#include "host/lua/script/builder.h"
#include "host/lua/stages.h"
#include "program/cli/command_line/command_line.h"
#include "sdk/conform/conform.h"

/* ---- `leat test` ---- */

static const char ending[] = "_test.lua";

static int is_test(const struct dirent *e)
{
    size_t n = strlen(e->d_name), end = sizeof ending - 1;
    return n > end && !strcmp(e->d_name + n - end, ending);
}

/* Puts the folders of --plugin-path before LEAT_PLUGIN_PATH, so that a test's runs find these
 * plugins. */
static void pass_plugin_paths(const struct command_line *c, struct arena *a)
{
    const char *old = getenv("LEAT_PLUGIN_PATH"), *paths = old ? old : "";
    for (size_t i = c->n_plugin_paths; i-- > 0;)
        paths = arena_printf(a, "%s%s%s", c->plugin_paths[i], *paths ? ":" : "", paths);
    if (c->n_plugin_paths) setenv("LEAT_PLUGIN_PATH", paths, 1);
}

/* Runs the tests of one file. */
static int test_file(const char *path, struct registry *known, struct test_counts *counts)
{
    static const struct lua_beginning beginnings = {peek_text, peek_list, sample_text,
                                                    parsed_records};
    struct arena arena = {0};
    struct diag d = {.arena = &arena};
    printf("%s\n", path);
    fflush(stdout);
    int status = lua_test(path, command_lua_dir(&arena), known, &beginnings, &d, counts);
    fflush(stdout);
    diag_print(&d, stderr);
    arena_free(&arena);
    return status == LEAT_OK ? EXIT_DONE : EXIT_CONFIG;
}

static int no_tests(const char *path, const char *why)
{
    plain_text_line(stderr, "leat: %s: %s", path, why);
    return EXIT_CONFIG;
}

static int test_folder(const char *path, struct registry *known, struct test_counts *counts)
{
    struct dirent **entry;
    struct arena arena = {0};
    int n = scandir(path, &entry, is_test, alphasort), worst = EXIT_DONE;
    if (n < 0) return no_tests(path, strerror(errno));
    if (!n) worst = no_tests(path, "no file in this folder ends in _test.lua");
    for (int i = 0; i < n; free(entry[i++])) {
        int code = test_file(arena_printf(&arena, "%s/%s", path, entry[i]->d_name), known, counts);
        if (code > worst) worst = code;
    }
    free(entry);
    arena_free(&arena);
    return worst;
}

static int test_path(const char *path, struct registry *known, struct test_counts *counts)
{
    struct stat st;
    if (stat(path, &st)) return no_tests(path, strerror(errno));
    return (S_ISDIR(st.st_mode) ? test_folder : test_file)(path, known, counts);
}

int command_test(const struct command_line *c)
{
    struct registry known;
    struct arena arena = {0};
    struct test_counts counts = {0};
    if (c->log_level >= 0) log_set_level(c->log_level);
    pass_plugin_paths(c, &arena);
    command_load_plugins(&known, c);
    int worst = test_path(c->script, &known, &counts);
    for (size_t i = 0; i < c->n_operands; i++) {
        int code = test_path(c->operand[i], &known, &counts);
        if (code > worst) worst = code;
    }
    printf("%llu passed, %llu failed\n", (unsigned long long)counts.passed,
           (unsigned long long)counts.failed);
    registry_free(&known);
    arena_free(&arena);
    return worst != EXIT_DONE ? worst : counts.failed ? EXIT_DATA : EXIT_DONE;
}

/* ---- `leat plugin test` ---- */

static int print_counts(const struct command_line *c, const struct conform_counts *n)
{
    if (c->json)
        printf("{\"passed\":%zu,\"failed\":%zu,\"skipped\":%zu}\n", n->passed, n->failed,
               n->skipped);
    else
        printf("%zu passed, %zu failed%s\n", n->passed, n->failed,
               n->skipped ? "; some could not be tried (skip)" : "");
    return n->failed ? EXIT_DATA : EXIT_DONE;
}

static int test_plugin(const struct command_line *c)
{
    static const struct lua_beginning beginnings = {peek_text, peek_list, sample_text,
                                                    parsed_records};
    struct registry known;
    struct arena arena = {0};
    struct conform_counts counts = {0};
    const struct conform_options o = {.file = c->operand[0],
                                      .script = c->n_operands > 1 ? c->operand[1] : NULL,
                                      .args = c->args,
                                      .n_args = c->n_args,
                                      .plugin_paths = c->plugin_paths,
                                      .n_plugin_paths = c->n_plugin_paths,
                                      .stage = c->stage,
                                      .law = c->law,
                                      .lua_dir = command_lua_dir(&arena),
                                      .json = c->json,
                                      .beginning = &beginnings};
    registry_init(&known);
    registry_add_builtin(&known, &lua_plugin);
    registry_load(&known, o.file, PROBED);
    registry_load_all(&known, c->plugin_paths, c->n_plugin_paths);
    int status = conform(&o, &known, &counts);
    int code = status == LEAT_OK ? print_counts(c, &counts) : EXIT_CONFIG;
    registry_free(&known);
    arena_free(&arena);
    return code;
}

/* Returns the reason why a file cannot be a plugin; NULL if it may be one. */
static const char *file_fault(const char *path)
{
    struct stat st;
    if (access(path, R_OK) || stat(path, &st)) return strerror(errno);
    if (S_ISDIR(st.st_mode))
        return "is a folder: give one plugin in it, a file whose name ends in .so";
    return NULL;
}

int command_plugin(const struct command_line *c)
{
    if (strcmp(c->script, "test") != 0)
        return usage_error("leat plugin has one action: test; not ", c->script);
    if (!c->n_operands)
        return usage_error("the file is missing: leat ", "plugin test FILE.so [SCRIPT.lua]");
    if (c->n_operands > 2)
        return usage_error("leat plugin test takes a plugin and one pipeline; remove ",
                           c->operand[2]);
    const char *fault = file_fault(c->operand[0]);
    if (fault) {
        plain_text_line(stderr, "leat: %s: %s", c->operand[0], fault);
        return EXIT_CONFIG;
    }
    if (c->log_level >= 0) log_set_level(c->log_level);
    return test_plugin(c);
}
