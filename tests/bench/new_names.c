/* new_names.c -- N records of two values that were never before and a text of both, as CSV on
 * standard output: "-1,0000000000,0000000001,0000000000 0000000001", ...: new_names N.
 * new_names N NAMES: of NAMES names each, which come again after so many records.
 * As features, "user=0000000000" and "host=0000000001", their names are as long as those of real
 * records are: with the two bytes that each takes besides, a pool of 16 bytes a feature is full
 * when the table is. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 10, RECORD = 4 * DIGITS + 8 };

static char *put_value(char *to, uint64_t i)
{
    for (int k = DIGITS; k-- > 0; i /= 10)
        to[k] = (char)('0' + i % 10);
    return to + DIGITS;
}

static char *put_record(char *to, uint64_t i)
{
    if (i % 2 == 0) *to++ = '-';
    *to++ = '1';
    for (int k = 0; k < 4; k++) {
        *to++ = k < 3 ? ',' : ' ';
        to = put_value(to, 2 * i + k % 2);
    }
    *to++ = '\n';
    return to;
}

int main(int argc, char **argv)
{
    static char block[1 << 16];
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t names = argc > 2 ? strtoull(argv[2], NULL, 10) : n;
    char *to = block;
    for (uint64_t i = 0; i < n; i++) {
        to = put_record(to, i % names);
        if (to + RECORD <= block + sizeof block && i + 1 < n) continue;
        if (fwrite(block, 1, (size_t)(to - block), stdout) != (size_t)(to - block)) return 1;
        to = block;
    }
    return fflush(stdout) != 0;
}
