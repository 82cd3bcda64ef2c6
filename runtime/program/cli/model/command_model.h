/* command_model.h -- the actions of `leat model`. Each works on one or more snapshots and returns
 * LEAT_OK, or a failure after a message on standard error. */
#ifndef LEAT_PROGRAM_CLI_MODEL_COMMAND_MODEL_H
#define LEAT_PROGRAM_CLI_MODEL_COMMAND_MODEL_H

#include "program/cli/command.h"
#include "model.h"

int model_info(const struct command_line *c, struct registry *known);
int model_top(const struct command_line *c, struct registry *known);
int model_dump(const struct command_line *c, struct registry *known);
int model_load(const struct command_line *c, struct registry *known);
int model_verify(const struct command_line *c, struct registry *known);
int model_merge(const struct command_line *c, struct registry *known);
int model_diff(const struct command_line *c, struct registry *known);

/* What `leat model verify` finds of a snapshot in memory, whose messages call it `name`: LEAT_OK,
 * or LEAT_EDATA. Takes bytes (malloc). */
int model_accept(const char *name, void *bytes, size_t n, uint64_t memory, struct registry *known);

/* Writes a new snapshot, never over an old one: to a file, or into a directory that exists or whose
 * name ends in a slash. */
int model_write(const char *to, uint64_t checkpoint, const struct snapshot_section *section,
                uint32_t n);

/* Bytes of the states of a stage. */
uint64_t model_state_bytes(const struct model *m, const struct node *n);
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
