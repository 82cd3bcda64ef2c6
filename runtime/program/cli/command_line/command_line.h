/* command_line.h -- what a command line says, and the codes that a command exits with. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_LINE_COMMAND_LINE_H
#define LEAT_PROGRAM_CLI_COMMAND_LINE_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/checkpoint/checkpoint.h"
#include "host/lua/script/builder.h"

/* Exit codes, as documented in docs/guide/operating.md. */
enum {
    EXIT_DONE = 0,
    EXIT_DATA = 1,
    EXIT_CONFIG = 2,
    EXIT_FENCED = 3,
    EXIT_DEADLINE = 5,
    EXIT_FORCED = 130
};

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

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

#endif
