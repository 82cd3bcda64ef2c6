/* strings.h -- lists of texts, and texts that a stage adds to a batch. */
#ifndef LEAT_COMMON_CELLS_STRINGS_H
#define LEAT_COMMON_CELLS_STRINGS_H

#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

/* Returns the index of a text in a list; s->n if the list does not have it. */
static inline uint32_t strings_find(const struct leat_strings *s, const char *text, size_t len)
{
    uint32_t i = 0;
    while (i < s->n && (strlen(s->v[i]) != len || memcmp(s->v[i], text, len)))
        i++;
    return i;
}

/* Appends a text to the batch and sets *to to its slice. Returns false if there is no room. */
static inline bool strings_append(struct leat_batch *b, const char *text, size_t n,
                                  struct leat_str *to)
{
    uint32_t off = leat_add_bytes(b, (uint32_t)n);
    if (off != LEAT_NULL && n) memcpy(b->bytes + off, text, n);
    *to = (struct leat_str){off, (uint32_t)n};
    return off != LEAT_NULL;
}

#endif
