/* page_hinkley.h -- Page-Hinkley test: detects that the mean of a sequence of numbers has risen.
 *
 *   m_t = sum over s <= t of (x_s - mean_s - tolerance),   mean_s = mean of x_1 .. x_s
 *   a rise:  m_t - min_{s <= t} m_s > threshold
 *
 * The last number before the rise is probably the one where m_t is smallest. So the mean of the
 * numbers up to it estimates the mean before the rise, and the mean of the later numbers estimates
 * the mean after it. To detect a fall, pass -x.
 *
 * Example. The tolerance is 0.1, the threshold 1. The numbers 0, 0, 1, 1, 1 give m_t = -0.1, -0.2,
 * 0.367, 0.767, 1.067. The minimum is at the second number. At the fifth number, 1.067 + 0.2
 * exceeds 1, so the mean has risen from 0 to 1.
 *
 * A number costs O(1). Sources: E. S. Page, Continuous inspection schemes, Biometrika 41, 1954; D.
 * V. Hinkley, Inference about the change-point from cumulative sum tests, Biometrika 58, 1971; in
 * this form, J. Gama, R. Sebastião, P. P. Rodrigues, On evaluating stream learning algorithms,
 * Machine Learning 90, 2013.
 */
#ifndef LEAT_KERNELS_DRIFT_PAGE_HINKLEY_H
#define LEAT_KERNELS_DRIFT_PAGE_HINKLEY_H

#include <stdbool.h>

struct page_hinkley {
    double tolerance, threshold;
    double n, sum;         /* number and sum of the numbers since the last restart */
    double m, min;         /* m_t and its minimum so far */
    double min_n, min_sum; /* n and sum when m_t was smallest */
};

/* Starts a test. tolerance >= 0, threshold > 0. */
void page_hinkley_init(struct page_hinkley *p, double tolerance, double threshold);
/* Adds a number. Returns true if the mean has risen. The caller then reads page_hinkley_before()
 * and page_hinkley_after(), and calls page_hinkley_restart(). */
bool page_hinkley_add(struct page_hinkley *p, double x);
void page_hinkley_restart(struct page_hinkley *p);

static inline double page_hinkley_before(const struct page_hinkley *p)
{
    return p->min_n > 0 ? p->min_sum / p->min_n : 0;
}
static inline double page_hinkley_after(const struct page_hinkley *p)
{
    return p->n > p->min_n ? (p->sum - p->min_sum) / (p->n - p->min_n) : 0;
}

#endif
