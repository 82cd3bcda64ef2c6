/* edit_distance.h -- finds the known word that is nearest to a misspelt one
 *
 * The distance of two words is the smallest number of letters to change, insert and delete that
 * turns one word into the other (Levenshtein). Case is ignored. Only one row of the table is in
 * memory.
 *
 *   example   kafak and Kafka have the distance 2.
 *             Of { earliest, latest }, the word nearest to earlyest is earliest. */
#ifndef LEAT_KERNELS_TEXT_EDIT_DISTANCE_H
#define LEAT_KERNELS_TEXT_EDIT_DISTANCE_H

#include <stddef.h>

enum { EDIT_MAX = 255 }; /* limit of bytes; the distance of a longer word is its length */

/* Returns the distance of a and b[0 .. n). a ends with NUL. */
size_t edit_distance(const char *a, const char *b, size_t n);

/* True if `word` may be a misspelling of a word at this distance. */
int edit_is_near(const char *word, size_t distance);

/* Returns the word of the list `words` that is nearest to `word`; NULL if none is near. The list
 * ends with NULL. A word that begins with `word` counts as near, too. */
const char *edit_nearest(const char *word, const char *const *words);

#endif
