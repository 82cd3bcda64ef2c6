/* command_model.c -- `leat model WHAT …`: calls the function for WHAT. */
#include "model.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/text/plain_text.h"
#include "host/log/log.h"

static const struct {
    const char *name, *usage;
    size_t min_operands, max_operands;
    int (*run)(const struct command_line *, struct registry *);
} actions[] = {
    {"info", "info DIR|FILE [--json]", 1, 1, model_info},
    {"top", "top DIR|FILE [--stage ID] [--k N] [--format table|jsonl|csv]", 1, 1, model_top},
    {"dump", "dump DIR|FILE [--stage ID]", 1, 1, model_dump},
    {"load", "load TEXT DIR|FILE", 2, 2, model_load},
    {"verify", "verify DIR|FILE [--of N]", 1, 1, model_verify},
    {"merge", "merge OUT|- IN… [--of N] [--weight W]… [--set STAGE.LIMIT=N]…", 2, SIZE_MAX,
     model_merge},
    {"diff", "diff A B [--k N] [--json]", 2, 2, model_diff},
};
enum { N_ACTIONS = sizeof actions / sizeof *actions };

static int unknown(const char *name)
{
    const char *names[N_ACTIONS];
    for (size_t i = 0; i < N_ACTIONS; i++)
        names[i] = actions[i].name;
    const char *near = name ? diag_suggest(name, names, N_ACTIONS) : NULL;
    if (name)
        plain_text_line(stderr, "leat: unknown command 'model %s'%s%s%s", name,
                        near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    fprintf(stderr, "usage: leat model info|top|dump|load|verify|merge|diff …\n");
    return EXIT_CONFIG;
}

int command_model(const struct command_line *c)
{
    size_t i = 0;
    while (c->script && i < N_ACTIONS && strcmp(c->script, actions[i].name))
        i++;
    if (!c->script || i == N_ACTIONS) return unknown(c->script);
    if (c->n_operands < actions[i].min_operands || c->n_operands > actions[i].max_operands) {
        plain_text_line(stderr, "usage: leat model %s", actions[i].usage);
        return EXIT_CONFIG;
    }
    if (c->log_level >= 0) log_set_level(c->log_level);
    struct registry known;
    command_load_plugins(&known, c);
    registry_print_notices(&known, c->log_level >= LEAT_INFO, stderr);
    int status = actions[i].run(c, &known);
    /* notices of the plugins that were loaded */
    registry_print_notices(&known, c->log_level >= LEAT_INFO, stderr);
    registry_free(&known);
    return status == LEAT_OK ? EXIT_DONE : status == LEAT_EARG ? EXIT_CONFIG : EXIT_DATA;
}
