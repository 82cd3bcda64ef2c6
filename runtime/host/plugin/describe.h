/* describe.h -- descriptions of stages: for a terminal, as JSON, as a page of the manual. */
#ifndef LEAT_HOST_PLUGIN_DESCRIBE_H
#define LEAT_HOST_PLUGIN_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "host/memory/arena.h"
#include "registry.h"

/* Describe for a terminal: all stages by group, one a line; or one stage in full. */
void describe_list(const struct registry *r, FILE *out);
void describe_stage(const struct stage_type *t, FILE *out);

/* Describe as JSON: an array of all stages; or the object of one. */
void describe_json(const struct registry *r, FILE *out);
void describe_stage_json(const struct stage_type *t, FILE *out);

/* Write docs/stages.md, or the section of one stage. The page is equal on every machine, so it
 * holds no paths of files. */
void describe_markdown(const struct registry *r, FILE *out);
void describe_stage_markdown(const struct stage_type *t, FILE *out);

/* Write annotations for the Lua language server: completion and hover for every stage and
 * parameter. For one stage: the class of its parameters. */
void describe_lua(const struct registry *r, FILE *out);
void describe_stage_lua(const struct stage_type *t, FILE *out);

/* Words that all descriptions share. A stage may be the options of a pipeline (graph_options),
 * which have no kind and no roles. Texts lie in the arena or are constants. */
const char *describe_kind(const struct leat_stage *s); /* "learner"; NULL: unknown */
bool describe_in_snapshots(const struct leat_stage *s);
/* "examples, labels" for bits of enum leat_has; NULL for no bits. */
const char *describe_has(uint32_t has, struct arena *a);
/* Default as a script would write it; NULL: none, as with all required parameters. */
const char *describe_default(const struct leat_param *p, struct arena *a);
/* A parameter's type with its range or choices: "integer, 1 to 1000 rows". */
const char *describe_values(const struct leat_param *p, struct arena *a);
/* "counter, records"; "gauge". */
const char *describe_figure(const struct leat_figure *f, struct arena *a);
/* "learn" of "learn.awm". */
const char *describe_group(const struct leat_stage *s, struct arena *a);

#endif
