/* test_call_status.c -- allowed values of calls, and messages about the others. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <leat/status.h>

#include "host/plugin/call_status.h"
#include "support/suite.h"

static const struct call_status_of STAGE = {.source = false}, SOURCE = {.source = true},
                                   STOPPED = {.stopping = true},
                                   STOPPED_SOURCE = {.source = true, .stopping = true};
static char why[300];

static bool may(int status, const char *call, struct call_status_of of)
{
    return call_status_may_be(status, call, of, why, sizeof why);
}

START_TEST(every_call_may_return_ok_and_failures)
{
    const char *call;
    for (size_t i = 0; (call = call_status_call(i)); i++)
        for (int status = -100; status <= LEAT_OK; status++)
            ck_assert_msg(may(status, call, STAGE), "%s %d", call, status);
}
END_TEST

START_TEST(no_call_may_return_what_is_no_status)
{
    const char *call;
    for (size_t i = 0; (call = call_status_call(i)); i++) {
        ck_assert_msg(!may(LEAT_LATER + 1, call, STOPPED_SOURCE), "%s", call);
        ck_assert_msg(!may(INT32_MAX, call, STOPPED_SOURCE), "%s", call);
    }
}
END_TEST

START_TEST(news_is_for_the_calls_that_have_it)
{
    ck_assert(may(LEAT_AGAIN, "produce", SOURCE) && may(LEAT_EOS, "produce", SOURCE));
    ck_assert(may(LEAT_LATER, "produce", SOURCE));
    ck_assert(may(LEAT_AGAIN, "expand", STAGE) && !may(LEAT_EOS, "expand", STAGE));
    ck_assert(may(LEAT_LATER, "negotiate", STAGE) && !may(LEAT_LATER, "expand", STAGE));
    ck_assert(!may(LEAT_AGAIN, "durable", SOURCE) && !may(LEAT_EOS, "commit", STOPPED));
}
END_TEST

START_TEST(the_end_is_told_while_the_run_is_stopped)
{
    static const char *const calls[] = {"header", "fence", "positions"};
    for (size_t i = 0; i < 3; i++) {
        ck_assert(may(LEAT_EOS, calls[i], STOPPED) && !may(LEAT_EOS, calls[i], STAGE));
        ck_assert(!may(LEAT_AGAIN, calls[i], STOPPED));
    }
    ck_assert(may(LEAT_EOS, "restore", STOPPED_SOURCE) && !may(LEAT_EOS, "restore", SOURCE));
    ck_assert(!may(LEAT_EOS, "restore", STOPPED) && !may(LEAT_EOS, "merge", STOPPED_SOURCE));
}
END_TEST

static void says(int status, const char *call, struct call_status_of of, const char *expected)
{
    ck_assert(!may(status, call, of));
    ck_assert_str_eq(why, expected);
}

START_TEST(what_is_wrong_is_said_with_what_would_be_right)
{
    says(7, "process", STAGE,
         "process returned 7; it may return LEAT_OK or a failure below 0 (leat/status.h)");
    says(LEAT_LATER, "expand", STAGE,
         "expand returned 3 (LEAT_LATER); it may return LEAT_OK, LEAT_AGAIN or a failure below 0 "
         "(leat/status.h)");
    says(LEAT_EOS, "fence", STAGE,
         "fence returned 1 (LEAT_EOS), and the run is not being stopped; it may return LEAT_OK, "
         "LEAT_EOS (stopped) or a failure below 0 (leat/status.h)");
    says(LEAT_EOS, "restore", STAGE,
         "restore returned 1 (LEAT_EOS); it may return LEAT_OK or a failure below 0 "
         "(leat/status.h)");
}
END_TEST

/* Reads cell `k` of the guide's row whose first cell names the call. */
static void cell_of_guide(const char *call, int k, char *out, size_t cap)
{
    char line[1000], name[40];
    FILE *guide = fopen("docs/plugins.md", "r");
    ck_assert_ptr_nonnull(guide);
    snprintf(name, sizeof name, "`%s`", call);
    *out = 0;
    while (!*out && fgets(line, sizeof line, guide)) {
        const char *at = strstr(line, name), *cell = line;
        if (strncmp(line, "| `", 3) != 0 || !at || at > strchr(line + 1, '|')) continue;
        for (int i = 0; i < k && cell; i++)
            cell = strstr(cell + 1, "| ");
        if (cell && !strncmp(cell, "| LEAT_OK", 9))
            snprintf(out, cap, "%.*s", (int)strcspn(cell + 2, "|") - 1, cell + 2);
    }
    fclose(guide);
}

START_TEST(the_guide_has_the_same_table)
{
    const char *call;
    char guide[200], here[200];
    for (size_t i = 0; (call = call_status_call(i)); i++) {
        cell_of_guide(call, 4, guide, sizeof guide);
        call_status_list(call, here, sizeof here);
        ck_assert_msg(!strcmp(here, guide), "%s: '%s' in docs/plugins.md, '%s' here", call, guide,
                      here);
    }
}
END_TEST

LEAT_SUITE("call_status", every_call_may_return_ok_and_failures,
           no_call_may_return_what_is_no_status, news_is_for_the_calls_that_have_it,
           the_end_is_told_while_the_run_is_stopped, what_is_wrong_is_said_with_what_would_be_right,
           the_guide_has_the_same_table)
