/* builder.h -- runs a pipeline script once and takes the graph out of it; what a script says of
 * itself; tests of pipelines. */
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

/* The first text of a file, decompressed and out of its encoding (NULL: UTF-8), for scripts that
 * choose by it: `max` bytes and one record more, in a. NULL: *why says why. */
typedef const char *lua_reads_beginning(struct registry *known, const char *path,
                                        const char *encoding, size_t max, struct arena *a,
                                        size_t *n, const char **why);
/* The same of any source, with its settings: a list of texts. */
typedef const struct value *lua_reads_records(struct registry *known, const char *stage,
                                              struct setting *settings, size_t n_settings,
                                              size_t max, struct arena *a, const char **why);

/* What leat.beginning calls. */
struct lua_beginning {
    lua_reads_beginning *text;
    lua_reads_records *records;
};

/* Runs the file `script` with the arguments and fills g's nodes, edges and settings; the script can
 * query the parameters of the `known` stages. `lua_dir` is the folder of the leat module, and
 * leat.beginning calls `beginning`. The Lua state is closed on return; `script` must outlive g
 * and d. Problems go to d. Returns LEAT_OK, LEAT_EARG when there is no graph, or LEAT_ENOMEM.
 * Limits of the script: 2 seconds, 64 MiB. */
int lua_build(const char *script, const struct argument *args, size_t n_args, const char *lua_dir,
              struct registry *known, const struct lua_beginning *beginning, struct graph *g,
              struct diag *d);

/* ---- leat run SCRIPT --help ---- */

/* Prints the comment at the head of the script and its arguments: those that it declares
 * (leat.arguments), or, in a script without such a comment, those that it reads. Builds nothing.
 * LEAT_OK; LEAT_EARG with the problem in d: it cannot be read, or is no Lua. */
int lua_script_help(const char *script, const char *lua_dir, struct registry *known,
                    const struct lua_beginning *beginning, struct diag *d, FILE *out);

/* The question that a script answers: that comment up to its first blank line, as one line of at
 * most cap - 1 bytes; "": it has no such comment. */
void lua_script_question(const char *script, char *text, size_t cap);

/* ---- leat test ---- */

struct test_counts {
    uint64_t passed, failed;
};

/* Runs the tests of `script`, which print a line each, and adds to `counts`. Problems of the file
 * itself go to d. LEAT_OK, whether tests failed or not; LEAT_EARG: the file is none of tests. */
int lua_test(const char *script, const char *lua_dir, struct registry *known,
             const struct lua_beginning *beginning, struct diag *d, struct test_counts *counts);

#endif
