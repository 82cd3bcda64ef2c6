/* command_test.c -- `leat test`: runs files of tests of pipelines, and says how many hold. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/log/log.h"
#include "core/text/plain_text.h"
#include "command.h"
#include "host/exec/trial/peek.h"
#include "host/lua/script/builder.h"

static const char ending[] = "_test.lua";

static int is_test(const struct dirent *e)
{
    size_t n = strlen(e->d_name), end = sizeof ending - 1;
    return n > end && !strcmp(e->d_name + n - end, ending);
}

/* What a run of a test finds its plugins by: --plugin-path goes before LEAT_PLUGIN_PATH. */
static void pass_plugin_paths(const struct command_line *c, struct arena *a)
{
    const char *old = getenv("LEAT_PLUGIN_PATH"), *paths = old ? old : "";
    for (size_t i = c->n_plugin_paths; i-- > 0;)
        paths = arena_printf(a, "%s%s%s", c->plugin_paths[i], *paths ? ":" : "", paths);
    if (c->n_plugin_paths) setenv("LEAT_PLUGIN_PATH", paths, 1);
}

/* A file, or one of a folder's. */
static int test_file(const char *path, struct registry *known, struct test_counts *counts)
{
    static const struct lua_beginning beginnings = {peek_text, peek_list};
    struct arena arena = {NULL};
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
    struct arena arena = {NULL};
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
    struct arena arena = {NULL};
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
