/* files.h -- finds and checks the files that a pipeline reads and writes, without changing any.
 *
 * The files are the values of parameters with the flags LEAT_READS_FILE and LEAT_WRITES_FILE.
 * Stages and the pipeline itself have such parameters. */
#ifndef LEAT_HOST_GRAPH_OUTSIDE_FILES_H
#define LEAT_HOST_GRAPH_OUTSIDE_FILES_H

#include <stdbool.h>

#include "host/graph/graph.h"
#include "host/log/diag.h"

/* One path that the script sets; never "" or "-". */
struct file_use {
    struct location at;
    const char *stage; /* stage's label for messages; NULL for a command-line option */
    const char *param;
    const char *path;
    bool may_come; /* the file need not exist before the run (LEAT_MAY_COME) */
    bool whole;    /* the stage reads the whole file before the run (LEAT_READS_WHOLE) */
};

struct file_cursor {
    uint32_t node, param, value;
};

/* Finds the next file whose parameter has `flag`, stage by stage; the pipeline's own files come
 * last. Zero *at before the first call. Returns false at the end. */
bool files_next(const struct graph *g, uint32_t flag, struct file_cursor *at, struct file_use *use);

/* True if all files that a stage reads exist and are regular, so that they can be read twice. False
 * if the stage may wait for files. */
bool files_are_regular(const struct graph *g, const struct node *n);
/* Like files_are_regular(), but for a run that has begun. Files that the stage may have waited for
 * must then be regular, too. */
bool files_are_regular_now(const struct graph *g, const struct node *n);

/* Checks that all inputs can be read and all outputs can be written. Two outputs must not be the
 * same file. An output must not be an input or the script, or lie in the directory `state`.
 * `summary` and `report` are the paths of --summary and --report, which are outputs, too. Each path
 * may be NULL. Problems go to d; missing access is of kind DIAG_FILE. */
void files_check(const struct graph *g, const char *summary, const char *report, const char *state,
                 struct diag *d);

/* Warns of inputs that do not exist and for which the run will wait. */
void files_awaited(const struct graph *g, struct diag *d);

/* Returns a suggestion for a missing file, the most similar name in its folder: ": did you mean
 * 'data.csv'?". Returns "" if no name is similar. */
const char *files_suggestion(const char *path, struct arena *a);

/* Returns the reason why the folder `path` cannot be written or created, as text in the arena; NULL
 * if it can. */
const char *files_folder_fault(const char *path, struct arena *a);

#endif
