/* params.h -- reads all settings of a stage by the stage's table of parameters.
 *
 * All problems are reported, not only the first: unknown and repeated names, wrong types, values
 * out of range, missing parameters. param_type.h reads the single values. */
#ifndef LEAT_HOST_PARAMS_PARAMS_H
#define LEAT_HOST_PARAMS_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "host/log/diag.h"
#include "host/memory/arena.h"
#include "setting.h"

/* Place of the settings in the script, and the diag for their problems. */
struct param_scope {
    struct diag *diag;
    struct location at;
    const char *stage;       /* label for messages: "model (learn.awm)"                           */
    const char *const *also; /* parameters that the host itself reads: suggested for misspellings */
    size_t n_also;
    const char *missing; /* reason why a value may be missing, for the end of that message; or
                          * NULL */
    /* Returns the label of another stage that has a parameter which this one lacks; or NULL. */
    const char *(*taker)(const void *of, const char *key);
    const void *of;
    bool whole; /* the settings are complete, as in a snapshot, with unset parameters too */
};

/* Returns the stage's parameter of this name if it is a whole number (LEAT_INT); otherwise NULL. */
const struct leat_param *params_integer(const struct leat_stage *stage, const char *name);

/* Fills `cfg` (stage->cfg_size bytes) from settings and defaults. Unknown names are errors in the
 * diag and otherwise ignored; a setting of nil is ignored. Returns LEAT_OK, or LEAT_EARG after
 * reporting if a value is missing or wrong; cfg then holds all valid values. Pointers of cfg point
 * into the arena. */
int params_fill(const struct leat_stage *stage, const struct setting *settings, size_t n, void *cfg,
                struct arena *arena, const struct param_scope *scope);

/* Returns text number k of a parameter that takes one or several texts or paths; NULL: no more.
 * params_fill has filled `cfg`. */
const char *params_text(const struct leat_param *p, const void *cfg, uint32_t k);

/* Returns the fault of the stage's table of parameters; NULL: none. */
const char *params_table_fault(const struct leat_stage *stage, struct arena *arena);

#endif
