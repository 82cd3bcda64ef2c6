/* test_tsv.c -- escapes of fields between tabs stand for what writers mean by them. */
#include "support/suite.h"
#include "core/mix64.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/text/tsv.h"

/* Checks that `text` stands for the n bytes of `want`, also in place. The text is a copy of its
 * own, so that a sanitizer sees every read past it. */
static void stands_for(const char *text, const char *want, uint32_t n, int64_t other)
{
    uint32_t len = (uint32_t)strlen(text);
    char *copy = malloc(len ? len : 1), *out = malloc(len ? len : 1);
    int64_t found;
    memcpy(copy, text, len);
    ck_assert_uint_eq(tsv_undo(copy, len, out, &found), n);
    ck_assert_msg(!memcmp(out, want, n), "%s", text);
    ck_assert_int_eq(found, other);
    ck_assert_uint_eq(tsv_undo(copy, len, copy, &found), n);
    ck_assert_msg(!memcmp(copy, want, n), "%s in place", text);
    free(out);
    free(copy);
}

START_TEST(escapes_stand_for_their_bytes)
{
    stands_for("", "", 0, TSV_NONE);
    stands_for("plain", "plain", 5, TSV_NONE);
    stands_for("a\\tb\\nc\\rd\\\\e", "a\tb\nc\rd\\e", 9, TSV_NONE);
    stands_for("\\b\\f\\v\\'\\0", "\b\f\v'\0", 5, TSV_NONE);
    stands_for("\\x00\\x1b\\xfF", "\0\x1b\xff", 3, TSV_NONE);
    stands_for("\\\\N\\\\t", "\\N\\t", 4, TSV_NONE);
}
END_TEST

START_TEST(other_backslashes_stay_and_are_found)
{
    stands_for("\\", "\\", 1, 0);
    stands_for("C:\\\\a\\q\\w", "C:\\a\\q\\w", 8, 5);
    stands_for("\\x1", "\\x1", 3, 0);
    stands_for("\\xg0", "\\xg0", 4, 0);
    stands_for("a\\N", "a\\N", 3, 1);
    ck_assert(tsv_is_null("\\N", 2) && !tsv_is_null("\\Na", 3) && !tsv_is_null("\\n", 2));
}
END_TEST

/* Writes a byte as ClickHouse does. Returns the bytes written. */
static uint32_t put(char *to, char c)
{
    static const char special[] = "\t\n\r\\\b\f'", letters[] = "tnr\\bf'0";
    const char *at = memchr(special, c, sizeof special); /* finds the zero byte, too */
    to[0] = at ? '\\' : c;
    to[1] = at ? letters[at - special] : '\0';
    return at ? 2 : 1;
}

START_TEST(written_bytes_are_read_back)
{
    static const char bytes[] = "\t\n\r\\\b\f'\0\"Ntx0a";
    char text[32], want[16];
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        uint32_t n = (uint32_t)(mix64(seed++) % sizeof want), len = 0;
        for (uint32_t i = 0; i < n; i++) {
            want[i] = bytes[mix64(seed++) % (sizeof bytes - 1)];
            len += put(text + len, want[i]);
        }
        text[len] = '\0';
        stands_for(text, want, n, TSV_NONE);
    }
}
END_TEST

LEAT_SUITE("tsv", escapes_stand_for_their_bytes, other_backslashes_stay_and_are_found,
           written_bytes_are_read_back)
