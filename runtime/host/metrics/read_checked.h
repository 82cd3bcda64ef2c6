/* read_checked.h -- numbers of a host section, refused by name, value and bound when no run
 * can have written them. */
#ifndef LEAT_HOST_METRICS_READ_CHECKED_H
#define LEAT_HOST_METRICS_READ_CHECKED_H

#include <stdint.h>

#include <leat/state.h>

/* More records than any stream has; sums of a few of them do not wrap around. */
#define READ_CHECKED_COUNT ((uint64_t)1 << 60)

/* LEAT_OK, or LEAT_EDATA after refusing. 0 .. READ_CHECKED_COUNT. */
int read_checked_count(struct leat_reader *r, const char *name, uint64_t *v);
/* min .. max, and not nan. */
int read_checked_f64(struct leat_reader *r, const char *name, double min, double max, double *v);
/* Exactly n numbers, lent, each min .. max. */
int read_checked_array(struct leat_reader *r, const char *name, uint64_t n, double min, double max,
                       const double **v);

#endif
