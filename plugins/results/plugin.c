/* plugin.c -- the stages of this folder, which are one plugin. */
#include <leat/plugin.h>

extern const struct leat_stage result_predictions;

LEAT_PLUGIN("results", "1.0", "Apache-2.0",
            "what learners find as records, which further stages take", &result_predictions);
