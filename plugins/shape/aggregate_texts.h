/* aggregate_texts.h -- of the texts that several cells have kept: how many are different, and which
 * came most often. */
#ifndef LEAT_SHAPE_AGGREGATE_TEXTS_H
#define LEAT_SHAPE_AGGREGATE_TEXTS_H

#include "aggregates.h"

/* Exact as long as that of every cell is (column_profile.h); never more than there were texts. */
double aggregate_distinct(const struct aggregates *s, const struct aggregate *a, void *const *cell,
                          uint32_t n);

/* "/a (12), /b (~7)": with ~ the most that it may have come. Written where `out` ends; counts those
 * that are not certain. */
struct leat_str aggregate_top(struct aggregates *s, const struct aggregate *a, void *const *cell,
                              uint32_t n, struct leat_batch *out);

#endif
