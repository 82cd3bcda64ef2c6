/* model.h -- opens a snapshot without its pipeline: its figures, and its stages restored.
 *
 * A struct model is a run that never starts. Its graph comes from the fingerprint instead of a
 * script: one node for each stage, without edges, and instances with the counts of the snapshot.
 * Learners and transforms with a state can be opened with their own configuration and schemas, and
 * restored. Sources and sinks are never opened, because that would touch files and connections;
 * neither are stages with functions, nor those whose plugin is absent. They have only names and
 * counts. The declaration of the stage decides which it is: a snapshot may come from anybody.
 *
 * Nothing is written and nothing is locked, so a model can be read while its run continues. */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_H

#include <jansson.h>

#include "host/exec/run.h"
#include "host/store/snapshot.h"

struct model {
    char file[4200]; /* the snapshot's */
    struct snapshot from;
    json_t *pipeline; /* format: fingerprint.h */
    struct arena arena;
    struct diag diag;
    struct graph graph;
    struct run run;
    struct registry *known;
    bool memory_given; /* the limit is the user's */
    char fault[1600];  /* the last failure, without the file's name */
};

/* Opens a snapshot file, or the newest intact one of a directory. All its stages together may take
 * `memory` bytes, or if 0 what model_memory gives for the file. LEAT_OK, or a failure after a
 * message on standard error with the file's name. Always call model_close afterwards. */
int model_open(struct model *m, const char *path, uint64_t memory, struct registry *known);
/* The same of a file that a directory was seen to hold. LEAT_AGAIN, and no message: a run that is
 * still writing there has replaced it by newer ones. */
int model_open_listed(struct model *m, const char *file, uint64_t memory, struct registry *known);
/* The same with a snapshot in memory, whose messages call it `name`; bytes (malloc) are m's now. */
int model_open_bytes(struct model *m, const char *name, void *bytes, size_t n, uint64_t memory,
                     struct registry *known);
/* The most that stages may take whose states are in the snapshot; those that grow may take what
 * they reserve besides, which they do not touch. */
uint64_t model_memory(const struct snapshot *s);
void model_close(struct model *m);

/* Prints a failure on standard error with the file's name, and keeps it; returns status. */
int model_fail(struct model *m, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the failure that a call has recorded in r, of the stage if there is one, and clears it for
 * the next one; returns status. r: m's own, or that of the model which took m's states. */
int model_tell(struct model *m, struct run *r, struct node *n, int status);

/* Why the stage is not opened without its pipeline; NULL: it can be, or its plugin is absent. */
const char *model_closed(const struct model *m, const struct node *n);
bool model_can_open(const struct model *m, const struct node *n);
/* Open all lanes of such a stage: empty, or with the state of the snapshot. LEAT_OK, or a failure
 * after a message. */
int model_open_stage(struct model *m, struct node *n);
int model_restore_stage(struct model *m, struct node *n);

/* The node of the stage with that id; NULL after a message with all ids. */
struct node *model_find(struct model *m, const char *id);
/* Section `what`/ID/LANE of the snapshot; what: "stage" or "host". NULL: it has none. */
const struct snapshot_section *model_section(const struct model *m, const char *what,
                                             const struct node *n, int lane);
/* Number of examples that a learner had learned when it was saved. */
uint64_t model_examples(const struct model *m, const struct node *n);
/* The latest event time that it had seen then, ns since 1970; below 0: none. */
int64_t model_time(const struct model *m, const struct node *n);

#endif
