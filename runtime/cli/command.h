/* command.h -- the commands of `leat`, each from its parsed options to an exit code. */
#ifndef LEAT_CLI_COMMAND_H
#define LEAT_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "checkpoint/checkpoint.h"
#include "lua/script/builder.h"
#include "progress.h"

/* Exit codes, as documented in docs/guide/operating.md. */
enum {
    EXIT_DONE = 0,
    EXIT_DATA = 1,
    EXIT_CONFIG = 2,
    EXIT_FENCED = 3,
    EXIT_DEADLINE = 5,
    EXIT_FORCED = 130
};

struct command_line {
    const char *script;   /* plugins: a stage's name; model, plugin: its action; peek: the data;
                             * test: a file of tests */
    const char *subject;  /* what messages name in place of the script and its lines; NULL: these */
    const char **operand; /* the other operands; only `model`, `plugin` and `test` have any */
    size_t n_operands;
    struct argument *args; /* --set */
    size_t n_args;
    const char **plugin_paths;
    size_t n_plugin_paths;
    const char *summary;
    const char *report; /* run: a page is written there; report: -o */
    const char *format; /* graph: text, dot, json; model top: table, jsonl, csv; NULL: the first */
    const char *kind, *lang; /* new plugin: NULL: not given */
    const char *stage;       /* model, plugin test: only this one; NULL: all; top: a learner */
    const char *law;         /* plugin test: the same */
    uint32_t k;              /* model: rows; 0: not given        */
    uint32_t records;        /* trace: of each source; 0: not given */
    uint64_t memory;         /* model: bytes that its stages may take; 0: not given */
    double *weight;          /* model merge: one an input, or none */
    size_t n_weights;
    enum progress_mode progress;
    struct checkpoint_options state;
    bool keep_open;   /* what is open at the end of the input */
    bool every_given; /* state.every_… are not the default */
    const char **reset;
    const char *http, *http_token; /* NULL: not given */
    int64_t stop_timeout_ns;       /* from the first signal to the end, > 0 */
    uint64_t given;                /* options, as bits in the order of their table */
    bool learn;                    /* trace: learners learn */
    bool quiet, json, markdown, lua, paths, help, online, offline, debug_plugins, once;
    bool log_json;
    int log_level; /* -1: not given; those of stages are with log.h */
};

/* Each returns an exit code, after messages on standard error. */
int command_run(const struct command_line *c);
int command_check(const struct command_line *c);
int command_graph(const struct command_line *c);
/* What the script says of itself and of its arguments. */
int command_script_help(const struct command_line *c);
int command_plugins(const struct command_line *c);
/* Runs the script leat/peek.lua of the Lua module on the file that stands in place of a script. */
int command_peek(const struct command_line *c);
/* The first records, and what each stage makes of them. */
int command_trace(const struct command_line *c);
/* A run that is watched by HTTP, or a directory of snapshots, on the terminal, or once as text:
 * c->script says which. */
int command_top(const struct command_line *c);
int command_model(const struct command_line *c);
/* Writes one page on summaries and snapshots. */
int command_report(const struct command_line *c);
/* Runs tests of pipelines: c->script and the operands are files of them, or folders with such. */
int command_test(const struct command_line *c);

/* `plugin test`: the operands are the plugin's file and a script, which may be missing. */
int command_plugin(const struct command_line *c);
/* Makes a folder with a plugin, or a pipeline, to start from: c->script says which. */
int command_new(const struct command_line *c);

/* Prints what completes command lines in the shell that c->script names. */
int command_completion(const struct command_line *c);

/* Initialises `known` and adds all plugins (registry_load_all); registry_free it afterwards. */
void command_load_plugins(struct registry *known, const struct command_line *c);

/* What is installed beside the executable: ../share/leat/WHAT from its folder. */
const char *command_share(struct arena *a, const char *what);
/* The folder of the Lua module: LEAT_LUA_PATH, or that of command_share. */
const char *command_lua_dir(struct arena *a);

#endif
