/* new_names.c -- prints N records of two new values, and a text of both, as CSV.
 *
 *   new_names N            "-1,0000000000,0000000001,0000000000 0000000001", ...
 *   new_names N NAMES      only NAMES different values each, which repeat in turn
 *
 * As features, "user=0000000000" and "host=0000000001", their names are as long as in real records.
 * Each takes two more bytes, so a pool of 16 bytes a feature fills together with the table. */
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
