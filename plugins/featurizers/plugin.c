/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage feature_columns, feature_hash, feature_normalize, feature_pairs,
    feature_sides, feature_tokens;

LEAT_PLUGIN("featurizers", "1.0", "Apache-2.0", "columns to examples, and what rewrites them",
            &feature_columns, &feature_hash, &feature_normalize, &feature_pairs, &feature_sides,
            &feature_tokens);
