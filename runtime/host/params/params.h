/* params.h -- reads all settings of a stage by the stage's table of parameters.
 *
 * Reports all problems, not only the first: unknown and repeated names, wrong types, values out of
 * range, missing parameters. param_type.h reads the single values. */
#ifndef LEAT_HOST_PARAMS_PARAMS_H
#define LEAT_HOST_PARAMS_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "host/log/diag.h"
#include "host/memory/arena.h"
#include "setting.h"

/* Place of a stage's settings in the script, and what is needed to report their problems. */
struct param_scope {
    struct diag *diag;
    struct location at;
    const char *stage;       /* label for messages: "model (learn.awm)"                  */
    const char *const *also; /* the host's own parameters, to suggest for misspelt names */
    size_t n_also;
    /* text to append if a value is missing, such as a possible reason; or NULL */
    const char *missing;
    /* Returns the label of another stage that has parameter `key`, which this stage lacks; or
     * NULL. */
    const char *(*taker)(const void *of, const char *key);
    const void *of;
    bool whole;   /* the settings come from a snapshot, which also contains unset parameters */
    bool lenient; /* a wrong number is reported, and replaced by its default */
};

/* Returns the parameter that unnamed values belong to; NULL if there is none. */
const struct leat_param *params_positional(const struct leat_stage *stage);
/* Returns the stage's parameter `name` if its type is LEAT_INT; otherwise NULL. */
const struct leat_param *params_integer(const struct leat_stage *stage, const char *name);

/* Fills `cfg` (stage->cfg_size bytes) from settings and defaults. An unknown name is reported as an
 * error and otherwise ignored. A setting of nil is ignored. Returns LEAT_OK; or LEAT_EARG if a
 * value is missing or wrong, after reporting it. cfg then holds all valid values. Returns
 * LEAT_LATER if defaults replace wrong numbers (scope->lenient) and all else is valid. Texts and
 * lists of cfg lie in the arena. */
int params_fill(const struct leat_stage *stage, const struct setting *settings, size_t n, void *cfg,
                struct arena *arena, const struct param_scope *scope);

/* Returns text number k (from 0) of a parameter that holds one or several texts or paths; NULL if
 * there are fewer. params_fill() must have filled `cfg`. */
const char *params_text(const struct leat_param *p, const void *cfg, uint32_t k);

/* Returns the first fault of the stage's table of parameters; NULL if it has none. */
const char *params_table_fault(const struct leat_stage *stage, struct arena *arena);

#endif
