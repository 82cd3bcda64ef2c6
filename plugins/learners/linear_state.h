/* linear_state.h -- what the states of linear learners share: parameters, clock, names.
 *
 * Only glue between struct leat_writer, struct leat_reader and the kernels. A stage that restores
 * or merges builds its new model beside the live one and takes it over when nothing can fail any
 * more: until then the live one has not been touched.
 */
#ifndef LEARNERS_LINEAR_STATE_H
#define LEARNERS_LINEAR_STATE_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "plugins/kernels/names.h"
#include "plugins/kernels/sgd_state.h"
#include "plugins/learners/linear.h"

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
              linear_same_choice(r, "loss", linear_losses, o->loss) |
              linear_same_choice(r, "counts", linear_no_yes, counts);
    return bad ? LEAT_EDATA : LEAT_OK; /* the reader keeps the first reason */
}

/* ---- the clock ---- */

static inline int linear_write_clock(struct leat_writer *w, const struct sgd *s)
{
    w->u64(w, "examples", s->t);
    w->f64(w, "alpha", s->alpha);
    w->f64(w, "bias_weight", s->bias);
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
    const void *records, *mass;
    if (r->u64(r, "examples", &s->t) != LEAT_OK || r->f64(r, "alpha", &s->alpha) != LEAT_OK ||
        r->f64(r, "bias_weight", &s->bias) != LEAT_OK ||
        linear_read_array(r, "records", LEAT_U64, 2, &records) != LEAT_OK ||
        linear_read_array(r, "mass", LEAT_F64, 2, &mass) != LEAT_OK)
        return LEAT_EDATA;
    memcpy(s->records, records, sizeof s->records);
    memcpy(s->mass, mass, sizeof s->mass);
    return LEAT_OK;
}

/* ---- names ---- */

/* Appends the names of a model's features to a list, in their order. */
typedef void linear_lister(const void *model, struct name_list *l);

static inline int linear_write_names(struct leat_ctx *ctx, struct leat_writer *w,
                                     linear_lister *list, const void *model)
{
    struct name_list l = {0};
    list(model, &l); /* measures */
    char *block = ctx->host->alloc(ctx, (size_t)(l.n * sizeof *l.size + l.bytes + 1));
    if (!block) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for a copy of %u names", l.n);
    l = (struct name_list){.size = (uint32_t *)(void *)block, .text = block + l.n * sizeof *l.size};
    list(model, &l);
    w->array(w, "name_sizes", LEAT_U32, l.size, l.n);
    int status = w->array(w, "names", LEAT_U8, l.text, l.bytes);
    ctx->host->free(ctx, block);
    return status;
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

/* ---- refusals ---- */

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
