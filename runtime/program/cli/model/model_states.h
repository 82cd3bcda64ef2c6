/* model_states.h -- compares the states of two snapshots: tells rounding from change.
 *
 * Two processors, or two libraries of linear algebra, may sum in different orders. Their states
 * then differ by rounding, and a basis may come out turned. A field is one of these:
 *
 *   equal     all bits are equal
 *   rounding  no number differs by more than STATES_ROUNDING (f32: STATES_ROUNDING_F32) of the
 *             largest number of its column. Different whole numbers are a change
 *   turned    the columns of a matrix are multiplied by an orthogonal matrix, such as signs or a
 *             rotation of equal directions. So the products of all rows are the same
 *   changed   all else
 *
 * A matrix is an array of floats directly after an array of whole numbers, such as ids, whose
 * elements name its rows. Columns that differ only by rounding keep their meaning; the others are
 * compared by the products of rows. A sketch may bring rows up to date later, each from its own
 * version. So only rows that agree in all columns of whole numbers are compared with each other;
 * for a row alone, that compares its length. Matrices left.NAME and right.NAME stand for their
 * product, so they must also have the same products with each other. An array that is no matrix is
 * turned if its length (the root of its sum of squares) is the same, its state has matrices, and
 * none of them has changed. Whole numbers alone are counts, which do not turn.
 *
 * Products of rows are compared through sums with random coefficients (R. Freivalds, 1977), so the
 * cost is that of reading the matrix. */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_STATES_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_STATES_H

#include <stdbool.h>

#include <jansson.h>

#include "model.h"

#define STATES_ROUNDING     1e-9
#define STATES_ROUNDING_F32 1e-5

/* True if the numbers differ by at most STATES_ROUNDING (`single`: STATES_ROUNDING_F32) of `scale`,
 * and are not two different whole numbers. */
bool states_rounded(double a, double b, double scale, bool single);

/* Returns the differences of states: {section, verdict, largest} of each state that both snapshots
 * have. `largest` is the largest relative difference that is not a change. Adds the fields that
 * differ to the array `fields` (model_diff.c). */
json_t *states_compare(const struct model *a, const struct model *b, json_t *fields);
/* Marks the states of the stage `id` as changed. */
void states_mark_changed(json_t *states, const char *id);

#endif
