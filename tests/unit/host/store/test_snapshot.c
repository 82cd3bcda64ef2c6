/* test_snapshot.c -- snapshot files are read back; damaged ones are refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leat/plugin.h>

#include "core/le.h"
#include "host/log/log.h"
#include "host/store/crc32c.h"
#include "host/store/snapshot.h"
#include "host/store/snapshot_dir.h"
#include "support/suite.h"

static uint32_t crc_by_bits(const unsigned char *p, size_t n)
{
    uint32_t c = ~0u;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? (c >> 1) ^ 0x82f63b78u : c >> 1;
    }
    return ~c;
}

START_TEST(crc32c_is_castagnolis)
{
    unsigned char bytes[300];
    ck_assert_uint_eq(crc32c(0, "123456789", 9), 0xe3069283u); /* the usual check value */
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37 + 11);
    for (size_t from = 0; from < 9; from++)
        for (size_t n = 0; from + n <= sizeof bytes; n += 7) {
            ck_assert_uint_eq(crc32c(0, bytes + from, n), crc_by_bits(bytes + from, n));
            ck_assert_uint_eq(crc32c_by_tables(0, bytes + from, n), crc_by_bits(bytes + from, n));
        }
    ck_assert_uint_eq(crc32c(crc32c(0, bytes, 100), bytes + 100, 200), crc32c(0, bytes, 300));
}
END_TEST

static char dir[] = "/tmp/leat-snapshot-XXXXXX";

static void make_dir(void)
{
    strcpy(dir + strlen(dir) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void remove_dir(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", dir);
    ck_assert_int_eq(system(command), 0);
}

static const struct snapshot_section sections[] = {
    {"pipeline", "{}", 2}, {"stage/model/0", "0123456789", 10}, {"empty", "", 0}};

static void *written(size_t *n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/s", dir);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_eq(snapshot_write(fd, 42, sections, 3), LEAT_OK);
    *n = (size_t)lseek(fd, 0, SEEK_END);
    char *bytes = malloc(*n + 64);
    ck_assert_int_eq(pread(fd, bytes, *n, 0), (ssize_t)*n);
    close(fd);
    return bytes;
}

START_TEST(what_is_written_is_read_back)
{
    struct snapshot s;
    size_t n;
    make_dir();
    char *bytes = written(&n);
    ck_assert_int_eq(snapshot_parse(&s, bytes, n), LEAT_OK);
    ck_assert_uint_eq(s.checkpoint, 42);
    ck_assert_uint_eq(s.n, 3);
    const struct snapshot_section *m = snapshot_find(&s, "stage/model/0");
    ck_assert_uint_eq(m->n, 10);
    ck_assert_mem_eq(m->bytes, "0123456789", 10);
    ck_assert_ptr_null(snapshot_find(&s, "stage/model/1"));
    snapshot_free(&s);
    remove_dir();
}
END_TEST

START_TEST(every_flipped_bit_and_every_cut_is_found)
{
    size_t n;
    make_dir();
    char *good = written(&n);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        struct snapshot s;
        char *bad = malloc(n);
        memcpy(bad, good, n);
        bad[bit / 8] ^= (char)(1 << bit % 8);
        ck_assert_msg(snapshot_parse(&s, bad, n) == LEAT_EDATA, "bit %zu", bit);
        ck_assert(s.error[0]);
        snapshot_free(&s);
    }
    for (size_t cut = 0; cut < n; cut++) {
        struct snapshot s;
        char *bad = malloc(cut + 1);
        memcpy(bad, good, cut);
        ck_assert_msg(snapshot_parse(&s, bad, cut) == LEAT_EDATA, "cut at %zu", cut);
        snapshot_free(&s);
    }
    free(good);
    remove_dir();
}
END_TEST

/* Returns a snapshot with right checksums. Its one head has a name of `len` bytes, and announces
 * `bytes` bytes of payload that are missing. */
static char *forged(size_t total, size_t len, uint64_t bytes)
{
    unsigned char *p = calloc(1, total + SNAPSHOT_NAME);
    memcpy(p, "leatSNAP", 8);
    le_put(p + 8, SNAPSHOT_FORMAT, 4);
    le_put(p + 12, 1, 4);
    le_put(p + 24, total, 8);
    le_put(p + 32, crc32c(0, p, 32), 4);
    memset(p + 84, 'x', len);
    le_put(p + 64, len, 4);
    le_put(p + 72, bytes, 8);
    le_put(p + 80, crc32c(crc32c(0, p + 64, 16), p + 84, len), 4);
    return (char *)p;
}

static void expect_refusal(char *bytes, size_t n, const char *why)
{
    struct snapshot s;
    ck_assert_int_eq(snapshot_parse(&s, bytes, n), LEAT_EDATA);
    ck_assert_msg(strstr(s.error, why) != NULL, "%s", s.error);
    snapshot_free(&s);
}

START_TEST(lengths_that_reach_past_the_end_are_refused)
{
    expect_refusal(forged(164, 50, 0x100000), 164, "not a multiple of 64");
    expect_refusal(forged(128, 44, 0x100000), 128, "is truncated in section ");
    expect_refusal(forged(192, 50, UINT64_MAX - 10), 192, "is truncated in section ");
    expect_refusal(forged(192, 250, 0), 192, "has a damaged section head at byte 64");
}
END_TEST

START_TEST(a_truncated_snapshot_says_where_it_ends)
{
    size_t n;
    make_dir();
    char *good = written(&n), why[80];
    for (size_t cut = 0; cut < n; cut++) {
        snprintf(why, sizeof why, "is truncated at byte %zu", cut);
        expect_refusal(memcpy(malloc(cut + 1), good, cut), cut, why);
    }
    free(good);
    remove_dir();
}
END_TEST

static void write_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

#if !defined __SANITIZE_ADDRESS__ &&                                                               \
    !defined __SANITIZE_THREAD__ /* a sanitizer's memory exceeds any limit */
static void limit_memory(rlim_t bytes)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}
#endif

START_TEST(without_memory_for_the_newest_no_older_one_replaces_it)
{
    struct snapshot_dir d;
    struct snapshot s;
    char path[128], header[64] = {0};
    make_dir();
    ck_assert_int_eq(snapshot_dir_open(&d, dir), LEAT_OK);
    ck_assert_int_eq(snapshot_dir_write(&d, 1, sections, 3), LEAT_OK);
    snprintf(path, sizeof path, "%s/%016d.snapshot", dir, 2);
    char *large = forged(192, 1, 64);
    memcpy(header, large, sizeof header);
    le_put((unsigned char *)header + 24, 1ull << 44, 8);
    le_put((unsigned char *)header + 32, crc32c(0, header, 32), 4);
    write_bytes(path, header, sizeof header);
    ck_assert_int_eq(truncate(path, 1ll << 43), 0);
    ck_assert_int_eq(snapshot_dir_newest(dir, &s), LEAT_OK); /* truncated: damage */
    snapshot_free(&s);
    le_put((unsigned char *)header + 24, 1ull << 43, 8);
    le_put((unsigned char *)header + 32, crc32c(0, header, 32), 4);
    write_bytes(path, header, sizeof header);
    ck_assert_int_eq(truncate(path, 1ll << 43), 0);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    limit_memory(1ull << 42);
    ck_assert_int_eq(snapshot_dir_newest(dir, &s), LEAT_ENOMEM);
    limit_memory(RLIM_INFINITY);
    snapshot_free(&s);
#endif
    free(large);
    snapshot_dir_close(&d);
    remove_dir();
}
END_TEST

static rlim_t limit_files(rlim_t files)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = files;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    return before;
}

START_TEST(a_directory_that_cannot_be_read_is_not_an_empty_one)
{
    struct snapshot_dir d;
    struct snapshot s;
    char path[128];
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    make_dir();
    ck_assert_int_eq(snapshot_dir_open(&d, dir), LEAT_OK);
    ck_assert_int_eq(snapshot_dir_write(&d, 1, sections, 3), LEAT_OK);
    snprintf(path, sizeof path, "%s/%016d.snapshot", dir, 1);
    rlim_t before = limit_files(3);
    int listed = snapshot_dir_list(dir, checkpoint), status = snapshot_dir_newest(dir, &s);
    snapshot_free(&s);
    int file = snapshot_read(&s, path); /* it may be whole, so no older one replaces it */
    snapshot_free(&s);
    limit_files(before);
    ck_assert_int_eq(listed, -1);
    ck_assert_int_eq(status, LEAT_EIO);
    ck_assert_int_eq(file, LEAT_ENOMEM);
    ck_assert_int_eq(snapshot_dir_newest(dir, &s), LEAT_OK);
    snapshot_free(&s);
    snapshot_dir_close(&d);
    remove_dir();
}
END_TEST

START_TEST(the_newest_whole_snapshot_is_found_and_three_are_kept)
{
    struct snapshot_dir d, second;
    struct snapshot s;
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    char path[128];
    make_dir();
    ck_assert_int_eq(snapshot_dir_open(&d, dir), LEAT_OK);
    ck_assert_int_eq(snapshot_dir_newest(dir, &s), LEAT_AGAIN);
    ck_assert_int_eq(snapshot_dir_open(&second, dir), LEAT_EIO);
    ck_assert_ptr_nonnull(strstr(second.error, "another run"));
    snapshot_dir_close(&second);
    for (uint64_t e = 1; e <= 5; e++)
        ck_assert_int_eq(snapshot_dir_write(&d, e, sections, 3), LEAT_OK);
    ck_assert_int_eq(snapshot_dir_list(dir, checkpoint), 3);
    ck_assert_uint_eq(checkpoint[0], 5);
    ck_assert_uint_eq(checkpoint[2], 3);
    snprintf(path, sizeof path, "%s/%016d.snapshot", dir, 5);
    ck_assert_int_eq(truncate(path, 100), 0);
    ck_assert_int_eq(snapshot_dir_newest(dir, &s), LEAT_OK);
    ck_assert_uint_eq(s.checkpoint, 4);
    snapshot_free(&s);
    snapshot_dir_close(&d);
    remove_dir();
}
END_TEST

static void expect_newest(uint64_t checkpoint)
{
    struct snapshot s;
    ck_assert_int_eq(snapshot_dir_newest(dir, &s), LEAT_OK);
    ck_assert_uint_eq(s.checkpoint, checkpoint);
    snapshot_free(&s);
}

START_TEST(a_directory_that_is_moved_away_keeps_its_snapshots)
{
    struct snapshot_dir d;
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    char moved[128], path[160];
    make_dir();
    snprintf(moved, sizeof moved, "%s.moved", dir);
    ck_assert_int_eq(snapshot_dir_open(&d, dir), LEAT_OK);
    for (uint64_t e = 1; e <= 3; e++)
        ck_assert_int_eq(snapshot_dir_write(&d, e, sections, 3), LEAT_OK);
    ck_assert_int_eq(rename(dir, moved), 0);
    ck_assert_int_eq(mkdir(dir, 0777), 0); /* folder of another run */
    for (int e = 1; e <= 7; e++) {
        snprintf(path, sizeof path, "%s/%016d.snapshot", dir, e);
        write_bytes(path, "", 0);
    }
    ck_assert_int_eq(snapshot_dir_write(&d, 4, sections, 3), LEAT_OK);
    ck_assert_int_eq(snapshot_dir_list(moved, checkpoint), 3);
    ck_assert_uint_eq(checkpoint[0], 4);
    ck_assert_uint_eq(checkpoint[2], 2);
    ck_assert_int_eq(snapshot_dir_list(dir, checkpoint), 7);
    snapshot_dir_close(&d);
    remove_dir();
    ck_assert_int_eq(rename(moved, dir), 0);
    remove_dir();
}
END_TEST

START_TEST(of_however_many_snapshots_the_newest_is_found)
{
    struct snapshot_dir d;
    char path[128];
    size_t n;
    make_dir();
    char *bytes = written(&n);
    ck_assert_int_eq(snapshot_dir_open(&d, dir), LEAT_OK);
    for (int e = 1; e <= 200; e++) {
        snprintf(path, sizeof path, "%s/%016d.snapshot", dir, e * 37 % 211);
        write_bytes(path, bytes, n);
    }
    ck_assert_int_eq(snapshot_dir_write(&d, 211, sections, 3), LEAT_OK);
    expect_newest(211);
    free(bytes);
    snapshot_dir_close(&d);
    remove_dir();
}
END_TEST

START_TEST(whichever_byte_of_the_newest_is_lost_the_one_before_is_taken)
{
    struct snapshot_dir d;
    char path[128];
    size_t n;
    log_set_level(LEAT_ERROR);
    make_dir();
    char *bytes = written(&n);
    ck_assert_int_eq(snapshot_dir_open(&d, dir), LEAT_OK);
    ck_assert_int_eq(snapshot_dir_write(&d, 41, sections, 3), LEAT_OK);
    snprintf(path, sizeof path, "%s/%016d.snapshot", dir, 42);
    for (size_t i = 0; i < n; i++) {
        bytes[i] ^= 1;
        write_bytes(path, bytes, n);
        expect_newest(41);
        bytes[i] ^= 1;
        write_bytes(path, bytes, i);
        expect_newest(41);
    }
    write_bytes(path, bytes, n);
    expect_newest(42);
    free(bytes);
    snapshot_dir_close(&d);
    remove_dir();
}
END_TEST

LEAT_SUITE("snapshot", crc32c_is_castagnolis, what_is_written_is_read_back,
           every_flipped_bit_and_every_cut_is_found, lengths_that_reach_past_the_end_are_refused,
           a_truncated_snapshot_says_where_it_ends,
           without_memory_for_the_newest_no_older_one_replaces_it,
           a_directory_that_cannot_be_read_is_not_an_empty_one,
           the_newest_whole_snapshot_is_found_and_three_are_kept,
           a_directory_that_is_moved_away_keeps_its_snapshots,
           of_however_many_snapshots_the_newest_is_found,
           whichever_byte_of_the_newest_is_lost_the_one_before_is_taken)
