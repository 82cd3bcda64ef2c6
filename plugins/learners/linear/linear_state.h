/* linear_state.h -- what the states of linear learners share: parameters, clock, names.
 *
 * Only glue between struct leat_writer, struct leat_reader and the kernels. A stage that restores
 * or merges builds its new model beside the live one and takes it over when nothing can fail any
 * more: until then the live one has not been touched.
 */
#ifndef LEAT_LEARNERS_LINEAR_LINEAR_STATE_H
#define LEAT_LEARNERS_LINEAR_LINEAR_STATE_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/sketch/redundancy.h"
#include "kernels/base/names.h"
#include "kernels/linear/sgd_state.h"
#include "linear.h"

/* ---- parameters: all must be the same on both sides ---- */

static inline int linear_write_options(struct leat_writer *w, const struct sgd_options *o,
                                       bool counts)
{
    w->f64(w, "lambda", o->lambda);
    w->f64(w, "eta0", o->eta0);
    w->u64(w, "schedule", o->schedule);
    w->u64(w, "bias", o->bias);
    w->u64(w, "rates", o->rates);
    w->f64(w, "rate", o->rate);
    w->u64(w, "loss", o->loss);
    w->f64(w, "l1", o->l1);
    w->f64(w, "half_life", o->half_life);
    return w->u64(w, "counts", counts);
}

/* A choice must be the same; the message has the names that users write. */
static inline int linear_same_choice(struct leat_reader *r, const char *name,
                                     const char *const *choices, uint32_t here)
{
    uint64_t there, n = 0;
    if (r->u64(r, name, &there) != LEAT_OK) return LEAT_EDATA;
    while (choices[n])
        n++;
    if (there == here) return LEAT_OK;
    return r->refuse(r, "%s is %s there and %s here", name,
                     there < n ? choices[there] : "something unknown", choices[here]);
}

static const char *const linear_no_yes[] = {"false", "true", NULL};

static inline int linear_same_options(struct leat_reader *r, const struct sgd_options *o,
                                      bool counts)
{
    int bad = r->same_f64(r, "lambda", o->lambda) | r->same_f64(r, "eta0", o->eta0) |
              linear_same_choice(r, "schedule", linear_schedules, o->schedule) |
              linear_same_choice(r, "bias", linear_biases, o->bias) |
              linear_same_choice(r, "rates", linear_rates, o->rates) |
              r->same_f64(r, "rate", o->rate) |
              linear_same_choice(r, "loss", linear_losses, o->loss) | r->same_f64(r, "l1", o->l1) |
              r->same_f64(r, "half_life", o->half_life) |
              linear_same_choice(r, "counts", linear_no_yes, counts);
    return bad ? LEAT_EDATA : LEAT_OK; /* the reader keeps the first reason */
}

/* ---- the clock ---- */

static inline int linear_write_clock(struct leat_writer *w, const struct sgd *s)
{
    w->u64(w, "examples", s->t);
    w->f64(w, "alpha", s->alpha);
    w->f64(w, "bias_weight", s->bias);
    w->f64(w, "penalty", s->penalty);
    w->f64(w, "swept", s->l1_applied);
    w->f64(w, "grown", s->grown);
    w->f64(w, "age", s->age);
    w->array(w, "faded", LEAT_F64, s->faded, 2);
    w->array(w, "records", LEAT_U64, s->records, 2);
    return w->array(w, "mass", LEAT_F64, s->mass, 2);
}

/* Exactly n elements, also when n is 0. */
static inline int linear_read_array(struct leat_reader *r, const char *name, uint32_t element,
                                    uint64_t n, const void **v)
{
    uint64_t there = n;
    if (r->array(r, name, element, v, &there) != LEAT_OK) return LEAT_EDATA;
    if (there == n) return LEAT_OK;
    return r->refuse(r, "%s has %llu elements there and %llu here", name, (unsigned long long)there,
                     (unsigned long long)n);
}

static inline int linear_read_clock(struct leat_reader *r, struct sgd *s)
{
    const void *faded, *records, *mass;
    if (r->u64(r, "examples", &s->t) != LEAT_OK || r->f64(r, "alpha", &s->alpha) != LEAT_OK ||
        r->f64(r, "bias_weight", &s->bias) != LEAT_OK ||
        r->f64(r, "penalty", &s->penalty) != LEAT_OK ||
        r->f64(r, "swept", &s->l1_applied) != LEAT_OK || r->f64(r, "grown", &s->grown) != LEAT_OK ||
        r->f64(r, "age", &s->age) != LEAT_OK ||
        linear_read_array(r, "faded", LEAT_F64, 2, &faded) != LEAT_OK ||
        linear_read_array(r, "records", LEAT_U64, 2, &records) != LEAT_OK ||
        linear_read_array(r, "mass", LEAT_F64, 2, &mass) != LEAT_OK)
        return LEAT_EDATA;
    memcpy(s->faded, faded, sizeof s->faded);
    memcpy(s->records, records, sizeof s->records);
    memcpy(s->mass, mass, sizeof s->mass);
    return LEAT_OK;
}

/* ---- what is kept of each feature ---- */

struct linear_arrays {
    uint64_t n;
    const void *id;        /* LEAT_U32 or LEAT_U64                      */
    const float *weight;   /* stored: w / alpha                         */
    const float *own;      /* accumulators of own rates, or NULL        */
    const uint32_t *count; /* n x { negative, positive }, or NULL        */
    const float *settled;  /* penalty up to which a weight has had it, or NULL */
};

static inline int linear_write_arrays(struct leat_writer *w, uint32_t id_type,
                                      const struct linear_arrays *a)
{
    w->array(w, "ids", id_type, a->id, a->n);
    if (a->own) w->array(w, "accumulators", LEAT_F32, a->own, a->n);
    if (a->count) w->array(w, "counted", LEAT_U32, a->count, 2 * a->n);
    if (a->settled) w->array(w, "settled", LEAT_F32, a->settled, a->n);
    return w->array(w, "weights", LEAT_F32, a->weight, a->n);
}

/* At most `most` features, with the arrays that the live model `has`. */
static inline int linear_read_arrays(struct leat_reader *r, uint32_t id_type, uint64_t most,
                                     const struct linear_arrays *has, struct linear_arrays *a)
{
    const void *weight, *own = NULL, *count = NULL, *settled = NULL;
    a->n = 0;
    if (r->array(r, "ids", id_type, &a->id, &a->n) != LEAT_OK) return LEAT_EDATA;
    if (a->n > most)
        return r->refuse(r, "ids are %llu, and at most %llu here", (unsigned long long)a->n,
                         (unsigned long long)most);
    if ((has->own && linear_read_array(r, "accumulators", LEAT_F32, a->n, &own) != LEAT_OK) ||
        (has->count && linear_read_array(r, "counted", LEAT_U32, 2 * a->n, &count) != LEAT_OK) ||
        (has->settled && linear_read_array(r, "settled", LEAT_F32, a->n, &settled) != LEAT_OK) ||
        linear_read_array(r, "weights", LEAT_F32, a->n, &weight) != LEAT_OK)
        return LEAT_EDATA;
    a->weight = weight, a->own = own, a->count = count, a->settled = settled;
    return LEAT_OK;
}

/* The parts of names, three keys a feature: of none of them, or of all. */
static inline int linear_write_name_parts(struct leat_writer *w,
                                          const struct redundancy_parts *parts, uint64_t n)
{
    return w->array(w, "parts", LEAT_U32, parts, parts ? 3 * n : 0);
}

static inline int linear_read_name_parts(struct leat_reader *r, uint64_t n,
                                         const struct redundancy_parts **parts)
{
    const void *keys;
    uint64_t n_keys = 0;
    *parts = NULL;
    if (r->array(r, "parts", LEAT_U32, &keys, &n_keys) != LEAT_OK) return LEAT_EDATA;
    if (n_keys && n_keys != 3 * n) return r->refuse(r, "parts are not three a feature");
    if (n_keys) *parts = keys;
    return LEAT_OK;
}

/* ---- names ---- */

/* Appends the names of a model's features to a list, in their order. */
typedef void linear_lister(const void *model, struct name_list *l);

/* Of n features. */
static inline int linear_write_names(struct leat_writer *w, linear_lister *list, const void *model,
                                     uint32_t n)
{
    struct name_list sizes = {.size = w->reserve(w, "name_sizes", LEAT_U32, n)};
    if (!sizes.size) return LEAT_ENOMEM;
    list(model, &sizes);
    struct name_list texts = {.text = w->reserve(w, "names", LEAT_U8, sizes.bytes)};
    if (!texts.text) return LEAT_ENOMEM;
    list(model, &texts);
    return LEAT_OK;
}

/* A list that lies in what the reader lends. */
static inline int linear_read_names(struct leat_reader *r, uint32_t n, struct name_list *l)
{
    const void *size, *text;
    *l = (struct name_list){.n = n};
    if (linear_read_array(r, "name_sizes", LEAT_U32, n, &size) != LEAT_OK ||
        r->array(r, "names", LEAT_U8, &text, &l->bytes) != LEAT_OK)
        return LEAT_EDATA;
    l->size = (uint32_t *)(uintptr_t)size; /* only read from here on */
    l->text = (char *)(uintptr_t)text;
    return name_list_fits(l) ? LEAT_OK : r->refuse(r, "name_sizes do not add up to names");
}

/* ---- merging ---- */

enum linear_merge {
    LINEAR_STAY,       /* the other has nothing to tell               */
    LINEAR_TAKE_OTHER, /* one that is fresh becomes the other, bit for bit */
    LINEAR_JOIN
};

static inline enum linear_merge linear_how_to_merge(const struct sgd *live, const struct sgd *other,
                                                    double count)
{
    if (!(count > 0) || !other->t) return LINEAR_STAY;
    return count == 1 && !live->t ? LINEAR_TAKE_OTHER : LINEAR_JOIN;
}

/* ---- refusals ---- */

enum { LINEAR_STATE_VERSION = 2 };

static inline int linear_same_version(struct leat_reader *r, uint32_t there, uint32_t here)
{
    if (there == here) return LEAT_OK;
    return r->refuse(r, "state version %u; this stage reads version %u", there, here);
}

static inline int linear_check_count(struct leat_reader *r, double count)
{
    if (count >= 0 && count <= SGD_MAX_SHARE) return LEAT_OK;
    return r->refuse(r, "it cannot count %g times", count);
}

#define LINEAR_STATE_DOC                                                                           \
    "\n\nSnapshots hold the model bit for bit. A merge averages weights (and a learned bias) by "  \
    "the examples that each side has learned, and adds up what is counted: examples, records, "    \
    "accumulators of own rates, counts of features. That is parameter mixing: commutative, "       \
    "associative up to rounding, and not what one learner would have become on all the data. "     \
    "Both sides must have the same parameters."

#endif
