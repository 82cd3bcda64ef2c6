/* replay.c -- a fuzz target without a fuzzer: empty input, each file, and every prefix of its first
 * 512 bytes. */
#include <stdio.h>

#include "fuzz.h"

enum { BYTES = 1 << 20, BEGINNINGS = 512 };

static void replay(const uint8_t *bytes, size_t n)
{
    for (size_t end = 0; end < n && end < BEGINNINGS; end++)
        LLVMFuzzerTestOneInput(bytes, end);
    LLVMFuzzerTestOneInput(bytes, n);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[BYTES];
    replay(bytes, 0);
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        must(f != NULL);
        replay(bytes, fread(bytes, 1, sizeof bytes, f));
        fclose(f);
    }
    return 0;
}
