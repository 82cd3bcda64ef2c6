/* store_sums.c -- merges of models with slots: a model as sums (sums.h), and sums as a model. */
#include <assert.h>
#include <string.h>

#include "store.h"

static bool store_has_own_rates(const struct store *s) { return s->member.sum || s->member.code; }
static bool store_has_cell_rates(const struct store *s) { return s->cell.sum || s->cell.code; }
static bool store_is_half(struct numbers n) { return n.half != NULL; }

struct sums_fields store_sums_fields(const struct store *s, bool averaged)
{
    const struct linear_parts p = store_parts(s);
    struct sums_fields f = {
        .each = SUMS_OPTIONAL, .priority = p.priority != NULL, .owned = s->shape.owned};
    if (store_has_own_rates(s))
        f.sum = f.each++;
    else if (linear_cells(&s->shape))
        f.beside = f.each++;
    if (s->count) f.count = f.each, f.each += 2;
    if (p.frequency) f.frequency = f.each++;
    if (averaged) f.average = f.each, f.each += SUMS_AVERAGE;
    bool second = store_has_cell_rates(s) || p.behind || p.counter;
    if (linear_cells(&s->shape) && !s->shape.owned) f.cell = second ? 2 : 1;
    return f;
}

/* ---- a model as sums ---- */

static double store_sum_at(const struct store *s, struct numbers n, uint64_t at)
{
    return fixed_rounded((double)numbers_sum(n, (uint32_t)at, n.code != NULL) / s->sgd.grown);
}

double store_cell_weight(const struct store *s, uint64_t c)
{
    float w = numbers_weight(s->cell, (uint32_t)c, store_is_half(s->cell));
    return (double)l1_shrink(w, l1_pending(&s->sgd)) * s->sgd.alpha;
}

/* Returns the total of sums_knowledge(). A feature has a cell in each of `depth` rows. */
static double store_total(const struct store *s)
{
    double slots = 0, cells = 0;
    for (uint32_t k = 0; store_has_own_rates(s) && k < s->set.n; k++)
        slots += sums_total_of(&s->sgd, store_sum_at(s, s->member, k));
    for (uint64_t c = 0; store_has_cell_rates(s) && c < linear_cells(&s->shape); c++)
        cells += sums_total_of(&s->sgd, store_sum_at(s, s->cell, c));
    return slots + cells / (s->shape.depth ? s->shape.depth : 1);
}

struct sums_knowledge store_knowledge(const struct store *s)
{
    return sums_knowledge(&s->sgd, store_total(s));
}

/* Weight of a feature by the sketch alone. */
static double store_outside(const struct store *s, uint64_t id)
{
    const struct linear_kernel *k = s->kernel;
    return k->outside ? k->outside(s, id_slots_fold(id)) : k->weight(s, id_slots_fold(id));
}

static void store_sum_slot(const struct store *s, uint32_t slot, const struct sums_fields *f,
                           const struct sums_knowledge *k, struct fixed *row)
{
    double a = f->sum ? store_sum_at(s, s->member, slot) : 0;
    sums_put(row, f->sum ? sums_known(k, a) : sgd_age(&s->sgd), store_slot_weight(s, slot));
    if (f->sum) row[f->sum] = fixed_of(a);
    if (f->beside)
        row[f->beside] = fixed_of(sgd_age(&s->sgd) * store_outside(s, id_slots_id(&s->set, slot)));
    for (uint32_t y = 0; f->count && y < 2; y++)
        row[f->count + y] = fixed_of(sgd_counted(&s->sgd, s->count[2 * (size_t)slot + y]));
}

static void store_sum_cells(const struct store *s, const struct sums_knowledge *k, struct sums *to)
{
    const uint32_t each = to->fields.cell;
    const bool own = store_has_cell_rates(s);
    for (uint64_t c = 0; each && c < to->cells; c++) {
        struct fixed *v = to->cell + c * each;
        double a = own ? store_sum_at(s, s->cell, c) : 0,
               known = own ? sums_known(k, a) : sgd_age(&s->sgd);
        if (!own && !s->cell.weight) continue;
        v[SUMS_CELL_WEIGHT] = fixed_of(known * store_cell_weight(s, c));
        if (own) v[SUMS_CELL_SUM] = fixed_of(a);
    }
}

void store_sum(const struct store *s, struct sums *to, struct sums_slot *slot)
{
    const struct sums_knowledge k = store_knowledge(s);
    sums_take_clock(to, &s->sgd);
    to->feature.n = s->set.n;
    for (uint32_t i = 0; i < s->set.n; i++)
        slot[i] = (struct sums_slot){id_slots_id(&s->set, i), i};
    sums_sort(slot, s->set.n);
    for (uint32_t i = 0; i < s->set.n; i++) {
        to->feature.id[i] = slot[i].id;
        store_sum_slot(s, slot[i].slot, &to->fields, &k, sums_row(&to->feature, i));
    }
    store_sum_cells(s, &k, to);
    if (s->kernel->sum) s->kernel->sum(s, to, slot);
}

/* ---- sums as a model ---- */

struct sums_knowledge store_merged_knowledge(const struct store *m, const struct sums *s)
{
    const struct sums_fields *f = &s->fields;
    double slots = sums_total(&m->sgd, s), cells = 0;
    for (uint32_t k = 0; k < s->owner.n; k++)
        slots += sums_total_of(&m->sgd, fixed_value(&sums_row(&s->owner, k)[SUMS_CELL_SUM]));
    for (uint64_t c = 0; store_has_cell_rates(m) && f->cell && c < s->cells; c++)
        cells += sums_total_of(&m->sgd, fixed_value(&s->cell[c * f->cell + SUMS_CELL_SUM]));
    return sums_knowledge(&m->sgd, slots + cells / (m->shape.depth ? m->shape.depth : 1));
}

static void store_settle_cells(struct store *m, const struct sums *s,
                               const struct sums_knowledge *k)
{
    const uint32_t each = s->fields.cell;
    const bool own = store_has_cell_rates(m);
    if (!own && !m->cell.weight) return;
    for (uint64_t c = 0; each && c < s->cells; c++) {
        const struct fixed *v = s->cell + c * each;
        double a = own ? fixed_value(&v[SUMS_CELL_SUM]) : 0,
               known = own ? sums_known(k, a) : fixed_value(&s->clock[SUMS_EXAMPLES]);
        double w = known > 0 ? fixed_value(&v[SUMS_CELL_WEIGHT]) / known : 0;
        store_put_weight(m->cell, (uint32_t)c, w, store_is_half(m->cell));
        if (own) store_put_sum(m->cell, (uint32_t)c, m->sgd.grown * a, m->cell.code != NULL);
    }
}

static void store_weigh(const struct store *m, const struct sums *s, const struct sums_knowledge *k,
                        struct sums_place *place)
{
    for (uint32_t i = 0; i < s->feature.n; i++)
        place[i] = sums_place(s, i, k, s->fields.beside ? store_outside(m, s->feature.id[i]) : 0);
    if (m->kernel->weigh) m->kernel->weigh(m, s, place, s->feature.n);
}

static void store_settle_slot(struct store *m, uint32_t slot, const struct sums *s,
                              const struct sums_place *p)
{
    const struct fixed *row = sums_row(&s->feature, p->row);
    m->set.id[slot] = id_slots_fold(p->id);
    store_put_weight(m->member, slot, p->weight, store_is_half(m->member));
    if (s->fields.sum)
        store_put_sum(m->member, slot, m->sgd.grown * p->sum, m->member.code != NULL);
    for (uint32_t y = 0; s->fields.count && y < 2; y++)
        m->count[2 * (size_t)slot + y] = sums_count(&m->sgd, &row[s->fields.count + y]);
    if (m->kernel->settle_slot) m->kernel->settle_slot(m, slot, s, p);
}

void store_settle(struct store *m, const struct sums *s, struct sums_place *place)
{
    struct sgd clock = sums_clock(s, &m->sgd);
    assert(!m->set.n && s->cells == linear_cells(&m->shape));
    sgd_take(&m->sgd, &clock, &m->sgd.opt);
    const struct sums_knowledge k = store_merged_knowledge(m, s);
    uint32_t n = s->feature.n, stay = n < m->shape.active ? n : m->shape.active;
    store_settle_cells(m, s, &k);
    if (m->kernel->settle) m->kernel->settle(m, s);
    store_weigh(m, s, &k, place);
    sums_rank(place, n);
    for (uint32_t slot = 0; slot < stay; slot++)
        store_settle_slot(m, slot, s, &place[slot]);
    store_rebuild(m, stay);
    if (m->kernel->put_back) m->kernel->put_back(m, place, stay, n);
}
