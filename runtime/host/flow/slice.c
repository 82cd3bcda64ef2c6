/* slice.c -- see slice.h. */
#include "slice.h"

static bool in_order(const struct leat_batch *b)
{
    for (uint32_t k = 1; k < b->n_ex_sel; k++)
        if (b->ex_record[b->ex_sel[k]] < b->ex_record[b->ex_sel[k - 1]]) return false;
    return true;
}

struct slicing slice_begin(const struct leat_batch *b)
{
    return (struct slicing){b->sel, b->ex_sel, b->n_sel, b->n_ex_sel, .whole = !in_order(b)};
}

uint32_t slice_next(struct slicing *s, struct leat_batch *b, uint32_t n)
{
    uint32_t left = s->n_ex_sel - s->examples, to = s->n_ex_sel, last = s->n_sel;
    if (n && n < left && !s->whole) to = s->examples + n;
    while (to < s->n_ex_sel && b->ex_record[s->ex_sel[to]] == b->ex_record[s->ex_sel[to - 1]])
        to++;
    if (to < s->n_ex_sel)
        for (last = s->records; last < s->n_sel && s->sel[last] < b->ex_record[s->ex_sel[to]];)
            last++;
    b->ex_sel = s->ex_sel + s->examples;
    b->n_ex_sel = to - s->examples;
    b->sel = s->sel + s->records;
    b->n_sel = last - s->records;
    s->examples = to;
    s->records = last;
    return b->n_ex_sel;
}

void slice_end(const struct slicing *s, struct leat_batch *b)
{
    b->sel = s->sel;
    b->n_sel = s->n_sel;
    b->ex_sel = s->ex_sel;
    b->n_ex_sel = s->n_ex_sel;
}
