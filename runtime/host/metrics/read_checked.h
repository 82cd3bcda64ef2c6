/* read_checked.h -- reads numbers of a host section and refuses impossible ones.
 *
 * A refusal gives name, value and bound of a number that no run can have written. */
#ifndef LEAT_HOST_METRICS_READ_CHECKED_H
#define LEAT_HOST_METRICS_READ_CHECKED_H

#include <stdint.h>

#include <leat/state.h>

/* More records than any stream has; sums of a few such numbers do not overflow. */
#define READ_CHECKED_COUNT ((uint64_t)1 << 60)

/* Reads a count, 0 .. READ_CHECKED_COUNT. Returns LEAT_OK, or LEAT_EDATA after refusing. */
int read_checked_count(struct leat_reader *r, const char *name, uint64_t *v);
/* Reads a number in min .. max; NaN is refused. */
int read_checked_f64(struct leat_reader *r, const char *name, double min, double max, double *v);
/* Reads exactly n numbers, lent, each in min .. max. */
int read_checked_array(struct leat_reader *r, const char *name, uint64_t n, double min, double max,
                       const double **v);

#endif
