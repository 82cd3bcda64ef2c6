/* describe.h -- writes descriptions of stages: for a terminal, as JSON, as a page of the manual. */
#ifndef LEAT_HOST_PLUGIN_DESCRIBE_H
#define LEAT_HOST_PLUGIN_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "host/memory/arena.h"
#include "registry.h"

/* Write for a terminal: a line for each stage, by group; or one stage in full. */
void describe_list(const struct registry *r, FILE *out);
void describe_stage(const struct stage_type *t, FILE *out);

/* Write as JSON: an array of all stages; or the object of one stage. */
void describe_json(const struct registry *r, FILE *out);
void describe_stage_json(const struct stage_type *t, FILE *out);

/* Write docs/stages.md, or its section for one stage. The page is equal on every machine, so it
 * contains no paths of files. */
void describe_markdown(const struct registry *r, FILE *out);
void describe_stage_markdown(const struct stage_type *t, FILE *out);

/* Write annotations for the Lua language server: completion and hover texts for every stage and
 * parameter; or the class of one stage's parameters. */
void describe_lua(const struct registry *r, FILE *out);
void describe_stage_lua(const struct stage_type *t, FILE *out);

/* The following functions return texts that all descriptions share. The texts lie in the arena or
 * are constants. A stage may also be graph_options, the options of a pipeline, which have no kind
 * and no roles. */
const char *describe_kind(const struct leat_stage *s); /* such as "learner"; NULL if unknown */
bool describe_in_snapshots(const struct leat_stage *s);
/* Returns the names of bits of enum leat_has: "examples, labels"; NULL if no bit is set. */
const char *describe_has(uint32_t has, struct arena *a);
/* Returns a parameter's default as a script would write it; NULL if it has none or is required. */
const char *describe_default(const struct leat_param *p, struct arena *a);
/* Returns a parameter's type with its range or choices: "integer, 1 to 1000 rows". */
const char *describe_values(const struct leat_param *p, struct arena *a);
/* Returns the kind and unit of a figure: "counter, records"; "gauge". */
const char *describe_figure(const struct leat_figure *f, struct arena *a);
/* Returns the group of a stage: "learn" for "learn.awm". */
const char *describe_group(const struct leat_stage *s, struct arena *a);

#endif
