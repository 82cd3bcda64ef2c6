#include "support/suite.h"

#include <fcntl.h>
#include <unistd.h>

#include <leat/host.h>

#include "program/cli/run/progress.h"

static const uint64_t SECOND = UINT64_C(1000000000);

static struct progress begun(enum progress_mode mode, bool quiet, int level)
{
    struct progress p;
    struct command_line c = {.progress = mode, .quiet = quiet, .log_level = level};
    int messages = dup(STDERR_FILENO), file = open("/dev/null", O_WRONLY);
    dup2(file, STDERR_FILENO); /* no terminal */
    progress_init(&p, &c);
    dup2(messages, STDERR_FILENO);
    close(file);
    close(messages);
    return p;
}

START_TEST(lines_come_at_doubled_times_and_then_every_ten_minutes)
{
    static const uint64_t due[] = {10, 20, 40, 80, 160, 320, 640, 1240, 1840, 2440};
    struct progress p = begun(PROGRESS_AUTO, false, -1);
    size_t n = 0;
    for (uint64_t half = 0; half < 2 * 2500; half++)
        if (progress_line_is_due(&p, half * SECOND / 2)) ck_assert_uint_eq(half, 2 * due[n++]);
    ck_assert_uint_eq(n, sizeof due / sizeof *due);
}
END_TEST

START_TEST(a_time_that_was_missed_is_not_made_up_for)
{
    struct progress p = begun(PROGRESS_AUTO, false, -1);
    ck_assert(progress_line_is_due(&p, 5000 * SECOND));
    ck_assert(!progress_line_is_due(&p, 5001 * SECOND));
}
END_TEST

START_TEST(lines_are_for_those_who_want_messages)
{
    static const struct {
        enum progress_mode mode;
        bool quiet;
        int level;
        bool shown;
    } cases[] = {
        {PROGRESS_AUTO, false, -1, true},           {PROGRESS_AUTO, true, -1, false},
        {PROGRESS_AUTO, false, LEAT_WARN, false},   {PROGRESS_AUTO, false, LEAT_INFO, true},
        {PROGRESS_AUTO, false, LEAT_DEBUG, true},   {PROGRESS_NEVER, false, -1, false},
        {PROGRESS_ALWAYS, false, LEAT_INFO, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct progress p = begun(cases[i].mode, cases[i].quiet, cases[i].level);
        ck_assert_int_eq(progress_line_is_due(&p, 10 * SECOND), cases[i].shown);
    }
}
END_TEST

LEAT_SUITE("progress", lines_come_at_doubled_times_and_then_every_ten_minutes,
           a_time_that_was_missed_is_not_made_up_for, lines_are_for_those_who_want_messages)
