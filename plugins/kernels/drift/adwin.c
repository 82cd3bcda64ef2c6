/* adwin.c -- implementation of adwin.h. */
#include "adwin.h"

#include <math.h>
#include <string.h>

#include "kernels/base/loss.h"

void adwin_init(struct adwin *a, double delta) { *a = (struct adwin){.delta = delta}; }

/* Returns the union of two parts. */
static struct adwin_part adwin_join(const struct adwin_part *a, const struct adwin_part *b)
{
    struct adwin_part c = {a->n + b->n, a->sum + b->sum, a->square + b->square};
    double apart = adwin_mean(a) - adwin_mean(b);
    if (c.n > 0) c.square += a->n * b->n / c.n * apart * apart;
    return c;
}

static double adwin_size_of(uint32_t level) { return (double)((uint64_t)1 << level); }

static struct adwin_part adwin_bucket(const struct adwin *a, uint32_t level, uint32_t b)
{
    return (struct adwin_part){adwin_size_of(level), a->sum[level][b], a->square[level][b]};
}

/* Removes the n oldest buckets of a level. */
static void adwin_remove_oldest(struct adwin *a, uint32_t level, uint32_t n)
{
    size_t left = a->used[level] -= n;
    memmove(a->sum[level], a->sum[level] + n, left * sizeof(double));
    memmove(a->square[level], a->square[level] + n, left * sizeof(double));
}

static void adwin_append(struct adwin *a, uint32_t level, const struct adwin_part *p)
{
    uint32_t b = a->used[level]++;
    a->sum[level][b] = p->sum;
    a->square[level][b] = p->square;
}

void adwin_add(struct adwin *a, double x)
{
    struct adwin_part p = {1, x, 0};
    adwin_append(a, 0, &p);
    for (uint32_t l = 0; l + 1 < ADWIN_LEVELS && a->used[l] > ADWIN_BUCKETS; l++) {
        struct adwin_part one = adwin_bucket(a, l, 0), other = adwin_bucket(a, l, 1);
        p = adwin_join(&one, &other); /* two buckets become one of the next level */
        adwin_remove_oldest(a, l, 2);
        adwin_append(a, l + 1, &p);
    }
}

struct adwin_part adwin_window(const struct adwin *a)
{
    struct adwin_part all = {0};
    for (uint32_t l = ADWIN_LEVELS; l-- > 0;)
        for (uint32_t b = 0; b < a->used[l]; b++) {
            struct adwin_part p = adwin_bucket(a, l, b);
            all = adwin_join(&all, &p);
        }
    return all;
}

double adwin_bound(double delta, double variance, double n0, double n1)
{
    double n = n0 + n1, m = 1 / (1 / n0 + 1 / n1);
    double l = loss_log(2 * loss_log(n) / delta);
    return sqrt(2 / m * variance * l) + 2 / (3 * m) * l;
}

/* Among all cuts of the window, finds the one whose means differ most relative to the bound. `all`
 * is adwin_window(). Returns false if no cut exceeds its bound. */
static bool adwin_find_cut(const struct adwin *a, const struct adwin_part *all,
                           struct adwin_change *c)
{
    double n0 = 0, sum0 = 0, variance = all->square / all->n, most = 1;
    for (uint32_t l = ADWIN_LEVELS; l-- > 0;)
        for (uint32_t b = 0; b < a->used[l]; b++) {
            n0 += adwin_size_of(l);
            sum0 += a->sum[l][b];
            double n1 = all->n - n0;
            if (n0 < ADWIN_MIN || n1 < ADWIN_MIN) continue;
            double before = sum0 / n0, after = (all->sum - sum0) / n1;
            double ratio = fabs(before - after) / adwin_bound(a->delta, variance, n0, n1);
            if (ratio <= most) continue;
            most = ratio;
            *c = (struct adwin_change){.newer = n1, .before = before, .after = after};
        }
    return most > 1;
}

static void adwin_drop_oldest_bucket(struct adwin *a)
{
    uint32_t oldest = ADWIN_LEVELS - 1;
    while (!a->used[oldest])
        oldest--;
    adwin_remove_oldest(a, oldest, 1);
}

bool adwin_check(struct adwin *a, struct adwin_change *change)
{
    struct adwin_part all = adwin_window(a);
    struct adwin_change found, first = {0};
    double n = all.n;
    while (all.n >= 2 * ADWIN_MIN && adwin_find_cut(a, &all, &found)) {
        if (all.n == n) first = found;
        adwin_drop_oldest_bucket(a);
        all = adwin_window(a);
    }
    *change = first;
    change->dropped = n - all.n;
    return all.n < n;
}

const char *adwin_broken(const struct adwin *a)
{
    for (uint32_t l = 0; l < ADWIN_LEVELS; l++) {
        if (a->used[l] > ADWIN_BUCKETS) return "buckets has a level with too many";
        for (uint32_t b = 0; b < a->used[l]; b++)
            if (!(a->sum[l][b] >= 0 && a->sum[l][b] <= adwin_size_of(l) * (1 + 1e-9) &&
                  a->square[l][b] >= 0 && a->square[l][b] <= adwin_size_of(l)))
                return "sums or squares has one that no numbers of 0 to 1 have";
    }
    return NULL;
}
