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
#include <leat/param.h>

#include "host/exec/run.h"
#include "host/store/snapshot.h"
#include "program/cli/command.h"
#include "program/cli/command_line/command_line.h"

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
/* Opens a file that a directory was seen to hold. Returns LEAT_AGAIN without a message if a run
 * that is still writing there has replaced it by newer ones. */
int model_open_listed(struct model *m, const char *file, uint64_t memory, struct registry *known);
/* Opens a snapshot in memory, which messages call `name`; takes bytes (malloc). */
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

/* Why the stage is not opened without its pipeline; NULL if it can be, or its plugin is absent. */
const char *model_closed(const struct model *m, const struct node *n);
bool model_can_open(const struct model *m, const struct node *n);
/* Open all lanes of such a stage: empty, or with the state of the snapshot. LEAT_OK, or a failure
 * after a message. */
int model_open_stage(struct model *m, struct node *n);
int model_restore_stage(struct model *m, struct node *n);

/* The node of the stage with that id; NULL after a message with all ids. */
struct node *model_find(struct model *m, const char *id);
/* Section `what`/ID/LANE of the snapshot; what: "stage" or "host". NULL if it has none. */
const struct snapshot_section *model_section(const struct model *m, const char *what,
                                             const struct node *n, int lane);
/* Number of examples that a learner had learned when it was saved. */
uint64_t model_examples(const struct model *m, const struct node *n);
/* The latest event time that it had seen then, ns since 1970; below 0: none. */
int64_t model_time(const struct model *m, const struct node *n);

/* The limits of a merged model (graph/fingerprint/limit_change.h). */

/* Each limit of the first of n models becomes the largest of all, or what --set STAGE.LIMIT=VALUE
 * says, before its stages are opened. LEAT_OK, or LEAT_EARG after a message. */
int model_limits_raise(struct model *m, size_t n, const struct command_line *c);

/* Parameters of a stage of a snapshot, which get other values than the run's
 * before the stage is opened. */

/* The value of a parameter as the fingerprint has it; NULL if it has none. */
const char *model_setting(const struct model *m, const struct node *n, const char *name);

/* A value as a user types it, as a fingerprint would have it, in the arena; NULL if it is no
 * value of the parameter, and *why says so. */
const char *model_setting_read(const struct leat_param *p, const char *value, struct arena *a,
                               const char **why);

/* Sets it (a value as a fingerprint has it), for the stage that is opened and in m's fingerprint.
 */
void model_setting_change(struct model *m, struct node *n, const char *name, const char *shown);
/* Drops it, as if the run had not given it. */
void model_setting_drop(struct model *m, struct node *n, const char *name);

/* A snapshot as the summary of its run (summary.h), as far as it has that. */

/* Returns the summary without the parts that no snapshot has: inputs, command, plan, rejected
 * records. It has "file", "saved" (when), and of each stage "state_bytes". A learner that cannot
 * be asked has "error" in place of its answer; that is said on standard error, too. */
json_t *model_summary(struct model *m);

/* The actions of `leat model`. Each works on one or more snapshots and returns
 * LEAT_OK, or a failure after a message on standard error. */

int model_info(const struct command_line *c, struct registry *known);
int model_top(const struct command_line *c, struct registry *known);
int model_dump(const struct command_line *c, struct registry *known);
int model_load(const struct command_line *c, struct registry *known);
int model_verify(const struct command_line *c, struct registry *known);
int model_merge(const struct command_line *c, struct registry *known);
int model_diff(const struct command_line *c, struct registry *known);

/* Returns the finding of `leat model verify` for a snapshot in memory, which messages call
 * `name`: LEAT_OK, or LEAT_EDATA. Takes bytes (malloc). */
int model_accept(const char *name, void *bytes, size_t n, uint64_t memory, struct registry *known);

/* Writes a new snapshot, never over an old one: to a file, or into a directory that exists or whose
 * name ends in a slash. */
int model_write(const char *to, uint64_t checkpoint, const struct snapshot_section *section,
                uint32_t n);

/* A learner's results of progressive validation: {"examples": 7, "error_rate": 0.25, …}. */
json_t *model_figures(const struct model *m, const struct node *n);
/* file, checkpoint, created, records, rejected: the first members of `info` and `diff`. */
json_t *model_head(const struct model *m);
/* Takes `o`; prints it as JSON, or as `put` does for people. */
void model_print(json_t *o, const struct command_line *c,
                 void (*put)(const json_t *, struct arena *), struct arena *a);
/* When a head was made: "2026-03-01 12:00:00 UTC"; a member for people: "36,000", "0.1234". */
const char *model_made(const json_t *head, struct arena *a);
const char *model_of(const json_t *o, struct arena *a, const char *key);

#endif
