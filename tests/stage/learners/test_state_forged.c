/* test_state_forged.c -- states with one forged field under a right checksum, merged ones too.
 *
 * The test sets each field of each learner's state to some numbers that a run never writes. Either
 * the state is refused with the name of a field, or all figures of the learner stay finite. The
 * test finds learners in the plugins, and fields in the bytes of a state. */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/plugin/registry.h"
#include "host/store/state_codec.h"
#include "support/learner_rig.h"

enum { FIELDS = 256, NAME = 64 };

/* ---- fields of a state ---- */

struct field {
    char name[NAME];
    uint16_t type;
    uint64_t count;
    char *data;
};

struct fields {
    struct field field[FIELDS];
    uint32_t n;
};

static size_t size_of(uint16_t type)
{
    return type == LEAT_U8 ? 1 : type == LEAT_U32 || type == LEAT_F32 ? 4 : 8;
}

/* Finds a field: a header of 16 bytes, the name, the elements (state_codec.h). Skips fields stored
 * in blocks. */
static bool field_at(char *bytes, size_t n, size_t at, struct field *f, size_t *end)
{
    uint32_t len;
    if (at + 16 >= n) return false;
    memcpy(&f->type, bytes + at, 2);
    memcpy(&len, bytes + at + 4, 4);
    memcpy(&f->count, bytes + at + 8, 8);
    if (f->type < LEAT_U8 || f->type > LEAT_F64 || !len || len >= NAME || !f->count ||
        f->count > n || at + 16 + len > n)
        return false;
    memcpy(f->name, bytes + at + 16, len);
    f->name[len] = 0;
    if (strspn(f->name, "abcdefghijklmnopqrstuvwxyz0123456789_.") != len) return false;
    char how = bytes[at + 2];
    size_t align = how ? STATE_ALIGN : 8, data = (at + 16 + len + align - 1) / align * align;
    *end = data + f->count * size_of(f->type);
    f->data = bytes + data;
    return how != 2 && *end + 8 <= n;
}

static void add_fields(struct kept *s, struct fields *all)
{
    size_t end;
    for (size_t at = 24; at < s->n; at += 8)
        if (all->n < FIELDS && field_at(s->bytes, s->n, at, &all->field[all->n], &end)) {
            all->n++;
            at = (end + 7) / 8 * 8 - 8;
        }
}

static bool names_a_field(const struct fields *all, const char *said)
{
    for (uint32_t i = 0; i < all->n; i++) {
        const char *dot = strrchr(all->field[i].name, '.');
        if (strstr(said, dot ? dot + 1 : all->field[i].name)) return true;
    }
    return false;
}

/* ---- forged values ---- */

static const double numbers[] = {-1, 0, NAN, INFINITY, -INFINITY, 1e308, 0x1p63, 0x1p64};
enum { NUMBERS = sizeof numbers / sizeof *numbers, FORGERIES, FIRST = 48 };

static uint64_t whole(double x)
{
    if (!(x >= 0)) return UINT64_MAX; /* -1, nan */
    return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

/* True for an element that is forged: the last one. Elements of the sums of a merge have different
 * meanings, so the first ones are forged too. */
static bool is_forged(const struct field *f, uint64_t i)
{
    return i + 1 == f->count || (i < FIRST && strstr(f->name, "sums."));
}

static void set_number(const struct field *f, uint64_t i, double x)
{
    float f32 = (float)x;
    uint64_t u64 = whole(x);
    const void *v = f->type == LEAT_F64   ? (const void *)&x
                    : f->type == LEAT_F32 ? (const void *)&f32
                                          : (const void *)&u64; /* its low bytes */
    memcpy(f->data + i * size_of(f->type), v, size_of(f->type));
}

/* The last two elements change places. */
static void swap(const struct field *f)
{
    size_t size = size_of(f->type);
    char *b = f->data + (f->count - 1) * size, *a = b - size, keep[8];
    memcpy(keep, a, size);
    memcpy(a, b, size);
    memcpy(b, keep, size);
}

/* ---- answers ---- */

/* A share of no records is not a number. What would be left is unknown without a sample, and a
 * spread without a second model. */
static bool may_show(const char *column, double value)
{
    return isfinite(value) ||
           (isnan(value) && (!strncmp(column, "support_", 8) || !strncmp(column, "left", 4) ||
                             !strcmp(column, "spread")));
}

static void learns_and_shows(const char *what, struct harness *h)
{
    float score[BATCH];
    const struct harness_answer *a = learner_top(h);
    for (uint32_t i = 0; i < a->n_rows; i++)
        for (uint32_t c = 0; c < a->n_columns; c++)
            ck_assert_msg(may_show(a->column[c], a->value[i][c]), "%s: %s of %s is %g", what,
                          a->column[c], a->name[i], a->value[i][c]);
    learner_learn(h, 3, BATCH, 16, score);
    for (int i = 0; i < BATCH; i++)
        ck_assert_msg(isfinite(score[i]), "%s: a score of %g", what, (double)score[i]);
}

static void metrics_are_finite(const char *what, const struct harness *h,
                               const struct harness_metric *was, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ck_assert_msg(isfinite(h->metric[i].value) || !isfinite(was[i].value), "%s: %s is %g", what,
                      was[i].name, h->metric[i].value);
}

/* ---- the law ---- */

struct honest {
    struct harness *h;
    struct kept is;
    struct fields known; /* fields that messages may name */
    struct harness_metric metric[32];
    uint32_t n_metrics;
};

static void try_one(const char *what, struct honest *x, struct kept *s)
{
    uint64_t sum = state_checksum(s->bytes, s->n);
    memcpy(s->bytes + s->n - 8, &sum, 8);
    for (int merge = 0; merge < 2; merge++) {
        struct harness *h = x->h;
        if (merge && !h->stage->state->merge) continue;
        int got =
            merge ? harness_merge(h, s->bytes, s->n, 0.5) : harness_restore(h, s->bytes, s->n);
        if (got == LEAT_EDATA)
            ck_assert_msg(names_a_field(&x->known, h->said) || strstr(h->said, "not be merged") ||
                              strstr(h->said, "not merged"),
                          "%s: %s", what, h->said);
        if (got != LEAT_OK) continue;
        learns_and_shows(what, h);
        metrics_are_finite(what, h, x->metric, x->n_metrics);
        kept_restore(h, &x->is);
    }
}

/* Tries the bytes of s, unless they are honest, and makes them honest again. */
static int try_and_mend(const char *stage, const struct field *f, int k, struct honest *x,
                        struct kept *s)
{
    char what[256];
    snprintf(what, sizeof what, "%s: %s, forgery %d", stage, f->name, k);
    if (memcmp(s->bytes, x->is.bytes, s->n) != 0) try_one(what, x, s);
    memcpy(s->bytes, x->is.bytes, s->n);
    return 1;
}

static int forge_all(const char *stage, struct honest *x)
{
    struct kept s = {aligned_alloc(64, (x->is.n + 63) & ~(size_t)63), x->is.n};
    static struct fields all;
    int tried = 0;
    memcpy(s.bytes, x->is.bytes, s.n);
    all.n = 0;
    add_fields(&s, &all);
    for (uint32_t i = 0; i < all.n; i++) {
        const struct field *f = &all.field[i];
        for (uint64_t at = 0; at < f->count; at++)
            for (int k = 0; k < NUMBERS && is_forged(f, at); k++) {
                set_number(f, at, numbers[k]);
                tried += try_and_mend(stage, f, k, x, &s);
            }
        if (f->count > 1) swap(f);
        tried += try_and_mend(stage, f, NUMBERS, x, &s);
    }
    free(s.bytes);
    return tried;
}

static bool has_param(const struct leat_stage *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (!strcmp(s->params[i].name, name)) return true;
    return false;
}

/* Lists the fields of the state x, of one that was not merged, and of a merge of both. */
static void know_fields(struct honest *x, const struct learner *l)
{
    x->known.n = 0;
    struct kept other = kept_of(l, 2, 100, 16);
    add_fields(&x->is, &x->known);
    add_fields(&other, &x->known);
    if (x->h->stage->state->merge && harness_merge(x->h, other.bytes, other.n, 1) == LEAT_OK) {
        struct kept both = kept_from(x->h);
        add_fields(&both, &x->known);
        free(both.bytes);
    }
    free(other.bytes);
    kept_restore(x->h, &x->is);
}

static int forge_state(const struct learner *l, bool merged)
{
    static struct honest x;
    x.h = learner_after(l, 1, 100, 16);
    if (merged) {
        struct kept other = kept_of(l, 2, 100, 16);
        harness_merge(x.h, other.bytes, other.n, 1);
        free(other.bytes);
    }
    x.is = kept_from(x.h);
    know_fields(&x, l);
    learner_top(x.h);
    x.n_metrics = x.h->n_metrics;
    memcpy(x.metric, x.h->metric, sizeof x.metric);
    int tried = forge_all(l->stage, &x);
    free(x.is.bytes);
    harness_free(x.h);
    return tried;
}

static int forge_learner(const struct stage_type *t)
{
    char plugin[256];
    const char *slash = strrchr(t->file, '/');
    snprintf(plugin, sizeof plugin, "%s", slash ? slash + 1 : t->file);
    *strrchr(plugin, '.') = 0;
    struct learner l = {.plugin = plugin,
                        .stage = t->stage->name,
                        .with = has_param(t->stage, "budget") ? "budget=1KB"
                                : has_param(t->stage, "max_features")
                                    ? "max_features=64 names_budget=8KB"
                                    : ""};
    int tried = forge_state(&l, false);
    return t->stage->state->merge ? tried + forge_state(&l, true) : tried;
}

START_TEST(a_forged_number_is_refused_by_name_or_shows_nothing_infinite)
{
    struct registry registry;
    char path[512];
    const char *build = getenv("B");
    snprintf(path, sizeof path, "%s/lib/leat/plugins", build ? build : "build/release");
    registry_init(&registry);
    registry_load(&registry, path, TRUSTED);
    for (size_t i = 0; i < registry.n; i++)
        if (registry.type[i]->stage->kind == LEAT_LEARNER &&
            registry.type[i]->stage->state->restore)
            ck_assert_int_gt(forge_learner(registry.type[i]), 5 * FORGERIES);
    registry_free(&registry);
}
END_TEST

LEAT_SUITE("forged states", a_forged_number_is_refused_by_name_or_shows_nothing_infinite)
