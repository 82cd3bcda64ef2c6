/* units.c -- implementation of units.h. */
#include "units.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "kernels/base/layout.h"
#include "kernels/summaries/id_slots.h"

enum { UNITS_MOST = LEAT_MAX_COLUMNS };

/* ---- memory ---- */

static size_t units_lay_out(struct units *u, uint32_t n, uint32_t n_fields, void *block)
{
    struct layout y = {block, (sizeof *u + 63) & ~(size_t)63};
    u->of = layout_take(&y, n, sizeof *u->of);
    u->number_of = layout_take(&y, n_fields, sizeof *u->number_of);
    u->moved = layout_take(&y, n, sizeof *u->moved);
    return y.used;
}

/* Returns the number of fields that may be numbers. */
static uint32_t units_fields(const struct leat_schema *in)
{
    size_t known = offsetof(struct leat_schema, n_marks) + sizeof in->n_marks;
    return in->size >= known ? in->n_marks : 0;
}

static uint32_t units_count(const struct leat_schema *in)
{
    uint32_t n = 0, n_fields = units_fields(in);
    for (uint32_t f = 0; f < n_fields; f++)
        n += in->mark[f] == LEAT_MARK_NUMBER;
    return n;
}

uint64_t units_bytes(const struct leat_schema *in, uint32_t max_row)
{
    struct units u;
    uint32_t n = units_count(in);
    const uint32_t labels = 1;
    return units_lay_out(&u, n + labels, units_fields(in), NULL) +
           (n ? max_row * sizeof *u.value : 0);
}

/* Returns zeroed units for n numbers. */
static struct units *units_new(struct leat_ctx *ctx, uint32_t n, uint32_t n_fields)
{
    struct units sizes, *u = ctx->host->alloc(ctx, units_lay_out(&sizes, n, n_fields, NULL));
    if (!u) {
        ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the units of %u numbers",
                        n);
        return NULL;
    }
    units_lay_out(u, n, n_fields, u);
    u->n = n;
    u->n_fields = n_fields;
    return u;
}

static int units_by_key(const void *x, const void *y)
{
    const struct units_number *a = x, *b = y;
    return (a->key > b->key) - (a->key < b->key);
}

/* Returns the index of a key; u->n if it has none. */
static uint32_t units_find(const struct units *u, uint64_t key)
{
    uint32_t low = 0, high = u->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (u->of[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < u->n && u->of[low].key == key ? low : u->n;
}

static uint64_t units_key(const char *name) { return feature_id_name(name, strlen(name)); }

static void units_find_label(struct units *u)
{
    u->label = u->n && u->of[0].key == 0 ? &u->of[0].unit : NULL;
}

int units_open(struct leat_ctx *ctx, unsigned use, struct units **out)
{
    const struct leat_schema *in = ctx->in;
    const bool label = use & UNITS_LABEL;
    uint32_t n = units_count(in) + label, n_fields = units_fields(in), k = label;
    *out = NULL;
    if (!n) return LEAT_OK;
    struct units *u = units_new(ctx, n, n_fields);
    if (!u) return LEAT_ENOMEM;
    for (uint32_t f = 0; f < n_fields; f++)
        if (in->mark[f] == LEAT_MARK_NUMBER) u->of[k++].key = units_key(in->fields[f]);
    qsort(u->of, n, sizeof *u->of, units_by_key);
    for (uint32_t f = 0; f < n_fields; f++)
        if (in->mark[f] == LEAT_MARK_NUMBER)
            u->number_of[f] = 1 + units_find(u, units_key(in->fields[f]));
    for (uint32_t f = 0; f < n_fields; f++)
        if (in->mark[f] == LEAT_MARK_CONSTANT) u->constant = units_key(in->fields[f]);
    units_find_label(u);
    u->use = use;
    *out = u;
    return LEAT_OK;
}

void units_close(struct leat_ctx *ctx, struct units *u)
{
    if (u) ctx->host->free(ctx, u->value);
    ctx->host->free(ctx, u);
}

int units_reserve(struct leat_ctx *ctx, struct units *u, uint32_t max_row)
{
    if (!u || u->n == (u->label != NULL)) return LEAT_OK;
    u->value = ctx->host->alloc(ctx, (max_row + 1ull) * sizeof *u->value);
    u->max_row = max_row;
    if (u->value) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENOMEM,
                           "there is not enough memory for examples of %u entries", max_row);
}

void units_lend(struct units *u, struct units *from)
{
    if (!u || !from) return;
    u->value = from->value;
    u->max_row = from->max_row;
    from->value = NULL;
}

/* ---- examples ---- */

/* Returns the number of entry i; NULL if it is none. */
static struct units_number *units_of_entry(struct units *u, const struct leat_batch *b, uint32_t i)
{
    const struct leat_name *name = &b->name[i];
    if (!name->part[0] || name->part[1]) return NULL;
    const struct leat_part *part = &b->part[name->part[0] - 1];
    if (part->field >= u->n_fields || part->value.len != LEAT_NULL) return NULL;
    uint32_t k = u->number_of[part->field];
    return k ? &u->of[k - 1] : NULL;
}

/* Lets a unit see a value, and notes how its centre moved. */
static void units_see(struct units *u, struct units_number *of, uint64_t id, float x)
{
    const float centre = of->unit.centre, spread = of->unit.spread;
    of->id = id;
    of->merged = false;
    bool moved =
        unit_see(&of->unit, x, u->use & UNITS_STAY) && of->unit.centre != centre && spread > 0;
    if (!moved || u->n_moved == u->n) return;
    u->moved[u->n_moved++] =
        (struct units_move){id, ((double)of->unit.centre - (double)centre) / (double)spread};
}

const float *units_convert(struct units *u, const struct leat_batch *b, uint32_t e, bool learns)
{
    const uint32_t start = b->ex_start[e], n = b->ex_start[e + 1] - start;
    u->n_moved = 0;
    u->held_out = false;
    if (!u->value) return b->value + start;
    assert(n <= u->max_row);
    for (uint32_t i = 0; i < n; i++) {
        float x = u->value[i] = b->value[start + i];
        struct units_number *of = units_of_entry(u, b, start + i);
        if (!of) continue;
        if (learns) units_see(u, of, b->id[start + i], x);
        u->held_out |= unit_is_wild(&of->unit, x) && !unit_is_marker(&of->unit, x);
        u->value[i] = unit_of(&of->unit, x, u->use & UNITS_SCALED);
    }
    return u->value;
}

/* ---- answers ---- */

double units_spread(const struct units *u, uint64_t id, bool folded)
{
    if (!u || !(u->use & UNITS_SCALED)) return 1;
    for (uint32_t k = 0; k < u->n; k++) {
        const struct units_number *of = &u->of[k];
        if (!of->id || !(of->unit.spread > 0)) continue;
        if (folded ? id_slots_fold(of->id) == id : of->id == id) return (double)of->unit.spread;
    }
    return 1;
}

double units_constant(const struct units *u, double (*weight)(const void *of, uint64_t id),
                      const void *of)
{
    double sum = 0;
    for (uint32_t k = 0; u && k < u->n; k++) {
        const struct units_number *v = &u->of[k];
        if (!v->id || !(v->unit.spread > 0)) continue;
        double unit = u->use & UNITS_SCALED ? (double)v->unit.spread : 1;
        sum -= weight(of, v->id) * (double)v->unit.centre / unit;
    }
    return sum;
}

void units_tell(struct leat_ctx *ctx, const struct units *u)
{
    const double SHARE = 0.001;
    for (uint32_t f = 0; u && f < u->n_fields; f++) {
        if (!u->number_of[f]) continue;
        const struct unit *v = &u->of[u->number_of[f] - 1].unit;
        if (v->n > 1 && !(v->spread > 0))
            ctx->host->log(ctx, LEAT_WARN,
                           "column '%s' was %g in all %llu records: nothing was learned of it",
                           ctx->in->fields[f], (double)v->centre, (unsigned long long)v->n);
        if ((double)v->wild > SHARE * (double)(v->n + v->wild))
            ctx->host->log(ctx, LEAT_WARN,
                           "column '%s': %llu numbers were far from all others (by more than %g "
                           "from %g), and counted as missing: if they mark missing numbers, name "
                           "them to the parser (missing_texts)",
                           ctx->in->fields[f], (unsigned long long)v->wild, (double)v->limit,
                           (double)v->centre);
    }
}

/* ---- states ---- */

enum { UNITS_INTEGERS = 10, UNITS_FLOATS = 5 + 2 * UNIT_SAMPLE };

static void units_pack_integers(const struct units_number *of, uint64_t *to)
{
    const struct unit *v = &of->unit;
    uint64_t sum;
    memcpy(&sum, &v->sum, sizeof sum);
    const uint64_t all[UNITS_INTEGERS] = {of->key,   of->id,   v->n,       v->n_away, v->wild,
                                          v->recent, v->given, of->merged, v->marked, sum};
    memcpy(to, all, sizeof all);
}

static void units_pack_floats(const struct units_number *of, float *to)
{
    const struct unit *v = &of->unit;
    const float first[UNITS_FLOATS - 2 * UNIT_SAMPLE] = {v->centre, v->spread, v->limit, v->last,
                                                         v->marker};
    memcpy(to, first, sizeof first);
    memcpy(to + UNITS_FLOATS - 2 * UNIT_SAMPLE, v->value, sizeof v->value);
    memcpy(to + UNITS_FLOATS - UNIT_SAMPLE, v->away, sizeof v->away);
}

static void units_unpack(struct units_number *of, const uint64_t *integer, const float *number,
                         const struct fixed *sum)
{
    of->key = integer[0];
    of->id = integer[1];
    of->merged = integer[7] != 0;
    of->unit = (struct unit){.n = integer[2],
                             .n_away = integer[3],
                             .wild = integer[4],
                             .recent = (uint32_t)integer[5],
                             .given = integer[6] != 0,
                             .marked = integer[8] != 0,
                             .centre = number[0],
                             .spread = number[1],
                             .limit = number[2],
                             .last = number[3],
                             .marker = number[4]};
    memcpy(of->unit.value, number + UNITS_FLOATS - 2 * UNIT_SAMPLE, sizeof of->unit.value);
    memcpy(of->unit.away, number + UNITS_FLOATS - UNIT_SAMPLE, sizeof of->unit.away);
    memcpy(&of->unit.sum, &integer[9], sizeof of->unit.sum);
    memcpy(of->sum, sum, sizeof of->sum);
}

int units_write(const struct units *u, struct leat_writer *w)
{
    uint32_t n = u ? u->n : 0;
    int status = w->u64(w, "units", n);
    if (n && status == LEAT_OK) status = w->u64(w, "unit_constant", u->constant);
    if (!n || status != LEAT_OK) return status;
    const uint64_t words = (uint64_t)UNITS_SUMS * FIXED_WORDS;
    uint64_t *integer = w->reserve(w, "unit_counts", LEAT_U64, (uint64_t)n * UNITS_INTEGERS);
    for (uint32_t k = 0; integer && k < n; k++)
        units_pack_integers(&u->of[k], integer + (size_t)k * UNITS_INTEGERS);
    if (!integer) return LEAT_ENOMEM;
    float *number = w->reserve(w, "unit_values", LEAT_F32, (uint64_t)n * UNITS_FLOATS);
    for (uint32_t k = 0; number && k < n; k++)
        units_pack_floats(&u->of[k], number + (size_t)k * UNITS_FLOATS);
    if (!number) return LEAT_ENOMEM;
    uint64_t *sums = w->reserve(w, "unit_sums", LEAT_U64, n * words);
    for (uint32_t k = 0; sums && k < n; k++)
        memcpy(sums + k * words, u->of[k].sum, words * sizeof *sums);
    return sums ? LEAT_OK : LEAT_ENOMEM;
}

/* Lets the fields of `live` find their numbers in u, by key. */
static void units_link(struct units *u, const struct units *live)
{
    for (uint32_t f = 0; live && f < live->n_fields; f++)
        if (live->number_of[f])
            u->number_of[f] = 1 + units_find(u, live->of[live->number_of[f] - 1].key);
}

/* Returns units with the numbers of `all`, which are sorted, and those that only `live` has. */
static struct units *units_beside(struct leat_ctx *ctx, const struct units *live,
                                  const struct units_number *all, uint32_t n)
{
    uint32_t more = 0, live_n = live ? live->n : 0;
    struct units known = {.n = n, .of = (struct units_number *)(uintptr_t)all};
    for (uint32_t k = 0; k < live_n; k++)
        more += units_find(&known, live->of[k].key) == n;
    struct units *u = units_new(ctx, n + more, live ? live->n_fields : 0);
    if (!u) return NULL;
    if (n) memcpy(u->of, all, n * sizeof *all);
    for (uint32_t k = 0, at = n; k < live_n; k++)
        if (units_find(&known, live->of[k].key) == n) u->of[at++].key = live->of[k].key;
    qsort(u->of, u->n, sizeof *u->of, units_by_key);
    units_link(u, live);
    units_find_label(u);
    u->constant = live ? live->constant : 0;
    u->use = live ? live->use : UNITS_USED;
    return u;
}

/* Reads the numbers of a state into `of`, which has room for n. */
static int units_read_numbers(struct leat_reader *r, struct units_number *of, uint64_t n)
{
    const uint64_t words = (uint64_t)UNITS_SUMS * FIXED_WORDS;
    const void *integer, *number, *sum;
    if (r->array(r, "unit_counts", LEAT_U64, n * UNITS_INTEGERS, &integer) != LEAT_OK ||
        r->array(r, "unit_values", LEAT_F32, n * UNITS_FLOATS, &number) != LEAT_OK ||
        r->array(r, "unit_sums", LEAT_U64, n * words, &sum) != LEAT_OK)
        return LEAT_EDATA;
    for (uint64_t k = 0; k < n; k++) {
        units_unpack(&of[k], (const uint64_t *)integer + k * UNITS_INTEGERS,
                     (const float *)number + k * UNITS_FLOATS,
                     (const struct fixed *)sum + k * UNITS_SUMS);
        const char *wrong = unit_check(&of[k].unit);
        if (wrong) return r->refuse(r, "unit_values: %s", wrong);
        if (k && of[k].key <= of[k - 1].key)
            return r->refuse(r, "unit_counts: a number has two units");
    }
    return LEAT_OK;
}

int units_read(struct leat_ctx *ctx, unsigned use, const struct units *live, struct leat_reader *r,
               struct units **out)
{
    uint64_t n, constant = 0;
    *out = NULL;
    if (r->u64(r, "units", &n) != LEAT_OK) return LEAT_EDATA;
    if (n > UNITS_MOST)
        return r->refuse(r, "units is %llu; it must be 0 to %d", (unsigned long long)n, UNITS_MOST);
    if (!n && !live) return LEAT_OK;
    if (n && r->u64(r, "unit_constant", &constant) != LEAT_OK) return LEAT_EDATA;
    struct units_number *all = ctx->host->alloc(ctx, (n + 1) * sizeof *all);
    int status =
        all ? LEAT_OK : ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for units");
    if (status == LEAT_OK && n) status = units_read_numbers(r, all, n);
    if (status == LEAT_OK) *out = units_beside(ctx, live, all, (uint32_t)n);
    ctx->host->free(ctx, all);
    if (status != LEAT_OK) return status;
    if (!*out) return LEAT_ENOMEM;
    (*out)->use = use;
    if (constant) (*out)->constant = constant;
    return LEAT_OK;
}

/* ---- merges ---- */

/* Adds a number, whose values count `weight` times, to a sum. */
static void units_add(struct units_number *to, const struct units_number *of, double weight)
{
    const struct unit *v = &of->unit;
    struct fixed sum[UNITS_SUMS];
    memcpy(sum, of->sum, sizeof sum);
    if (!of->merged) {
        double values = v->spread > 0 ? (double)v->n : 0;
        const struct fixed more[UNITS_SUMS] = {fixed_of(values),
                                               fixed_of(values * (double)v->centre),
                                               fixed_of(values * (double)v->spread)};
        for (int k = 0; k < UNITS_SUMS; k++)
            fixed_add(&sum[k], &more[k]);
    }
    for (int k = 0; k < UNITS_SUMS; k++) {
        fixed_scale(&sum[k], weight);
        fixed_add(&to->sum[k], &sum[k]);
    }
    to->key = of->key;
    to->id = of->id > to->id ? of->id : to->id;
    to->unit.wild += v->wild;
    to->unit.limit = fmaxf(to->unit.limit, v->limit);
}

/* Sets the unit of a merged number to the means of its sums. */
static void units_settle(struct units_number *of)
{
    double n = fixed_value(&of->sum[UNITS_VALUES]);
    of->merged = true;
    of->unit.given = 1;
    if (!(n > 0)) return;
    of->unit.centre = (float)(fixed_value(&of->sum[UNITS_CENTRE]) / n);
    of->unit.spread = (float)(fixed_value(&of->sum[UNITS_SPREAD]) / n);
}

bool units_is_empty(const struct units *u)
{
    for (uint32_t k = 0; u && k < u->n; k++)
        if (u->of[k].unit.n || u->of[k].merged) return false;
    return true;
}

int units_join(struct leat_ctx *ctx, const struct units *a, const struct units *b, double weight,
               struct units **out)
{
    uint32_t n_a = a ? a->n : 0, n_b = b ? b->n : 0, n = 0;
    *out = NULL;
    if (!n_a && !n_b) return LEAT_OK;
    if (units_is_empty(b) || weight == 0) {
        *out = units_beside(ctx, a, a ? a->of : NULL, n_a);
        return *out ? LEAT_OK : LEAT_ENOMEM;
    }
    struct units_number *all = ctx->host->alloc(ctx, (n_a + n_b) * sizeof *all);
    if (!all) return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for units");
    for (uint32_t i = 0, j = 0; i < n_a || j < n_b; n++) {
        bool own = i < n_a && (j == n_b || a->of[i].key <= b->of[j].key),
             other = j < n_b && (i == n_a || b->of[j].key <= a->of[i].key);
        all[n] = (struct units_number){.key = 0};
        if (own) units_add(&all[n], &a->of[i++], 1);
        if (other) units_add(&all[n], &b->of[j++], weight);
        units_settle(&all[n]);
    }
    *out = units_beside(ctx, a, all, n);
    ctx->host->free(ctx, all);
    if (!*out) return LEAT_ENOMEM;
    (*out)->use = b->use;
    if (b->constant) (*out)->constant = b->constant;
    return LEAT_OK;
}
