/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage learn_bias, learn_fm, learn_fm_ftrl, learn_ocg, learn_ogd,
    learn_sftrl;

LEAT_PLUGIN("learners.fm", "1.0", "Apache-2.0",
            "factorization machines: sketched, exact, in factors", &learn_bias, &learn_fm,
            &learn_fm_ftrl, &learn_ocg, &learn_ogd, &learn_sftrl);
