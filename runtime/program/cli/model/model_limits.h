/* model_limits.h -- the limits of a merged model (graph/fingerprint/limit_change.h). */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_LIMITS_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_LIMITS_H

#include "program/cli/command_line/command_line.h"
#include "model.h"

/* Each limit of the first of n models becomes the largest of all, or what --set STAGE.LIMIT=VALUE
 * says, before its stages are opened. LEAT_OK, or LEAT_EARG after a message. */
int model_limits_raise(struct model *m, size_t n, const struct command_line *c);

#endif
