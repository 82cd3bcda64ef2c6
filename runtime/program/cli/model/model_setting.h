/* model_setting.h -- parameters of a stage of a snapshot, which get other values than the run's
 * before the stage is opened. */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_SETTING_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_SETTING_H

#include <leat/param.h>

#include "model.h"

/* The value of a parameter as the fingerprint has it; NULL: it has none. */
const char *model_setting(const struct model *m, const struct node *n, const char *name);

/* A value as a user types it, as a fingerprint would have it, in the arena; NULL: it is no value of
 * the parameter, and *why says so. */
const char *model_setting_read(const struct leat_param *p, const char *value, struct arena *a,
                               const char **why);

/* Sets it (a value as a fingerprint has it), for the stage that is opened and in m's fingerprint.
 */
void model_setting_change(struct model *m, struct node *n, const char *name, const char *shown);
/* As if the run had not given it. */
void model_setting_drop(struct model *m, struct node *n, const char *name);

#endif
