/* state_codec.c -- what writer and reader of a state share: element types, the checksum. */
#define XXH_INLINE_ALL
#include "state_codec.h"

#include <assert.h>
#include <xxhash.h>

#include "state_codec_inside.h"

const char STATE_MAGIC[8] = {'l', 'e', 'a', 't', 'S', 'T', 'A', 'T'};

size_t state_element_size(uint32_t element)
{
    static const unsigned char size[] = {[LEAT_U8] = 1,  [LEAT_U32] = 4, [LEAT_U64] = 8,
                                         [LEAT_F32] = 4, [LEAT_F64] = 8, [LEAT_I64] = 8};
    return element < sizeof size ? size[element] : 0;
}

const char *state_element_name(uint32_t element)
{
    static const char *const name[] = {[LEAT_U8] = "u8",   [LEAT_U32] = "u32", [LEAT_U64] = "u64",
                                       [LEAT_F32] = "f32", [LEAT_F64] = "f64", [LEAT_I64] = "i64"};
    assert(element < sizeof name / sizeof *name && name[element]);
    return name[element];
}

void state_swap_elements(char *p, size_t each, uint64_t n)
{
    for (char *end = p + n * each; p < end; p += each)
        for (size_t i = 0; i < each / 2; i++) {
            char c = p[i];
            p[i] = p[each - 1 - i];
            p[each - 1 - i] = c;
        }
}

uint64_t state_checksum(const void *bytes, size_t n)
{
    assert(n >= CHECKSUM);
    return XXH3_64bits(bytes, n - CHECKSUM);
}

bool state_is_name(const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] <= ' ' || p[i] > '~') return false;
    return len > 0 && len <= STATE_MAX_NAME;
}
