/* linear_loop.h -- the loop over the examples of a batch for linear learners.
 *
 * The loop is inlined into slotted.c and logistic.c, together with their `learn` functions.
 * learn.awm takes 48 ns for an example of one feature. If the loop called `learn` through a
 * pointer, it would take 54 ns. */
#ifndef LEAT_LEARNERS_LINEAR_LINEAR_LOOP_H
#define LEAT_LEARNERS_LINEAR_LINEAR_LOOP_H

#include <math.h>

#include "kernels/linear/linear.h"
#include "drift.h"
#include "linear.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"

#define LINEAR_INLINE static inline __attribute__((always_inline))

struct linear_example {
    struct linear_row row;
    float label;    /* label in the batch; with classes, the index of the class */
    uint32_t start; /* index of the example's first entry in the batch */
};

/* Functions of a stage. `c` is the class whose model the function uses; 0 if there is only one
 * model. */
struct linear_calls {
    /* Predicts the example and sets *margin, then learns the example. If a value is not finite,
     * returns false and changes nothing. `hash` is the result of hash() for the row, or NULL. */
    bool (*learn)(struct leat_ctx *ctx, void *self, uint32_t c, const struct leat_batch *b,
                  const struct linear_example *ex, const uint64_t *hash, double *margin);
    /* Returns hashes of the ids of a row, which the models of all classes use. */
    const uint64_t *(*hash)(void *self, const struct linear_row *row);
    /* Returns the margin of a row without learning. The margin is not finite if a value is not
     * finite. */
    double (*margin)(void *self, uint32_t c, const struct linear_row *row);
    /* watch() returns the detector of rising errors (drift.h). forget() applies its action to all
     * models. */
    struct drift_watch *(*watch)(void *self);
    void (*forget)(void *self, const struct drift_action *what);
    /* Returns the clock by which the model of class c decays. */
    struct sgd *(*clock)(void *self, uint32_t c);
    /* Adds the weight of a feature times `shift` to the bias of the model of class c. */
    void (*shift)(void *self, uint32_t c, uint64_t id, double shift);
};

/* Gives the clocks of all models the event time of a record. Used for a half-life in event time. */
static inline void linear_go_to(void *self, uint32_t classes, const struct linear_calls *calls,
                                int64_t time)
{
    for (uint32_t c = 0; c < linear_models(classes); c++)
        sgd_at(calls->clock(self, c), time);
}

/* Learns the example in the model of each class: +1 if the example belongs to that class, otherwise
 * -1. Sets *score to the class with the largest margin. */
LINEAR_INLINE bool linear_learn_classes(struct leat_ctx *ctx, void *self, uint32_t classes,
                                        const struct linear_calls *calls,
                                        const struct leat_batch *b, struct linear_example ex,
                                        double *score)
{
    double margin, max = 0;
    const uint64_t *hash = calls->hash(self, &ex.row);
    for (uint32_t c = 0; c < classes; c++) {
        ex.row.y = ex.label == (float)c ? 1 : -1;
        /* if a value is not finite, the first model refuses it, so no model has changed */
        if (!calls->learn(ctx, self, c, b, &ex, hash, &margin)) return false;
        if (c && margin <= max) continue;
        max = margin;
        *score = c;
    }
    return true;
}

/* Predicts an example without learning it (weight 0, held out). */
static inline bool linear_predict(void *self, uint32_t classes, const struct linear_calls *calls,
                                  const struct linear_row *row, double *score)
{
    double max = calls->margin(self, 0, row);
    if (!isfinite(max)) return false;
    *score = classes ? 0 : max;
    for (uint32_t c = 1; c < classes; c++) {
        double z = calls->margin(self, c, row);
        if (z <= max) continue;
        max = z;
        *score = c;
    }
    return true;
}

LINEAR_INLINE bool linear_learn(struct leat_ctx *ctx, void *self, uint32_t classes,
                                const struct linear_calls *calls, const struct leat_batch *b,
                                const struct linear_example *ex, double *score)
{
    if (!(ex->row.weight > 0)) return linear_predict(self, classes, calls, &ex->row, score);
    if (classes) return linear_learn_classes(ctx, self, classes, calls, b, *ex, score);
    return calls->learn(ctx, self, 0, b, ex, NULL, score);
}

/* Tells the detector of rising errors whether the prediction was wrong. If the error has risen,
 * applies the configured action. */
LINEAR_INLINE void linear_watch(struct leat_ctx *ctx, void *self, uint32_t classes,
                                const struct linear_calls *calls, const struct linear_example *ex,
                                double score)
{
    struct drift_watch *w = calls->watch(self);
    if (!w->action || !(ex->row.weight > 0)) return;
    bool wrong = classes ? score != (double)ex->label : (score >= 0) != (ex->row.y > 0);
    const struct drift_action *what = drift_watch_see(ctx, w, wrong);
    if (what) calls->forget(self, what);
}

/* Gives example e the values of its numbers in their units. Where the centre of a number moves, the
 * constant of each model moves, too, so that predictions stay the same. */
static __attribute__((noinline)) void
linear_take_units(void *self, struct units *u, uint32_t classes, const struct linear_calls *calls,
                  const struct leat_batch *b, uint32_t e, struct linear_row *row)
{
    row->x = units_convert(u, b, e, row->weight > 0);
    if (u->held_out) row->weight = 0;
    for (uint32_t k = 0; k < u->n_moved; k++)
        for (uint32_t c = 0; c < linear_models(classes); c++)
            if (calls->clock(self, c)->opt.bias == SGD_BIAS_SGD)
                calls->shift(self, c, u->moved[k].id, u->moved[k].shift);
}

LINEAR_INLINE int linear_run(struct leat_ctx *ctx, void *self, struct leat_batch *b,
                             uint32_t max_row, uint32_t classes, const struct linear_calls *calls)
{
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    bool by_time = calls->clock(self, 0)->opt.by_time;
    struct units *const units = ((struct learner *)self)->units;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e], start = b->ex_start[e];
        if (r == refused) continue; /* a refused record loses all its examples */
        double score = 0;
        struct linear_example ex = {.row = {.id = b->id + start,
                                            .x = b->value + start,
                                            .n = b->ex_start[e + 1] - start,
                                            .y = b->ex_label[e] > 0 ? 1 : -1,
                                            .weight = b->ex_weight[e],
                                            .new_record = r != record},
                                    .label = b->ex_label[e],
                                    .start = start};
        if (examples_refuse_of(ctx, b, e, max_row, classes)) {
            refused = r;
            continue;
        }
        if (by_time && r != record && ex.row.weight > 0)
            linear_go_to(self, classes, calls, b->timestamp[r]);
        if (by_time) ex.row.weight *= (float)calls->clock(self, 0)->recency;
        bool fits = examples_values_fit(ex.row.n, ex.row.x);
        if (units && fits) linear_take_units(self, units, classes, calls, b, e, &ex.row);
        fits = fits && linear_learn(ctx, self, classes, calls, b, &ex, &score);
        if (!fits) {
            examples_reject_values(ctx, b, e);
            refused = r;
        } else {
            b->score[e] = examples_score(score);
            record = r;
            linear_watch(ctx, self, classes, calls, &ex, score);
        }
    }
    return LEAT_OK;
}

/* Predicts the margin or class of each example of a batch, then learns the example. Rejects
 * examples of more than max_row entries. `calls` must be a constant, so that the compiler can
 * inline its functions (if there is one model). */
LINEAR_INLINE int linear_process(struct leat_ctx *ctx, void *self, struct leat_batch *b,
                                 uint32_t max_row, uint32_t classes,
                                 const struct linear_calls *calls)
{
    if (classes) return linear_run(ctx, self, b, max_row, classes, calls);
    return linear_run(ctx, self, b, max_row, 0, calls);
}

#endif
