/* expect.c -- implementation of expect.h. */
#include "expect.h"

#include <string.h>

#include <check.h>

bool says(const struct harness *h, const char *text) { return strstr(h->said, text) != NULL; }

void expect_errors(struct harness *h, int n, const char *text)
{
    ck_assert_int_eq(harness_negotiate(h), n);
    ck_assert_msg(says(h, text), "said '%s', not '%s'", h->said, text);
}

void expect_refused(struct harness *h, const char *text)
{
    ck_assert_int_ge(harness_negotiate(h), 1);
    ck_assert_msg(says(h, text), "said '%s', not '%s'", h->said, text);
}

void expect_refused_and_free(struct harness *h, const char *text)
{
    expect_refused(h, text);
    harness_free(h);
}

static const struct harness_rejection *rejection(const struct harness *h, uint32_t r, int reason)
{
    const struct harness_rejection *x = harness_rejected(h, r);
    ck_assert_msg(x != NULL, "record %u was not rejected", r);
    ck_assert_msg(x->reason == reason, "record %u: reason %d, '%s'", r, x->reason, x->text);
    return x;
}

void expect_rejected(const struct harness *h, uint32_t r, int reason, const char *text)
{
    ck_assert_str_eq(rejection(h, r, reason)->text, text);
}

void expect_rejected_for(const struct harness *h, uint32_t r, int reason, const char *part)
{
    const char *text = rejection(h, r, reason)->text;
    ck_assert_msg(strstr(text, part) != NULL, "record %u: '%s', not '%s'", r, text, part);
}

void expect_failed_allocations_told(struct harness *(*make)(void))
{
    bool opened = false;
    for (int allowed = 0; !opened; allowed++) {
        struct harness *h = make();
        harness_negotiate(h);
        h->allocs_left = allowed;
        int status = harness_open(h, 4);
        opened = status == LEAT_OK;
        if (!opened) ck_assert_int_eq(status, LEAT_ENOMEM);
        ck_assert_int_lt(allowed, 20);
        h->allocs_left = -1;
        harness_free(h);
    }
}
