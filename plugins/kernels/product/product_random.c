/* product_random.c -- the random methods of product.h: columns, projection, hashing. */
#include "kernels/base/random.h"
#include "product.h"
#include "core/mix64.h"

#include <assert.h>

/* Column k of a side becomes c / |c|: it is one of l samples, of weight W / l each. */
static void replace(struct product *p, int side, uint32_t k, const struct product_column *c,
                    double norm)
{
    tall_matrix_clear(tall_matrix_from(product_side(p, side), k), 1);
    product_put(p, side, k, 1 / norm, c);
}

/* A pair of weight w = |x||y| takes each of the l columns with chance w / W, W including its own:
 * then each column holds pair t with chance w_t / W at any time. */
static void sample(struct product *p, const struct product_column column[2], const double norm[2])
{
    double chance = norm[0] * norm[1] / p->sums.weight; /* w / W */
    for (uint32_t k = 0; k < p->opt.l; k++) {
        if (!(random_uniform(&p->sums.random) < chance)) continue;
        replace(p, 0, k, &column[0], norm[0]);
        replace(p, 1, k, &column[1], norm[1]);
    }
    p->used = p->opt.l;
}

/* Signs for l columns, the same for both sides: bit k of the words drawn for this pair. */
static void project(struct product *p, int side, const struct product_column *c, uint64_t counter)
{
    for (uint32_t k = 0; k < p->opt.l; k += 64) {
        uint64_t bits = mix64_next(&counter);
        uint32_t n = p->opt.l - k < 64 ? p->opt.l - k : 64;
        for (uint32_t i = 0; i < c->n; i++) {
            double *row = feature_table_row(p->table[side], c->feature[i]) + k, v = c->value[i];
            for (uint32_t j = 0; j < n; j++)
                row[j] += bits >> j & 1 ? v : -v;
        }
    }
}

static void hash(struct product *p, const struct product_column column[2])
{
    uint64_t bits = mix64_next(&p->sums.random);
    uint32_t k = (uint32_t)((bits >> 32) * p->opt.l >> 32);
    double sign = bits & 1 ? 1 : -1;
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < column[s].n; i++)
            feature_table_row(p->table[s], column[s].feature[i])[k] += sign * column[s].value[i];
}

void product_add_random(struct product *p, const struct product_column column[2],
                        const double norm[2])
{
    assert(p->opt.method >= PRODUCT_COLUMNS && norm[0] > 0 && norm[1] > 0);
    if (p->opt.method == PRODUCT_COLUMNS) {
        sample(p, column, norm);
    } else if (p->opt.method == PRODUCT_HASHING) {
        hash(p, column);
    } else {
        project(p, 0, &column[0], p->sums.random);
        project(p, 1, &column[1], p->sums.random);
        p->sums.random += (p->opt.l + 63) / 64 * MIX64_GOLDEN; /* past the words drawn */
    }
}
