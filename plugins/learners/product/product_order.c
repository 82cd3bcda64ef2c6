/* product_order.c -- implementation of product.h: the features of a side in the order of names. */
#include "product.h"

#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/base/names.h"
#include "kernels/base/sort.h"

struct product_name {
    const char *name; /* NULL: no name */
    size_t len;
    uint64_t id;
    uint32_t feature;
};

/* Features without a name stand first, in the order of their ids. */
static bool product_name_before(const struct product_name *a, const struct product_name *b)
{
    if (!a->name || !b->name) return !a->name && (b->name || a->id < b->id);
    int order = memcmp(a->name, b->name, a->len < b->len ? a->len : b->len);
    if (order) return order < 0;
    return a->len != b->len ? a->len < b->len : a->id < b->id;
}

#define PRODUCT_NAME_BEFORE(a, b) product_name_before(&(a), &(b))
SORT(product_names, struct product_name, PRODUCT_NAME_BEFORE)

static size_t product_named_lay_out(struct product_named_order *o, const uint32_t n[2],
                                    struct product_name **names, void *block)
{
    struct layout c = {block, 0};
    for (int s = 0; s < 2; s++) {
        o->rank[s] = layout_take(&c, n[s], sizeof *o->rank[s]);
        o->feature[s] = layout_take(&c, n[s], sizeof *o->feature[s]);
    }
    *names = layout_take(&c, n[0] > n[1] ? n[0] : n[1], sizeof **names);
    return c.used;
}

size_t product_named_order_bytes(uint32_t left, uint32_t right)
{
    struct product_named_order o;
    struct product_name *names;
    return product_named_lay_out(&o, (uint32_t[]){left, right}, &names, NULL);
}

struct product_named_order product_named_order(const struct product_model *m, void *block)
{
    const uint32_t n[2] = {m->side[0].table.n, m->side[1].table.n};
    struct product_named_order o;
    struct product_name *names;
    product_named_lay_out(&o, n, &names, block);
    for (int s = 0; s < 2; s++) {
        const struct growing *g = &m->side[s];
        for (uint32_t f = 0; f < n[s]; f++) {
            uint32_t tag = g->table.tag[f];
            struct product_name *is = &names[f];
            *is = (struct product_name){.id = g->table.id[f], .feature = f};
            if (tag) is->name = name_pool_get(&g->names, tag, &is->len);
        }
        if (n[s]) product_names_sort(names, n[s]);
        for (uint32_t i = 0; i < n[s]; i++) {
            o.feature[s][i] = names[i].feature;
            o.rank[s][names[i].feature] = i;
        }
    }
    return o;
}
