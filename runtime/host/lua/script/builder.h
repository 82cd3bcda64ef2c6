/* builder.h -- runs a pipeline script and builds the graph; prints a script's help; runs its
 * tests. */
#ifndef LEAT_HOST_LUA_SCRIPT_BUILDER_H
#define LEAT_HOST_LUA_SCRIPT_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "host/graph/graph.h"
#include "host/log/diag.h"

/* one --set key=value of the command line */
struct argument {
    const char *key, *value;
};

/* Function that returns the beginning of a file, decompressed and decoded (`encoding` NULL: UTF-8).
 * Scripts look at it to choose their stages. The text has `max` bytes and one more record, and lies
 * in the arena `a`. The function returns NULL on failure, with the reason in *why. */
typedef const char *lua_reads_beginning(struct registry *known, const char *path,
                                        const char *encoding, size_t max, struct arena *a,
                                        size_t *n, const char **why);
/* Function that returns the first records that a source stage with these settings would read, as a
 * list of texts. It returns NULL on failure, with the reason in *why. */
typedef const struct value *lua_reads_records(struct registry *known, const char *stage,
                                              struct setting *settings, size_t n_settings,
                                              size_t max, struct arena *a, const char **why);

/* Function that returns texts of whole records from places spread over files, as a list. Its texts
 * have about `max` bytes together, and the first is the beginning of the files. `ends`: the last
 * records of each file are among them. It returns NULL on failure, with the reason in *why, or with
 * NULL in *why if a file is not a regular one. */
typedef const struct value *lua_reads_pieces(struct registry *known, const char *path,
                                             const char *encoding, size_t max, bool ends,
                                             struct arena *a, const char **why);

/* Function that gives records to a parser with these settings. It returns what the parser makes of
 * them (exec/trial/parsed.h), or NULL on failure, with the reason in *why. */
typedef const struct value *lua_parses_records(struct registry *known, const char *parser,
                                               struct setting *settings, size_t n_settings,
                                               const struct value *records, size_t n,
                                               struct arena *a, const char **why);

/* Functions that do the work of leat.beginning(), leat.pieces() and leat.parsed() in scripts. */
struct lua_beginning {
    lua_reads_beginning *text;
    lua_reads_records *records;
    lua_reads_pieces *pieces;
    lua_parses_records *parsed;
};

/* Runs the file `script` with the arguments and fills g's nodes, edges and settings. The script can
 * query the parameters of the `known` stages. `lua_dir` is the folder of the leat module. The Lua
 * state is closed on return, but `script` must outlive g and d. Problems go to d. Returns LEAT_OK;
 * LEAT_EARG if no graph was built; or LEAT_ENOMEM. A script may take 2 seconds and 64 MiB. */
int lua_build(const char *script, const struct argument *args, size_t n_args, const char *lua_dir,
              struct registry *known, const struct lua_beginning *beginning, struct graph *g,
              struct diag *d);

/* ---- leat run SCRIPT --help ---- */

/* Prints the script's head comment and its arguments: those declared with leat.arguments or, if
 * there is no declaration, those that the script reads. Builds no graph. Returns LEAT_OK; or
 * LEAT_EARG with a problem in d if the script is unreadable or not Lua. */
int lua_script_help(const char *script, const char *lua_dir, struct registry *known,
                    const struct lua_beginning *beginning, struct diag *d, FILE *out);

/* Copies the first paragraph of the script's head comment to text[cap], as one line. By convention
 * this paragraph is the question that the pipeline answers. Writes "" if there is no head
 * comment. */
void lua_script_question(const char *script, char *text, size_t cap);

/* Prints the script's head comment. */
void lua_script_comment(const char *script, FILE *out);

/* ---- arguments of a script, before it runs ---- */

/* An argument that a script declares with leat.arguments(). */
struct declared {
    const char *name;
    const char *value;    /* word for the value, such as COLUMN */
    const char *help;     /* NULL if there is none */
    const char *fallback; /* default in words; or NULL */
    const char *title;    /* title of its list, such as "records"; NULL: the script's own */
    bool is_flag;         /* true if the value is true or false */
    bool is_required;
    /* use of the operands of the command line, which are files */
    enum { NO_OPERAND, ONE_OPERAND, ALL_OPERANDS } operand;
};

struct declarations {
    struct declared *list;
    size_t n;
    bool is_whole; /* false if the script declares nothing: the list has what it reads so far */
};

/* Fills `to` with the arguments of the script, in d's arena. Opens no data. Returns LEAT_OK; or
 * LEAT_EARG with a problem in d if the script is unreadable or not Lua; or LEAT_ENOMEM. */
int lua_script_arguments(const char *script, const char *lua_dir, struct registry *known,
                         const struct lua_beginning *beginning, struct diag *d,
                         struct declarations *to);

/* ---- leat test ---- */

struct test_counts {
    uint64_t passed, failed;
};

/* Runs the tests in the file `script`. Prints a line for each test and adds the results to
 * `counts`. Problems of the file itself go to d. Returns LEAT_OK even if tests failed; LEAT_EARG if
 * the file is not a test file. */
int lua_test(const char *script, const char *lua_dir, struct registry *known,
             const struct lua_beginning *beginning, struct diag *d, struct test_counts *counts);

#endif
