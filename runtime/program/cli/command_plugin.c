/* command_plugin.c -- `leat plugin test`: does a plugin keep the laws of its headers? */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log/log.h"
#include "core/text/plain_text.h"
#include "program/cli/command_line/options.h"
#include "command.h"
#include "sdk/conform/conform.h"
#include "host/exec/trial/peek.h"
#include "host/lua/stages.h"

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
    static const struct lua_beginning beginnings = {peek_text, peek_list};
    struct registry known;
    struct arena arena = {NULL};
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

/* Why there is nothing to load there; NULL: there may be. */
static const char *file_fault(const char *path)
{
    struct stat st;
    if (access(path, R_OK) || stat(path, &st)) return strerror(errno);
    if (S_ISDIR(st.st_mode)) return "is a folder: name one plugin in it, a file that ends with .so";
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
