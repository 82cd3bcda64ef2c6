/* observe.c -- implementation of observe.h: metrics, event time, last records; the table. */
#include "observe.h"

#include <assert.h>
#include <string.h>

#include "host/exec/answers/ask_time.h"
#include "host/exec/run.h"
#include "host/flow/convert.h"
#include "host/metrics/time_counts.h"
#include "inspect.h"

/* ---- progressive metrics: predictions before the learner sees the labels ---- */

static bool progressive_attends(struct instance *i) { return i->learning.progressive != NULL; }

static void progressive_after(struct instance *i, struct hbatch *in, struct hbatch *out, int status)
{
    if (status >= 0 && !control_halted(&i->run->control))
        progressive_add(i->learning.progressive, &in->b, in->later_piece);
}

/* ---- event time of the learned records, for queries and reports ---- */

static bool event_time_attends(struct instance *i)
{
    return i->learning.progressive || i->learning.n_asks;
}

static void event_time_passed(struct instance *i, struct hbatch *h)
{
    const struct leat_batch *b = &h->b;
    struct instance_learning *l = &i->own->learning;
    if (!b->timestamp) return;
    for (LEAT_EACH_RECORD(b, r)) {
        if (b->timestamp[r] < 0) continue;
        uint64_t end = (uint64_t)b->timestamp[r] + 1;
        if (!l->time_begin || end < l->time_begin) l->time_begin = end;
        if (end > l->time_end) l->time_end = end;
        if (l->times) time_counts_add(l->times, b->timestamp[r], (double)b->label[r]);
    }
}

/* ---- the last records of a sink ---- */

struct last_rows *last_rows_new(const struct node *sink, struct arena *a)
{
    const struct leat_schema *in = &sink->schema_in;
    if (sink->stage->kind != LEAT_SINK || sink->asked || !in->derived || !in->n_columns)
        return NULL;
    struct last_rows *l = arena_alloc(a, sizeof *l);
    l->n_columns = in->n_columns < LAST_COLUMNS ? in->n_columns : LAST_COLUMNS;
    return l;
}

/* Returns how many bytes of the text are kept: at most LAST_TEXT, in whole characters. */
static uint8_t last_rows_kept(const char *text, size_t n)
{
    if (n <= LAST_TEXT) return (uint8_t)n;
    n = LAST_TEXT;
    while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return (uint8_t)n;
}

static void last_rows_cell(struct last_cell *to, const struct leat_batch *b, uint32_t column,
                           uint32_t type, uint32_t r)
{
    char out[CONVERT_TEXT];
    size_t n = 0;
    const char *text = convert_cell(b, column, type, r, out, &n);
    to->has = text != NULL;
    to->len = text ? last_rows_kept(text, n) : 0;
    to->cut = to->len < n;
    if (text) memcpy(to->text, text, to->len);
}

void last_rows_take(struct last_rows *l, const struct leat_schema *in, const struct leat_batch *b)
{
    uint32_t first = b->n_sel > LAST_ROWS ? b->n_sel - LAST_ROWS : 0;
    l->n += first;
    for (uint32_t k = first; k < b->n_sel; k++, l->n++)
        for (uint32_t c = 0; c < l->n_columns; c++)
            last_rows_cell(&l->cell[l->n % LAST_ROWS][c], b, c, in->column[c].type, b->sel[k]);
}

static bool last_rows_attends(struct instance *i) { return i->writing.last_rows != NULL; }

static void last_rows_passed(struct instance *i, struct hbatch *h)
{
    last_rows_take(i->own->writing.last_rows, &i->node->schema_in, &h->b);
}

static const struct observer observe_progressive = {.attends = progressive_attends,
                                                    .after = progressive_after};
static const struct observer observe_event_time = {.attends = event_time_attends,
                                                   .passed = event_time_passed};
static const struct observer observe_last_rows = {.attends = last_rows_attends,
                                                  .passed = last_rows_passed};

static const struct observer *const observers[OBSERVERS] = {&inspect_observer, &observe_progressive,
                                                            &observe_last_rows, &observe_event_time,
                                                            &ask_time_observer};

void observe_attach(struct instance *i)
{
    assert(!i->n_observers);
    for (int k = 0; k < OBSERVERS; k++)
        if (observers[k]->attends(i)) i->observer[i->n_observers++] = observers[k];
}
