/* redundancy.h -- finds conjunctions that are no stronger than their parts
 *
 * A feature is a set of up to three parts (field = value), each known by a 32-bit key. A is a part
 * of B if A's keys are a proper subset of B's. So office=X is a part of "office=X & payee=Y", which
 * in turn is a part of a conjunction of three.
 *
 * Scores are logarithms with a sign (log odds, weights). B is redundant if one of its parts A is
 * among the features and B does not exceed A by more than `margin` in the direction of B's sign:
 * score(B) <= score(A) + margin if score(B) > 0, score(B) >= score(A) - margin otherwise.
 *
 * Example, with margin = 0.2: office=X has the score 2 and payee=Y has 0.5. Their conjunction is
 * redundant at a score of 2.1, because 2.1 <= 2 + 0.2, and is not at 2.5.
 *
 * Keys are hashes: two different parts collide with probability 2^-32. The text is not parsed
 * again, so values may contain anything, even " & ".
 */
#ifndef LEAT_KERNELS_SKETCH_REDUNDANCY_H
#define LEAT_KERNELS_SKETCH_REDUNDANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct redundancy_parts {
    uint32_t key[3]; /* ascending, then zeros; all 0: the parts are unknown */
};

/* Returns the key of field = value, never 0. `value` is NULL if there is no text, as for a
 * number. */
uint32_t redundancy_key(const char *field, size_t field_len, const char *value, size_t value_len);
/* Makes the parts from up to three keys in any order. A repeated key counts once. */
struct redundancy_parts redundancy_parts_of(const uint32_t *key, uint32_t n);

/* True if the score of a whole exceeds that of its part by more than the margin. */
bool redundancy_beats(double whole, double part, double margin);

size_t redundancy_scratch_bytes(uint32_t n);
/* Sets redundant[i] to 1 if feature i is redundant, else to 0. `scratch` is
 * redundancy_scratch_bytes(n) zeroed bytes. O(n). */
void redundancy_mark(uint32_t n, const struct redundancy_parts *parts, const double *score,
                     double margin, void *scratch, uint8_t *redundant);

#endif
