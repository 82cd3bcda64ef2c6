/* byte_order_mark.h -- byte order marks at the beginning of a text. */
#ifndef LEAT_CORE_TEXT_BYTE_ORDER_MARK_H
#define LEAT_CORE_TEXT_BYTE_ORDER_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct byte_order_mark {
    const char *encoding, *bytes; /* encoding NULL: the text has no mark */
    size_t n;
};

/* The UTF-8 mark is harmless: some programs write it before a text. The other marks begin texts
 * that are not UTF-8. Marks of UTF-32 come before those of UTF-16, because ff fe begins both. */
static const struct byte_order_mark byte_order_marks[] = {{"UTF-8", "\xef\xbb\xbf", 3},
                                                          {"UTF-32", "\xff\xfe\0\0", 4},
                                                          {"UTF-32", "\0\0\xfe\xff", 4},
                                                          {"UTF-16", "\xff\xfe", 2},
                                                          {"UTF-16", "\xfe\xff", 2}};
enum { BYTE_ORDER_MARK_MAX = 4 };

/* Finds the byte order mark of a text whose first n bytes are text[0 .. n). Returns false if more
 * bytes are needed to decide. `whole`: the text has only these n bytes. */
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
