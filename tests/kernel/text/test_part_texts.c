/* test_part_texts.c -- texts in blocks are what strings in their own memory are. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/text/part_texts.h"

enum { BLOCKS = 40, TEXTS = 6, MOST = BLOCKS * PART_BLOCK, STEPS = 20000 };

static struct part_text text[TEXTS];
static char twin[TEXTS][MOST], copy[MOST];
static size_t len[TEXTS];

static size_t blocks_of(size_t n) { return n / PART_BLOCK + (n % PART_BLOCK != 0); }

static size_t blocks_in_use(void)
{
    size_t n = 0;
    for (int i = 0; i < TEXTS; i++)
        n += blocks_of(len[i]);
    return n;
}

static void expect_same(const struct part_texts *p, int i)
{
    ck_assert_uint_eq(text[i].n, len[i]);
    part_texts_copy(p, &text[i], copy);
    if (len[i]) ck_assert_mem_eq(copy, twin[i], len[i]);
}

/* Adds a part that often ends at the end of a block, if there is room. */
static void add(struct part_texts *p, int i, uint64_t x)
{
    static char part[3 * PART_BLOCK];
    size_t n = x % sizeof part;
    if (x >> 60 < 6) n = PART_BLOCK - len[i] % PART_BLOCK;
    if (x >> 60 == 7) n = 0;
    memset(part, (int)(x >> 32 & 127), n);
    size_t more = blocks_of(len[i] + n) - blocks_of(len[i]);
    ck_assert_uint_eq(part_texts_more(&text[i], n), more);
    if (more > p->n_free) return;
    part_texts_add(p, &text[i], part, n);
    memcpy(twin[i] + len[i], part, n);
    len[i] += n;
}

START_TEST(texts_are_what_strings_are)
{
    struct part_texts p;
    void *memory = malloc(part_texts_bytes(BLOCKS));
    part_texts_init(&p, memory, BLOCKS);
    for (uint64_t k = 0; k < STEPS; k++) {
        uint64_t x = mix64(k + 1);
        int i = (int)((x >> 8) % TEXTS);
        if (x % 5) {
            add(&p, i, mix64(x));
        } else {
            expect_same(&p, i);
            part_texts_drop(&p, &text[i]);
            len[i] = 0;
        }
        ck_assert_uint_eq(p.n_free, BLOCKS - blocks_in_use());
    }
    for (int i = 0; i < TEXTS; i++)
        expect_same(&p, i);
    free(memory);
}
END_TEST

LEAT_SUITE("part_texts", texts_are_what_strings_are)
