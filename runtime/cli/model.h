/* model.h -- a snapshot without its pipeline: what it says, and its stages alive again.
 *
 * A struct model is a run that never runs. Its graph is made of the fingerprint instead of a
 * script: a node for each stage, none of them joined, and instances with the counts that the
 * snapshot has of them. Learners and transforms with a state can be opened with their own
 * configuration and schemas, and restored; sources and sinks cannot, as that would touch files, and
 * stand for their names and counts only. So do stages whose plugin is not there.
 *
 * Nothing is written and nothing is locked: the directory of a run that goes on can be looked at.
 */
#ifndef LEAT_CLI_MODEL_H
#define LEAT_CLI_MODEL_H

#include <jansson.h>

#include "exec/run.h"
#include "store/snapshot.h"

struct model {
    char file[4200]; /* the snapshot's */
    struct snapshot from;
    json_t *pipeline; /* as fingerprint.h tells */
    struct arena arena;
    struct diag diag;
    struct graph graph;
    struct run run;
    const struct registry *known;
};

/* The newest whole snapshot of a directory, or a file. LEAT_OK, or a failure that has been told on
 * standard error, with the file's name. Afterwards always close it. */
int model_open(struct model *m, const char *path, const struct registry *known);
void model_close(struct model *m);

/* Tell a failure on standard error, with the file's name; returns status. */
int model_fail(const struct model *m, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Can the stage be opened here? */
int model_lives_alone(const struct node *n);
/* Open all lanes of such a stage, as they were before the first record; or as the snapshot has
 * them. LEAT_OK, or a failure that has been told. */
int model_open_stage(struct model *m, struct node *n);
int model_restore_stage(struct model *m, struct node *n);

/* Id of a stage: its node, or NULL after telling which ids there are. */
struct node *model_find(struct model *m, const char *id);
/* Examples a learner had learned when it was saved. */
uint64_t model_examples(const struct model *m, const struct node *n);

#endif
