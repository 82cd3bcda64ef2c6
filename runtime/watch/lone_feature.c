/* lone_feature.c -- see lone_feature.h. */
#include "lone_feature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_id.h"
#include "exec/apart.h"

/* Names are cut at the first '=': a field with one in its name is not found so. */
struct lone_feature {
    uint64_t id;
    bool known; /* the name is one */
    double estimate;
    struct hbatch *batch;
};

static void set_id(struct lone_feature *f, const struct node *learner, const char *name)
{
    const char *equals = strchr(name, '=');
    char *end;
    if (!(learner->schema_in.has & LEAT_HAS_NAMES)) {
        f->id = strtoull(name, &end, 10);
        f->known = !*end && *name >= '0' && *name <= '9';
        return;
    }
    f->known = true;
    f->id = equals ? name_id(name, (size_t)(equals - name), equals + 1, strlen(equals + 1))
                   : name_id(NULL, 0, name, strlen(name));
}

struct lone_feature *lone_feature_new(const struct node *learner, const char *name)
{
    const struct batch_shape shape = {.records = 2,
                                      .bytes = 64,
                                      .extents = 1,
                                      .examples = 2,
                                      .entries = 2,
                                      .parts = 1,
                                      .timestamps = true,
                                      .names = true,
                                      .own_records = true,
                                      .own_examples = true,
                                      .columns = learner->schema_in.n_columns};
    enum leat_score kind = graph_score(learner);
    if (kind == LEAT_SCORE_NONE || kind == LEAT_SCORE_CLASS) return NULL;
    struct lone_feature *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->estimate = (double)NAN;
    f->batch = batch_new(&shape);
    set_id(f, learner, name);
    if (f->batch) return f;
    free(f);
    return NULL;
}

void lone_feature_free(struct lone_feature *f)
{
    if (f) batch_free(f->batch);
    free(f);
}

static void add(struct leat_batch *b, const uint64_t *id)
{
    uint32_t r = (uint32_t)leat_add_record(b, 0, 0);
    b->label[r] = b->weight[r] = 0;
    b->sel[r] = r;
    b->n_sel = b->n;
    leat_add_example(b, r);
    if (!id) return;
    int i = leat_add_entry(b, *id, 1);
    b->name[i] = (struct leat_name){{0}};
}

void lone_feature_predict(struct lone_feature *f, struct instance *learner)
{
    if (!f || !f->known) return;
    struct leat_batch *b = &f->batch->b;
    batch_reset(f->batch);
    add(b, NULL);
    add(b, &f->id);
    batch_select(f->batch, 0);
    int status = apart_process(learner, f->batch);
    if (status == LEAT_OK && b->n_ex_sel == 2)
        f->estimate = (double)b->score[1] - (double)b->score[0];
}

double lone_feature_estimate(const struct lone_feature *f) { return f ? f->estimate : (double)NAN; }
