/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage learn_awm, learn_count_min, learn_logistic, learn_prob_truncation,
    learn_space_saving, learn_truncation, learn_wm, learn_hash, learn_mission, learn_bear;

LEAT_PLUGIN("learners.linear", "1.0", "Apache-2.0",
            "linear classifiers: sketched, truncated, uncompressed", &learn_awm, &learn_count_min,
            &learn_logistic, &learn_prob_truncation, &learn_space_saving, &learn_truncation,
            &learn_wm, &learn_hash, &learn_mission, &learn_bear);
