/* figures_table.h -- the answer of a run that compares learners: one table, best first, and a
 * sentence on each difference (comparison_report.h). */
#ifndef LEAT_PROGRAM_CLI_ENDING_FIGURES_TABLE_H
#define LEAT_PROGRAM_CLI_ENDING_FIGURES_TABLE_H

#include <stdio.h>

#include "host/exec/run.h"

/* Prints what the option `figures` asks for; nothing for FIGURES_NONE. A table has those figures
 * that 80 columns hold, and says why one is missing; the other formats have them all, a row a
 * learner. After run_join. */
void figures_table_print(const struct run *r, FILE *out);

#endif
