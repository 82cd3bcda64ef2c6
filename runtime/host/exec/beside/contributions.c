/* contributions.c -- see contributions.h. */
#include "contributions.h"

#include <stdlib.h>

#include "apart.h"

struct contributions {
    struct hbatch *batch;
};

struct contributions *contributions_new(const struct node *learner, uint32_t n)
{
    enum leat_score kind = graph_score(learner);
    const struct batch_shape shape = {.records = n + 1,
                                      .bytes = 64,
                                      .extents = 1,
                                      .examples = n + 1,
                                      .entries = n + 1,
                                      .parts = 1,
                                      .timestamps = true,
                                      .names = true,
                                      .own_records = true,
                                      .own_examples = true,
                                      .columns = learner->schema_in.n_columns};
    if (kind == LEAT_SCORE_NONE || kind == LEAT_SCORE_CLASS) return NULL;
    struct contributions *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->batch = batch_new(&shape);
    if (c->batch) return c;
    free(c);
    return NULL;
}

void contributions_free(struct contributions *c)
{
    if (c) batch_free(c->batch);
    free(c);
}

/* id NULL: without features. */
static void add(struct leat_batch *b, const uint64_t *id, float value)
{
    uint32_t r = (uint32_t)leat_add_record(b, 0, 0);
    b->label[r] = b->weight[r] = 0;
    b->sel[r] = r;
    b->n_sel = b->n;
    leat_add_example(b, r);
    if (!id) return;
    int i = leat_add_entry(b, *id, value);
    b->name[i] = (struct leat_name){{0}};
}

bool contributions_take(struct contributions *c, struct instance *learner, const uint64_t *id,
                        const float *value, uint32_t n, double *base, double *each)
{
    struct leat_batch *b = &c->batch->b;
    batch_reset(c->batch);
    add(b, NULL, 0);
    for (uint32_t i = 0; i < n; i++)
        add(b, &id[i], value[i]);
    batch_select(c->batch, 0);
    if (apart_process(learner, c->batch) != LEAT_OK || b->n_ex_sel != n + 1) return false;
    *base = (double)b->score[0];
    for (uint32_t i = 0; i < n; i++)
        each[i] = (double)b->score[i + 1] - *base;
    return true;
}
