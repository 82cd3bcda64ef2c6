/* wm_state.c -- a WM-Sketch from its parts, and from two others; see wm.h. */
#include "wm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/l1.h"
#include "kernels/linear/sgd_state.h"

static size_t cells(const struct wm *m) { return (size_t)m->shape.width * m->shape.depth; }

struct wm_parts wm_parts(const struct wm *m)
{
    return (struct wm_parts){.sgd = m->sgd,
                             .n_active = m->set.n,
                             .id = m->set.id,
                             .weight = m->weight,
                             .count = m->count,
                             .cell = m->cell};
}

/* Clock, ids, weights and cells are in place: make what follows from them. Bounds of the lightest
 * member begin at the lowest that there are; no decision depends on how tight they are. */
static void finish(struct wm *m, const struct sgd *clock, uint32_t n)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->set.n = n;
    wm_reindex(m);
    lazy_min_forget(&m->lightest);
    m->bar = n < m->set.capacity ? -1 : 0;
    m->n_entrants = 0;
    m->reach = 0;
    for (size_t c = 0; c < cells(m); c++)
        m->reach = fmax(m->reach, fabs((double)m->cell[c]));
}

const char *wm_load(struct wm *m, const struct wm_parts *p)
{
    const char *wrong = sgd_check(&p->sgd);
    if (p->n_active > m->shape.active) return "it has more features than slots";
    if (!wrong) wrong = sgd_check_weights(p->weight, p->n_active);
    if (!wrong) wrong = sgd_check_weights(p->cell, cells(m));
    if (wrong) return wrong;
    memcpy(m->set.id, p->id, p->n_active * sizeof *p->id);
    memcpy(m->weight, p->weight, p->n_active * sizeof *p->weight);
    memcpy(m->cell, p->cell, cells(m) * sizeof *p->cell);
    if (m->count) memcpy(m->count, p->count, p->n_active * 2 * sizeof *p->count);
    finish(m, &p->sgd, p->n_active);
    return id_slots_check(&m->set) ? "a feature has two slots" : NULL;
}

/* ---- merging ---- */

static int by_id(const void *x, const void *y)
{
    const struct wm_member *p = x, *q = y;
    return (p->id > q->id) - (p->id < q->id);
}

static int by_weight(const void *x, const void *y)
{
    const struct wm_member *p = x, *q = y;
    float a = fabsf(p->w), b = fabsf(q->w);
    return a != b ? (a < b) - (a > b) : by_id(x, y);
}

/* The members of a and b, each once. Returns how many. */
static uint32_t unite(const struct wm *a, const struct wm *b, struct wm_member *member)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = 0; s < a->set.n; s++)
        member[n++] = (struct wm_member){.id = a->set.id[s], .a = s + 1};
    for (uint32_t s = 0; s < b->set.n; s++)
        member[n++] = (struct wm_member){.id = b->set.id[s], .b = s + 1};
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

static void fill_slot(struct wm *m, uint32_t s, const struct wm_member *e, const struct wm *a,
                      const struct wm *b, double count)
{
    m->set.id[s] = e->id;
    m->weight[s] = e->w;
    for (uint32_t y = 0; m->count && y < 2; y++) {
        uint32_t in_a = e->a ? a->count[2 * (e->a - 1) + y] : 0;
        uint32_t in_b = e->b ? b->count[2 * (e->b - 1) + y] : 0;
        m->count[2 * s + y] = sgd_mix_count(&a->sgd, in_a, &b->sgd, in_b, count);
    }
}

/* What m believes the weight of a feature to be that is its member in slot - 1, or none (0). */
static double believed(const struct wm *m, uint32_t slot, uint32_t id)
{
    return slot ? wm_slot_weight(m, slot - 1) : (double)WM_TRUST * wm_weight(m, id);
}

void wm_merge(struct wm *m, const struct wm *a, const struct wm *b, double count,
              struct wm_member *member)
{
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    double pa = share.a * a->sgd.alpha, pb = share.b * b->sgd.alpha;
    float owed_a = l1_owed(&a->sgd), owed_b = l1_owed(&b->sgd);
    for (size_t c = 0; c < cells(m); c++) {
        double va = (double)l1_shrink(a->cell[c], owed_a);
        double vb = (double)l1_shrink(b->cell[c], owed_b);
        m->cell[c] = sgd_clamp((float)(pa * va + pb * vb));
    }
    uint32_t n = unite(a, b, member), stay = n < m->shape.active ? n : m->shape.active;
    for (uint32_t i = 0; i < n; i++)
        member[i].w = sgd_clamp((float)(share.a * believed(a, member[i].a, member[i].id) +
                                        share.b * believed(b, member[i].b, member[i].id)));
    qsort(member, n, sizeof *member, by_weight);
    for (uint32_t s = 0; s < stay; s++)
        fill_slot(m, s, &member[s], a, b, count);
    finish(m, &clock, stay);
}
