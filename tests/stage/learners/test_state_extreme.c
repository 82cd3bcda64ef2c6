/* test_state_extreme.c -- a learner reads every state that it writes.
 *
 * After every batch of any stream, the snapshot is restored and comes back byte for byte; so does
 * the merge of two such states. The test finds learners in the plugins, so this law covers a new
 * one without a line here. Streams have values and weights from 1e-45 to 3.4e38, and often only one
 * label. Parameters are drawn from `choices`, with budgets of a few features. */
/* tier: long (10 s) */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/plugin/registry.h"
#include "support/learner_rig.h"

enum { RUNS = 24, BATCHES = 10, EXAMPLES = 6, ENTRIES = 6 };

/* ---- learners ---- */

static const struct choice {
    const char *name, *values; /* of a parameter: one is drawn if the stage has it */
    bool always;               /* its default is large */
} choices[] = {
    {"m", "1 2 3 10", false},
    {"buffer", "0 1 4", false},
    {"size", "2 4 9", false},
    {"active", "1 2 4", true},
    {"features", "1 2 4", true},
    {"width", "1 4 8", true},
    {"depth", "1 2 3", false},
    {"factors", "1 2", false},
    {"loss", "squared logistic squared_hinge hinge", false},
    {"method", "cod scod fd sfd projection hashing columns", false},
    {"linear", "separate inside", false},
    {"scale", "none diagonal", false},
    {"rates", "shared adagrad newton", false},
    {"schedule", "inverse sqrt constant", false},
    {"bias", "none sgd prior", false},
    {"counts", "false true", false},
    {"key", "weight ratio", false},
    {"half_life", "0 1 100", false},
    {"l1", "0 1e-3 1", false},
    {"lambda", "1e-9 1e-3 0.1", false},
    {"eta0", "1e-3 1 9", false},
    {"eta", "1e-6 0.1 100", false},
    {"alpha0", "1e-9 1 1000 1e9", false},
    {"clip", "0.1 1 10", false},
    {"warm", "0 3", false},
    {"max_features", "1 8 64", true},
    {"names_budget", "64 8KB", true},
};

static const struct leat_param *param_of(const struct leat_stage *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (!strcmp(s->params[i].name, name)) return &s->params[i];
    return NULL;
}

static bool is_allowed(const struct leat_param *p, const char *value)
{
    double v = strtod(value, NULL);
    if (p->type == LEAT_BOOL) return !strcmp(value, "true") || !strcmp(value, "false");
    if (p->type != LEAT_CHOICE) return (p->min == 0 && p->max == 0) || (v >= p->min && v <= p->max);
    for (const char *const *c = p->choices; *c; c++)
        if (!strcmp(*c, value)) return true;
    return false;
}

/* Sets one parameter, and adds the setting to `with`. */
static void set_one(struct harness *h, const struct choice *c, uint64_t *s, char *with, size_t size)
{
    const struct leat_param *p = param_of(h->stage, c->name);
    char values[128], *value = NULL, *save = NULL;
    size_t n = strlen(with);
    uint32_t seen = 0;
    if (!p || (!c->always && below(s, 3) == 0)) return;
    snprintf(values, sizeof values, "%s", c->values);
    for (char *v = strtok_r(values, " ", &save); v; v = strtok_r(NULL, " ", &save))
        if (is_allowed(p, v) && below(s, ++seen) == 0) value = v;
    if (!value) return;
    harness_set(h, c->name, value);
    snprintf(with + n, size - n, " %s=%s", c->name, value);
}

/* Returns NULL if these parameters do not go together. seed: of the parameters. */
static struct harness *fresh(const struct stage_type *t, uint64_t seed, char *with, size_t size)
{
    char plugin[256];
    const char *slash = strrchr(t->file, '/');
    snprintf(plugin, sizeof plugin, "%s", slash ? slash + 1 : t->file);
    *strrchr(plugin, '.') = 0;
    struct harness *h = harness_new(plugin, t->stage->name);
    uint32_t sides = strcmp(t->stage->name, "learn.product") ? 1 : 2;
    h->in.examples_per_record = sides;
    h->in.entries_per_record = h->in.parts_per_record = ENTRIES * sides;
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL | LEAT_HAS_NAMES);
    snprintf(with, size, "%s", t->stage->name);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        set_one(h, &choices[i], &seed, with, size);
    if (harness_negotiate(h) == 0 && harness_open(h, EXAMPLES) == LEAT_OK) return h;
    harness_free(h);
    return NULL;
}

/* ---- streams ---- */

/* Kind of a stream's numbers. */
struct stream {
    uint64_t s;
    uint32_t ids, labels; /* labels: 1 or 2 */
    double low, high;     /* powers of ten */
    bool weighted, wild_labels;
};

static struct stream stream_of(uint64_t seed)
{
    static const double ranges[][2] = {{-45, 38.53}, {-45, -30}, {30, 38.53}, {-3, 16}, {-40, 15}};
    struct stream st = {.s = seed};
    const double *range = ranges[below(&st.s, 5)];
    st.ids = 1 + below(&st.s, 8);
    st.labels = 1 + below(&st.s, 2);
    st.low = range[0];
    st.high = range[1];
    st.weighted = below(&st.s, 3) == 0;
    st.wild_labels = below(&st.s, 4) == 0;
    return st;
}

static double draw_number(struct stream *st)
{
    static const double special[] = {1, 1e-45, 3.4e38, 0, 1e-38, 1, 1, 1};
    if (below(&st->s, 4) == 0) return special[below(&st->s, 8)];
    return pow(10, uniform(&st->s, st->low, st->high));
}

static void draw_example(struct harness *h, struct stream *st, uint32_t r)
{
    char text[256] = "";
    for (uint32_t i = 0, n = 1 + below(&st->s, ENTRIES), at = 0; i < n; i++)
        at += (uint32_t)snprintf(text + at, sizeof text - at, "%u:%s%g ", below(&st->s, st->ids),
                                 below(&st->s, 3) ? "" : "-", draw_number(st));
    if (st->weighted) h->b.weight[r] = (float)draw_number(st);
    float label = below(&st->s, st->labels) ? -1 : 1;
    if (st->wild_labels) label *= (float)fmin(draw_number(st), 1e10);
    harness_example(h, r, label, text);
}

/* Gives the learner a batch, which it may reject. Returns false if it fails. */
static bool learn_batch(struct harness *h, struct stream *st)
{
    harness_clear(h);
    for (uint32_t i = 0; i < EXAMPLES; i++) {
        uint32_t r = harness_record(h, "");
        for (uint32_t side = 0; side < h->in.examples_per_record; side++)
            draw_example(h, st, r);
    }
    return harness_process(h) == LEAT_OK;
}

/* ---- the law ---- */

/* Returns a copy of the state. Checks that `other` reads it and writes it unchanged. */
static struct kept read_back(const char *what, struct harness *h, struct harness *other)
{
    struct kept s = kept_from(h);
    ck_assert_msg(harness_restore(other, s.bytes, s.n) == LEAT_OK, "%s: %s", what, other->said);
    ck_assert_msg(kept_is_of(other, &s), "%s: another state comes back", what);
    return s;
}

static void merge_back(const char *what, struct harness *h, const struct kept *s,
                       struct harness *other)
{
    static const double weights[] = {1, 0.5, 1e9, 1e-9};
    for (int i = 0; i < 4; i++) {
        if (harness_merge(h, s->bytes, s->n, weights[i]) != LEAT_OK) return; /* refused */
        free(read_back(what, h, other).bytes);
    }
}

/* Returns whether the stage accepts these parameters. */
static bool look_at(const struct stage_type *t, uint64_t seed)
{
    char with[512], again[512], what[600];
    struct harness *h = fresh(t, seed, with, sizeof with), *other;
    struct stream st = stream_of(seed);
    struct kept s = {0};
    if (!h) return false;
    other = fresh(t, seed, again, sizeof again);
    snprintf(what, sizeof what, "%s, stream %llu", with, (unsigned long long)seed);
    for (int k = 0; k < BATCHES && learn_batch(h, &st); k++) {
        free(s.bytes);
        s = read_back(what, h, other);
    }
    if (s.bytes && h->stage->state->merge) merge_back(what, h, &s, other);
    free(s.bytes);
    harness_free(h), harness_free(other);
    return true;
}

START_TEST(what_a_learner_writes_it_reads)
{
    struct registry registry;
    char path[512];
    const char *build = getenv("B");
    int looked = 0;
    snprintf(path, sizeof path, "%s/lib/leat/plugins", build ? build : "build/release");
    registry_init(&registry);
    registry_load(&registry, path, TRUSTED);
    for (size_t i = 0; i < registry.n; i++) {
        const struct stage_type *t = registry.type[i];
        if (t->stage->kind != LEAT_LEARNER || !t->stage->state->restore) continue;
        for (uint64_t seed = 0; seed < RUNS; seed++)
            looked += look_at(t, seed_given() * 1000000 + seed);
    }
    ck_assert_int_gt(looked, 20 * RUNS);
    registry_free(&registry);
}
END_TEST

LEAT_SUITE("extreme states", what_a_learner_writes_it_reads)
