/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage learn_adagrad, learn_full_on, learn_oja_son, learn_rfd_son,
    learn_fd_son, learn_rp_son, learn_s_adagrad, learn_ftrl_proximal;

LEAT_PLUGIN("learners.son", "1.0", "Apache-2.0",
            "Sketched Online Newton and its baselines, FTRL-Proximal", &learn_adagrad,
            &learn_full_on, &learn_oja_son, &learn_rfd_son, &learn_fd_son, &learn_rp_son,
            &learn_s_adagrad, &learn_ftrl_proximal);
