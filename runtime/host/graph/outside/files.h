/* files.h -- files that a pipeline reads and writes; nothing here creates or changes a file.
 *
 * The files are parameters with the flags LEAT_READS_FILE and LEAT_WRITES_FILE, of stages and of
 * the pipeline itself. */
#ifndef LEAT_HOST_GRAPH_OUTSIDE_FILES_H
#define LEAT_HOST_GRAPH_OUTSIDE_FILES_H

#include <stdbool.h>

#include "host/graph/graph.h"
#include "host/log/diag.h"

/* A path as the script writes it, never "" or "-". */
struct file_use {
    struct location at;
    const char *stage; /* label for messages; NULL for an option of the command line */
    const char *param;
    const char *path;
    bool may_come; /* the file need not exist before the run (LEAT_MAY_COME) */
    bool whole;    /* the stage reads it to its end before the run (LEAT_READS_WHOLE) */
};

struct file_cursor {
    uint32_t node, param, value;
};

/* Returns the next file with this flag after `at` (zeroed at first), stage by stage; the pipeline's
 * own files come last. Returns false at the end. */
bool files_next(const struct graph *g, uint32_t flag, struct file_cursor *at, struct file_use *use);

/* True if all files that a stage reads are regular and exist, so that they can be read twice
 * without harm. False for files that the stage waits for. */
bool files_are_regular(const struct graph *g, const struct node *n);
/* True if the files are regular, once the run has begun: the awaited files count, too. */
bool files_are_regular_now(const struct graph *g, const struct node *n);

/* Checks that all inputs can be read and all outputs can be written. No output may be written
 * twice, be an input or the script, or lie in the directory `state`. `summary` and `report`: paths
 * of --summary and --report, two more outputs. Each may be NULL. Problems go to d, those of access
 * as DIAG_FILE. */
void files_check(const struct graph *g, const char *summary, const char *report, const char *state,
                 struct diag *d);

/* Warns of inputs that do not exist and that the run will wait for. */
void files_awaited(const struct graph *g, struct diag *d);

/* Suggests the most similar name in the same folder: ": did you mean 'data.csv'?"; "" if there is
 * none. */
const char *files_suggestion(const char *path, struct arena *a);

/* Returns the reason, in the arena, why the folder `path` cannot be written or created; NULL if it
 * can. */
const char *files_folder_fault(const char *path, struct arena *a);

#endif
