/* ogd.c -- learn.ogd: the exact factorization machine by online gradient descent. */
#define EXACT_RULE FM_EXACT_OGD
#include "fm_exact.h"

const struct leat_stage learn_ogd = {
    .name = "learn.ogd",
    .summary = "exact factorization machine of few features, by online gradient descent",
    .doc =
        "z = a' Theta a with a number for every pair of features: Theta -= eta / sqrt(t) phi'(z) "
        "a a' at example t, without projection. eta = 0 takes 1.2 over h and the mean of "
        "(a'a)^2." EXACT_DOC
        "\n\nM. Zinkevich, Online convex programming and generalized infinitesimal gradient "
        "ascent, ICML 2003.",
    .example = "leat.learn.ogd { eta = 0.5, min = 1, max = 5 }",
    FACTORED_MEMBERS,
};
