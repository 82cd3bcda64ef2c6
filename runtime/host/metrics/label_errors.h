/* label_errors.h -- errors of predicted numbers by their label, where labels are few: ratings of 1
 * to 5 stars. Labels are kept as they come; with more than LABEL_ERRORS different ones there is no
 * table.
 *
 * Of one process: what a snapshot or another stream has of it is not known, so neither has then a
 * table (label_errors_give_up). */
#ifndef LEAT_HOST_METRICS_LABEL_ERRORS_H
#define LEAT_HOST_METRICS_LABEL_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

enum { LABEL_ERRORS = 24 };

/* Sums over the examples with that label: w, w (score - label)^2, w |score - label|, and
 * w (score - label). */
struct label_error {
    double label, weight, squared, absolute, signed_sum;
};

struct label_errors {
    uint32_t n;
    bool many; /* there is no table, and nothing is added any more */
    struct label_error of[LABEL_ERRORS];
};

void label_errors_add(struct label_errors *e, double label, double score, double w);
static inline void label_errors_give_up(struct label_errors *e) { e->many = true; }
static inline bool label_errors_given_up(const struct label_errors *e) { return e->many; }

/* By label, ascending. Returns how many. */
uint32_t label_errors_sorted(const struct label_errors *e, struct label_error out[LABEL_ERRORS]);

#endif
