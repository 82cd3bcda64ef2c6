/* builder.h -- runs a pipeline script and takes the graph from it; help and tests of scripts. */
#ifndef LEAT_HOST_LUA_SCRIPT_BUILDER_H
#define LEAT_HOST_LUA_SCRIPT_BUILDER_H

#include <stdint.h>
#include <stdio.h>

#include "host/graph/graph.h"
#include "host/log/diag.h"

/* --set key=value */
struct argument {
    const char *key, *value;
};

/* Returns the beginning of a file, decompressed and decoded (encoding NULL: UTF-8), for scripts
 * that choose their stages by it. It has `max` bytes and one more record, and lies in the arena a.
 * Returns NULL on failure, with the reason in *why. */
typedef const char *lua_reads_beginning(struct registry *known, const char *path,
                                        const char *encoding, size_t max, struct arena *a,
                                        size_t *n, const char **why);
/* Returns the first records of any source, with its settings: a list of texts. NULL: failed, with
 * the reason in *why. */
typedef const struct value *lua_reads_records(struct registry *known, const char *stage,
                                              struct setting *settings, size_t n_settings,
                                              size_t max, struct arena *a, const char **why);

/* Functions that leat.beginning calls. */
struct lua_beginning {
    lua_reads_beginning *text;
    lua_reads_records *records;
};

/* Runs the file `script` with the arguments and fills g's nodes, edges and settings; the script can
 * query the parameters of the `known` stages. `lua_dir` is the folder of the leat module;
 * leat.beginning calls `beginning`. The Lua state is closed on return; `script` must outlive g and
 * d. Problems go to d. Returns LEAT_OK, LEAT_EARG if there is no graph, or LEAT_ENOMEM. Limits of
 * the script: 2 seconds, 64 MiB. */
int lua_build(const char *script, const struct argument *args, size_t n_args, const char *lua_dir,
              struct registry *known, const struct lua_beginning *beginning, struct graph *g,
              struct diag *d);

/* ---- leat run SCRIPT --help ---- */

/* Prints the comment at the head of the script and its arguments: those declared with
 * leat.arguments or, without a declaration, those that the script reads. Builds nothing. Returns
 * LEAT_OK, or LEAT_EARG with the problem in d if the script is unreadable or not Lua. */
int lua_script_help(const char *script, const char *lua_dir, struct registry *known,
                    const struct lua_beginning *beginning, struct diag *d, FILE *out);

/* Returns the question that a script answers: its head comment up to the first blank line, as one
 * line of at most cap - 1 bytes; "" if it has no such comment. */
void lua_script_question(const char *script, char *text, size_t cap);

/* ---- leat test ---- */

struct test_counts {
    uint64_t passed, failed;
};

/* Runs the tests of `script`, which print a line each, and adds to `counts`. Problems of the file
 * itself go to d. Returns LEAT_OK, whether tests failed or not; LEAT_EARG if the file is not a file
 * of tests. */
int lua_test(const char *script, const char *lua_dir, struct registry *known,
             const struct lua_beginning *beginning, struct diag *d, struct test_counts *counts);

#endif
