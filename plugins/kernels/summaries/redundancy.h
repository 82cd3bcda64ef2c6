/* redundancy.h -- finds conjunctions that are not stronger than one of their parts
 *
 * A feature is a set of up to three parts (field = value), each identified by a 64-bit key. A
 * feature A is a part of B if the keys of A are a proper subset of the keys of B. So office=X is a
 * part of "office=X & payee=Y", which is a part of a conjunction of three.
 *
 * Scores are signed logarithms (log odds, weights). B is redundant if the features include a part A
 * of B, and B does not exceed A by more than `margin` in the direction of B's sign: score(B) <=
 * score(A) + margin if score(B) > 0, otherwise score(B) >= score(A) - margin.
 *
 * Example with margin = 0.2. office=X has the score 2, and payee=Y has 0.5. Their conjunction is
 * redundant if its score is 2.1, because 2.1 <= 2 + 0.2. With 2.5 it is not redundant.
 *
 * The key of a part is the id of its feature (feature_id.h). Names are not parsed, so
 * values may contain any text, even " & ".
 */
#ifndef LEAT_KERNELS_SUMMARIES_REDUNDANCY_H
#define LEAT_KERNELS_SUMMARIES_REDUNDANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct redundancy_parts {
    uint64_t key[3]; /* ascending, then zeros; all 0 if the parts are unknown */
};

/* Returns the key of the part field = value, which is never 0. `value` is NULL if the value is not
 * a text but a number. */
uint64_t redundancy_key(const char *field, size_t field_len, const char *value, size_t value_len);
/* Returns the parts for n <= 3 keys, in any order. A repeated key counts once. */
struct redundancy_parts redundancy_parts_of(const uint64_t *key, uint32_t n);

/* True if the score of a conjunction exceeds that of its part by more than the margin, in the
 * direction of the conjunction's sign. */
bool redundancy_beats(double whole, double part, double margin);

size_t redundancy_scratch_bytes(uint32_t n);
/* Sets redundant[i] to 1 if feature i is redundant, otherwise to 0. scratch:
 * redundancy_scratch_bytes(n) zeroed bytes. O(n). */
void redundancy_mark(uint32_t n, const struct redundancy_parts *parts, const double *score,
                     double margin, void *scratch, uint8_t *redundant);

#endif
