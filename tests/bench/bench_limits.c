/* bench_limits.c -- limits of this machine, by which stages.sh judges each stage.
 *
 *     bench_limits
 *
 * Prints lines NAME TAB NANOSECONDS of processor time, medians of 15: memcpy of a block in the
 * L2 cache, and memchr for the ends of lines of 48 bytes in it, a byte; XXH3 of a name of 12
 * bytes; an increment at a random place of a table of 32 KB to 128 MB. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mix64.h"
#include "core/time/clock.h"
#include "figures.h"

enum { TIMES = 15, BLOCK = 256 * 1024, LINE = 48, NAME = 12, ROUNDS = 200, DRAWS = 4000000 };

static char block[BLOCK + 1], copy[BLOCK + 1];
static uint32_t *table, mask;
static uint64_t sum; /* of what is measured, so that it is not left out */

static double copied(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        memcpy(copy, block, BLOCK);
        __asm__ volatile("" ::"r"(copy) : "memory"); /* copied each time */
    }
    return (double)ROUNDS * BLOCK;
}

static double searched(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        const char *at = block, *end = block + BLOCK;
        while (at < end && (at = memchr(at, '\n', (size_t)(end - at))))
            at++, sum++;
    }
    return (double)ROUNDS * BLOCK;
}

static double hashed(void)
{
    size_t names = BLOCK / NAME;
    for (int i = 0; i < ROUNDS; i++)
        for (size_t k = 0; k < names; k++)
            sum += XXH3_64bits(block + k * NAME, NAME);
    return (double)ROUNDS * (double)names;
}

static double incremented(void)
{
    uint64_t counter = 1;
    for (int i = 0; i < DRAWS; i++)
        table[mix64_next(&counter) & mask]++;
    return DRAWS;
}

static void report(const char *name, double (*work)(void))
{
    double ns[TIMES];
    work(); /* caches and clocks */
    for (int i = 0; i < TIMES; i++) {
        uint64_t begin = clock_thread_ns();
        double n = work();
        ns[i] = (double)(clock_thread_ns() - begin) / n;
    }
    printf("%s\t%.3f\n", name, figures_median(ns, TIMES));
}

int main(void)
{
    static const char *const names[] = {"32KB", "512KB", "8MB", "128MB"};
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = i % LINE == LINE - 1 ? '\n' : (char)('a' + i % 23);
    report("copy", copied);
    report("memchr", searched);
    report("hash", hashed);
    for (int i = 0; i < 4; i++) {
        uint32_t cells = (uint32_t)(32 * 1024 / sizeof *table) << 4 * i;
        if (!(table = calloc(cells, sizeof *table))) return 1;
        mask = cells - 1;
        report(names[i], incremented);
        sum += table[0];
        free(table);
    }
    return sum ? 0 : 1; /* some line was found */
}
