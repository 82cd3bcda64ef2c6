/* utf8_columns.h -- how many columns of a terminal a character takes.
 *
 * From Unicode's EastAsianWidth.txt and the category Mn, by blocks: what a block mixes counts as
 * most of it. Not wcwidth, which depends on the locale. */
#ifndef LEAT_CORE_REPORT_UTF8_COLUMNS_H
#define LEAT_CORE_REPORT_UTF8_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

struct utf8_range {
    uint32_t first, last;
};

static const struct utf8_range utf8_marks[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f}, {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

static const struct utf8_range utf8_wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

static inline int utf8_among(const struct utf8_range *r, size_t n, uint32_t code)
{
    for (size_t i = 0; i < n; i++)
        if (code >= r[i].first && code <= r[i].last) return 1;
    return 0;
}

/* Of the well-formed character s[0 .. len); see utf8_length. */
static inline size_t utf8_columns(const unsigned char *s, size_t len)
{
    if (len == 1) return 1;
    uint32_t code = s[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++)
        code = code << 6 | (s[i] & 0x3fu);
    if (utf8_among(utf8_marks, sizeof utf8_marks / sizeof *utf8_marks, code)) return 0;
    return utf8_among(utf8_wide, sizeof utf8_wide / sizeof *utf8_wide, code) ? 2 : 1;
}

#endif
