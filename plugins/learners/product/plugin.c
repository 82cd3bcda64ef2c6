/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage learn_product;

LEAT_PLUGIN("learners.product", "1.0", "Apache-2.0",
            "sketched products of the two sides of examples", &learn_product);
