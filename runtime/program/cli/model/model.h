/* model.h -- opens a snapshot without its script: reads its figures and restores its stages.
 *
 * A struct model contains a run that never starts. Its graph comes from the fingerprint in the
 * snapshot (fingerprint.h), not from a script. The graph has one node for each stage and no edges.
 * The instances of the stages have the record counts from the snapshot.
 *
 * Learners and transforms with a state can be opened with the configuration and schemas in the
 * snapshot, and their states restored. Of other stages, only names and counts are known. These are
 * sources and sinks (opening them would touch files and connections), stages with functions, and
 * stages whose plugin is absent. The plugin's declaration of a stage decides whether the stage is
 * opened. The snapshot is not trusted, because anybody may have made it.
 *
 * Reading a model writes nothing and locks nothing, so a model can be read while its run
 * continues. */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_H

#include <jansson.h>
#include <leat/param.h>

#include "core/report/report.h"
#include "host/exec/run.h"
#include "host/store/snapshot_file.h"
#include "program/cli/command.h"
#include "program/cli/command_line/command_line.h"

struct model {
    char file[4200]; /* path of the snapshot file */
    struct snapshot from;
    json_t *pipeline; /* fingerprint of the snapshot (fingerprint.h) */
    json_t *splits;   /* splits of the input (splits.h); NULL if the snapshot does not say */
    uint64_t own_records, records; /* of the run's sources; and of the splits as well */
    struct arena arena;
    struct diag diag;
    struct graph graph;
    struct run run;
    struct registry *known;
    bool learned;      /* it was opened as what was learned    */
    bool memory_given; /* true if the user has set the memory limit */
    char fault[1600];  /* text of the last failure, without the name of `file` */
};

/* Opens a snapshot file, or one on standard input ("-") or a pipe. If path is a directory, opens
 * its newest intact snapshot. All stages together may take `memory` bytes; 0 means
 * model_memory(). Returns LEAT_OK. On failure, prints a message with the file's name on standard
 * error and returns the error. Always call model_close() afterwards. */
int model_open(struct model *m, const char *path, uint64_t memory, struct registry *known);
/* Opens a file from a listing of a directory. Returns LEAT_AGAIN without a message if the file is
 * gone because a run has since replaced it by newer snapshots. */
int model_open_listed(struct model *m, const char *file, uint64_t memory, struct registry *known);
/* Opens a snapshot in memory. Messages call it `name`. Takes ownership of `bytes` (malloc). */
int model_open_bytes(struct model *m, const char *name, void *bytes, size_t n, uint64_t memory,
                     struct registry *known);
/* Open a snapshot for a merge, as what was learned (learned.h): without sources and stages that
 * parse. A snapshot of a run counts as one split without an id. Otherwise like model_open() and
 * model_open_bytes(). */
int model_open_learned(struct model *m, const char *path, uint64_t memory, struct registry *known);
int model_open_learned_bytes(struct model *m, const char *name, void *bytes, size_t n,
                             uint64_t memory, struct registry *known);
/* Returns the default limit on the memory of all stages in the snapshot. The limit allows for
 * stages that reserve memory without touching it. */
uint64_t model_memory(const struct snapshot *s);
void model_close(struct model *m);

/* Prints a failure with the file's name on standard error, and stores its text in m->fault. Returns
 * status. */
int model_fail(struct model *m, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the failure that a call has recorded in the run r, with the name of stage n unless n is
 * NULL, and clears it. r is the run of m, or of the model into which m is merged. Returns
 * status. */
int model_tell(struct model *m, struct run *r, struct node *n, int status);

/* Returns the reason why the stage cannot be opened without its script. Returns NULL if it can be
 * opened, or if its plugin is absent. */
const char *model_closed(const struct model *m, const struct node *n);
bool model_can_open(const struct model *m, const struct node *n);
/* Open all lanes of a stage. model_can_open() must be true for the stage. model_open_stage() opens
 * the lanes without state; model_restore_stage() also loads their states from the snapshot. Both
 * return LEAT_OK, or an error after a message. */
int model_open_stage(struct model *m, struct node *n);
int model_restore_stage(struct model *m, struct node *n);

/* Returns the node of the stage `id`. If there is none, prints all ids and returns NULL. */
struct node *model_find(struct model *m, const char *id);
/* Returns the section "WHAT/ID/LANE" of the snapshot, where WHAT is "stage" or "host", and ID is
 * the stage's id. Returns NULL if the section is missing. */
const struct snapshot_section *model_section(const struct model *m, const char *what,
                                             const struct node *n, int lane);
/* Returns the number of examples that a learner had learned when it was saved. */
uint64_t model_examples(const struct model *m, const struct node *n);
/* Returns the latest event time that the learner had seen when it was saved, in ns since 1970.
 * Returns a negative number if it had seen none. */
int64_t model_time(const struct model *m, const struct node *n);

/* ---- the limits of a merged model (graph/fingerprint/limit_change.h) ---- */

/* Sets each limit of the stages of m to its value in `other`, if that is larger. Returns true if
 * one was raised. Call it before the stages are opened. */
bool model_limits_raise(struct model *m, const struct model *other);
/* Sets the limits in --set STAGE.LIMIT=VALUE. Returns LEAT_OK, or LEAT_EARG after a message. */
int model_limits_set(struct model *m, const struct command_line *c);

/* Makes the fingerprint of the result independent of the order of inputs. They may differ in the
 * columns that their stages see, in their layout, and in the parameters of sinks. */
void model_pipeline_settle(struct model *result, const struct model *in);

/* ---- parameters of a stage of a snapshot, changed before the stage is opened ---- */

/* Returns the value of the stage's parameter `name` in the fingerprint; NULL if there is none. */
const char *model_setting(const struct model *m, const struct node *n, const char *name);

/* Converts the user's value for p into the fingerprint's form, in arena a. If the parameter cannot
 * have that value, returns NULL and puts the reason in *why. */
const char *model_setting_read(const struct leat_param *p, const char *value, struct arena *a,
                               const char **why);

/* Sets a parameter of a stage that is not yet open, also in m's fingerprint. `shown` is the value
 * in the form of a fingerprint. */
void model_setting_change(struct model *m, struct node *n, const char *name, const char *shown);
/* Removes a parameter of a stage that is not yet open. The stage then has the default. */
void model_setting_drop(struct model *m, struct node *n, const char *name);

/* ---- a snapshot as the summary of its run (summary.h) ---- */

/* Returns a summary of the run that wrote the snapshot. The summary lacks the parts that only a run
 * has: inputs, command, plan, rejected records. It has additional members: "file", "saved" (the
 * time), and "state_bytes" of each stage. If a learner cannot answer a query, its answer is
 * {"error"}; the error is also printed. */
json_t *model_summary(struct model *m);

/* ---- the actions of `leat model` ----
 *
 * Each action works on one or more snapshots. It returns LEAT_OK, or prints a message on standard
 * error and returns the error. */

int model_info(const struct command_line *c, struct registry *known);
int model_top(const struct command_line *c, struct registry *known);
int model_dump(const struct command_line *c, struct registry *known);
int model_load(const struct command_line *c, struct registry *known);
int model_verify(const struct command_line *c, struct registry *known);
int model_merge(const struct command_line *c, struct registry *known);
int model_diff(const struct command_line *c, struct registry *known);

/* Verifies a snapshot in memory, like `leat model verify`. Messages call it `name`. Takes ownership
 * of `bytes` (malloc). Returns LEAT_OK or LEAT_EDATA. */
int model_accept(const char *name, void *bytes, size_t n, uint64_t memory, struct registry *known);

/* Writes a snapshot to a file or to standard output ("-"). If `to` is an existing directory or ends
 * in a slash, writes a file in that directory. Fails if the file exists, unless form.replaces. */
int model_write(const char *to, struct snapshot_file_form form,
                const struct snapshot_section *section, uint32_t n);

/* Returns a learner's figures of progressive validation, such as {"examples": 7, "error_rate":
 * 0.25}. */
json_t *model_figures(const struct model *m, const struct node *n);
/* Returns an object with the members that `info` and `diff` print first: file, checkpoint, created,
 * records, rejected. */
json_t *model_head(const struct model *m);
/* With --json, prints `o` as JSON. Otherwise calls `put` to print it as text. Takes ownership of
 * `o`. */
void model_print(json_t *o, const struct command_line *c,
                 void (*put)(const json_t *, struct arena *), struct arena *a);
/* Return members of JSON as text. model_made() returns the time of the snapshot from the object
 * of model_head(): ", made 2026-03-01 12:00:00 UTC", or "" if it has none. model_of() returns the
 * member `key` of o: "36,000", "0.1234". */
const char *model_made(const json_t *head, struct arena *a);
const char *model_of(const json_t *o, struct arena *a, const char *key);
/* Prints a table of objects, after an empty line and its title. The name of a column is the key of
 * its member. */
void model_table(const json_t *rows, const char *title, const struct report_column *column,
                 uint32_t columns, struct arena *a);

#endif
