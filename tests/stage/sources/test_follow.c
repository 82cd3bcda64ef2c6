/* test_follow.c -- source.file { follow = true } call by call, between the steps of a rotation.
 *
 * tests/system/follow.sh has rotations under load, and runs that are killed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/harness.h"
#include "support/suite.h"

static char folder[] = "/tmp/leat_follow_XXXXXX";

static void write_text(const char *path, int flags, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* Copies the log, whose text is `text`, and truncates it. The time of the copy is another than that
 * of earlier ones. */
static void rotate_by_copy(const char *text, const char *next)
{
    usleep(20000);
    rename("a.log.1", "a.log.2");
    write_text("a.log.1", O_TRUNC, text);
    write_text("a.log", O_TRUNC, next);
}

/* Returns the next record. */
static const char *record(struct harness *h)
{
    static char text[64];
    do {
        harness_clear(h);
        ck_assert_int_ge(harness_produce(h), LEAT_OK);
    } while (!h->b.n);
    ck_assert_uint_eq(h->b.n, 1);
    snprintf(text, sizeof text, "%.*s", (int)h->b.raw[0].len, leat_text(&h->b, h->b.raw[0]));
    return text;
}

START_TEST(a_text_that_was_saved_unread_is_found_in_its_copy)
{
    size_t n;
    struct harness *h = harness_new("sources_file", "source.file");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    write_text("a.log", 0, "one\n");
    harness_set(h, "path", "a.log");
    harness_set(h, "follow", "true");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    ck_assert_str_eq(record(h), "one");
    rotate_by_copy("one\ntwo\nmore\n", "three\n");
    ck_assert_str_eq(record(h), "two");
    ck_assert_ptr_nonnull(harness_snapshot(h, &n));
    rotate_by_copy("three\n", "four is longer\n");
    ck_assert_str_eq(record(h), "more");
    ck_assert_str_eq(record(h), "three");
    ck_assert_str_eq(record(h), "four is longer");
    harness_free(h);
    unlink("a.log");
    unlink("a.log.1");
    unlink("a.log.2");
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

LEAT_SUITE("follow", a_text_that_was_saved_unread_is_found_in_its_copy)
