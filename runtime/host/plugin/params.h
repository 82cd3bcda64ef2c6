/* params.h -- reads all settings of a stage by the stage's table of parameters.
 *
 * All problems are reported, not only the first: unknown and repeated names, wrong types, values
 * out of range, missing parameters. param_type.h reads the single values. */
#ifndef LEAT_HOST_PLUGIN_PARAMS_H
#define LEAT_HOST_PLUGIN_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "host/log/diag.h"
#include "host/memory/arena.h"
#include "setting.h"

/* Where the settings were written, and the diag that gets their problems. */
struct param_scope {
    struct diag *diag;
    struct location at;
    const char *stage;       /* label for messages: "model (learn.awm)"                          */
    const char *const *also; /* parameters that the host itself reads: suggested for misspellings */
    size_t n_also;
    const char *missing; /* why a value may be missing, for the end of that message; or NULL */
    /* Another stage, by its label, that takes a parameter which this one does not; or NULL. */
    const char *(*taker)(const void *of, const char *key);
    const void *of;
    bool whole; /* the settings are all that a stage had, those that nobody gave, too */
};

/* The stage's parameter of this name that is a whole number (LEAT_INT), or NULL. */
const struct leat_param *params_integer(const struct leat_stage *stage, const char *name);

/* Fills `cfg` (stage->cfg_size bytes) from settings and defaults. Unknown names are errors in the
 * diag and otherwise ignored. Returns LEAT_OK, or LEAT_EARG when a value is missing or wrong, after
 * reporting; cfg then holds all values that were right. What cfg points to lies in the arena.
 * A setting whose value is nil is ignored. */
int params_fill(const struct leat_stage *stage, const struct setting *settings, size_t n, void *cfg,
                struct arena *arena, const struct param_scope *scope);

/* Text number k of a parameter that takes texts or paths, one or several; NULL: it has no more.
 * `cfg` is what params_fill filled. */
const char *params_text(const struct leat_param *p, const void *cfg, uint32_t k);

/* What is wrong with the stage's table of parameters itself; NULL: nothing. */
const char *params_table_fault(const struct leat_stage *stage, struct arena *arena);

#endif
