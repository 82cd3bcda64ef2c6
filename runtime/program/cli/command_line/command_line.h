/* command_line.h -- a parsed command line, its options, and the exit codes of commands. */
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
                           * test: a test file */
    const char *subject;  /* name in messages, in place of the script and its lines; or NULL */
    const char **operand; /* further operands; only `model`, `plugin` and `test` have any */
    size_t n_operands;
    struct argument *args; /* --set */
    size_t n_args;
    const char **plugin_paths;
    size_t n_plugin_paths;
    const char *summary;
    const char *report; /* run: file of the page; report: -o */
    const char *format; /* graph: text, dot, json; model top: table, jsonl, csv; NULL: the first */
    const char *kind, *lang; /* new plugin; NULL: not given */
    const char *stage;       /* model, plugin test: the only stage; NULL: all; top: a learner */
    const char *law;         /* plugin test: the only law; NULL: all */
    uint32_t k;              /* model: number of rows; 0: not given */
    uint32_t records;        /* trace: of each source; 0: not given */
    uint64_t memory;         /* model: bytes that the stages may take; 0: not given */
    double *weight;          /* model merge: one for each input, or none */
    size_t n_weights;
    enum progress_mode progress;
    struct checkpoint_options state;
    bool keep_open;   /* leave open windows and lines to a later run */
    bool every_given; /* state.every_… were given */
    const char **reset;
    const char *http, *http_token; /* NULL: not given */
    int64_t stop_timeout_ns;       /* from the first signal to the end, > 0 */
    uint64_t given;                /* given options, as bits in the order of their table */
    bool learn;                    /* trace: let learners learn */
    bool quiet, json, markdown, lua, paths, help, online, offline, debug_plugins, once;
    bool log_json;
    int log_level; /* -1: not given; levels of stages: see log.h */
};

/* ---- the options ---- */

/* Takes all options into c. The remaining operands begin at getopt's optind. Returns 0, or an exit
 * code after a message. */
int options_take(struct command_line *c, int argc, char **argv);

/* Refuses options that the command does not have, and names commands that have them. Returns 0, or
 * an exit code. */
int options_check(const char *name, const struct command_line *c);

/* Prints the lines of the usage for a command; all of it if there is no such command. */
void options_help(const char *name);

void usage_print(FILE *out);

/* Prints a fault of the command line. Returns the exit code. */
int usage_error(const char *text, const char *what);

/* ---- the command line of a run, for a shell ---- */

/* Returns "leat run explain.lua --set data='a b.csv'", in the arena: the parts that decide the
 * results, and the state. If an argument's name or value has a word for a secret, its value is
 * ***. */
const char *command_text(const struct command_line *c, struct arena *a);

/* ---- problems of a script, in the words of its command line ----
 *
 * The wrong argument stands before the stage and the parameter that got it. */

/* Sets problem.argument if one of the n arguments contains what the message quotes, and words the
 * messages like command_words.h. May be called again. */
void argument_words(struct diag *d, const struct argument *args, size_t n);

/* ---- --log-level STAGE=LEVEL ---- */

struct graph;

/* Warns of stages that the pipeline lacks. */
void log_levels_check(const struct graph *g);

#endif
