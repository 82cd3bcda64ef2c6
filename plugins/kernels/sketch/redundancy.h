/* redundancy.h -- which conjunctions say more than their parts.
 *
 * A feature is a set of up to three parts (field = value), each known by a 32-bit key. A is a part
 * of B when its keys are a proper subset of B's: office=X is a part of "office=X & payee=Y", and
 * that is a part of a conjunction of three.
 *
 * Scores are logarithms with a sign (log odds: weights). B is redundant when one of its parts A is
 * among the features, and B is not farther than `margin` beyond A, in the direction of B's sign:
 * score(B) <= score(A) + margin where B is above 0, score(B) >= score(A) - margin where it is not.
 *
 * Keys are hashes: two different parts are taken for one with chance 2^-32. The text is not read
 * again, so values may hold anything, even " & ".
 */
#ifndef LEAT_KERNELS_SKETCH_REDUNDANCY_H
#define LEAT_KERNELS_SKETCH_REDUNDANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct redundancy_parts {
    uint32_t key[3]; /* ascending from the first; 0: no more. All 0: the parts are not known */
};

/* The key of field = value, never 0. value: NULL if there is not a text, as for a number. */
uint32_t redundancy_key(const char *field, size_t field_len, const char *value, size_t value_len);
/* Makes the parts from up to three keys, in any order. A key that occurs twice counts once. */
struct redundancy_parts redundancy_parts_of(const uint32_t *key, uint32_t n);

/* Whether the score of a whole says more than that of its part. */
bool redundancy_beats(double whole, double part, double margin);

size_t redundancy_scratch_bytes(uint32_t n);
/* redundant[i] = 1 where feature i is redundant, else 0. scratch: redundancy_scratch_bytes(n),
 * zeroed. O(n). */
void redundancy_mark(uint32_t n, const struct redundancy_parts *parts, const double *score,
                     double margin, void *scratch, uint8_t *redundant);

#endif
