/* params.h -- the settings of a stage: a whole constructor's table against the stage's parameters.
 *
 * Everything wrong is reported, not only the first of it: unknown and repeated names, wrong types,
 * values out of range, what is missing. How single values are read: param_type.h. */
#ifndef LEAT_PLUGIN_PARAMS_H
#define LEAT_PLUGIN_PARAMS_H

#include <stddef.h>

#include <leat/plugin.h>

#include "base/arena.h"
#include "base/diag.h"
#include "setting.h"

/* Where settings were written and who is told about them. */
struct param_scope {
    struct diag *diag;
    struct place at;
    const char *stage;       /* label for messages: "model (learn.awm)"                        */
    const char *const *also; /* names that the host took out of the settings: only suggested */
    size_t n_also;
};

/* Fill `cfg` (stage->cfg_size bytes) from settings and defaults. Returns LEAT_OK, or LEAT_EARG
 * after reporting; then cfg is filled with what was right. What cfg points to lies in the arena. A
 * setting that is nil counts as none. */
int params_fill(const struct leat_stage *stage, const struct setting *settings, size_t n, void *cfg,
                struct arena *arena, const struct param_scope *scope);

/* What is wrong with the stage's table of parameters itself, or NULL. */
const char *params_table_fault(const struct leat_stage *stage, struct arena *arena);

#endif
