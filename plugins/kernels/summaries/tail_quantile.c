/* tail_quantile.c -- one q-quantile, with an error relative to the rarer side
 *
 * If .01 % of the values should exceed a threshold, then about .01 % must exceed it, and not 1 %.
 *
 * A quantile sketch for all ranks (KLL) has an error proportional to n, so it needs
 * memory proportional to 1 / (1 - q). A single quantile needs less memory: only values
 * around it, from samples.
 *
 * State for q >= 1/2 (for q < 1/2, all values are negated). Level h is a sample of the stream with
 * the rate 2^-h, and holds the k largest values of this sample. A coin is tossed for each value. If
 * it gives g heads in a row, the value enters the levels 0 .. g. So the samples are nested.
 *
 *   level 0   the k largest of all n values     used, and exact, if (1 - q) n < k
 *   level 1   the k largest of about n / 2      used if (1 - q) n / 2 < k <= (1 - q) n
 *   level h   the k largest of about n / 2^h    used if it is the first with (1 - q) n / 2^h < k
 *
 * The result comes from the lowest level that holds enough values: the value with the rank (1 - q)
 * sampled[h]. Each level holds the largest values of its whole sample, for any order of the stream.
 * All levels exist from the start. So a level that is needed for the first time after 2^h times as
 * many values is complete.
 *
 * Example. q = 0.99, k = 16, and the values 1 .. 1,000. Because 0.01 * 1,000 < 16, the result of
 * level 0 is exact. It holds 985 .. 1,000, and the 11th largest value is the quantile, 990.
 *
 * The error. The values that entered level h are a random subset. Let N = (1 - q) n be the number
 * of values above the quantile. How many of them are in the sample has the standard deviation
 * sqrt(q N 2^-h), and N 2^-h > k / 2. So the relative error of the number of values above the
 * result has a standard deviation below sqrt(q / (k / 2)): 4.4 % for k = 1024.
 *
 * Memory: k (levels + 1) doubles. The number of levels grows with the logarithm of the longest
 * possible stream (2^48). Time: two comparisons per value on average. A value enters a heap only if
 * it is among the k largest.
 *
 * Related work: the error is that of REQ (Cormode, Karnin, Liberty, Thaler, Vesely: Relative Error
 * Streaming Quantiles, PODS 2021). REQ keeps fewer values and serves all ranks of one side. Nested
 * samples are from P. Gibbons, Distinct Sampling, VLDB 2001. For one q that is known in advance,
 * the largest values of each sample are enough.
 *
 * Invariants (tail_quantile_check()): sampled[0] = n; sampled[h + 1] <= sampled[h]; held[h] =
 * min(sampled[h], k); each level is a heap of finite values with the smallest at its root.
 *
 * Out of scope: how often a threshold is recomputed (labels/quantile.c). */
#include "tail_quantile.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/heap.h"
#include "core/mix64.h"

#define smaller(none, a, b) ((void)(none), (a) < (b))
HEAP(smallest, double, const void *, smaller)

static bool keeps_largest(double q) { return q >= 0.5; }

static double rarer(double q) { return keeps_largest(q) ? 1 - q : q; }

uint32_t tail_quantile_levels(double q, uint32_t k)
{
    double doubled = rarer(q) * (double)TAIL_MAX_COUNT / k;           /* 2^h times */
    uint32_t levels = doubled > 1 ? (uint32_t)ilogb(doubled) + 3 : 2; /* one spare: samples vary */
    return levels < TAIL_MAX_LEVELS ? levels : TAIL_MAX_LEVELS;
}

size_t tail_quantile_bytes(double q, uint32_t k)
{
    return sizeof(struct tail_quantile) +
           (size_t)k * (tail_quantile_levels(q, k) + 1) * sizeof(double);
}

void tail_quantile_init(struct tail_quantile *s, double q, uint32_t k, uint64_t seed)
{
    assert(q > 0 && q < 1 && k >= TAIL_MIN_K && k <= TAIL_MAX_K);
    memset(s, 0, tail_quantile_bytes(q, k));
    s->q = q;
    s->k = k;
    s->levels = tail_quantile_levels(q, k);
    s->coin = seed;
}

static double *level(struct tail_quantile *s, uint32_t h) { return s->item + (size_t)h * s->k; }

static void level_insert(struct tail_quantile *s, uint32_t h, double x)
{
    double *heap = level(s, h);
    s->sampled[h]++;
    if (s->held[h] < s->k) {
        heap[s->held[h]] = x;
        smallest_sift_up(NULL, heap, s->held[h]++);
    } else if (x > heap[0]) {
        heap[0] = x;
        smallest_sift_down(NULL, heap, s->k, 0);
    }
}

bool tail_quantile_insert(struct tail_quantile *s, double x)
{
    assert(isfinite(x));
    if (s->n == TAIL_MAX_COUNT) return false;
    x = keeps_largest(s->q) ? x + 0.0 : 0.0 - x; /* turns -0 into 0 */
    uint64_t flips = mix64_next(&s->coin) | (uint64_t)1 << (s->levels - 1);
    uint32_t heads = (uint32_t)__builtin_ctzll(flips);
    for (uint32_t h = 0; h <= heads; h++)
        level_insert(s, h, x);
    s->n++;
    return true;
}

/* Returns the rank of the quantile among n values, counted from 1 at the end whose
 * values are kept. */
static uint64_t rank_of(double q, uint64_t n)
{
    double below = ceil(q * (double)n);
    uint64_t r = below < 1 ? 1 : below > (double)n ? n : (uint64_t)below;
    return keeps_largest(q) ? n - r + 1 : r;
}

/* Returns the r-th largest of v[0 .. n), r >= 1, by Hoare's selection in the form of N.
 * Wirth. Reorders v. */
static double select_largest(double *v, uint32_t n, uint32_t r)
{
    int64_t low = 0, high = (int64_t)n - 1, at = (int64_t)r - 1;
    while (low < high) {
        double pivot = v[at];
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] > pivot)
                i++;
            while (v[j] < pivot)
                j--;
            if (i > j) break;
            double moved = v[i];
            v[i++] = v[j];
            v[j--] = moved;
        }
        if (j < at) low = i;
        if (at < i) high = j;
    }
    return v[at];
}

double tail_quantile_value(struct tail_quantile *s)
{
    if (!s->n) return (double)NAN;
    uint32_t h = 0;
    while (h + 1 < s->levels && s->sampled[h + 1] && rank_of(s->q, s->sampled[h]) > s->k)
        h++;
    uint64_t rank = rank_of(s->q, s->sampled[h]);
    double *room = level(s, s->levels);
    memcpy(room, level(s, h), s->held[h] * sizeof *room);
    double x = select_largest(room, s->held[h], rank < s->held[h] ? (uint32_t)rank : s->held[h]);
    return keeps_largest(s->q) ? x : 0.0 - x;
}

double tail_quantile_error(double q, uint32_t k)
{
    return 2.576 * sqrt((1 - rarer(q)) / (k / 2.0)); /* 2.576: 99 % of a normal distribution */
}

static bool is_heap(const double *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(v[i]) || (i && v[(i - 1) / 2] > v[i])) return false;
    return true;
}

bool tail_quantile_check(const struct tail_quantile *s)
{
    if (s->sampled[0] != s->n || s->n > TAIL_MAX_COUNT) return false;
    for (uint32_t h = 0; h < s->levels; h++) {
        if (h && s->sampled[h] > s->sampled[h - 1]) return false;
        if (s->held[h] != (s->sampled[h] < s->k ? s->sampled[h] : s->k)) return false;
        if (!is_heap(s->item + (size_t)h * s->k, s->held[h])) return false;
    }
    return true;
}
