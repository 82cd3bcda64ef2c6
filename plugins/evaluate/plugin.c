/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage eval_deltoids, eval_directions, eval_pmi, eval_product, eval_risk,
    eval_drift;

LEAT_PLUGIN("evaluate", "1.0", "Apache-2.0", "sinks that compare answers with exact ones",
            &eval_deltoids, &eval_directions, &eval_pmi, &eval_product, &eval_risk, &eval_drift);
