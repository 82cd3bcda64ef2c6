/* linear.c -- copies of linear models, and features of merged models; implements linear.h. */
#include "linear.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/le.h"

uint64_t linear_widest(uint64_t cells, uint64_t depth)
{
    uint64_t width = 1;
    while (2 * width * depth <= cells)
        width *= 2;
    return width;
}

/* ---- copies ---- */

static void copy(void *to, const void *from, uint64_t n, size_t each)
{
    assert(!to == !from || !n);
    if (to && n) memcpy(to, from, n * each);
}

void linear_take_parts(const struct linear_parts *to, const struct linear_parts *p)
{
    copy(to->id, p->id, p->n, sizeof *p->id);
    copy(to->wide_id, p->wide_id, p->n, sizeof *p->wide_id);
    copy(to->weight, p->weight, p->n, sizeof *p->weight);
    copy(to->accumulator, p->accumulator, p->n, sizeof *p->accumulator);
    copy(to->count, p->count, p->n, 2 * sizeof *p->count);
    copy(to->l1_seen, p->l1_seen, p->n, sizeof *p->l1_seen);
    copy(to->priority, p->priority, p->n, sizeof *p->priority);
    copy(to->frequency, p->frequency, p->n, sizeof *p->frequency);
    copy(to->half_weight, p->half_weight, p->n, 2);
    copy(to->code, p->code, p->n, 1);
    copy(to->half_cell, p->half_cell, p->cells, 2);
    copy(to->cell_code, p->cell_code, p->cells, 1);
    copy(to->cell_owner, p->cell_owner, p->cells, 1);
    copy(to->cell_accumulator, p->cell_accumulator, p->cells, sizeof *p->cell_accumulator);
    copy(to->cell, p->cell, p->cells, sizeof *p->cell);
    copy(to->behind, p->behind, p->cells, sizeof *p->behind);
    copy(to->counter, p->counter, p->cells, sizeof *p->counter);
}

void linear_turn_halves(void *half, uint64_t bytes)
{
    if (half) le_turn(half, 2, bytes / 2);
}

/* ---- merging ---- */

static int linear_by_id(const void *x, const void *y)
{
    const struct linear_origin *p = x, *q = y;
    return (p->id > q->id) - (p->id < q->id);
}

static int by_key(const void *x, const void *y)
{
    const struct linear_origin *p = x, *q = y;
    return p->key != q->key ? (p->key < q->key) - (p->key > q->key) : linear_by_id(x, y);
}

uint32_t linear_unite(const struct id_slots *a, const struct id_slots *b,
                      struct linear_origin *origin)
{
    uint32_t n = 0, united = 0;
    for (uint32_t s = 0; s < a->n; s++)
        origin[n++] = (struct linear_origin){.id = id_slots_id(a, s), .a = s + 1};
    for (uint32_t s = 0; s < b->n; s++)
        origin[n++] = (struct linear_origin){.id = id_slots_id(b, s), .b = s + 1};
    qsort(origin, n, sizeof *origin, linear_by_id);
    for (uint32_t i = 0; i < n; i++) {
        if (united && origin[united - 1].id == origin[i].id) {
            origin[united - 1].a |= origin[i].a;
            origin[united - 1].b |= origin[i].b;
        } else {
            origin[united++] = origin[i];
        }
    }
    return united;
}

void linear_rank(struct linear_origin *origin, uint32_t n)
{
    qsort(origin, n, sizeof *origin, by_key);
}
