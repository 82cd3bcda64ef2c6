/* paired_count_min_state.c -- paired Count-Min sketches from their parts, and from two others; see
 * paired_count_min.h.
 */
#include "paired_count_min.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/count.h"
#include "kernels/base/feature_id.h"
#include "kernels/linear/sgd_state.h"

struct paired_count_min_parts paired_count_min_parts(const struct paired_count_min *m)
{
    return (struct paired_count_min_parts){.records = {m->records[0], m->records[1]},
                                           .max_active = m->shape.active,
                                           .n_active = m->members.n,
                                           .cursor = m->cursor,
                                           .id = m->members.id,
                                           .ratio = m->ratio,
                                           .cells = 2ull * m->shape.width * m->shape.depth,
                                           .cell = m->cell};
}

const char *paired_count_min_load(struct paired_count_min *m,
                                  const struct paired_count_min_parts *p)
{
    assert(!m->members.n && p->n_active <= m->shape.active && p->cursor <= p->n_active);
    memcpy(m->members.id, p->id, p->n_active * sizeof *p->id);
    memcpy(m->ratio, p->ratio, p->n_active * sizeof *p->ratio);
    memcpy(m->cell, p->cell, p->cells * sizeof *m->cell);
    memcpy(m->records, p->records, sizeof m->records);
    m->cursor = p->cursor;
    m->members.n = p->n_active;
    paired_count_min_rebuild(m);
    return id_slots_check(&m->members) ? FEATURE_ID_TWICE : NULL;
}

/* ---- merging ---- */

void paired_count_min_merge(struct paired_count_min *m, const struct paired_count_min *a,
                            const struct paired_count_min *b, double count,
                            struct linear_origin *member)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->members.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    uint32_t n = linear_unite(a->members.n, a->members.id, b->members.n, b->members.id, member);
    uint32_t stay = n < m->shape.active ? n : m->shape.active;
    for (uint64_t i = 0, cells = paired_count_min_parts(m).cells; i < cells; i++)
        m->cell[i] = sgd_add_count(a->cell[i], b->cell[i], count);
    for (int y = 0; y < 2; y++)
        m->records[y] = count_add(a->records[y], b->records[y], count);
    for (uint32_t i = 0; i < n; i++) {
        member[i].weight = paired_count_min_ratio(m, member[i].id);
        member[i].key = fabs(member[i].weight);
    }
    linear_rank(member, n);
    for (uint32_t s = 0; s < stay; s++) {
        m->members.id[s] = member[s].id;
        m->ratio[s] = (float)member[s].weight;
    }
    m->members.n = stay;
    paired_count_min_rebuild(m);
}
