/* new_names.c -- N records of two names that were never before, as CSV on standard output:
 * "-1,name=0000000000 name=0000000001", "1,name=0000000002 name=0000000003", ...: new_names N.
 * Names of 15 bytes are as long as those of real records are: with two more each, a pool of 16
 * bytes a feature is full when the table is. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 10, RECORD = 2 * DIGITS + 24 };

static char *put_name(char *to, uint64_t i)
{
    memcpy(to, "name=", 5);
    for (int k = 4 + DIGITS; k > 4; k--, i /= 10)
        to[k] = (char)('0' + i % 10);
    return to + 5 + DIGITS;
}

static char *put_record(char *to, uint64_t i)
{
    if (i % 2 == 0) *to++ = '-';
    *to++ = '1';
    *to++ = ',';
    to = put_name(to, 2 * i);
    *to++ = ' ';
    to = put_name(to, 2 * i + 1);
    *to++ = '\n';
    return to;
}

int main(int argc, char **argv)
{
    static char block[1 << 16];
    uint64_t n = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
    char *to = block;
    for (uint64_t i = 0; i < n; i++) {
        to = put_record(to, i);
        if (to + RECORD <= block + sizeof block && i + 1 < n) continue;
        if (fwrite(block, 1, (size_t)(to - block), stdout) != (size_t)(to - block)) return 1;
        to = block;
    }
    return fflush(stdout) != 0;
}
