/* describe.h -- what stages say of themselves: for people, as JSON, as a page of the manual. */
#ifndef LEAT_PLUGIN_DESCRIBE_H
#define LEAT_PLUGIN_DESCRIBE_H

#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "registry.h"

/* For people at a terminal: all stages by group, a line each; or one stage in full. */
void describe_list(const struct registry *r, FILE *out);
void describe_stage(const struct stage_type *t, FILE *out);

/* One JSON object a stage, an array of them for the whole registry. */
void describe_json(const struct registry *r, FILE *out);
void describe_stage_json(const struct stage_type *t, FILE *out);

/* docs/stages.md: the same on every machine, so no paths of files. */
void describe_markdown(const struct registry *r, FILE *out);

/* Words shared by the three. */
const char *describe_kind(const struct leat_stage *s); /* "learner"; NULL: of no kind */
/* "examples, labels" of bits of enum leat_has; NULL when there are none. */
const char *describe_has(uint32_t has, struct arena *a);
/* The default as a script would write it; NULL: none. "required" is not a default. */
const char *describe_default(const struct leat_param *p, struct arena *a);
/* Name of a parameter's type, its range or choices, in one phrase: "integer, 1 to 1000 rows". */
const char *describe_values(const struct leat_param *p, struct arena *a);
/* "learn" of "learn.awm". */
const char *describe_group(const struct leat_stage *s, struct arena *a);

#endif
