/* test_state_refused.c -- states that every learner must refuse, without a change.
 *
 * They are of other models, damaged or inconsistent, or there is no memory for them. */
/* tier: long (15 s) */
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/store/state_codec.h"
#include "support/laws.h"

/* ---- refusals ---- */

START_TEST(states_of_other_parameters_are_refused_by_name)
{
    for (EACH_LEARNER(l))
        law_refuses_other_parameters(l, 300, MANY);
}
END_TEST

/* Returns a learner so small that a test can damage each of its bytes. */
static struct harness *small(const struct learner *l, uint64_t stream)
{
    const char *less = strstr(l->with, "active") ? "active=4 width=8"
                       : strstr(l->with, "m=")   ? "m=2 max_features=512"
                                                 : "";
    struct harness *h = learner_fresh_with(l, less);
    learner_learn(h, stream, 40, 8, NULL);
    return h;
}

START_TEST(damaged_states_are_refused_and_change_nothing)
{
    for (EACH_LEARNER(l)) {
        struct harness *h = small(l, 1), *other = small(l, 2);
        struct kept is = kept_from(h), s = kept_from(other);
        for (size_t i = 0; i < s.n; i++) {
            s.bytes[i] ^= (char)(1 << i % 8);
            law_refuses(h, &is, s.bytes, s.n, "");
            s.bytes[i] ^= (char)(1 << i % 8);
        }
        for (size_t n = 0; n < s.n; n++)
            law_refuses(h, &is, s.bytes, n, "");
        kept_restore(h, &s);
        free(is.bytes), free(s.bytes);
        harness_free(h), harness_free(other);
    }
}
END_TEST

static void seal(char *bytes, size_t n)
{
    uint64_t sum = state_checksum(bytes, n);
    memcpy(bytes + n - 8, &sum, 8);
}

static void lie(char *bytes, size_t n, uint64_t *s)
{
    static const uint32_t odd[] = {0,           1,          0x7fc00000u, 0x7f800000u, /* NaN, inf */
                                   0xff7fffffu, 0x80000000, 0xffffffffu, 5};
    for (uint32_t k = 0, times = 1 + below(s, 3); k < times; k++) {
        uint32_t v = below(s, 3) ? odd[below(s, 8)] : (uint32_t)mix64_next(s);
        memcpy(bytes + below(s, (uint32_t)n / 4) * 4, &v, 4);
    }
    seal(bytes, n);
}

/* A state with any contents and a right checksum is refused, or makes a model that works. */
START_TEST(states_that_lie_are_refused_or_make_a_model_that_works)
{
    uint64_t s = 5;
    for (EACH_LEARNER(l)) {
        struct harness *h = small(l, 1), *other = small(l, 2);
        struct kept is = kept_from(h), good = kept_from(other);
        int accepted = 0, turned_away = 0;
        for (int k = 0; k < 2000; k++) {
            char *bytes = aligned_alloc(64, (good.n + 63) & ~(size_t)63);
            float score[BATCH];
            memcpy(bytes, good.bytes, good.n);
            lie(bytes, good.n, &s);
            int got =
                k % 2 ? harness_restore(h, bytes, good.n) : harness_merge(h, bytes, good.n, 1);
            free(bytes);
            if (got != LEAT_OK) {
                ck_assert(kept_is_of(h, &is));
                turned_away++;
                continue;
            }
            learner_learn(h, 7 + (uint64_t)k, BATCH, 16, score);
            for (int i = 0; i < BATCH; i++)
                ck_assert(isfinite(score[i]));
            learner_top(h);
            kept_restore(h, &is);
            accepted++;
        }
        ck_assert_int_gt(accepted, 200);
        ck_assert_int_gt(turned_away, 200);
        free(is.bytes), free(good.bytes);
        harness_free(h), harness_free(other);
    }
}
END_TEST

/* Returns a field's first element; NULL if the elements do not lie one after another. A header of
 * 16 bytes precedes the field's name (state_codec.h). */
static char *first_element(const struct kept *s, const char *name, uint16_t *type)
{
    size_t len = strlen(name);
    for (size_t at = 24; at + 16 + len < s->n; at += 8) {
        uint32_t name_len;
        uint64_t count;
        memcpy(&name_len, s->bytes + at + 4, 4);
        memcpy(&count, s->bytes + at + 8, 8);
        if (name_len != len || memcmp(s->bytes + at + 16, name, len) || !count) continue;
        uint16_t how = (uint16_t)(unsigned char)s->bytes[at + 2];
        size_t align = how ? STATE_ALIGN : 8, end = at + 16 + len;
        memcpy(type, s->bytes + at, 2);
        return how == 2 ? NULL : s->bytes + (end + align - 1) / align * align;
    }
    return NULL;
}

static const struct out_of_range {
    const char *field;
    uint16_t type;
    double value;
} out_of_range[] = {
    {"alpha", LEAT_F64, 0},         {"alpha", LEAT_F64, 1.5},       {"bias_weight", LEAT_F64, NAN},
    {"mass", LEAT_F64, -1},         {"grown", LEAT_F64, 0.5},       {"faded", LEAT_F64, INFINITY},
    {"l1_applied", LEAT_F64, 1e90}, {"l1_seen", LEAT_F32, 1e30},    {"weights", LEAT_F32, NAN},
    {"weights", LEAT_F32, 2e30},    {"accumulators", LEAT_F32, -1}, {"cells", LEAT_F32, INFINITY},
    {"ratios", LEAT_F32, INFINITY}, {"priorities", LEAT_F32, 2e8},  {"frequencies", LEAT_U32, 3e9},
    {"cursor", LEAT_U64, 1e6},
};

/* Returns false if the state has no such field. */
static bool set_first(struct kept *s, const struct out_of_range *o)
{
    uint16_t type = 0;
    char *at = first_element(s, o->field, &type);
    if (!at || type != o->type) return false;
    float f = (float)o->value;
    uint32_t u32 = o->type == LEAT_U32 ? (uint32_t)o->value : 0;
    uint64_t u64 = o->type == LEAT_U64 ? (uint64_t)o->value : 0;
    if (type == LEAT_F64) memcpy(at, &o->value, 8);
    if (type == LEAT_F32) memcpy(at, &f, 4);
    if (type == LEAT_U32) memcpy(at, &u32, 4);
    if (type == LEAT_U64) memcpy(at, &u64, 8);
    seal(s->bytes, s->n);
    return true;
}

START_TEST(numbers_out_of_range_are_refused_by_name)
{
    size_t n = sizeof out_of_range / sizeof *out_of_range;
    for (const struct out_of_range *o = out_of_range; o < out_of_range + n; o++) {
        int tried = 0;
        for (EACH_LEARNER(l)) {
            bool linear = !strcmp(l->plugin, "learners_linear");
            if (!linear && strcmp(l->stage, "learn.paired_count_min") != 0) continue;
            struct harness *h = small(l, 1), *other = small(l, 2);
            struct kept is = kept_from(h), s = kept_from(other);
            if (set_first(&s, o)) {
                law_refuses(h, &is, s.bytes, s.n, o->field);
                tried++;
            }
            free(is.bytes), free(s.bytes);
            harness_free(h), harness_free(other);
        }
        ck_assert_msg(tried, "no state has %s", o->field);
    }
}
END_TEST

START_TEST(an_older_state_version_is_refused_as_such)
{
    for (EACH_LEARNER(l)) {
        struct harness *h = learner_after(l, 1, 50, MANY);
        struct kept is = kept_from(h), s = kept_of(l, 2, 50, MANY);
        char says[64];
        snprintf(says, sizeof says, " has version %u", h->stage->state->version - 1);
        ck_assert_int_eq(harness_restore_as(h, s.bytes, s.n, h->stage->state->version - 1),
                         LEAT_EDATA);
        ck_assert_msg(strstr(h->said, says) != NULL, "%s", h->said);
        ck_assert(kept_is_of(h, &is));
        s.bytes[12] = (char)(h->stage->state->version + 1);
        seal(s.bytes, s.n);
        snprintf(says, sizeof says, " has version %u", h->stage->state->version + 1);
        law_refuses(h, &is, s.bytes, s.n, says);
        free(is.bytes), free(s.bytes);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_merge_weight_out_of_range_is_refused)
{
    static const double wrong[] = {-1, -1e-300, NAN, INFINITY, 1e300};
    for (EACH_LEARNER(l)) {
        struct harness *h = learner_after(l, 1, 50, MANY);
        struct kept is = kept_from(h), s = kept_of(l, 2, 50, MANY);
        for (int k = 0; k < 5; k++) {
            ck_assert_int_eq(harness_merge(h, s.bytes, s.n, wrong[k]), LEAT_EDATA);
            ck_assert_msg(strstr(h->said, "merge weight") != NULL, "%s", h->said);
            ck_assert(kept_is_of(h, &is));
        }
        kept_merge(h, &s, 0.25);
        kept_merge(h, &s, 1e9);
        kept_merge(h, &s, 1e-9);
        learner_learn(h, 3, 100, MANY, NULL);
        free(is.bytes), free(s.bytes);
        harness_free(h);
    }
}
END_TEST

START_TEST(without_memory_nothing_changes_and_nothing_leaks)
{
    for (EACH_LEARNER(l))
        law_survives_without_memory(l, 300, MANY, false);
}
END_TEST

/* ---- one by one ---- */

static const struct learner *uncompressed(void)
{
    for (EACH_LEARNER(l))
        if (!strcmp(l->stage, "learn.logistic")) return l;
    ck_abort_msg("learn.logistic is not under the laws");
    return NULL;
}

START_TEST(an_uncompressed_model_keeps_its_heaviest_features_when_two_do_not_fit)
{
    const struct learner *l = uncompressed();
    const char *more = "max_features=64";
    struct harness *a = learner_fresh_with(l, more), *b = learner_fresh_with(l, more),
                   *all = learner_fresh(l);
    learner_learn(a, 1, 200, 64, NULL);
    learner_learn(b, 1, 200, 64, NULL);
    for (int k = 0; k < 3; k++) { /* features that a never saw */
        harness_clear(b);
        harness_example(b, harness_record(b, ""), 1, "5001:1 5002:1 5003:1 5004:1");
        ck_assert_int_eq(harness_process(b), LEAT_OK);
    }
    struct kept sa = kept_from(a), sb = kept_from(b);
    kept_restore(all, &sa);
    kept_merge(all, &sb, 1);
    kept_merge(a, &sb, 1);
    const struct harness_answer *x = learner_top(a), *y = learner_top(all);
    ck_assert_uint_eq(x->n_rows, 64);
    ck_assert_uint_gt(y->n_rows, 63);
    for (uint32_t i = 0; i < 64; i++) {
        ck_assert_str_eq(x->name[i], y->name[i]);
        ck_assert(x->value[i][0] == y->value[i][0]);
    }
    harness_free(a), harness_free(b), harness_free(all);
    free(sa.bytes), free(sb.bytes);
}
END_TEST

START_TEST(more_features_than_are_allowed_here_are_refused)
{
    const struct learner *l = uncompressed();
    struct harness *h = learner_fresh_with(l, "max_features=16");
    struct kept is = kept_from(h), s = kept_of(l, 1, 200, MANY);
    ck_assert_int_eq(harness_restore(h, s.bytes, s.n), LEAT_EDATA);
    ck_assert_msg(strstr(h->said, "max_features allows 16 here") != NULL, "%s", h->said);
    ck_assert(kept_is_of(h, &is));
    free(is.bytes), free(s.bytes);
    harness_free(h);
}
END_TEST

LEAT_SUITE("refused states", states_of_other_parameters_are_refused_by_name,
           damaged_states_are_refused_and_change_nothing,
           states_that_lie_are_refused_or_make_a_model_that_works,
           numbers_out_of_range_are_refused_by_name, an_older_state_version_is_refused_as_such,
           a_merge_weight_out_of_range_is_refused, without_memory_nothing_changes_and_nothing_leaks,
           an_uncompressed_model_keeps_its_heaviest_features_when_two_do_not_fit,
           more_features_than_are_allowed_here_are_refused)
