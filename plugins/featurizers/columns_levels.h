/* columns_levels.h -- the parents of a text in feature.columns: "path=/ 3" cuts /a/b/c/d at its
 * separators.
 *
 * The parents of /a/b/c/d are /a/, /a/b/ and /a/b/c/. With "host=. 2 right" they are counted from
 * the right: those of www.example.com are .com and .example.com. With "text=  1" the separator is a
 * blank, so the parent is the first word. A parent has its separator, so its name differs from that
 * of a text /a. */
#ifndef LEAT_FEATURIZERS_COLUMNS_LEVELS_H
#define LEAT_FEATURIZERS_COLUMNS_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COLUMNS_LEVELS = 16 /* most levels of a column */ };

/* One entry of the parameter `levels`, which stays in the text. */
struct columns_levels {
    uint32_t n_name; /* bytes of the column's name, with which the entry begins */
    const char *separator;
    uint32_t n_separator;
    uint32_t depth;
    bool right; /* true if the first parent ends the text */
};

/* Reads an entry. Returns NULL, or the reason why it is wrong. */
const char *columns_levels_read(const char *entry, struct columns_levels *l);
/* Finds the parent of `text` that is next to the one of *n bytes; begin with 0. Sets *n to its
 * bytes: the first ones of the text, or the last ones if l->right. Returns false if there is none:
 * the whole text is no parent of itself. */
bool columns_levels_next(const struct columns_levels *l, const char *text, size_t len, size_t *n);

#endif
