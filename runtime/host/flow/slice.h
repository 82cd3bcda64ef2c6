/* slice.h -- a part of what is selected in a batch, between two of its records.
 *
 * Slices of a batch are given to a stage one after the other, as if each were all that there is:
 * the selections are narrowed, all else stays where it is.
 */
#ifndef LEAT_HOST_FLOW_SLICE_H
#define LEAT_HOST_FLOW_SLICE_H

#include <stdbool.h>

#include <leat/batch.h>

/* The selections of a batch, and how far slices of them have come. */
struct slicing {
    uint32_t *sel, *ex_sel;
    uint32_t n_sel, n_ex_sel;
    uint32_t records, examples; /* of those selected, how many were in slices */
    bool whole;                 /* the examples are not in the order of their records */
};

struct slicing slice_begin(const struct leat_batch *b);
/* Narrows the selections to the next slice: of about n examples, with all of a record; all the rest
 * where slices cannot end between records, or if n is 0. Returns how many examples it has. */
uint32_t slice_next(struct slicing *s, struct leat_batch *b, uint32_t n);
/* Is there no other? */
static inline bool slice_was_last(const struct slicing *s)
{
    return s->examples == s->n_ex_sel && s->records == s->n_sel;
}
/* Makes the selections whole again. */
void slice_end(const struct slicing *s, struct leat_batch *b);

#endif
