/* product_rig.c -- implementation of product_rig.h. */
#include "product_rig.h"
#include "zeroed.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 8 }; /* least entries of a side */

struct product_options product_of(enum product_method method, uint32_t l)
{
    return (struct product_options){
        .method = method, .l = l, .iterations = 2, .failure = 0.01, .seed = 7};
}

static uint32_t power_of_two(uint32_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

struct product_rig *rig_new(const struct product_options *o, uint32_t mx, uint32_t my)
{
    struct product_rig *r = calloc(1, sizeof *r);
    struct product_capacity capacity =
        product_capacity_for(o, power_of_two(mx), power_of_two(my), ROW > mx + my ? ROW : mx + my);
    for (int s = 0; s < 2; s++) {
        r->rows[s] = zeroed(feature_table_bytes(capacity.features[s], product_stride(o)));
        feature_table_init(&r->table[s], capacity.features[s], capacity.features[s],
                           product_stride(o), r->rows[s]);
        for (uint32_t f = 0; f < (s ? my : mx); f++)
            feature_table_enroll(&r->table[s], f);
    }
    r->block = zeroed(product_bytes(o, &capacity));
    product_init(&r->p, o, &capacity, &r->table[0], &r->table[1], r->block);
    return r;
}

void rig_free(struct product_rig *r)
{
    free(r->block);
    free(r->rows[0]);
    free(r->rows[1]);
    free(r);
}

static struct product_column column_of(struct dense d, uint32_t j, uint32_t *feature, double *value)
{
    struct product_column c = {0, feature, value};
    for (uint32_t i = 0; i < d.m; i++)
        if (*dense_at(d, i, j) != 0) {
            c.feature[c.n] = i;
            c.value[c.n++] = *dense_at(d, i, j);
        }
    return c;
}

void rig_learn(struct product_rig *r, struct dense X, struct dense Y, uint32_t from, uint32_t to)
{
    uint32_t *feature = calloc(X.m + Y.m + 1, sizeof *feature);
    double *value = calloc(X.m + Y.m + 1, sizeof *value);
    for (uint32_t j = from; j < to; j++) {
        struct product_column c[2] = {column_of(X, j, feature, value),
                                      column_of(Y, j, feature + X.m, value + X.m)};
        ck_assert(product_add(&r->p, c, 1));
    }
    free(feature);
    free(value);
}

struct dense rig_product(struct product_rig *r, double *bound)
{
    struct product_view v;
    ck_assert(product_look(&r->p, &v));
    struct tall_matrix A = product_side(&r->p, 0), B = product_side(&r->p, 1);
    struct dense P = dense_new(A.n, B.n);
    for (uint32_t i = 0; i < A.n; i++)
        for (uint32_t j = 0; j < B.n; j++)
            for (uint32_t c = 0; c < v.columns; c++)
                *dense_at(P, i, j) +=
                    v.scale * A.a[(size_t)i * A.ld + c] * B.a[(size_t)j * B.ld + c];
    if (bound) *bound = v.bound;
    return P;
}
