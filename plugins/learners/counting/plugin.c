/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage learn_contrast, learn_cooccurrence, learn_frequent,
    learn_paired_count_min;

LEAT_PLUGIN("learners.counting", "1.0", "Apache-2.0", "counts of features, exact and sketched",
            &learn_contrast, &learn_cooccurrence, &learn_frequent, &learn_paired_count_min);
