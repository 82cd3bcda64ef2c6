/* observe.h -- observers, which the host calls around a stage's calls on batches.
 *
 *     call       before           after            passed
 *     -------    --------------   --------------   ---------------------------------
 *     process    in = out         in = out         h, after the selections are updated
 *     expand     in, out          in, out
 *     produce                     in NULL, out
 *
 * The table shows the batches that an observer's functions get as arguments. "passed" gets the
 * records that process let pass. Inspection, progressive metrics, event times and last records are
 * observers, so the code that moves batches does not know them. All observers are in the table
 * `observers` (observe.c).
 */
#ifndef LEAT_HOST_EXEC_INSTANCE_OBSERVE_H
#define LEAT_HOST_EXEC_INSTANCE_OBSERVE_H

#include "instance.h"

struct observer {
    bool (*attends)(struct instance *i); /* Returns true if the observer observes this instance. */
    void (*before)(struct instance *i, struct hbatch *in, struct hbatch *out);
    void (*after)(struct instance *i, struct hbatch *in, struct hbatch *out, int status);
    void (*passed)(struct instance *i, struct hbatch *h);
};

/* Sets i->observer of an open instance. */
void observe_attach(struct instance *i);

static inline void observe_before(struct instance *i, struct hbatch *in, struct hbatch *out)
{
    for (uint32_t k = 0; k < i->own->n_observers; k++)
        if (i->own->observer[k]->before) i->own->observer[k]->before(i, in, out);
}

static inline void observe_after(struct instance *i, struct hbatch *in, struct hbatch *out,
                                 int status)
{
    for (uint32_t k = 0; k < i->own->n_observers; k++)
        if (i->own->observer[k]->after) i->own->observer[k]->after(i, in, out, status);
}

static inline void observe_passed(struct instance *i, struct hbatch *h)
{
    for (uint32_t k = 0; k < i->own->n_observers; k++)
        if (i->own->observer[k]->passed) i->own->observer[k]->passed(i, h);
}

/* ---- the last records of a sink, as text, for the report of the run ----
 *
 * In a pipeline without a learner the report shows them as the result. Only records that a stage
 * with expand has made, such as the rows of a window, are kept. Of each batch at most the last
 * LAST_ROWS records are copied, so the cost for each batch is bounded. Used only by the sink's
 * worker. */

enum {
    LAST_ROWS = 20,
    LAST_COLUMNS = 16, /* most columns, the first ones of the sink's input */
    LAST_TEXT = 60     /* most bytes of a cell; longer text is cut         */
};

struct last_cell {
    uint8_t len;
    bool has, cut;
    char text[LAST_TEXT];
};

struct last_rows {
    uint32_t n_columns;
    uint64_t n; /* number of records so far; record r is in cell[r % LAST_ROWS] */
    struct last_cell cell[LAST_ROWS][LAST_COLUMNS];
};

/* Makes the struct for a sink whose input is negotiated. Returns NULL if its last records are not
 * kept. */
struct last_rows *last_rows_new(const struct node *sink, struct arena *a);

/* Copies the last selected records of batch b, whose schema is `in`. */
void last_rows_take(struct last_rows *l, const struct leat_schema *in, const struct leat_batch *b);

#endif
