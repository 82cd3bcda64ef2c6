/* feature_changes.c -- implementation of feature_changes.h. */
#include "feature_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/state/state_fields.h"

/* ---- lists ---- */

static size_t list_bytes(uint32_t k) { return k * (sizeof(struct feature) + FEATURE_NAME_BYTES); }

size_t feature_changes_bytes(const struct changes_cfg *cfg)
{
    return 2 * list_bytes((uint32_t)cfg->asked.k);
}

static int open_list(struct leat_ctx *ctx, struct feature_list *l, uint32_t k)
{
    l->feature = ctx->host->alloc(ctx, list_bytes(k));
    if (!l->feature) return LEAT_ENOMEM;
    l->text = (char *)(l->feature + k);
    return LEAT_OK;
}

int feature_changes_open(struct leat_ctx *ctx, struct feature_changes *c)
{
    const struct changes_cfg *cfg = ctx->cfg;
    const uint32_t k = c->k = (uint32_t)cfg->asked.k;
    c->weight_change = cfg->weight_change;
    c->final = cfg->final;
    if (open_list(ctx, &c->before, k) == LEAT_OK && open_list(ctx, &c->now, k) == LEAT_OK)
        return LEAT_OK;
    feature_changes_close(ctx, c);
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u features", k);
}

void feature_changes_close(struct leat_ctx *ctx, struct feature_changes *c)
{
    ctx->host->free(ctx, c->before.feature);
    ctx->host->free(ctx, c->now.feature);
}

void feature_changes_metrics(struct leat_ctx *ctx, const struct feature_changes *c)
{
    ctx->host->metric(ctx, "entered", c->entered);
    ctx->host->metric(ctx, "left", c->left);
}

static int compare_names(const struct feature *a, const struct feature *b)
{
    int by = memcmp(a->name, b->name, a->len < b->len ? a->len : b->len);
    return by ? by : (a->len > b->len) - (a->len < b->len);
}

static int feature_changes_by_name(const void *a, const void *b)
{
    const struct feature *x = a, *y = b;
    int by = compare_names(x, y);
    return by ? by : (x->row > y->row) - (x->row < y->row);
}

static int by_rank(const void *a, const void *b)
{
    const struct feature *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static void feature_changes_sort(struct feature_list *l, int (*order)(const void *, const void *))
{
    if (l->n) qsort(l->feature, l->n, sizeof *l->feature, order);
}

static uint32_t weight_column(const struct leat_table *t)
{
    uint32_t c = 0;
    while (c + 1 < t->n_columns && strcmp(t->columns[c], "weight"))
        c++;
    return c;
}

static double weight_at(const struct leat_table *t, uint32_t row)
{
    return t->n_columns ? t->values[(size_t)row * t->n_columns + weight_column(t)] : (double)NAN;
}

static void feature_changes_take_answer(struct feature_list *l, const struct leat_table *t,
                                        uint32_t max)
{
    l->n = t->n_rows < max ? t->n_rows : max;
    for (uint32_t r = 0; r < l->n; r++) {
        char *name = l->text + (size_t)r * FEATURE_NAME_BYTES;
        uint32_t len = t->name_len[r] < FEATURE_NAME_BYTES ? t->name_len[r] : FEATURE_NAME_BYTES;
        memcpy(name, t->names[r], len);
        l->feature[r] = (struct feature){weight_at(t, r), len, r, name};
    }
    feature_changes_sort(l, feature_changes_by_name);
}

/* ---- changes ---- */

void feature_changes_begin(struct feature_changes *c, const struct leat_table *t)
{
    feature_changes_take_answer(&c->now, t, c->k);
    c->answer = t;
    c->i = c->j = 0;
    c->compared = false;
    c->reported = 1;
}

/* True if the weight of a feature in both lists has moved far enough to report. */
static bool feature_changes_has_moved(const struct feature_changes *c, const struct feature *before,
                                      struct feature *now)
{
    if (c->weight_change > 0 && fabs(now->weight - before->weight) > c->weight_change) return true;
    now->weight = before->weight; /* the weight last reported, so a slow drift adds up */
    return false;
}

static bool next_difference(struct feature_changes *c, struct feature_change *out)
{
    struct feature_list *a = &c->before, *b = &c->now;
    while (c->i < a->n || c->j < b->n) {
        struct feature *before = a->feature + c->i, *now = b->feature + c->j;
        int by = c->i == a->n ? 1 : c->j == b->n ? -1 : compare_names(before, now);
        c->i += by <= 0;
        c->j += by >= 0;
        if (!by && !feature_changes_has_moved(c, before, now)) continue;
        *out = (struct feature_change){by < 0   ? "left"
                                       : by > 0 ? "entered"
                                                : "weight",
                                       by < 0 ? before : now};
        c->left += by < 0;
        c->entered += by > 0;
        return true;
    }
    return false;
}

/* Starts the final list, with the present weights, heaviest feature first. */
static void begin_final(struct feature_changes *c)
{
    c->compared = true;
    c->j = c->answer->last && c->final ? 0 : c->now.n;
    if (c->j == c->now.n) return;
    for (uint32_t i = 0; i < c->now.n; i++)
        c->now.feature[i].weight = weight_at(c->answer, c->now.feature[i].row);
    feature_changes_sort(&c->now, by_rank);
}

static void feature_changes_end(struct feature_changes *c)
{
    struct feature_list swap = c->before;
    feature_changes_sort(&c->now, feature_changes_by_name);
    c->before = c->now;
    c->now = swap;
    c->answer = NULL;
}

bool feature_changes_next(struct feature_changes *c, struct feature_change *out)
{
    if (!c->answer) return false;
    if (!c->compared) {
        if (next_difference(c, out)) return true;
        begin_final(c);
    }
    if (c->j < c->now.n) {
        *out = (struct feature_change){"final", &c->now.feature[c->j++]};
        return true;
    }
    feature_changes_end(c);
    return false;
}

/* ---- state: the last list, sorted by name ---- */

#define AT(member) STATE_MEMBER(struct feature_changes, member)
static const struct state_field fields[] = {
    {"reports", STATE_VALUE, .at = AT(reported)},
    {"entered", STATE_VALUE, .at = AT(entered)},
    {"left", STATE_VALUE, .at = AT(left)},
};
#undef AT

/* The last list in the form of a snapshot. */
struct feature_changes_saved {
    uint32_t k, features, max_bytes, name_bytes;
    double *weight;
    uint32_t *name_size;
    uint8_t *name; /* names, one after another */
};

#define AT(member) STATE_MEMBER(struct feature_changes_saved, member)
static const struct state_field list_fields[] = {
    {"features", STATE_VALUE, .at = AT(features), .limit = AT(k), .hint = "k"},
    {"name_bytes", STATE_VALUE, .at = AT(name_bytes), .limit = AT(max_bytes)},
    {"weights", STATE_LENT, .at = AT(weight), .count = {AT(features)}},
    {"name_sizes", STATE_LENT, .at = AT(name_size), .max = FEATURE_NAME_BYTES,
     .count = {AT(features)}},
    {"names", STATE_LENT, .at = AT(name), .count = {AT(name_bytes)}},
};
#undef AT

static void copy_list(struct feature_changes_saved *s, const struct feature_list *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        s->weight[i] = l->feature[i].weight;
        s->name_size[i] = l->feature[i].len;
        memcpy(s->name + s->name_bytes, l->feature[i].name, l->feature[i].len);
        s->name_bytes += l->feature[i].len;
    }
}

int feature_changes_save(struct leat_ctx *ctx, const struct feature_changes *c,
                         struct leat_writer *w)
{
    const struct feature_list *l = &c->before;
    const struct leat_host *h = ctx->host;
    struct feature_changes_saved s = {.features = l->n};
    s.weight = h->alloc(ctx, (l->n + 1) * sizeof *s.weight);
    s.name_size = h->alloc(ctx, (l->n + 1) * sizeof *s.name_size);
    s.name = h->alloc(ctx, (size_t)l->n * FEATURE_NAME_BYTES + 1);
    int status = s.weight && s.name_size && s.name ? LEAT_OK : LEAT_ENOMEM;
    if (status == LEAT_OK) copy_list(&s, l);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(fields), c);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(list_fields), &s);
    h->free(ctx, s.name);
    h->free(ctx, s.name_size);
    h->free(ctx, s.weight);
    return status;
}

static void feature_changes_take_list(struct feature_list *l, const struct feature_changes_saved *s)
{
    const uint8_t *from = s->name;
    for (l->n = 0; l->n < s->features; from += s->name_size[l->n++]) {
        char *name = l->text + (size_t)l->n * FEATURE_NAME_BYTES;
        memcpy(name, from, s->name_size[l->n]);
        l->feature[l->n] = (struct feature){s->weight[l->n], s->name_size[l->n], l->n, name};
    }
    feature_changes_sort(l, feature_changes_by_name);
}

int feature_changes_restore(struct feature_changes *c, struct leat_reader *r)
{
    struct feature_changes now = *c;
    struct feature_changes_saved s = {.k = c->k, .max_bytes = c->k * FEATURE_NAME_BYTES};
    uint64_t bytes = 0;
    if (state_read(r, STATE_TABLE(fields), &now) != LEAT_OK ||
        state_read(r, STATE_TABLE(list_fields), &s) != LEAT_OK)
        return LEAT_EDATA;
    for (uint32_t i = 0; i < s.features; i++)
        bytes += s.name_size[i];
    if (bytes != s.name_bytes)
        return r->refuse(r, "name_sizes add up to %llu, names has %u bytes",
                         (unsigned long long)bytes, s.name_bytes);
    feature_changes_take_list(&c->before, &s);
    c->reported = now.reported;
    c->entered = now.entered;
    c->left = now.left;
    return LEAT_OK;
}
