/* model.h -- opens a snapshot without its pipeline: its figures, and its stages restored.
 *
 * A struct model is a run that never starts. Its graph comes from the fingerprint instead of a
 * script: one node for each stage, without edges, and instances with the counts of the snapshot.
 * Learners and transforms with a state can be opened, with their own configuration and schemas, and
 * restored. Others have only names and counts: sources and sinks, because opening them would touch
 * files and connections; stages with functions; and stages whose plugin is absent. The declaration
 * of the stage decides, because anybody may have made the snapshot.
 *
 * Nothing is written or locked, so a model can be read while its run continues. */
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
    json_t *pipeline; /* format: see fingerprint.h */
    struct arena arena;
    struct diag diag;
    struct graph graph;
    struct run run;
    struct registry *known;
    bool memory_given; /* the user has set the limit */
    char fault[1600];  /* last failure, without the file's name */
};

/* Opens a snapshot file, or the newest intact one of a directory. All its stages together may take
 * `memory` bytes; 0: the bytes of model_memory. Returns LEAT_OK, or a failure after a message on
 * standard error with the file's name. Always call model_close afterwards. */
int model_open(struct model *m, const char *path, uint64_t memory, struct registry *known);
/* Opens a file that a listing of a directory contained. Returns LEAT_AGAIN without a message if a
 * run that still writes there has replaced it by newer ones. */
int model_open_listed(struct model *m, const char *file, uint64_t memory, struct registry *known);
/* Opens a snapshot in memory; messages call it `name`. Takes `bytes` (malloc). */
int model_open_bytes(struct model *m, const char *name, void *bytes, size_t n, uint64_t memory,
                     struct registry *known);
/* Returns the default limit of the stages whose states are in the snapshot. It allows stages that
 * grow the memory that they reserve without touching it. */
uint64_t model_memory(const struct snapshot *s);
void model_close(struct model *m);

/* Prints a failure on standard error with the file's name, and stores it. Returns status. */
int model_fail(struct model *m, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the failure that a call has recorded in r, about the stage if `n` is not NULL, and clears
 * it. Returns status. r: m's run, or that of the model that took m's states. */
int model_tell(struct model *m, struct run *r, struct node *n, int status);

/* Returns why the stage cannot be opened without its pipeline; NULL if it can, or its plugin is
 * absent. */
const char *model_closed(const struct model *m, const struct node *n);
bool model_can_open(const struct model *m, const struct node *n);
/* Open all lanes of such a stage, empty or with the state of the snapshot. Return LEAT_OK, or a
 * failure after a message. */
int model_open_stage(struct model *m, struct node *n);
int model_restore_stage(struct model *m, struct node *n);

/* Returns the node of the stage with that id; NULL after a message with all ids. */
struct node *model_find(struct model *m, const char *id);
/* Returns section `what`/ID/LANE of the snapshot, where `what` is "stage" or "host"; NULL if it is
 * missing. */
const struct snapshot_section *model_section(const struct model *m, const char *what,
                                             const struct node *n, int lane);
/* Returns the number of examples that a learner had learned when it was saved. */
uint64_t model_examples(const struct model *m, const struct node *n);
/* Returns the latest event time that the learner had seen when it was saved, ns since 1970; below 0
 * if none. */
int64_t model_time(const struct model *m, const struct node *n);

/* ---- the limits of a merged model (graph/fingerprint/limit_change.h) ---- */

/* Raises each limit of the first of n models to the largest of all, or to --set STAGE.LIMIT=VALUE,
 * before its stages are opened. Returns LEAT_OK, or LEAT_EARG after a message. */
int model_limits_raise(struct model *m, size_t n, const struct command_line *c);

/* ---- parameters of a stage of a snapshot, changed before the stage is opened ---- */

/* Returns the value of a parameter in the fingerprint; NULL if it is missing. */
const char *model_setting(const struct model *m, const struct node *n, const char *name);

/* Converts a value that a user types into the form of a fingerprint, in the arena. Returns NULL if
 * the parameter cannot have it, with the reason in *why. */
const char *model_setting_read(const struct leat_param *p, const char *value, struct arena *a,
                               const char **why);

/* Sets the parameter to `shown`, in the form of a fingerprint: for the stage when it is opened, and
 * in m's fingerprint. */
void model_setting_change(struct model *m, struct node *n, const char *name, const char *shown);
/* Removes the parameter, as if the run's script had not set it. */
void model_setting_drop(struct model *m, struct node *n, const char *name);

/* ---- a snapshot as the summary of its run (summary.h) ---- */

/* Returns the summary without the parts that a snapshot lacks: inputs, command, plan, rejected
 * records. It has "file", "saved" (the time), and "state_bytes" of each stage. A learner that
 * cannot be asked has "error" in place of its answer; the error is on standard error too. */
json_t *model_summary(struct model *m);

/* ---- the actions of `leat model` ----
 *
 * Each works on one or more snapshots, and returns LEAT_OK, or a failure after a message on
 * standard error. */

int model_info(const struct command_line *c, struct registry *known);
int model_top(const struct command_line *c, struct registry *known);
int model_dump(const struct command_line *c, struct registry *known);
int model_load(const struct command_line *c, struct registry *known);
int model_verify(const struct command_line *c, struct registry *known);
int model_merge(const struct command_line *c, struct registry *known);
int model_diff(const struct command_line *c, struct registry *known);

/* Verifies a snapshot in memory, like `leat model verify`; messages call it `name`. Returns LEAT_OK
 * or LEAT_EDATA. Takes `bytes` (malloc). */
int model_accept(const char *name, void *bytes, size_t n, uint64_t memory, struct registry *known);

/* Writes a new snapshot, never over an old one: to a file, or into a directory if that exists or
 * the name ends in a slash. */
int model_write(const char *to, uint64_t checkpoint, const struct snapshot_section *section,
                uint32_t n);

/* Returns a learner's figures of progressive validation: {"examples": 7, "error_rate": 0.25, …}. */
json_t *model_figures(const struct model *m, const struct node *n);
/* Returns the first members of `info` and `diff`: file, checkpoint, created, records, rejected. */
json_t *model_head(const struct model *m);
/* Prints `o` as JSON, or by `put` for people. Takes `o`. */
void model_print(json_t *o, const struct command_line *c,
                 void (*put)(const json_t *, struct arena *), struct arena *a);
/* model_made returns when a head was made: "2026-03-01 12:00:00 UTC". model_of returns a member for
 * people: "36,000", "0.1234". */
const char *model_made(const json_t *head, struct arena *a);
const char *model_of(const json_t *o, struct arena *a, const char *key);

#endif
