/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage result_changes, result_metrics, result_predictions, result_top;

LEAT_PLUGIN("results", "1.0", "Apache-2.0",
            "what learners find as records, which further stages take", &result_changes,
            &result_metrics, &result_predictions, &result_top);
