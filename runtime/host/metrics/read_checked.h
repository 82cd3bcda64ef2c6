/* read_checked.h -- reads numbers from a host section of a snapshot and refuses impossible ones.
 *
 * The message of a refusal has name, value and bounds of the number, which no run can have
 * written. */
#ifndef LEAT_HOST_METRICS_READ_CHECKED_H
#define LEAT_HOST_METRICS_READ_CHECKED_H

#include <stdint.h>

#include <leat/state.h>

/* More than any stream has records. A sum of a few such numbers does not overflow. */
#define READ_CHECKED_COUNT ((uint64_t)1 << 60)

/* Reads a count in 0 .. READ_CHECKED_COUNT. Returns LEAT_OK; or LEAT_EDATA after a refusal. */
int read_checked_count(struct leat_reader *r, const char *name, uint64_t *v);
/* Reads a number in min .. max. Refuses NaN. */
int read_checked_f64(struct leat_reader *r, const char *name, double min, double max, double *v);
/* Reads exactly n numbers, each in min .. max. *v points into the snapshot. */
int read_checked_array(struct leat_reader *r, const char *name, uint64_t n, double min, double max,
                       const double **v);

#endif
