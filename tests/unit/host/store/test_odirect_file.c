/* test_odirect_file.c -- files written past the page cache have the right content.
 *
 * Any length and any cut works, also on file systems that always use the cache. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <leat/status.h>

#include "host/store/odirect_file.h"
#include "support/suite.h"

enum { BLOCK = 1 << 20, MOST = 3 * BLOCK + 17 };

static int temporary(const char *template)
{
    char name[64];
    strcpy(name, template);
    int fd = mkstemp(name);
    if (fd >= 0) unlink(name);
    return fd;
}

static void fill(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)((i * 2654435761u) >> 13);
}

static void written_and_read(const char *where, const unsigned char *p, size_t n, size_t piece)
{
    struct odirect_file d;
    int fd = temporary(where), s;
    unsigned char *again = malloc(n + 1);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(s = odirect_file_begin(&d, fd), LEAT_OK);
    for (size_t at = 0; at < n && s == LEAT_OK; at += piece)
        s = odirect_file_write(&d, p + at, n - at < piece ? n - at : piece);
    ck_assert_int_eq(odirect_file_end(&d, s), LEAT_OK);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), (off_t)n);
    ck_assert_int_eq(pread(fd, again, n + 1, 0), (ssize_t)n);
    ck_assert(!memcmp(again, p, n));
    free(again);
    close(fd);
}

static void any_length(const char *where)
{
    static const size_t length[] = {0,         1,     511,       4095,      4096, 4097,
                                    BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, MOST};
    static const size_t piece[] = {MOST, 70000, 4096};
    unsigned char *p = malloc(MOST);
    fill(p, MOST);
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        for (size_t k = 0; k < sizeof piece / sizeof *piece; k++)
            written_and_read(where, p, length[i], piece[k]);
    free(p);
}

START_TEST(a_file_of_any_length_is_what_was_written) { any_length("/tmp/leat-direct-XXXXXX"); }
END_TEST

START_TEST(so_it_is_where_there_is_only_the_cache)
{
    if (!access("/dev/shm", W_OK)) any_length("/dev/shm/leat-direct-XXXXXX");
}
END_TEST

/* On a full disk, odirect_file writes the part that has room, and then fails with the reason. */
START_TEST(what_finds_no_room_is_a_failure_with_its_reason)
{
    struct odirect_file d;
    int fd = temporary("/tmp/leat-direct-XXXXXX");
    unsigned char *p = malloc(MOST);
    fill(p, MOST);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert(!setrlimit(RLIMIT_FSIZE, &(struct rlimit){BLOCK + 1000, RLIM_INFINITY}));
    ck_assert_int_eq(odirect_file_begin(&d, fd), LEAT_OK);
    int s = odirect_file_write(&d, p, MOST), why = errno;
    ck_assert_int_eq(s, LEAT_EIO);
    ck_assert_int_eq(why, EFBIG);
    errno = why; /* the assertion may have changed it */
    s = odirect_file_end(&d, s), why = errno;
    ck_assert_int_eq(s, LEAT_EIO);
    ck_assert_int_eq(why, EFBIG);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), BLOCK + 1000);
    free(p);
    close(fd);
}
END_TEST

LEAT_SUITE("direct", a_file_of_any_length_is_what_was_written,
           so_it_is_where_there_is_only_the_cache, what_finds_no_room_is_a_failure_with_its_reason)
