/* summary.h -- the results of a run as JSON (--summary) and as the line at its end. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_SUMMARY_H
#define LEAT_PROGRAM_CLI_SUMMARY_SUMMARY_H

#include <jansson.h>

#include "program/cli/command_line/command_line.h"
#include "host/exec/run.h"

/* Returns the results of a run. Call it after run_join() and before run_close(). */
json_t *summary_json(const struct run *r, const struct command_line *c, int exit_code);
/* Writes a summary to the file `path`, or to standard output if path is "-". Returns LEAT_OK, or
 * LEAT_EIO after a message. */
int summary_write(const json_t *o, const char *path);

/* Prints "leat: 95759 records in 0.4 s (239,000/s), 12 rejected". */
void summary_line(const struct run *r);
/* Used with --quiet. Prints a line only if there were no records, or if records were rejected (with
 * the main reason). */
void summary_quiet(const struct run *r);

/* ---- parts of a summary that a snapshot has too ----
 *
 * summary_add_learner() adds the curves of a learner (figures_json_add_curves). It adds "in_order"
 * if the learner processes records in order and predicts each example before it learns.
 * summary_reasons() returns the number of rejections for each reason.
 * summary_examples_of_rejections() returns an example of each reason. */
void summary_add_learner(const struct instance *i, json_t *to);
json_t *summary_reasons(const struct run *r);
json_t *summary_examples_of_rejections(const struct run *r);
/* Adds "made", the number of records that a stage (expand) creates. in + made = out + filtered +
 * rejected. */
void summary_add_made(const struct run *r, const struct node *n, json_t *to);

/* Return parts of a summary, also during a run. Call summary_stage() on the thread of the stage's
 * first lane; the texts of its parameters are in the arena. Call summary_snapshots() while holding
 * checkpoints.mu. The others may be called on any thread. */
json_t *summary_stage(const struct run *r, const struct node *n, struct arena *a);
/* Returns the counts of a route; NULL if the route is not running. */
json_t *summary_route(const struct run *r, const struct node *n);
json_t *summary_plan(const struct plan *p);
json_t *summary_memory(const struct run *r);
json_t *summary_warnings(void);
json_t *summary_snapshots(const struct checkpoints *e);
void summary_add_question(const struct run *r, const struct command_line *c, json_t *to);

/* Returns the sum over the lanes of a counter in struct instance. */
json_int_t summary_count(const struct run *r, const struct node *n, size_t offset);
/* Returns the number of records that entered a stage and were neither rejected nor passed on. For a
 * stage that combines records (expand), this includes records that it holds. */
json_int_t summary_filtered(const struct run *r, const struct node *n);

/* Names and values of the four counters, for json_pack("{s:I, s:I, s:I, s:I}"). */
#define SUMMARY_COUNT(R, N, F) #F, summary_count(R, N, offsetof(struct instance, count.F))
#define SUMMARY_COUNTS(R, N)                                                                       \
    SUMMARY_COUNT(R, N, in), SUMMARY_COUNT(R, N, out), "filtered", summary_filtered(R, N),         \
        SUMMARY_COUNT(R, N, rejected)

#endif
