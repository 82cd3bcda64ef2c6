/* units.h -- numbers of columns in units of their own spread, around their own centre.
 *
 * A learner of linear models learns (x - centre) / spread of each number (kernels/summaries/unit.h)
 * in place of x. The schema tells which entries are numbers: those named by a field alone that
 * feature.columns marks (leat_schema.mark). Other entries stay as they are.
 *
 *   open      units_open(); without numbers there are no units, and NULL does for all calls. A
 *             label may be a number, too.
 *             units_reserve() when the length of examples is known
 *   process   units_values() gives the values of an example; those of the batch stay, because other
 *             stages read them, some at the same time
 *   answer    units_spread() divides a weight, so that it is that of the column's own unit;
 *             units_constant() gives what the centres move to the constant
 *   state     units_write(), units_read(), units_join()
 *
 * A merge takes the means of centres and spreads, by the values seen. Sums of them are integers
 * (kernels/base/fixed.h), so the order of merges does not matter. */
#ifndef LEAT_COMMON_LEARNERS_UNITS_H
#define LEAT_COMMON_LEARNERS_UNITS_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/base/fixed.h"
#include "kernels/summaries/unit.h"

/* Sums of a merge: values seen, centres and spreads. */
enum { UNITS_VALUES, UNITS_CENTRE, UNITS_SPREAD, UNITS_SUMS };

/* Uses of units by a learner, or-ed. */
enum units_use {
    UNITS_USED = 1,
    UNITS_SCALED = 2, /* numbers are divided by their spread; else only centred          */
    UNITS_STAY = 4,   /* units stay once they are known (unit.h)                         */
    UNITS_LABEL = 8   /* labels are numbers, which the learner changes to their own unit */
};

struct units_number {
    uint64_t key; /* feature_id_name() of the column's name     */
    uint64_t id;  /* id of its entries; 0: no example had one   */
    struct unit unit;
    bool merged;                  /* the unit is that of `sum`, and has seen no values since */
    struct fixed sum[UNITS_SUMS]; /* 0 before a merge                                        */
};

/* A centre that moved: weight w of the feature `id` adds w * shift to the constant. */
struct units_move {
    uint64_t id;
    double shift;
};

struct units {
    uint32_t n, n_fields;
    struct units_number *of; /* by ascending key                                      */
    struct unit *label;      /* NULL unless asked for; its key is 0                      */
    uint64_t constant;       /* id of the constant feature; 0: there is none              */
    unsigned use;            /* enum units_use                                           */
    uint32_t *number_of;     /* n_fields: 1 + index of the field's number; 0: it is none */
    /* the current example */
    float *value; /* its values; max_row */
    uint32_t max_row, n_moved;
    struct units_move *moved; /* how centres moved; n */
    bool held_out;            /* a number is wild: nothing is to be learned of the example */
};

/* Returns the bytes that a learner with this input and examples of max_row entries needs. */
uint64_t units_bytes(const struct leat_schema *in, uint32_t max_row);
/* Sets *out to the units of the input's numbers, and of the label if that is asked for; NULL if
 * there are none. use: enum units_use. Returns LEAT_OK or LEAT_ENOMEM. */
int units_open(struct leat_ctx *ctx, unsigned use, struct units **out);
void units_close(struct leat_ctx *ctx, struct units *u); /* u may be NULL */

/* Makes room for the values of examples of max_row entries; u may be NULL. Returns LEAT_OK or
 * LEAT_ENOMEM. */
int units_reserve(struct leat_ctx *ctx, struct units *u, uint32_t max_row);

/* Gives the room of `from` to u, which replaces it. Both may be NULL. */
void units_lend(struct units *u, struct units *from);

const float *units_convert(struct units *u, const struct leat_batch *b, uint32_t e, bool learns);
/* Returns the values of example e, with numbers in their units; valid until the next call.
 * `learns`: the units see the numbers first. The example has at most max_row entries. */
static inline const float *units_values(struct units *u, const struct leat_batch *b, uint32_t e,
                                        bool learns)
{
    return u ? units_convert(u, b, e, learns) : b->value + b->ex_start[e];
}
/* True if the example of the last call has a wild number: it is only to be predicted. */
static inline bool units_hold_out(const struct units *u) { return u && u->held_out; }

/* Returns the spread by which to divide the weight of a feature; 1 if it is no number. `folded`: id
 * is a fold (id_slots_fold()). */
double units_spread(const struct units *u, uint64_t id, bool folded);
/* True if numbers have centres, but no feature of the example is constant. A model without a
 * constant of its own then needs one. */
static inline bool units_lack_constant(const struct units *u)
{
    return u && !u->constant && u->n > (u->label != NULL);
}
/* Returns what to add to a model's constant, so that it holds where all numbers are 0. weight: of a
 * feature, in its unit. */
double units_constant(const struct units *u, double (*weight)(const void *of, uint64_t id),
                      const void *of);
/* Tells of numbers that were the same in all records, and of wild ones. */
void units_tell(struct leat_ctx *ctx, const struct units *u);

/* Write and read units; u and *out may be NULL. `live`: those of this run, for their columns. use:
 * enum units_use. */
int units_write(const struct units *u, struct leat_writer *w);
int units_read(struct leat_ctx *ctx, unsigned use, const struct units *live, struct leat_reader *r,
               struct units **out);
/* True if no value was seen. */
bool units_is_empty(const struct units *u);
/* Sets *out to the units of a and b together, where each value of b counts `weight` times. If b has
 * seen nothing, or counts 0 times, they are those of a. */
int units_join(struct leat_ctx *ctx, const struct units *a, const struct units *b, double weight,
               struct units **out);

#endif
