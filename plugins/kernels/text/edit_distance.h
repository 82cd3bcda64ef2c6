/* edit_distance.h -- the known word that is nearest to a misspelt one.
 *
 * The distance of two words is the fewest letters to change, put in or leave out that make one the
 * other (Levenshtein); case does not count. One row of its table is kept.
 *
 *   example   kafak, Kafka: 2     earlyest, of { earliest, latest }: earliest */
#ifndef LEAT_KERNELS_TEXT_EDIT_DISTANCE_H
#define LEAT_KERNELS_TEXT_EDIT_DISTANCE_H

#include <stddef.h>

enum { EDIT_MAX = 255 }; /* bytes: a longer word is as far as it is long */

/* Returns the distance of a, ended by NUL, and b[0 .. n). */
size_t edit_distance(const char *a, const char *b, size_t n);

/* True if `word` may be a misspelling of another at this distance. */
int edit_is_near(const char *word, size_t distance);

/* Returns the nearest of the words, a list ended by NULL, or one that `word` begins; NULL if none
 * is near. */
const char *edit_nearest(const char *word, const char *const *words);

#endif
