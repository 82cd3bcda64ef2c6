/* print_plan.h -- prints a checked pipeline as text and JSON: `leat check`. */
#ifndef LEAT_PROGRAM_CLI_PIPELINE_PRINT_PLAN_H
#define LEAT_PROGRAM_CLI_PIPELINE_PRINT_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "host/checkpoint/forecast.h"
#include "host/exec/plan/plan.h"

/* Stages with their schemas, the memory plan, the thread plan. On a terminal no line is wider than
 * it, and a narrow one gets a line of its own for what each stage gives. */
void print_plan(const struct graph *g, const struct plan *p, FILE *out);
/* The same, the problems and what --state means to each stage as one
 * JSON object. g->name may be NULL (the script failed). */
void print_check_json(const struct graph *g, const struct plan *p, const struct diag *d,
                      const struct forecast *f, FILE *out);

/* {"pipeline", "stages", "edges"}; `planned`: with schemas and memory, in order. */
json_t *print_plan_graph(const struct graph *g, bool planned);

#endif
