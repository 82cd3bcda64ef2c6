/* ftrl.c -- learn.ftrl: the exact factorization machine by follow-the-regularized-leader. */
#define EXACT_RULE FM_EXACT_FTRL
#include "fm_exact.h"

const struct leat_stage learn_ftrl = {
    .name = "learn.ftrl",
    .summary = "exact factorization machine of few features, by follow-the-regularized-leader",
    .doc =
        "z = a' Theta a with a number for every pair of features: Theta = -eta sum phi'(z) a a', "
        "the leader of the losses' slopes with the penalty |Theta|^2 / (2 eta). eta = 0 takes .6 "
        "over h and the mean of (a'a)^2, as learn.sftrl." EXACT_DOC
        "\n\nB. McMahan, Follow-the-regularized-leader and mirror descent, AISTATS 2011; L. Luo "
        "et al., KDD 2018.",
    .example = "leat.learn.ftrl { eta = 0.02, min = 1, max = 5 }",
    FACTORED_MEMBERS,
};
