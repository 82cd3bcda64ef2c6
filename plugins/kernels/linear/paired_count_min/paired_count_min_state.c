/* paired_count_min_state.c -- paired Count-Min sketches from their parts, and from two others; see
 * paired_count_min.h.
 *
 * Members are enrolled one after the other, each in the next slot. That orders the heap anew, but
 * who is its lightest member depends on ratios and slots alone.
 */
#include "paired_count_min.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/sgd_state.h"

static size_t cells(const struct paired *m) { return 2 * (size_t)m->shape.width * m->shape.depth; }

struct paired_parts paired_parts(const struct paired *m)
{
    return (struct paired_parts){.records = {m->records[0], m->records[1]},
                                 .n_active = m->n_active,
                                 .cursor = m->cursor,
                                 .id = m->id,
                                 .ratio = m->ratio,
                                 .cell = m->cell};
}

const char *paired_load(struct paired *m, const struct paired_parts *p)
{
    if (p->n_active > m->shape.active) return "it has more features than slots";
    if (p->cursor > p->n_active) return "its cursor is beyond its features";
    for (uint32_t s = 0; s < p->n_active; s++) {
        if (!(fabsf(p->ratio[s]) <= SGD_LIMIT)) return "a ratio is out of range";
        if (!paired_enrol(m, p->id[s], (double)p->ratio[s])) return "a feature has two slots";
    }
    memcpy(m->cell, p->cell, cells(m) * sizeof *m->cell);
    memcpy(m->records, p->records, sizeof m->records);
    m->cursor = p->cursor;
    return NULL;
}

/* ---- merging ---- */

static int by_id(const void *x, const void *y)
{
    const struct paired_member *p = x, *q = y;
    return (p->id > q->id) - (p->id < q->id);
}

/* Largest first; equal ones by id, so that the order is the same whichever way round. */
static int by_ratio(const void *x, const void *y)
{
    const struct paired_member *p = x, *q = y;
    double a = fabs(p->ratio), b = fabs(q->ratio);
    return a != b ? (a < b) - (a > b) : by_id(x, y);
}

/* The members of a and b, each once. Returns how many. */
static uint32_t unite(const struct paired *a, const struct paired *b, struct paired_member *member)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = 0; s < a->n_active; s++)
        member[n++] = (struct paired_member){.id = a->id[s], .a = s + 1};
    for (uint32_t s = 0; s < b->n_active; s++)
        member[n++] = (struct paired_member){.id = b->id[s], .b = s + 1};
    qsort(member, n, sizeof *member, by_id);
    for (uint32_t i = 0; i < n; i++) {
        if (kept && member[kept - 1].id == member[i].id) {
            member[kept - 1].a |= member[i].a;
            member[kept - 1].b |= member[i].b;
        } else {
            member[kept++] = member[i];
        }
    }
    return kept;
}

void paired_merge(struct paired *m, const struct paired *a, const struct paired *b, double count,
                  struct paired_member *member)
{
    uint32_t n = unite(a, b, member), stay = n < m->shape.active ? n : m->shape.active;
    for (size_t i = 0; i < cells(m); i++)
        m->cell[i] = sgd_add_count(a->cell[i], b->cell[i], count);
    for (int y = 0; y < 2; y++)
        m->records[y] = sgd_add_records(a->records[y], b->records[y], count);
    for (uint32_t i = 0; i < n; i++)
        member[i].ratio = paired_ratio(m, member[i].id);
    qsort(member, n, sizeof *member, by_ratio);
    for (uint32_t i = 0; i < stay; i++)
        paired_enrol(m, member[i].id, member[i].ratio);
}
