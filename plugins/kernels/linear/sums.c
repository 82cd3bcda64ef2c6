/* sums.c -- implementation of sums.h. */
#include "sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/count.h"
#include "kernels/base/layout.h"
#include "kernels/base/loss.h"

/* ---- memory ---- */

static void sums_lay_out_table(struct sums_table *t, uint32_t n, uint32_t each, struct layout *c)
{
    t->each = each;
    t->id = layout_take(c, n, sizeof *t->id);
    t->value = layout_take(c, (size_t)n * each, sizeof *t->value);
}

static size_t sums_place_arrays(struct sums *s, uint32_t features, uint32_t owners, void *block)
{
    struct layout c = {block, 0};
    const struct sums_fields *f = &s->fields;
    sums_lay_out_table(&s->feature, features, f->each, &c);
    sums_lay_out_table(&s->owner, owners, SUMS_OWNER, &c);
    s->priority = f->priority ? layout_take(&c, features, sizeof *s->priority) : NULL;
    s->cell = layout_take(&c, (size_t)s->cells * f->cell, sizeof *s->cell);
    return c.used;
}

uint64_t sums_block_bytes(const struct sums *s, uint32_t features, uint32_t owners)
{
    struct sums pattern = *s;
    return sums_place_arrays(&pattern, features, owners, NULL) + 64;
}

void sums_lay_out(struct sums *s, uint32_t features, uint32_t owners, void *block)
{
    sums_place_arrays(s, features, owners, block);
}

uint32_t sums_find(const struct sums_table *t, uint64_t id)
{
    uint32_t low = 0, high = t->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        *(t->id[middle] < id ? &low : &high) = middle + (t->id[middle] < id);
    }
    return low < t->n && t->id[low] == id ? low : UINT32_MAX;
}

/* ---- adding ---- */

static int sums_by_id(const void *x, const void *y)
{
    const struct sums_slot *p = x, *q = y;
    return p->id != q->id ? (p->id > q->id) - (p->id < q->id)
                          : (p->slot > q->slot) - (p->slot < q->slot);
}

void sums_sort(struct sums_slot *slot, uint32_t n)
{
    if (n) qsort(slot, n, sizeof *slot, sums_by_id);
}

/* Factors of one side of a merge: its count, times what is left of it if it fades. Weights times
 * knowledge fade twice, and squares three times. */
struct sums_shares {
    double plain, weight, square;
};

static void sums_add_one(struct fixed *to, const struct fixed *v, double by)
{
    struct fixed scaled = *v;
    fixed_scale(&scaled, by);
    fixed_add(to, &scaled);
}

static void sums_add_row(struct fixed *to, const struct fixed *row, const struct sums_fields *f,
                         const struct sums_shares *s)
{
    fixed_add(&to[SUMS_MODELS], &row[SUMS_MODELS]);
    sums_add_one(&to[SUMS_KNOWN], &row[SUMS_KNOWN], s->plain);
    sums_add_one(&to[SUMS_WEIGHT], &row[SUMS_WEIGHT], s->weight);
    sums_add_one(&to[SUMS_SQUARE], &row[SUMS_SQUARE], s->square);
    for (uint32_t i = SUMS_OPTIONAL; i < f->each; i++)
        sums_add_one(&to[i], &row[i], i == f->beside ? s->weight : s->plain);
}

/* Adds sums of cells or owners, of which each has `each`. */
static void sums_add_cells(struct fixed *to, const struct fixed *v, uint64_t n, uint32_t each,
                           const struct sums_shares *s)
{
    for (uint64_t i = 0; i < n * each; i++)
        sums_add_one(&to[i], &v[i], i % each == SUMS_CELL_WEIGHT ? s->weight : s->plain);
}

/* Writes to `origin` where the rows of both tables' union come from. Returns their number. */
static uint32_t sums_unite(const struct sums_table *a, const struct sums_table *b,
                           struct sums_origin *origin)
{
    uint32_t n = 0, i = 0, j = 0;
    while (i < a->n || j < b->n) {
        bool in_a = i < a->n && (j == b->n || a->id[i] <= b->id[j]),
             in_b = j < b->n && (i == a->n || b->id[j] <= a->id[i]);
        i += in_a, j += in_b;
        origin[n++] = (struct sums_origin){in_a ? i : 0, in_b ? j : 0};
    }
    return n;
}

/* Sets the ids of the union, and its rows to 0. */
static void sums_begin_table(struct sums_table *to, const struct sums_table *a,
                             const struct sums_table *b, struct sums_origin *origin)
{
    to->n = sums_unite(a, b, origin);
    for (uint32_t k = 0; k < to->n; k++)
        to->id[k] = origin[k].a ? a->id[origin[k].a - 1] : b->id[origin[k].b - 1];
    if (to->n) memset(to->value, 0, (size_t)to->n * to->each * sizeof *to->value);
}

static void sums_add_clock(struct sums *to, const struct sums *s, double count,
                           const struct sums_shares *share)
{
    to->models = count_add(to->models, s->models, 1);
    to->t = count_add(to->t, s->t, count);
    to->dropped = count_add(to->dropped, s->dropped, count);
    for (int y = 0; y < 2; y++)
        to->records[y] = count_add(to->records[y], s->records[y], count);
    for (int i = 0; i < SUMS_CLOCK; i++)
        sums_add_one(&to->clock[i], &s->clock[i], i == SUMS_BIAS ? share->weight : share->plain);
}

/* Adds the sums of one side. `from`: the row in `s` of each row of `to`, plus 1, in steps of a
 * struct sums_origin. */
static void sums_add_side(struct sums *to, const struct sums *s, double count, double left,
                          const uint32_t *from)
{
    const uint32_t step = sizeof(struct sums_origin) / sizeof *from;
    const struct sums_shares share = {count * left, count * left * left,
                                      count * left * left * left};
    sums_add_clock(to, s, count, &share);
    for (uint32_t k = 0; k < to->feature.n; k++) {
        uint32_t row = from[(size_t)k * step];
        if (!row) continue;
        sums_add_row(sums_row(&to->feature, k), sums_row(&s->feature, row - 1), &to->fields,
                     &share);
        if (to->priority) to->priority[k] = fmaxf(to->priority[k], s->priority[row - 1]);
    }
    if (to->fields.cell) sums_add_cells(to->cell, s->cell, to->cells, to->fields.cell, &share);
    for (uint32_t k = 0; k < s->owner.n; k++)
        sums_add_cells(sums_row(&to->owner, sums_find(&to->owner, s->owner.id[k])),
                       sums_row(&s->owner, k), 1, SUMS_OWNER, &share);
}

void sums_add(struct sums *to, const struct sums *a, const struct sums *b, double count,
              double half_life, struct sums_origin *origin)
{
    struct half_life_clock at_a = a->at, at_b = b->at;
    assert(a->cells == b->cells && !memcmp(&a->fields, &b->fields, sizeof a->fields));
    double left_a = half_life > 0 ? half_life_meet(&at_a, half_life, &b->at) : 1;
    double left_b = half_life > 0 ? half_life_meet(&at_b, half_life, &at_a) : 1;
    to->at = at_b.newest > at_a.newest ? at_b : at_a;
    sums_begin_table(&to->owner, &a->owner, &b->owner, origin);
    sums_begin_table(&to->feature, &a->feature, &b->feature, origin);
    sums_add_side(to, a, 1, left_a, &origin->a);
    sums_add_side(to, b, count, left_b, &origin->b);
}

/* ---- knowledge ---- */

/* Least knowledge of a weight. A feature may enter a slot with a weight from the sketch, and
 * without an accumulator. With values of some 1e-10, accumulators are rounded to 0. */
static const double SUMS_LEAST = 1e-12, SUMS_LEAST_SUM = 0x1p-63;

/* Returns x^1.25 of the mean value x of an entry, at most 1. `total` is sum_i min(a_i, G). */
static double sums_scale(const struct sgd *s, double mean, double total)
{
    double G = s->bias_sum / s->grown, share = G > 0 && mean > 0 ? total / G / mean : 1;
    return share < 1 ? share * share * sqrt(share) : 1; /* x = share^2 where x is below 1 */
}

struct sums_knowledge sums_knowledge(const struct sgd *s, double total)
{
    struct sums_knowledge k = {.rates = s->opt.rates, .start = 1};
    if (k.rates == SGD_ADAGRAD) k.start = 2 * s->opt.rate;
    if (k.rates != SGD_ADAPTIVE) return k;
    double mean = s->sized > 0 ? s->size / s->sized : 1;
    k.start = sqrt(8 * mean) / s->opt.rate * sums_scale(s, mean, total);
    return k;
}

double sums_known(const struct sums_knowledge *k, double a)
{
    if (k->rates != SGD_ADAGRAD) return fmax(SUMS_LEAST_SUM, a + k->start);
    double way = k->start * sqrt(a), moved = 1 - loss_exp(-way);
    return fmax(SUMS_LEAST, way < 1e-9 ? sqrt(a) / k->start : a / moved);
}

/* Returns what the model knows of its bias. */
static double sums_known_of_bias(const struct sgd_options *o, double examples, double G)
{
    return o->rates == SGD_ADAPTIVE ? G + sqrt(8) / o->rate : examples;
}

void sums_take_clock(struct sums *s, const struct sgd *clock)
{
    double G = clock->bias_sum / clock->grown, n = sgd_age(clock);
    s->models = 1;
    s->t = clock->t;
    s->at = clock->at;
    s->clock[SUMS_EXAMPLES] = fixed_of(n);
    s->clock[SUMS_AGE] = fixed_of(clock->age);
    for (int y = 0; y < 2; y++) {
        s->records[y] = clock->records[y];
        s->clock[SUMS_MASS + y] = fixed_of(clock->mass[y]);
        s->clock[SUMS_FADED + y] = fixed_of(clock->faded[y]);
    }
    s->clock[SUMS_SIZE] = fixed_of(clock->size);
    s->clock[SUMS_SIZED] = fixed_of(clock->sized);
    s->clock[SUMS_BIAS_SUM] = fixed_of(G);
    s->clock[SUMS_BIAS] = fixed_of(sums_known_of_bias(&clock->opt, n, G) * clock->bias);
}

static double sums_bias(const struct sums *s, const struct sgd *c, double G)
{
    double known = sums_known_of_bias(&c->opt, fixed_value(&s->clock[SUMS_EXAMPLES]), G);
    double limit = (double)SGD_LIMIT;
    switch (c->opt.bias) {
    case SGD_BIAS_NONE:
        return 0;
    case SGD_BIAS_PRIOR: /* log odds of the merged masses (sgd.h) */
        return loss_log((c->mass[1] + 0.5) / (c->mass[0] + 0.5));
    case SGD_BIAS_SGD:
        break;
    }
    return known > 0 ? fmax(-limit, fmin(limit, fixed_value(&s->clock[SUMS_BIAS]) / known)) : 0;
}

struct sgd sums_clock(const struct sums *s, const struct sgd *like)
{
    struct sgd c = {.opt = like->opt, .alpha = 1.0, .recency = 1.0, .t = s->t, .at = s->at};
    double G = fixed_value(&s->clock[SUMS_BIAS_SUM]);
    c.age = fixed_value(&s->clock[SUMS_AGE]);
    c.grown = sgd_base_of(c.opt.by_time, c.age);
    for (int y = 0; y < 2; y++) {
        c.records[y] = s->records[y];
        c.mass[y] = fixed_value(&s->clock[SUMS_MASS + y]);
        c.faded[y] = fixed_value(&s->clock[SUMS_FADED + y]);
    }
    c.size = fixed_value(&s->clock[SUMS_SIZE]);
    c.sized = fixed_value(&s->clock[SUMS_SIZED]);
    c.bias_sum = G * c.grown;
    c.bias = sums_bias(s, &c, G);
    return c;
}

void sums_put(struct fixed *row, double known, double weight)
{
    row[SUMS_MODELS] = fixed_of(1);
    row[SUMS_KNOWN] = fixed_of(known);
    row[SUMS_WEIGHT] = fixed_of(known * weight);
    row[SUMS_SQUARE] = fixed_of(known * weight * weight);
}

double sums_spread(const struct fixed *row, double by)
{
    double models = fixed_value(&row[SUMS_MODELS]), known = fixed_value(&row[SUMS_KNOWN]);
    if (!(models > 1 && known > 0 && by > 0)) return (double)NAN;
    double mean = fixed_value(&row[SUMS_WEIGHT]) / known;
    double v = fixed_value(&row[SUMS_SQUARE]) / known - mean * mean;
    return sqrt(fmax(v, 0) / (models - 1)) * known / by;
}

double sums_total(const struct sgd *clock, const struct sums *s)
{
    double total = 0;
    for (uint32_t k = 0; s->fields.sum && k < s->feature.n; k++)
        total += sums_total_of(clock, fixed_value(&sums_row(&s->feature, k)[s->fields.sum]));
    return total;
}

struct sums_place sums_place(const struct sums *s, uint32_t row, const struct sums_knowledge *k,
                             double outside)
{
    const struct fixed *of = sums_row(&s->feature, row);
    struct sums_place p = {.id = s->feature.id[row], .row = row};
    double w = fixed_value(&of[SUMS_WEIGHT]);
    double examples = fixed_value(&s->clock[SUMS_EXAMPLES]);
    if (s->fields.sum) p.sum = fixed_value(&of[s->fields.sum]);
    if (s->fields.beside) w += examples * outside - fixed_value(&of[s->fields.beside]);
    p.by = s->fields.sum ? sums_known(k, p.sum) : examples;
    p.weight = p.by > 0 ? w / p.by : 0;
    p.key = fabs(p.weight);
    return p;
}

static int sums_by_key(const void *x, const void *y)
{
    const struct sums_place *p = x, *q = y;
    return p->key != q->key ? (p->key < q->key) - (p->key > q->key)
                            : (p->id > q->id) - (p->id < q->id);
}

void sums_rank(struct sums_place *place, uint32_t n)
{
    if (n) qsort(place, n, sizeof *place, sums_by_key);
}

uint32_t sums_count(const struct sgd *s, const struct fixed *v)
{
    double scale = s->opt.half_life > 0 ? s->unit * s->grown : 1, n = scale * fixed_value(v) + 0.5;
    return n < (double)UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* ---- checks ---- */

static bool sums_ascend(const struct sums_table *t)
{
    for (uint32_t k = 1; k < t->n; k++)
        if (t->id[k - 1] >= t->id[k]) return false;
    return true;
}

/* Checks that owners own cells of the model, in pairs (adaptive.h). */
static bool sums_own_cells(const struct sums *s)
{
    for (uint32_t k = 0; k < s->owner.n; k++)
        if (!sums_owner_tag(s->owner.id[k]) || sums_owner_pair(s->owner.id[k]) >= s->cells / 2)
            return false;
    return true;
}

/* True if a sum of a feature may be negative. */
static bool sums_has_sign(const struct sums_fields *f, uint32_t i)
{
    return i == SUMS_WEIGHT || (f->beside && i == f->beside) ||
           (f->average && i == f->average + 1); /* records times the mean */
}

static bool sums_is_negative(const struct fixed *v) { return v->word[FIXED_WORDS - 1] >> 63; }

const char *sums_check(const struct sums *s)
{
    const struct sums_table *f = &s->feature;
    if (!sums_ascend(f)) return "ids do not ascend";
    if (!s->fields.wide && f->n && f->id[f->n - 1] > UINT32_MAX)
        return "ids has a number above 2^32";
    if (!sums_ascend(&s->owner)) return "owners do not ascend";
    if (!sums_own_cells(s)) return "owners has a cell that the model does not have";
    for (int i = 0; i < SUMS_CLOCK; i++)
        if (i != SUMS_BIAS && sums_is_negative(&s->clock[i])) return "clock has a sum below 0";
    for (uint32_t k = 0; k < s->feature.n; k++)
        for (uint32_t i = 0; i < s->feature.each; i++)
            if (sums_is_negative(&sums_row(&s->feature, k)[i]) && !sums_has_sign(&s->fields, i))
                return "features has a sum below 0";
    return NULL;
}
