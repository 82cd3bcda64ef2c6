/* laws.c -- implementation of laws.h. */
#include "laws.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

uint32_t law_same_top(struct harness *h, struct harness *copy)
{
    const struct harness_answer *a = learner_top(h), *b = learner_top(copy);
    ck_assert_uint_eq(a->n_rows, b->n_rows);
    ck_assert(!memcmp(a->name, b->name, sizeof a->name));
    ck_assert(!memcmp(a->value, b->value, sizeof a->value));
    return a->n_rows;
}

static void identity_of_merge(const struct learner *l, const struct kept *a,
                              const struct kept *none)
{
    struct harness *h = learner_fresh(l);
    kept_merge(h, a, 1);
    ck_assert(kept_is_of(h, a));
    kept_merge(h, none, 1);
    ck_assert(kept_is_of(h, a));
    kept_merge(h, none, 2);
    ck_assert(kept_is_of(h, a));
    kept_merge(h, a, 0); /* it does not count */
    ck_assert(kept_is_of(h, a));
    harness_free(h);
}

void law_identity_of_merge(const struct learner *l, uint32_t n, uint32_t ids)
{
    struct kept a = kept_of(l, 1, n, ids), b = kept_of(l, 2, n, ids), none = kept_of(l, 1, 0, ids),
                both = kept_merged(l, &a, &b);
    identity_of_merge(l, &a, &none);
    identity_of_merge(l, &both, &none);
    free(a.bytes), free(b.bytes), free(none.bytes), free(both.bytes);
}

void law_refuses(struct harness *h, const struct kept *is, const void *bytes, size_t n,
                 const char *text)
{
    size_t blocks = h->allocations;
    for (int k = 0; k < 2; k++) {
        int got = k ? harness_merge(h, bytes, n, 1) : harness_restore(h, bytes, n);
        ck_assert_int_eq(got, LEAT_EDATA);
        ck_assert_msg(says(h, text), "'%s' does not say %s", h->said, text);
        ck_assert(kept_is_of(h, is));
        ck_assert_uint_eq(h->allocations, blocks);
    }
}

void law_refuses_other_parameters(const struct learner *l, uint32_t n, uint32_t ids)
{
    struct harness *h = learner_after(l, 1, n, ids);
    struct kept is = kept_from(h);
    char text[256], *save = NULL, name_is[64];
    snprintf(text, sizeof text, "%s", l->differs);
    for (char *p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        struct harness *other = learner_fresh_with(l, p);
        learner_learn(other, 2, n / 3, ids, NULL);
        struct kept s = kept_from(other);
        snprintf(name_is, sizeof name_is, "%.*s is ", (int)strcspn(p, "="), p);
        law_refuses(h, &is, s.bytes, s.n, name_is);
        law_refuses(h, &is, s.bytes, s.n, " in the saved state and ");
        free(s.bytes);
        harness_free(other);
    }
    free(is.bytes);
    harness_free(h);
}

enum call { SNAPSHOT, RESTORE, MERGE, CALLS };

static int do_call(struct harness *h, enum call which, const struct kept *s)
{
    size_t n;
    if (which == SNAPSHOT) return harness_snapshot(h, &n) ? LEAT_OK : LEAT_ENOMEM;
    return which == RESTORE ? harness_restore(h, s->bytes, s->n)
                            : harness_merge(h, s->bytes, s->n, 1);
}

/* Makes the k-th allocation fail, for each k until none does. Returns the number of tries. */
static int fail_each(struct harness *h, enum call which, const struct kept *s)
{
    struct kept is = kept_from(h);
    size_t blocks = h->allocations;
    int got = LEAT_ENOMEM, k = 0;
    for (; got != LEAT_OK; k++) {
        h->allocs_left = k;
        got = do_call(h, which, s);
        h->allocs_left = -1;
        ck_assert(got == LEAT_OK || got == LEAT_ENOMEM);
        if (got == LEAT_OK) break;
        ck_assert_uint_eq(h->allocations, blocks);
        ck_assert(h->said[0] && kept_is_of(h, &is));
    }
    free(is.bytes);
    return k + 1;
}

/* Checks that a model holds as many blocks as before: after a snapshot or restore, and once a
 * merged one has learned or has been replaced. A merged model may hold more, but a second merge
 * does not add to them. */
static void keeps_no_blocks(struct harness *h, enum call which, const struct kept *is,
                            const struct kept *s, size_t blocks)
{
    size_t merged = h->allocations;
    if (which == MERGE) {
        ck_assert_int_eq(do_call(h, MERGE, s), LEAT_OK);
        ck_assert_uint_eq(h->allocations, merged);
        kept_restore(h, is);
        ck_assert_uint_eq(h->allocations, blocks);
        ck_assert_int_eq(do_call(h, MERGE, s), LEAT_OK);
        ck_assert_uint_eq(h->allocations, merged);
        learner_learn(h, 9, 1, 8, NULL);
    }
    ck_assert_uint_eq(h->allocations, blocks);
}

void law_survives_without_memory(const struct learner *l, uint32_t n, uint32_t ids,
                                 bool snapshot_allocates)
{
    struct kept s = kept_of(l, 2, n, ids);
    for (enum call which = 0; which < CALLS; which++) {
        struct harness *h = learner_after(l, 1, n, ids);
        struct kept is = kept_from(h);
        size_t blocks = h->allocations;
        int tried = fail_each(h, which, &s);
        if (which != SNAPSHOT || snapshot_allocates) ck_assert_int_gt(tried, 1);
        keeps_no_blocks(h, which, &is, &s, blocks);
        free(is.bytes);
        harness_free(h);
    }
    free(s.bytes);
}
