/* counted.c -- implementation of counted.h */
#include "counted.h"

static enum counted_result read_length(const char *p, size_t n, struct counted_cut *cut)
{
    if (n < 4) return COUNTED_MORE;
    for (int i = 0; i < 4; i++)
        cut->len = cut->len << 8 | (unsigned char)p[i];
    cut->head = 4;
    return COUNTED_RECORD;
}

static enum counted_result read_octets(const char *p, size_t n, struct counted_cut *cut)
{
    size_t i = 0;
    uint64_t len = 0;
    if (n && *p == '0') return COUNTED_WRONG;
    for (; i < n && i < COUNTED_DIGITS && p[i] >= '0' && p[i] <= '9'; i++)
        len = 10 * len + (uint64_t)(p[i] - '0');
    if (i == n) return COUNTED_MORE;
    if (!i || p[i] != ' ') return COUNTED_WRONG;
    *cut = (struct counted_cut){.head = i + 1, .len = len};
    return COUNTED_RECORD;
}

enum counted_result counted_next(enum counted_kind kind, size_t max_record, const char *p, size_t n,
                                 struct counted_cut *cut)
{
    *cut = (struct counted_cut){.head = 0};
    enum counted_result head =
        kind == COUNTED_LENGTH ? read_length(p, n, cut) : read_octets(p, n, cut);
    if (head != COUNTED_RECORD) return head;
    if (cut->len > max_record) return COUNTED_LONG;
    return n - cut->head < cut->len ? COUNTED_MORE : COUNTED_RECORD;
}
