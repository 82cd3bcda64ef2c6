/* edit_distance.h -- which of some words was meant.
 *
 * The distance of two words is the fewest letters to change, put in or leave out that make one the
 * other (Levenshtein); upper and lower case are one letter. One row of its table is kept. */
#ifndef LEAT_KERNELS_TEXT_EDIT_DISTANCE_H
#define LEAT_KERNELS_TEXT_EDIT_DISTANCE_H

#include <stddef.h>

enum { EDIT_MAX = 255 }; /* bytes: a longer word is as far as it is long */

/* Of a, ended by NUL, and b[0 .. n). */
size_t edit_distance(const char *a, const char *b, size_t n);

/* May somebody who wrote `word` have meant another at this distance? */
int edit_is_near(const char *word, size_t distance);

/* The nearest of the words, a list ended by NULL, or one that `word` begins; NULL: none is near. */
const char *edit_nearest(const char *word, const char *const *words);

#endif
