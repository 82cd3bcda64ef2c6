/* awm_query.c -- margins and weights of awm.h, without learning. */
#include "awm_sketch.h"

double awm_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x)
{
    const struct awm *m = (const struct awm *)s;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = awm_fold(id[i]), slot = store_find(&m->s, f);
        double w = slot == STORE_NONE ? 0 : (double)store_weight_now(&m->s, slot);
        if (slot == STORE_NONE) awm_estimate(m, f, &w);
        sum += w * (double)x[i];
    }
    return sum * m->s.sgd.alpha + m->s.sgd.bias;
}

double awm_outside(const struct store *s, uint32_t id)
{
    const struct awm *m = (const struct awm *)s;
    double mean;
    float w = awm_estimate(m, id, &mean), pending = l1_pending(&m->s.sgd);
    return (double)(pending > 0 ? l1_shrink(w, pending) : w) * m->s.sgd.alpha;
}

double awm_weight(const struct store *s, uint64_t id)
{
    uint32_t slot = store_find(s, awm_fold(id));
    return slot == STORE_NONE ? awm_outside(s, awm_fold(id))
                              : (double)store_weight_now(s, slot) * s->sgd.alpha;
}

void awm_put_back(struct awm *m, uint32_t id, double w)
{
    awm_add_to_sketch(m, id, (float)(w - awm_weight(&m->s, id)));
}
