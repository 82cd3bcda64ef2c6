/* byte_order_mark.h -- the mark that a text may begin with. */
#ifndef LEAT_CORE_TEXT_BYTE_ORDER_MARK_H
#define LEAT_CORE_TEXT_BYTE_ORDER_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct byte_order_mark {
    const char *encoding, *bytes; /* encoding NULL: the text begins with none */
    size_t n;
};

/* Some programs put that of UTF-8, the first, before a text; the others begin what is no UTF-8.
 * That of UTF-32 begins as that of UTF-16 does, and so comes first. */
static const struct byte_order_mark byte_order_marks[] = {{"UTF-8", "\xef\xbb\xbf", 3},
                                                          {"UTF-32", "\xff\xfe\0\0", 4},
                                                          {"UTF-32", "\0\0\xfe\xff", 4},
                                                          {"UTF-16", "\xff\xfe", 2},
                                                          {"UTF-16", "\xfe\xff", 2}};
enum { BYTE_ORDER_MARK_MAX = 4 };

/* The mark of a text that begins with these bytes. false: more of them are needed to say; `whole`:
 * there are no more. */
static inline bool byte_order_mark_find(const char *text, size_t n, bool whole,
                                        struct byte_order_mark *mark)
{
    *mark = (struct byte_order_mark){NULL, "", 0};
    for (size_t i = 0; i < sizeof byte_order_marks / sizeof *byte_order_marks; i++) {
        const struct byte_order_mark *m = &byte_order_marks[i];
        if (memcmp(text, m->bytes, n < m->n ? n : m->n)) continue;
        if (n >= m->n) *mark = *m;
        if (n >= m->n || !whole) return n >= m->n;
    }
    return true;
}

#endif
