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
    EXIT_STUCK = 4,
    EXIT_DEADLINE = 5,
    EXIT_FORCED = 130
};

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

struct frozen;

struct command_line {
    const char *script;  /* operand of the command: script of run, check and so on; stage of
                           * `plugins`; action of `model` and `plugin`; data of `peek`; test file of
                           * `test` */
    const char *subject; /* name in messages in place of the script's path and lines; or NULL */
    const struct frozen *frozen; /* `predict`: the stages behind the script's source; or NULL */
    const char *application;     /* name of the application that is the command; or NULL */
    const char **operand;        /* operands after the first */
    size_t n_operands;
    struct argument *args; /* arguments of --set */
    size_t n_args;
    const char **plugin_paths;
    size_t n_plugin_paths;
    const char *summary;
    const char *report; /* `run`: file of the page; `report`: value of -o */
    const char *format; /* `graph`: text, dot or json; `model top`: table, jsonl or csv; or NULL */
    const char *kind, *lang; /* options of `new plugin`; NULL: option absent */
    const char *stage;       /* stage of `model` and `plugin test`; learner of `top`; or NULL */
    const char *law;         /* `plugin test`: the only law (conform.h) to test; NULL: all laws */
    uint32_t k;              /* `model`: number of rows; 0: option absent */
    uint32_t records;        /* `trace`: records of each source; 0: option absent */
    uint64_t memory;         /* `model`: limit on the bytes of all stages; 0: option absent */
    double *weight;          /* `model merge`: weight of each input; NULL: option absent */
    size_t n_weights;
    enum progress_mode progress;
    struct checkpoint_options state;
    bool keep_open;   /* true if open windows and lines are left to a later run */
    bool every_given; /* true if state.every_… come from the option --every */
    bool on_crash_given;
    const char **reset;
    char *split_file; /* path made of the folder of --state and the ID of --split, or NULL */
    const char *http, *http_token; /* NULL: option absent */
    int64_t stop_timeout_ns;       /* ns from the first signal to the deadline, > 0 */
    uint64_t given;                /* options that the user gave: bit i is entry i in options.c */
    bool learn;                    /* `trace`: true if learners learn */
    bool quiet, json, markdown, lua, paths, help, online, offline, debug_plugins, once;
    uint64_t of; /* number of all splits; 0: not given */
    bool log_json;
    int log_level; /* -1: option absent; for levels of single stages, see log.h */
};

/* ---- the options ---- */

/* Parses all options into c. The operands are then the elements of argv from getopt's optind on.
 * Returns 0, or an exit code after a message. */
int options_take(struct command_line *c, int argc, char **argv);

/* Refuses options that the command `name` does not have, and prints the commands that have them.
 * Returns 0, or an exit code. */
int options_check(const char *name, const struct command_line *c);

/* Returns 1 if `leat run` has this option with a value, 0 if without one, -1 if it has not. */
int options_of_run(const char *name);
/* Calls see() for the name of each option of `leat run`. */
void options_each_of_run(void (*see)(void *to, const char *name), void *to);
/* Prints what the options of `leat run` do, without --set and the n `hidden` ones. */
void options_print_of_run(const char *const *hidden, size_t n);

/* Prints the usage of the command `name`, or the whole usage if there is no such command. */
void options_help(const char *name);

void usage_print(FILE *out);

/* Prints an error of the command line. Returns the exit code. */
int usage_error(const char *text, const char *what);

/* ---- the command line of a run, for a shell ---- */

/* Returns the command line of a run, quoted for a shell, in the arena. Examples: "leat run mine.lua
 * --set data='a b.csv'" and "leat explain --data 'a b.csv'". It has only the options that affect
 * the results, and --state. The value of an argument is shown as *** if its name or value suggests
 * a secret. */
const char *command_text(const struct command_line *c, struct arena *a);

/* Returns "--set KEY=VALUE", or "--KEY VALUE" of an option or an application, quoted and hidden in
 * the same way. */
const char *argument_text(const struct argument *set, bool as_option, struct arena *a);

/* ---- messages about a script that name arguments of the command line ----
 *
 * Such messages name the faulty argument of --set first, then the stage and parameter that received
 * it. */

struct graph;

/* Sets problem.argument of each problem to the one of the n arguments that the message quotes and
 * that the setting in g comes from, if the problem is about one. Then replaces words of the
 * messages (command_words.h). May be called several times. */
void argument_words(struct diag *d, const struct graph *g, const struct argument *args, size_t n);

/* ---- --log-level STAGE=LEVEL ---- */

/* Warns of stages in --log-level that the pipeline does not have. */
void log_levels_check(const struct graph *g);

#endif
