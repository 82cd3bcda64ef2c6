/* test_learner_memory.c -- every learner takes the memory that it declares, within its budget.
 *
 * It measures memory (blocks from the host) and disk. It finds learners in the plugins, so these
 * laws cover a new one without a line here. It tests learners with a `budget` with several budgets.
 * It tests the others at their largest, which `max_features` makes small. */
/* tier: long (10 s) */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/harness/harness_impl.h"
#include "kernels/base/rank.h"
#include "common/answers/answer.h"
#include "host/plugin/registry.h"
#include "support/learner_rig.h"

/* Bytes of a snapshot's field heads (names, types, lengths) and of its registers of distinct
 * values. */
enum { FIELDS = 2560 };

static const char *const budgets[] = {"256", "1KB", "8KB", "32KB", "1MB"};
static const double bytes[] = {256, 1024, 8192, 32768, 1048576};
enum { BUDGETS = sizeof bytes / sizeof *bytes };

/* ---- all learners ---- */

static struct registry registry;

static void find_learners(void)
{
    char path[512];
    const char *build = getenv("B");
    snprintf(path, sizeof path, "%s/lib/leat/plugins", build ? build : "build/release");
    registry_init(&registry);
    registry_load(&registry, path, TRUSTED);
}

static const struct leat_param *param(const struct leat_stage *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (!strcmp(s->params[i].name, name)) return &s->params[i];
    return NULL;
}

/* Learners of all pairs of features take quadratic time, so they stay at their first size. */
static bool is_square(const struct leat_stage *s)
{
    const struct leat_param *max = param(s, "max_features");
    return max && atoi(max->def) <= 4096;
}

/* Writes sizes up to which a stage's tables double a few times. Examples are short, so a sketch
 * needs no larger block for the examples between two shrinks. */
static void growing_with(const struct leat_stage *s, char with[96])
{
    const struct leat_param *max = param(s, "max_features");
    with[0] = 0;
    if (!max) return;
    snprintf(with, 96, "max_features=%d names_budget=8KB%s", is_square(s) ? 64 : 16384,
             param(s, "max_entries") ? " max_entries=64" : "");
}

/* "…/learners_awm.so" is the plugin learners_awm. */
static struct harness *fresh(const struct stage_type *t, const char *with)
{
    char plugin[256];
    const char *slash = strrchr(t->file, '/');
    snprintf(plugin, sizeof plugin, "%s", slash ? slash + 1 : t->file);
    *strrchr(plugin, '.') = 0;
    struct learner l = {.plugin = plugin, .stage = t->stage->name, .with = with};
    return learner_fresh(&l);
}

/* Calls `look` for each learner and each of its budgets; 0 if it has no budget. The learner has
 * learned more features than it can hold. Returns the number of calls. */
typedef void looker(const char *what, struct harness *h, double budget);

static int for_all(looker *look)
{
    int looked = 0;
    find_learners();
    for (size_t i = 0; i < registry.n; i++) {
        const struct stage_type *t = registry.type[i];
        if (t->stage->kind != LEAT_LEARNER || !t->file) continue;
        bool budgeted = param(t->stage, "budget");
        for (int k = 0; k < (budgeted ? BUDGETS : 1); k++) {
            char with[96], what[160];
            growing_with(t->stage, with);
            if (budgeted) snprintf(with, sizeof with, "budget=%s", budgets[k]);
            snprintf(what, sizeof what, "%s {%s}", t->stage->name, with);
            struct harness *h = fresh(t, with);
            learner_learn(h, 1, budgeted || is_square(t->stage) ? 1000 : 24000, 100000000, NULL);
            look(what, h, budgeted ? bytes[k] : 0);
            harness_free(h);
            looked++;
        }
    }
    registry_free(&registry);
    return looked;
}

static double stated(struct harness *h)
{
    struct leat_plan p = harness_plan(h);
    return (double)p.state_bytes + (double)p.names_bytes + (double)p.work_bytes;
}

/* ---- the laws ---- */

static bool is_one_of(const struct leat_stage *s, const char *a, const char *b)
{
    return !strcmp(s->name, a) || !strcmp(s->name, b);
}

/* Asks for an answer that does not rank by the weight, and leaves conjunctions out. */
static void ask_fully(struct harness *h)
{
    harness_question(h, &(struct leat_query){.size = sizeof(struct leat_query),
                                             .kind = LEAT_QUERY_TOP,
                                             .k = HARNESS_NOTES,
                                             .order = LEAT_ORDER_SUPPORT,
                                             .min_odds_gain = 1.2});
}

/* Bytes of planned rows beyond the longest answer that a harness takes. */
#define MORE_ROWS (double)((ANSWER_ROWS - HARNESS_NOTES) * sizeof(struct pair))

static void look_at_memory(const char *what, struct harness *h, double budget)
{
    double plan = stated(h);
    learner_top(h);
    if (budget || is_one_of(h->stage, "learn.frequent", "learn.logistic")) ask_fully(h);
    double real = (double)h->peak;
    ck_assert_msg(real <= plan, "%s takes %.0f bytes and states %.0f", what, real, plan);
    ck_assert_msg(real + MORE_ROWS >= 0.8 * plan, "%s states %.0f bytes and takes %.0f", what, plan,
                  real);
}

START_TEST(a_learner_takes_the_memory_that_it_states)
{
    ck_assert_int_gt(for_all(look_at_memory), 3 * BUDGETS);
}
END_TEST

static double metric(struct harness *h, const char *name)
{
    double v = harness_metric(h, name);
    return isfinite(v) ? v : 0;
}

static void look_at_model(const char *what, struct harness *h, double budget)
{
    learner_top(h);
    double model = metric(h, "model_bytes");
    double all = model + metric(h, "table_bytes") + metric(h, "names_bytes");
    ck_assert_msg(model > 0, "%s does not say how large its model is", what);
    ck_assert_msg(all <= stated(h), "%s: its figures add up to %.0f of %.0f bytes", what, all,
                  stated(h));
    if (!budget) return;
    ck_assert_msg(model <= budget, "%s: %.0f bytes of model", what, model);
    ck_assert_msg(metric(h, "budget_bytes") == budget, "%s says another budget", what);
}

START_TEST(a_model_is_within_its_budget) { ck_assert_int_gt(for_all(look_at_model), 3 * BUDGETS); }
END_TEST

static void look_at_snapshot(const char *what, struct harness *h, double budget)
{
    size_t n;
    struct leat_plan p = harness_plan(h);
    if (!h->stage->state->snapshot) return;
    learner_top(h);
    double most = (budget ? budget : (double)p.state_bytes) + (double)p.names_bytes +
                  metric(h, "pair_bytes") + FIELDS; /* pairs of learn.bear are not in its budget */
    ck_assert_ptr_nonnull(harness_snapshot(h, &n));
    ck_assert_msg((double)n <= most, "%s: a snapshot of %zu bytes, not %.0f", what, n, most);
}

START_TEST(a_snapshot_is_no_larger_than_budget_and_names)
{
    ck_assert_int_gt(for_all(look_at_snapshot), 3 * BUDGETS);
}
END_TEST

/* In a stream without end, learners must not accumulate memory. */
static void look_at_growth(const char *what, struct harness *h, double budget)
{
    size_t before = h->allocated, blocks = h->allocations;
    learner_learn(h, 2, 1000, 1000000, NULL);
    learner_top(h);
    ck_assert_msg(h->allocated == before && h->allocations == blocks, "%s has grown", what);
}

START_TEST(a_full_learner_does_not_grow) { ck_assert_int_gt(for_all(look_at_growth), 3 * BUDGETS); }
END_TEST

/* ---- long examples ---- */

/* Returns the plan of a learner of default size with examples of up to `max_entries` entries. */
static double stated_for(const struct stage_type *t, const char *max_entries)
{
    char plugin[256];
    snprintf(plugin, sizeof plugin, "%s", strrchr(t->file, '/') + 1);
    *strrchr(plugin, '.') = 0;
    struct harness *h = harness_new(plugin, t->stage->name);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = strcmp(t->stage->name, "learn.product") ? 1 : 2;
    harness_set(h, "max_entries", max_entries);
    ck_assert_int_eq(harness_negotiate(h), 0);
    double plan = stated(h);
    harness_free(h);
    return plan;
}

START_TEST(that_an_example_may_be_long_is_planned_with_a_third_more)
{
    int looked = 0;
    find_learners();
    for (size_t i = 0; i < registry.n; i++) {
        const struct stage_type *t = registry.type[i];
        if (t->stage->kind != LEAT_LEARNER || !t->file || is_square(t->stage) ||
            !param(t->stage, "max_features") || !param(t->stage, "max_entries"))
            continue;
        double few = stated_for(t, "64"), many = stated_for(t, "65536");
        ck_assert_msg(many <= few * 4 / 3, "%s states %.0f and %.0f bytes", t->stage->name, few,
                      many);
        looked++;
    }
    registry_free(&registry);
    ck_assert_int_gt(looked, 6);
}
END_TEST

enum { LONG = 1000, LONG_BATCH = 4 };

/* Learns examples of LONG features, all of them new. */
static void learn_long(struct harness *h, uint32_t n)
{
    char text[12 * LONG];
    for (uint32_t k = 0, id = 0; k < n; k += LONG_BATCH) {
        harness_clear(h);
        for (uint32_t i = 0; i < LONG_BATCH; i++) {
            uint32_t r = harness_record(h, "");
            for (uint32_t e = 0, at = 0; e < LONG; e++)
                at += (uint32_t)snprintf(text + at, sizeof text - at, "%u:.5 ", id++);
            harness_example(h, r, i % 2 ? 1 : -1, text);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->n_rejections, 0);
    }
}

/* Makes a learner whose sketch shrinks before it is full: it has slots for 2,048 features, not for
 * 41,000. */
static struct harness *fresh_long(const char *plugin, const char *stage)
{
    struct harness *h = harness_new(plugin, stage);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = LONG;
    harness_set(h, "max_features", "32768");
    ck_assert_int_eq(harness_open(h, LONG_BATCH), LEAT_OK);
    return h;
}

static void look_at_long(const char *plugin, const char *stage)
{
    struct harness *h = fresh_long(plugin, stage), *restored = fresh_long(plugin, stage);
    learn_long(h, 80);
    learner_top(h);
    double plan = stated(h), real = (double)h->peak;
    ck_assert_msg(real <= plan, "%s takes %.0f bytes and states %.0f", stage, real, plan);
    ck_assert_msg(real + MORE_ROWS >= 0.8 * plan, "%s states %.0f bytes and takes %.0f", stage,
                  plan, real);
    ck_assert_double_gt(harness_metric(h, "shrinks"), 15);

    struct kept half = kept_from(h);
    kept_restore(restored, &half);
    learn_long(h, 20);
    learn_long(restored, 20);
    struct kept all = kept_from(h);
    ck_assert_msg(kept_is_of(restored, &all), "%s, restored, shrinks at other times", stage);
    free(half.bytes);
    free(all.bytes);
    harness_free(restored);
    harness_free(h);
}

START_TEST(long_examples_take_what_is_planned_for_them)
{
    look_at_long("learners_son", "learn.rfd_son");
    look_at_long("learners_son", "learn.fd_son");
    look_at_long("learners_fm", "learn.sftrl");
}
END_TEST

LEAT_SUITE("memory of learners", a_learner_takes_the_memory_that_it_states,
           a_model_is_within_its_budget, a_snapshot_is_no_larger_than_budget_and_names,
           a_full_learner_does_not_grow, that_an_example_may_be_long_is_planned_with_a_third_more,
           long_examples_take_what_is_planned_for_them)
