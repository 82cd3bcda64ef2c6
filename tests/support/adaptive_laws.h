/* adaptive_laws.h -- laws of sketches with a rate for each weight: adaptive.h and wm_adaptive.h. */
#ifndef LEAT_TESTS_SUPPORT_ADAPTIVE_LAWS_H
#define LEAT_TESTS_SUPPORT_ADAPTIVE_LAWS_H

#include "linear_rig.h"

/* Purpose of a model's shape. */
enum adaptive_use {
    ADAPTIVE_ANY,      /* setting k of ADAPTIVE_SETTINGS: shapes of all kinds */
    ADAPTIVE_TINY,     /* setting k: a few slots and cells */
    ADAPTIVE_OF_EIGHT, /* eight features that share no cell */
    ADAPTIVE_OF_TEN,
    ADAPTIVE_OF_FORTY,
    ADAPTIVE_OF_MANY /* more than a hundred numbers */
};
enum { ADAPTIVE_SETTINGS = 12 };

struct adaptive_setting {
    bool full, counts;
    uint64_t seed;
    struct sgd_options sgd;
};

/* A kind of sketch. make() returns a model on the heap, which begins with struct store. */
struct adaptive_kind {
    void *(*make)(enum adaptive_use use, int k, const struct adaptive_setting *s);
    void (*drop)(void *model);
    int compact_seeds;    /* seeds over which the mean weights are as in full precision … */
    double compact_error; /* … up to this relative error */
};

/* Returns the model of setting k. The settings have both precisions, and all parts that a state may
 * have. */
void *adaptive_of_setting(const struct adaptive_kind *kind, int k, uint64_t seed);
/* Learns rows of all kinds. Writes each margin to `margin`, unless it is NULL. */
void adaptive_learn_more(const struct adaptive_kind *kind, void *model, uint64_t *s, int rows,
                         double *margin);

void law_finite_input_keeps_a_finite_state(const struct adaptive_kind *kind);
void law_no_importance_changes_no_weight(const struct adaptive_kind *kind);
void law_equal_streams_give_equal_bytes(const struct adaptive_kind *kind);
void law_another_seed_rounds_otherwise(const struct adaptive_kind *kind);
void law_a_merge_is_the_same_either_way_round(const struct adaptive_kind *kind);
void law_all_numbers_are_forgotten_by_the_same_share(const struct adaptive_kind *kind);
void law_compact_is_full_in_the_mean(const struct adaptive_kind *kind);
void law_large_values_are_learned_as_small_ones(const struct adaptive_kind *kind);

#endif
