/* command_line.h -- what a command line says, its options, and the codes that a command exits
 * with. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_LINE_COMMAND_LINE_H
#define LEAT_PROGRAM_CLI_COMMAND_LINE_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "host/checkpoint/checkpoint.h"
#include "host/log/diag.h"
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

/* The options of the command line: which there are, which command has which. */

/* Takes all options into c; the operands that are left begin at getopt's optind. 0, or an exit
 * code after a message. */
int options_take(struct command_line *c, int argc, char **argv);

/* Refuses options that the command does not have, naming those that have them. */
int options_check(const char *name, const struct command_line *c);

/* The lines of the usage that are about a command; all of it when it is none. */
void options_help(const char *name);

void usage_print(FILE *out);

/* Prints what is wrong with the command line; returns the exit code. */
int usage_error(const char *text, const char *what);

/* ---- the command line of a run as a shell would take it again ---- */

/* "leat run explain.lua --set data='a b.csv'": what decides the results, and the state. The value
 * of an argument whose name or value has a word for a secret in it is ***. In the arena. */
const char *command_text(const struct command_line *c, struct arena *a);

/* Problems of a script in the words of its command line: the argument that is
 * wrong stands before the stage and the parameter that it came to. */

/* Sets problem.argument where one of the n arguments has what the message quotes, and words the
 * messages as command_words.h does. May be called again. */
void argument_words(struct diag *d, const struct argument *args, size_t n);

/* ---- --log-level STAGE=LEVEL ---- */

struct graph;

/* Warns of stages that the pipeline does not have. */
void log_levels_check(const struct graph *g);

#endif
