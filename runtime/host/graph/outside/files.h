/* files.h -- the files that a pipeline reads and writes: parameters with the flags LEAT_READS_FILE
 * and LEAT_WRITES_FILE, of stages and of the pipeline itself. Nothing here creates or changes a
 * file. */
#ifndef LEAT_HOST_GRAPH_OUTSIDE_FILES_H
#define LEAT_HOST_GRAPH_OUTSIDE_FILES_H

#include <stdbool.h>

#include "host/graph/graph.h"
#include "host/log/diag.h"

/* A path as the script wrote it, never "" or "-". */
struct file_use {
    struct location at;
    const char *stage; /* label for messages; of an option of the command line NULL */
    const char *param;
    const char *path;
    bool may_come; /* it need not exist before the run (LEAT_MAY_COME) */
    bool whole;    /* it is read to its end before the run (LEAT_READS_WHOLE) */
};

struct file_cursor {
    uint32_t node, param, value;
};

/* The next file with this flag after `at` (at first zeroed), stage by stage; the pipeline's own
 * come last. false: there are no more. */
bool files_next(const struct graph *g, uint32_t flag, struct file_cursor *at, struct file_use *use);

/* Are all files that a stage reads regular ones that are there, so that they can be read twice
 * without harm? Not those that it waits for. */
bool files_are_regular(const struct graph *g, const struct node *n);
/* The same of a run that has begun: those that were awaited count, too. */
bool files_are_regular_now(const struct graph *g, const struct node *n);

/* Can all inputs be read and all outputs be written, and is no output written twice, an input, the
 * script, or in the directory `state`? `summary` and `report`: what --summary and --report name,
 * two more outputs. Each may be NULL. Problems go to d, those of access as DIAG_FILE. */
void files_check(const struct graph *g, const char *summary, const char *report, const char *state,
                 struct diag *d);

/* Warns of inputs that do not exist and that the run will wait for. */
void files_awaited(const struct graph *g, struct diag *d);

/* ": did you mean 'data.csv'?" of the name in the same folder that is most like this one; "": none
 * is. */
const char *files_suggestion(const char *path, struct arena *a);

/* Can the folder `path` be written, or be made? If not, the reason, in the arena; else NULL. */
const char *files_folder_fault(const char *path, struct arena *a);

#endif
