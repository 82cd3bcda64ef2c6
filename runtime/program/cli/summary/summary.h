/* summary.h -- the results of a run: a JSON object (--summary), and a line at its end. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_SUMMARY_H
#define LEAT_PROGRAM_CLI_SUMMARY_SUMMARY_H

#include <jansson.h>

#include "program/cli/command_line/command_line.h"
#include "host/exec/run.h"

/* Returns the results of a run. Call it after run_join, before its stages are closed. */
json_t *summary_json(const struct run *r, const struct command_line *c, int exit_code);
/* Writes a summary to the file `path`; "-" is standard output. Returns LEAT_OK, or LEAT_EIO after a
 * message. */
int summary_write(const json_t *o, const char *path);

/* Prints "leat: 95759 records in 0.4 s (239,000/s), 12 rejected". */
void summary_line(const struct run *r);
/* Prints, with --quiet, only that there were no records, or that some were rejected and the main
 * reason. */
void summary_quiet(const struct run *r);

/* ---- parts that a snapshot has too ----
 *
 * Of a learner: its curves, and "in_order", if it learns in order and predicts before it learns.
 * Rejections by reason, and the first one of each reason. */
void summary_add_learner(const struct instance *i, json_t *to);
json_t *summary_reasons(const struct run *r);
json_t *summary_examples_of_rejections(const struct run *r);
/* Adds "made", the number of records that a stage makes in addition (expand): in + made = out +
 * filtered + rejected. */
void summary_add_made(const struct run *r, const struct node *n, json_t *to);

/* Parts of a summary, also of a run at work. A stage's part is made on the thread of its first
 * lane; texts of parameters lie in the arena. The part of snapshots is made under checkpoints.mu;
 * others on any thread. */
json_t *summary_stage(const struct run *r, const struct node *n, struct arena *a);
json_t *summary_route(const struct run *r, const struct node *n); /* NULL: it does not run */
json_t *summary_plan(const struct plan *p);
json_t *summary_memory(const struct run *r);
json_t *summary_warnings(void);
json_t *summary_snapshots(const struct checkpoints *e);
void summary_add_question(const struct run *r, const struct command_line *c, json_t *to);

/* Returns a counter of struct instance, summed over the lanes. */
json_int_t summary_count(const struct run *r, const struct node *n, size_t offset);
/* Returns the number of records that came and did not go on. In a stage that makes others of them
 * (expand), that includes records that it holds or that went into fewer. */
json_int_t summary_filtered(const struct run *r, const struct node *n);

/* Names and values for json_pack("{s:I, s:I, s:I, s:I}"). */
#define SUMMARY_COUNT(R, N, F) #F, summary_count(R, N, offsetof(struct instance, count.F))
#define SUMMARY_COUNTS(R, N)                                                                       \
    SUMMARY_COUNT(R, N, in), SUMMARY_COUNT(R, N, out), "filtered", summary_filtered(R, N),         \
        SUMMARY_COUNT(R, N, rejected)

#endif
