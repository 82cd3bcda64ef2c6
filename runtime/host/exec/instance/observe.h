/* observe.h -- observers of a stage's calls on batches: inspection, metrics, last records.
 *
 *     call       before           after            passed
 *     -------    --------------   --------------   ---------------------------------
 *     process    in = out         in = out         with the records that it lets pass
 *     expand     in, out          in, out
 *     produce                     in NULL, out
 *
 * A new feature is a row of observers (observe.c), not a branch in the flow of a batch. The worker
 * calls observers within the stage's call.
 */
#ifndef LEAT_HOST_EXEC_INSTANCE_OBSERVE_H
#define LEAT_HOST_EXEC_INSTANCE_OBSERVE_H

#include "instance.h"

struct observer {
    bool (*attends)(struct instance *i); /* Returns true if it observes this instance. */
    void (*before)(struct instance *i, struct hbatch *in, struct hbatch *out);
    void (*after)(struct instance *i, struct hbatch *in, struct hbatch *out, int status);
    void (*passed)(struct instance *i, struct hbatch *h);
};

/* Sets the observers of an open instance. */
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
 * In a pipeline without a learner they are the answer, or its end. Only records that a stage has
 * made of others, such as the rows of a window, are kept. At most the last LAST_ROWS of a batch are
 * copied, so a fast stream costs no more than a slow one. They belong to the sink's worker. */

enum {
    LAST_ROWS = 20,
    LAST_COLUMNS = 16, /* the first columns of the sink's input */
    LAST_TEXT = 60     /* bytes of a cell; longer text is cut */
};

struct last_cell {
    uint8_t len;
    bool has, cut;
    char text[LAST_TEXT];
};

struct last_rows {
    uint32_t n_columns;
    uint64_t n; /* records so far; cell[r % LAST_ROWS] holds one of the last, r */
    struct last_cell cell[LAST_ROWS][LAST_COLUMNS];
};

/* Makes the last records of a sink whose input is negotiated. Returns NULL if they are not kept. */
struct last_rows *last_rows_new(const struct node *sink, struct arena *a);

/* Copies the last of the selected records; `in` is the schema of the batch. */
void last_rows_take(struct last_rows *l, const struct leat_schema *in, const struct leat_batch *b);

#endif
