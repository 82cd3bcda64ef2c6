/* crc32c.c -- computes CRC-32C, eight bytes per step, with tables or an instruction.
 *
 * Eight tables ("slicing by 8") work on any CPU; SSE 4.2 has an instruction. Speed matters because
 * each snapshot of a large model computes a CRC over the whole model. */
#include "crc32c.h"

#include <pthread.h>
#include <string.h>
#ifdef __x86_64__
#include <nmmintrin.h>
#endif

#include "core/le.h"

static uint32_t table[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? (c >> 1) ^ 0x82f63b78u : c >> 1;
        table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++)
            table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 255];
}

uint32_t crc32c_by_tables(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    pthread_once(&once, make_tables);
    crc = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t a = crc ^ le_get32(p), b = le_get32(p + 4);
        crc = table[7][a & 255] ^ table[6][a >> 8 & 255] ^ table[5][a >> 16 & 255] ^
              table[4][a >> 24] ^ table[3][b & 255] ^ table[2][b >> 8 & 255] ^
              table[1][b >> 16 & 255] ^ table[0][b >> 24];
    }
    for (; n; n--)
        crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 255];
    return ~crc;
}

#ifdef __x86_64__
static int has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const void *bytes,
                                                                 size_t n)
{
    const unsigned char *p = bytes;
    uint64_t c = ~crc, word;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, sizeof word);
        c = _mm_crc32_u64(c, word);
    }
    for (; n; n--)
        c = _mm_crc32_u8((uint32_t)c, *p++);
    return ~(uint32_t)c;
}
#else
static int has_instruction(void) { return 0; }
#define by_instruction crc32c_by_tables
#endif

uint32_t crc32c(uint32_t crc, const void *bytes, size_t n)
{
    return has_instruction() ? by_instruction(crc, bytes, n) : crc32c_by_tables(crc, bytes, n);
}
