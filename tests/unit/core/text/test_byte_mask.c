/* test_byte_mask.c -- masks of bytes against a loop. */
#include "support/suite.h"
#include "support/random.h"

#include "core/text/byte_mask.h"

START_TEST(each_bit_is_a_byte_that_is_equal)
{
    static const char alphabet[] = ",\"\n\r\0\x2b\x2d\xac\xff\x7f\x80\x01";
    uint64_t seed = seed_given();
    for (int round = 0; round < 20000; round++) {
        char text[2 * BYTE_MASK];
        const size_t at = below(&seed, BYTE_MASK);
        const char c = alphabet[below(&seed, sizeof alphabet)];
        uint64_t naive = 0;
        for (size_t i = 0; i < sizeof text; i++)
            text[i] =
                below(&seed, 3) ? alphabet[below(&seed, sizeof alphabet)] : (char)below(&seed, 256);
        for (size_t i = 0; i < BYTE_MASK; i++)
            if (text[at + i] == c) naive |= UINT64_C(1) << i;
        ck_assert_uint_eq(byte_mask(text + at, c), naive);
        ck_assert_uint_eq(byte_mask_plain(text + at, c), naive);
    }
}
END_TEST

START_TEST(the_end_of_a_text_has_a_mask_of_its_bytes_alone)
{
    for (size_t n = 0; n < BYTE_MASK; n++) {
        char text[BYTE_MASK];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = i % 3 ? 'a' : ','; /* stands behind the end, too */
        for (size_t i = 0; i < BYTE_MASK; i++)
            ck_assert_uint_eq(byte_mask_of_end(text, n, ',') >> i & 1, i < n && i % 3 == 0);
    }
}
END_TEST

LEAT_SUITE("byte_mask", each_bit_is_a_byte_that_is_equal,
           the_end_of_a_text_has_a_mask_of_its_bytes_alone)
