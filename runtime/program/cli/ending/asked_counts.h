/* asked_counts.h -- figures of stages in the words that a script has for them. */
#ifndef LEAT_PROGRAM_CLI_ENDING_ASKED_COUNTS_H
#define LEAT_PROGRAM_CLI_ENDING_ASKED_COUNTS_H

#include "host/memory/arena.h"
#include "host/exec/run.h"

/* The value of a figure that a stage has given; NULL: it has not. */
const double *asked_figure(const struct instance *i, const char *name);

/* 2,940 */
const char *asked_grouped(double n, struct arena *a);

/* "18,000 tokens, 45,000 pairs" for "{model.tokens} tokens, {model.pairs} pairs". What stands
 * between two commas is left out where a figure of it is not known. NULL: nothing is left. */
const char *asked_counts(const struct run *r, const char *counted, struct arena *a);

#endif
