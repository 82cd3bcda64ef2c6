/* edit_distance.h -- the known word that is nearest to a misspelt one
 *
 * The distance of two words is the least number of changed, inserted and deleted letters that
 * turns one into the other (Levenshtein). Case does not count. One row of the table is kept.
 *
 *   example   kafak, Kafka: 2     earlyest, of { earliest, latest }: earliest */
#ifndef LEAT_KERNELS_TEXT_EDIT_DISTANCE_H
#define LEAT_KERNELS_TEXT_EDIT_DISTANCE_H

#include <stddef.h>

enum { EDIT_MAX = 255 }; /* bytes; a longer word has its length as distance */

/* Returns the distance of a, which ends with NUL, and b[0 .. n). */
size_t edit_distance(const char *a, const char *b, size_t n);

/* True if `word` may be a misspelling of another at this distance. */
int edit_is_near(const char *word, size_t distance);

/* Returns the nearest word of a list that ends with NULL. A word that begins with `word` is near,
 * too. Returns NULL if none is near. */
const char *edit_nearest(const char *word, const char *const *words);

#endif
