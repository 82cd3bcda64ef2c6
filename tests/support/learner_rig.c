/* learner_rig.c -- implementation of learner_rig.h. */
#include "learner_rig.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct learner learners[] = {
    {"learners_linear", "learn.awm", "active=64 width=256 rates=shared",
     "seed=2 width=512 active=65 depth=3 lambda=1e-5 loss=squared rates=newton eta0=0.2", 64, 1e-5,
     0},
    {"learners_linear", "learn.awm", "active=64 width=300 precision=full budget=8KB",
     "seed=2 width=301 active=65 lambda=1e-5 loss=squared precision=compact rate=0.5", 64, 1e-5, 0},
    {"learners_linear", "learn.awm", "active=64 width=256 counts=true",
     "seed=2 active=65 counts=false precision=full half_life=10 rates=shared", 64, 2e-2, 0},
    {"learners_linear", "learn.awm", "active=64 width=256 half_life=200 counts=true precision=full",
     "half_life=201 half_life=0", 64, 5e-3, 0},
    {"learners_linear", "learn.awm", "active=64 width=256 half_life=1s counts=true precision=full",
     "half_life=2s half_life=1000 half_life=0", 64, 5e-3, 0},
    {"learners_linear", "learn.logistic", "half_life=2s names_budget=64KB", "half_life=1s", 1000,
     5e-3, 0},
    {"learners_linear", "learn.awm", "active=64 width=256 precision=full on_drift=fade",
     "on_drift=none on_drift=reset", 64, 1e-5, 0},
    {"learners_linear", "learn.logistic", "names_budget=64KB on_drift=reset", "on_drift=raise",
     1000, 5e-3, 0},
    {"learners_linear", "learn.awm", "active=64 width=256 l1=1e-3 lambda=1e-4 precision=full",
     "l1=5e-3 l1=0", 64, 1e-5, 0},
    {"learners_linear", "learn.truncation", "features=80 precision=full", "features=81 l1=1e-4", 80,
     1e-5, 0},
    {"learners_linear", "learn.awm", "active=64 width=256 precision=full averaged=true", "seed=2",
     64, 1e-4, 0},
    {"learners_linear", "learn.logistic", "averaged=true counts=true names_budget=64KB", "rate=0.5",
     1000, 1e-4, 0},
    {"learners_fm", "learn.bias", "averaged=true names_budget=64KB", "loss=logistic", 1000, 1e-4,
     0},
    {"learners_fm", "learn.bias", "averaged=true predicts=better names_budget=64KB", "", 1000, 1e-4,
     0},
    {"learners_fm", "learn.sftrl", "m=64 linear=inside top=linear averaged=true", "m=65", 40, 1e-4,
     0},
    {"learners_linear", "learn.logistic", "lambda=1e-4 half_life=100 names_budget=64KB", "rate=0.5",
     1000, 5e-3, 0},
    {"learners_linear", "learn.awm", "active=70 width=128 depth=3 schedule=sqrt rates=adagrad",
     "seed=3 depth=2 schedule=inverse rate=0.25 bias=none counts=true", 70, 1e-5, 0},
    {"learners_linear", "learn.awm",
     "active=64 width=64 rates=newton counts=true bias=prior lambda=0.01 eta0=1",
     "rates=adagrad counts=false bias=sgd lambda=1e-6", 64, 1e-5, 0},
    {"learners_linear", "learn.awm", "active=64 width=256 l1=1e-3 lambda=1e-4 rates=adagrad",
     "l1=5e-3 l1=0", 64, 1e-5, 0},
    {"learners_linear", "learn.awm",
     "active=64 width=256 half_life=200 counts=true rates=newton bias=prior",
     "half_life=201 half_life=0", 64, 5e-3, 0},
    {"learners_linear", "learn.logistic", "half_life=200 counts=true names_budget=64KB",
     "half_life=0", 1000, 5e-3, 0},
    {"learners_linear", "learn.space_saving", "features=64 half_life=200", "half_life=20", 64, 5e-3,
     0},
    {"learners_linear", "learn.count_min", "features=64 width=256 half_life=200 counts=true",
     "half_life=20", 64, 5e-3, 0},
    {"learners_linear", "learn.hash", "active=64 width=1024 half_life=200 counts=true rates=shared",
     "half_life=20", 64, 5e-3, 0},
    {"learners_linear", "learn.logistic", "l1=1e-3 lambda=1e-4 names_budget=64KB rates=shared",
     "l1=1e-4", 1000, 1e-5, 0},
    {"learners_linear", "learn.truncation", "features=64 l1=1e-3 rates=shared", "l1=1e-4", 64, 1e-5,
     0},
    {"learners_linear", "learn.hash", "active=64 width=1024 l1=1e-3 rates=shared", "l1=1e-4", 64,
     1e-5, 0},
    {"learners_linear", "learn.logistic", "lambda=1e-3 names_budget=64KB rates=shared",
     "lambda=1e-5 eta0=0.2 loss=squared rates=newton schedule=constant counts=true", 1000, 1e-5, 0},
    {"learners_linear", "learn.logistic", "rates=newton counts=true bias=prior names_budget=1KB",
     "rate=0.5 bias=sgd rates=shared", 1000, 1e-5, 0},
    {"learners_linear", "learn.truncation", "features=64 rates=shared",
     "features=65 lambda=1e-5 loss=squared rates=newton eta0=0.2", 64, 1e-5, 0},
    {"learners_linear", "learn.prob_truncation", "features=70 rates=adagrad counts=true",
     "seed=3 key=ratio rate=0.25 bias=none counts=false", 70, 1e-5, 0},
    {"learners_linear", "learn.space_saving", "features=64 rates=newton bias=prior",
     "churn=all bias=sgd rates=shared features=63", 64, 1e-5, 0},
    {"learners_linear", "learn.count_min", "features=64 width=256",
     "seed=2 width=512 depth=3 conservative=false features=63", 64, 1e-5, 0},
    {"learners_linear", "learn.wm", "budget=1MB active=64 width=16384 depth=3 rates=shared",
     "seed=2 width=512 active=65 depth=4 lambda=1e-5 loss=squared recovery=mean eta0=0.2 "
     "counts=true",
     64, 1e-5, 0},
    {"learners_linear", "learn.hash",
     "active=64 width=1024 lambda=0.01 eta0=1 counts=true rates=shared",
     "seed=5 width=512 active=65 counts=false", 64, 1e-5, 0},
    {"learners_linear", "learn.wm", "active=64 width=4096 precision=full budget=1MB",
     "seed=2 width=512 active=65 depth=4 lambda=1e-5 loss=squared recovery=mean rate=0.5 "
     "counts=true precision=compact rates=shared",
     64, 1e-5, 0},
    {"learners_linear", "learn.wm",
     "active=64 width=4096 half_life=200 counts=true precision=full budget=1MB",
     "half_life=201 half_life=0", 64, 5e-3, 0},
    {"learners_linear", "learn.wm", "active=64 width=512 counts=true",
     "depth=2 counts=false shown=estimate", 64, 5e-2, 0},
    {"learners_linear", "learn.wm",
     "budget=1MB active=64 width=16384 depth=2 rates=shared shown=estimate", "shown=tracked", 64,
     1e-5, 0},
    {"learners_linear", "learn.wm",
     "budget=1MB active=64 width=16384 depth=2 rates=shared shown=estimate average=true radius=1",
     "average=false radius=2", 64, 1e-4, 0},
    {"learners_linear", "learn.hash", "active=64 width=1024 l1=1e-3 precision=full", "l1=1e-4", 64,
     1e-5, 0},
    {"learners_linear", "learn.mission", "active=64 width=1024",
     "seed=2 width=512 active=65 depth=4 lambda=1e-5 loss=squared eta0=0.2 counts=true", 64, 1e-5,
     0},
    {"learners_linear", "learn.mission", "active=64 width=1024 half_life=200 counts=true",
     "half_life=20", 64, 5e-3, 0},
    {"learners_linear", "learn.bear", "active=64 width=1024 batch=8",
     "seed=2 width=512 active=65 depth=4 lambda=1e-5 loss=squared eta0=0.2 counts=true batch=9 "
     "tau=4 batch_entries=8000",
     64, 1e-5, 0},
    {"learners_linear", "learn.bear",
     "active=64 width=1024 half_life=200 counts=true batch=50 batch_entries=60", "half_life=20", 64,
     5e-3, 0},
    {"learners_counting", "learn.paired_count_min", "active=64 width=16384",
     "seed=2 width=512 active=65 depth=3 conservative=true", 64, 1e-5, 1},
    {"learners_counting", "learn.contrast", "budget=128KB sign=both",
     "seed=2 members=100 sign=positive half_life=5", 64, 1e-5, 1},
    {"learners_counting", "learn.contrast", "budget=16KB sign=both split=1",
     "seed=2 members=100 sign=positive half_life=5", 64, 1e-5, 1},
    {"learners_counting", "learn.contrast", "budget=128KB sign=both half_life=1s",
     "half_life=2s half_life=5", 64, 1e-2, 0},
    {"learners_counting", "learn.contrast", "budget=1MB sign=both panes=1s keep=10s panes_of=all",
     "panes=2s keep=9s panes_of=outliers", 64, 1e-5, 1},
    {"learners_counting", "learn.cooccurrence", "budget=1MB min_count=1 window=3",
     "seed=2 window=4 ordered=true min_count=2", 20, 1e-5, 1},
    {"learners_counting", "learn.cooccurrence", "budget=1MB min_count=1 ordered=true",
     "ordered=false", 15, 1e-5, 1},
    {"learners_counting", "learn.frequent", "over=all names_budget=64KB", "", 1000, 1e-5, 1},
    {"learners_counting", "learn.frequent", "by=risk names_budget=1KB", "", 1000, 1e-5, 1},
    {"learners_son", "learn.rfd_son", "m=8 names_budget=64KB",
     "m=9 buffer=5 warm=3 alpha0=2 clip=2 loss=logistic scale=diagonal floor=0.1 "
     "shrink=before eta=1 half_life=9",
     200, 1e-5, 0},
    {"learners_son", "learn.rfd_son", "m=8 half_life=40", "half_life=41", 200, 1e-5, 0},
    {"learners_son", "learn.rfd_son", "m=8 alpha0=0 floor=0 warm=0 shrink=before eta=1",
     "alpha0=0.1 floor=0.01 shrink=after eta=0", 200, 1e-5, 0},
    {"learners_son", "learn.fd_son", "m=5 buffer=3 loss=squared_hinge clip=2",
     "m=6 buffer=4 alpha0=2 clip=3 loss=logistic shrink=before eta=1", 200, 1e-5, 0},
    {"learners_son", "learn.ftrl_proximal", "l1=0.5 l2=0.1 names_budget=64KB",
     "alpha=0.2 beta=2 l1=0 l2=0 bias=false", 200, 1e-5, 0},
    {"learners_son", "learn.ftrl_proximal", "bias=false names_budget=64KB", "bias=true", 200, 1e-5,
     0},
    {"learners_son", "learn.s_adagrad", "m=8 alpha0=2",
     "m=9 alpha0=1 eta=2 clip=2 loss=logistic half_life=5", 200, 1e-5, 0},
    {"learners_fm", "learn.sftrl", "m=64 linear=inside half_life=50 top=linear", "half_life=51", 40,
     1e-5, 0},
    {"learners_fm", "learn.sftrl",
     "m=64 linear=inside loss=logistic eta=0.1 top=linear names_budget=64KB",
     "m=65 buffer=8 eta=0.2 loss=hinge linear=separate", 40, 1e-5, 0},
};
const uint32_t n_learners = sizeof learners / sizeof *learners;

enum { ENTRIES = 6 };

/* ---- data ---- */

/* Gives features with an odd id a name. The others are shown by id. */
static void name_entry(struct harness *h, uint32_t i)
{
    struct leat_batch *b = &h->b;
    char text[32];
    if (b->id[i] % 2 == 0) return;
    uint32_t len = (uint32_t)snprintf(text, sizeof text, "feature %u", (uint32_t)b->id[i]);
    uint32_t off = leat_add_bytes(b, len);
    if (off == LEAT_NULL)
        ck_abort_msg("no room for names"); /* avoids an assertion, which writes to a file */
    memcpy(b->bytes + off, text, len);
    b->name[i].part[0] = leat_add_part(b, 0, (struct leat_str){off, len});
    if (!b->name[i].part[0]) ck_abort_msg("no room for parts");
}

/* True if its record is a left and a right side, not one example. */
static int two_sided(const char *stage) { return !strcmp(stage, "learn.product"); }

/* True if it counts records and refuses importance weights. */
static bool counts_each_once(const char *stage)
{
    static const char *const of[] = {"learn.contrast", "learn.frequent", "learn.paired_count_min",
                                     "learn.cooccurrence"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!strcmp(stage, of[i])) return true;
    return false;
}

/* Draws an example of some of `ids` features, small ids more often. A feature's sign follows from
 * its id, and the label from most signs. */
static void draw_example(struct harness *h, uint64_t *s, uint32_t ids, uint32_t r, float weigh)
{
    struct leat_batch *b = &h->b;
    uint32_t first = b->n_entries;
    char text[256] = "";
    int sum = 0;
    for (uint32_t i = 0, n = 1 + below(s, ENTRIES), at = 0; i < n; i++) {
        uint32_t id = below(s, ids);
        id %= 1 + below(s, ids); /* C leaves the order of calls in one expression open */
        float x = (float)below(s, 8) / 4 - 0.25f;
        sum += (id % 3 ? 1 : -1) * (x > 0);
        at += (uint32_t)snprintf(text + at, sizeof text - at, "%u:%g ", id, (double)x);
    }
    float weight = (float)below(s, 3) * 0.5f + 0.5f;
    b->weight[r] = weigh * (counts_each_once(h->stage->name) ? 1 : weight);
    harness_example(h, r, sum + (int)below(s, 3) > 1 ? 1 : -1, text);
    for (uint32_t i = first; i < b->n_entries; i++)
        name_entry(h, i);
}

/* Returns a time ten milliseconds or more after the previous record, or a little before it. */
static int64_t time_of(uint64_t stream, uint32_t i)
{
    const int64_t ms = 1000000, first = INT64_C(1700000000000) + 1000 * (int64_t)stream;
    return ms * (first + 10 * (int64_t)i + (int64_t)(mix64(stream + i) % 40));
}

static void draw(struct harness *h, uint64_t *s, uint32_t ids, float weigh, int64_t time)
{
    uint32_t r = harness_record(h, "");
    h->b.timestamp[r] = time;
    draw_example(h, s, ids, r, weigh);
    if (two_sided(h->stage->name)) draw_example(h, s, ids, r, weigh);
}

static void learn(struct harness *h, uint64_t stream, uint32_t n, uint32_t ids, float weigh,
                  float *score)
{
    uint64_t s = stream;
    for (uint32_t k = 0; k < n; k += h->b.n) {
        harness_clear(h);
        for (uint32_t i = 0; i < BATCH && k + i < n; i++)
            draw(h, &s, ids, weigh, time_of(stream, k + i));
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->n_rejections, 0);
        if (score) memcpy(score + k, h->b.score, h->b.n * sizeof *score);
    }
}

void learner_learn(struct harness *h, uint64_t stream, uint32_t n, uint32_t ids, float *score)
{
    learn(h, stream, n, ids, 1, score);
}

void learner_hold_out(struct harness *h, uint64_t stream, uint32_t n, uint32_t ids)
{
    learn(h, stream, n, ids, 0, NULL);
}

/* ---- learners ---- */

/* Sets "name=value" pairs; seed and split are the host's. */
static void set_all(struct harness *h, const char *with)
{
    char text[256], *save = NULL;
    snprintf(text, sizeof text, "%s", with);
    for (char *p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *value = strchr(p, '=');
        *value++ = 0;
        if (!strcmp(p, "seed"))
            h->seed = strtoull(value, NULL, 10);
        else if (!strcmp(p, "split"))
            h->split = 1;
        else
            harness_set(h, p, value);
    }
}

struct harness *learner_fresh_with(const struct learner *l, const char *more)
{
    struct harness *h = harness_new(l->plugin, l->stage);
    h->in.examples_per_record = two_sided(l->stage) ? 2 : 1;
    h->in.entries_per_record = h->in.parts_per_record = ENTRIES * h->in.examples_per_record;
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL | LEAT_HAS_NAMES | LEAT_HAS_TIMESTAMP);
    harness_field(h, "id");
    set_all(h, l->with);
    set_all(h, more);
    ck_assert_msg(harness_open(h, BATCH) == LEAT_OK, "%s: %s", more, h->said);
    return h;
}

struct harness *learner_fresh(const struct learner *l) { return learner_fresh_with(l, ""); }

struct harness *learner_after(const struct learner *l, uint64_t stream, uint32_t n, uint32_t ids)
{
    struct harness *h = learner_fresh(l);
    learner_learn(h, stream, n, ids, NULL);
    return h;
}

struct kept kept_from(struct harness *h)
{
    struct kept s;
    const void *bytes = harness_snapshot(h, &s.n);
    ck_assert_msg(bytes != NULL, "%s", h->said);
    s.bytes = aligned_alloc(64, (s.n + 63) & ~(size_t)63);
    memcpy(s.bytes, bytes, s.n);
    return s;
}

struct kept kept_of(const struct learner *l, uint64_t stream, uint32_t n, uint32_t ids)
{
    struct harness *h = learner_after(l, stream, n, ids);
    struct kept s = kept_from(h);
    harness_free(h);
    return s;
}

int kept_is_of(struct harness *h, const struct kept *s)
{
    size_t n;
    const void *bytes = harness_snapshot(h, &n);
    return bytes && n == s->n && !memcmp(bytes, s->bytes, n);
}

void kept_restore(struct harness *h, const struct kept *s)
{
    ck_assert_msg(harness_restore(h, s->bytes, s->n) == LEAT_OK, "%s", h->said);
}

void kept_merge(struct harness *h, const struct kept *s, double weight)
{
    ck_assert_msg(harness_merge(h, s->bytes, s->n, weight) == LEAT_OK, "%s", h->said);
}

struct kept kept_merged(const struct learner *l, const struct kept *a, const struct kept *b)
{
    struct harness *h = learner_fresh(l);
    kept_restore(h, a);
    kept_merge(h, b, 1);
    struct kept s = kept_from(h);
    harness_free(h);
    return s;
}

const struct harness_answer *learner_top(struct harness *h)
{
    return harness_query(h, LEAT_QUERY_TOP, HARNESS_NOTES, 0);
}
