/* new_names.c -- N records of two names that were never before, as CSV on standard output:
 * "1,n0 n1", "-1,n2 n3", ...: new_names N. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 20, RECORD = 2 * DIGITS + 8 };

static char *put_name(char *to, uint64_t i)
{
    char digits[DIGITS], *d = digits + sizeof digits;
    do
        *--d = (char)('0' + i % 10);
    while (i /= 10);
    *to++ = 'n';
    memcpy(to, d, (size_t)(digits + sizeof digits - d));
    return to + (digits + sizeof digits - d);
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
