/* kll.c -- KLL: which value has a given rank in a stream?
 *
 * What it keeps: levels 0 .. levels-1 of values; a value in level h stands for 2^h values of the
 * stream. New values go to level 0. When the memory is full, the lowest full level is compacted: it
 * is sorted, a coin keeps either the first or the second of every two neighbours, and those that
 * are kept move one level up. For a fixed x a compaction of level h changes the estimated rank by
 * -2^h, 0 or +2^h, with mean 0: the errors cancel rather than add up.
 *
 *   item   |  free  | level 0, new values | level 1 | level 2 | ... | top level |
 *          0        start[0] <-- grows    start[1]  start[2]        start[levels-1]  start[levels]
 *
 * Source: Z. Karnin, K. Lang, E. Liberty, Optimal Quantile Approximation in Streams, FOCS 2016.
 * Names here -> paper: start, item = the compactors; levels = H; cap[depth] = k_h = k c^(H-h) with
 * c = 2/3 and depth = H - h; kll_error = ε at failure probability delta = δ.
 *
 * The levels share the memory: one may outgrow its capacity while others leave theirs unused, so a
 * compaction is needed only when all of it is full. That makes fewer compactions and less error in
 * the same memory.
 *
 * The bound. The schedule of compactions depends on how many values came, not on the coin; so the
 * error of a rank is a martingale with known steps 2^h, and by Azuma's inequality
 *
 *     P(|error| > t) <= 2 exp(-t^2 / (2 V)),   V = sum of 4^h over all compactions made,
 *
 * V being `spread`. That also covers merged sketches, whose V add up, as long as their seeds
 * differ: equal coins err together. On one stream V <= (n/k)^2, which gives kll_error_ahead; that
 * is not proved but follows from the schedule alone, so it can be, and is, tested n by n. Observed
 * errors are about half of the bound.
 *
 * Compaction and merging need no other memory.
 *
 * Invariants (kll_check): sum over h of size(h) * 2^h = n; levels 1.. are ascending; no NaN.
 *
 * Not here: when to ask again for a threshold (labels/quantile.c).
 */
#include "kll.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mix64.h"

#define MIN_CAPACITY 8 /* of a level: below it the coin is thrown too often for what it saves */

/* Levels that KLL_MAX_COUNT values can need: a level is added when the top holds k values of weight
 * 2^(levels-1), so k * 2^(levels-2) <= 2^48 at the end. */
static uint32_t levels_at_most(uint32_t k)
{
    uint32_t levels = 50;
    for (; k > 1; k /= 2)
        levels--;
    return levels;
}

/* Capacity one level further down: two thirds, rounded up. */
static uint32_t capacity_below(uint32_t cap)
{
    uint32_t next = (2 * cap + 2) / 3;
    return next > MIN_CAPACITY ? next : MIN_CAPACITY;
}

static uint32_t size_of(const struct kll *s, uint32_t h) { return s->start[h + 1] - s->start[h]; }

static uint32_t capacity_of(const struct kll *s, uint32_t h) { return s->cap[s->levels - 1 - h]; }

/* A fair bit. */
static uint32_t flip(struct kll *s) { return (uint32_t)(mix64_next(&s->coin) >> 63); }

/* Shell sort (gaps of Gonnet and Baeza-Yates, 1991): in place, and fast on nearly sorted values. */
static void sort(double *v, uint32_t n)
{
    for (uint32_t gap = n; gap > 1;) {
        gap = gap < 5 ? 1 : (uint32_t)((5 * (uint64_t)gap - 1) / 11);
        for (uint32_t i = gap; i < n; i++) {
            double x = v[i];
            uint32_t j = i;
            for (; j >= gap && v[j - gap] > x; j -= gap)
                v[j] = v[j - gap];
            v[j] = x;
        }
    }
}

static void sort_level_0(struct kll *s)
{
    if (!s->sorted) sort(s->item + s->start[0], size_of(s, 0));
    s->sorted = 1;
}

/* How many of v[0..n), ascending, are <= x. */
static uint32_t count_upto(const double *v, uint32_t n, double x)
{
    uint32_t lo = 0;
    while (n) {
        uint32_t half = n / 2;
        if (v[lo + half] <= x) {
            lo += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return lo;
}

/* One more level on top. It adds the capacity of the deepest level, at the bottom. */
static void add_level(struct kll *s)
{
    uint32_t more = s->cap[s->levels], end = s->start[s->levels];
    assert(s->levels < levels_at_most(s->k));
    memmove(s->item + s->start[0] + more, s->item + s->start[0],
            (end - s->start[0]) * sizeof *s->item);
    for (uint32_t h = 0; h <= s->levels; h++)
        s->start[h] += more;
    s->levels++;
    s->start[s->levels] = s->start[s->levels - 1];
}

/* Merge the ascending runs out[-m .. 0) and out[m .. m + n) into out[0 .. m + n). The second run
 * lies where the result ends, so the writer never overtakes its reader. */
static void merge_runs(double *out, uint32_t m, uint32_t n)
{
    const double *a = out - m, *a_end = out, *b = out + m, *b_end = out + m + n;
    while (a < a_end)
        *out++ = b < b_end && *b < *a ? *b++ : *a++;
}

/* Halve level h into level h + 1. An odd value stays in level h, so it adds no error. */
static void compact(struct kll *s, uint32_t h)
{
    uint32_t from = s->start[h], to = s->start[h + 1];
    uint32_t odd = (to - from) & 1, half = (to - from) / 2, above = size_of(s, h + 1);
    double *v = s->item + from + odd;
    if (h == 0) sort_level_0(s);
    uint32_t side = flip(s);
    for (uint32_t i = 0; i < half; i++)
        v[i] = v[2 * i + side];
    merge_runs(v + half, half, above);
    memmove(s->item + s->start[0] + half, s->item + s->start[0],
            (from + odd - s->start[0]) * sizeof *s->item);
    for (uint32_t i = 0; i <= h; i++)
        s->start[i] += half;
    s->start[h + 1] = s->start[h] + odd;
    s->spread += ldexp(1.0, 2 * (int)h); /* V += 4^h */
}

/* All memory is used, so some level is at its capacity or above. */
static void compact_lowest(struct kll *s)
{
    uint32_t h = 0;
    while (size_of(s, h) < capacity_of(s, h))
        h++;
    if (h + 1 == s->levels) add_level(s);
    compact(s, h);
}

/* Put x into level h, where it stands for 2^h values. */
static void put(struct kll *s, uint32_t h, double x)
{
    if (!s->start[0]) compact_lowest(s);
    uint32_t first = s->start[0], at = s->start[h];
    if (h) at += count_upto(s->item + at, size_of(s, h), x);
    memmove(s->item + first - 1, s->item + first, (at - first) * sizeof *s->item);
    s->item[at - 1] = x;
    for (uint32_t i = 0; i <= h; i++)
        s->start[i]--;
    if (h == 0) s->sorted = 0;
}

/* kll_rank with level 0 in order. */
static uint64_t rank_of(const struct kll *s, double x)
{
    uint64_t rank = 0;
    for (uint32_t h = 0; h < s->levels; h++)
        rank += (uint64_t)count_upto(s->item + s->start[h], size_of(s, h), x) << h;
    return rank;
}

/* ceil(q n), at least 1: the rank that the q-quantile must reach. */
static uint64_t rank_wanted(const struct kll *s, double q)
{
    double r = ceil(q * (double)s->n);
    return r < 1.0 ? 1 : (uint64_t)r;
}

size_t kll_bytes(uint32_t k)
{
    size_t items = 0;
    uint32_t cap = k;
    for (uint32_t depth = 0; depth < levels_at_most(k); depth++, cap = capacity_below(cap))
        items += cap;
    return sizeof(struct kll) + items * sizeof(double);
}

void kll_init(struct kll *s, uint32_t k, uint64_t seed)
{
    assert(k >= KLL_MIN_K && k <= KLL_MAX_K);
    memset(s, 0, kll_bytes(k));
    s->coin = seed;
    s->min = (double)INFINITY;
    s->max = -(double)INFINITY;
    s->k = k;
    s->levels = 1;
    s->sorted = 1;
    s->cap[0] = k;
    for (uint32_t depth = 1; depth <= KLL_MAX_LEVELS; depth++)
        s->cap[depth] = capacity_below(s->cap[depth - 1]);
    s->start[0] = s->start[1] = k;
}

bool kll_insert(struct kll *s, double x)
{
    if (isnan(x) || s->n >= KLL_MAX_COUNT) return false;
    if (!s->start[0]) compact_lowest(s);
    s->item[--s->start[0]] = x;
    s->sorted = 0;
    s->n++;
    s->min = x < s->min ? x : s->min;
    s->max = x > s->max ? x : s->max;
    return true;
}

uint64_t kll_rank(struct kll *s, double x)
{
    sort_level_0(s);
    return rank_of(s, x);
}

double kll_quantile(struct kll *s, double q)
{
    if (!s->n) return (double)NAN;
    if (q <= 0.0) return s->min;
    sort_level_0(s);
    uint64_t want = rank_wanted(s, q);
    /* `best` always reaches the rank; each level is asked for something smaller that does too. */
    double best = s->max;
    for (uint32_t h = 0; q < 1.0 && h < s->levels; h++) {
        const double *v = s->item + s->start[h];
        uint32_t lo = 0, hi = size_of(s, h);
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (v[mid] >= best || rank_of(s, v[mid]) >= want)
                hi = mid;
            else
                lo = mid + 1;
        }
        if (lo < size_of(s, h) && v[lo] < best) best = v[lo];
    }
    return best;
}

bool kll_merge(struct kll *restrict s, const struct kll *restrict other)
{
    if (s->k != other->k || s->n + other->n > KLL_MAX_COUNT) return false;
    while (s->levels < other->levels)
        add_level(s);
    for (uint32_t h = 0; h < other->levels; h++)
        for (uint32_t i = other->start[h]; i < other->start[h + 1]; i++)
            put(s, h, other->item[i]);
    s->n += other->n;
    s->spread += other->spread;
    s->min = other->min < s->min ? other->min : s->min;
    s->max = other->max > s->max ? other->max : s->max;
    return true;
}

double kll_error(const struct kll *s, double delta)
{
    if (s->spread <= 0.0) return 0.0;
    assert(delta > 0 && delta < 1);
    double e = sqrt(2.0 * s->spread * log(2.0 / delta)) / (double)s->n; /* t / n of the bound */
    return e < 1.0 ? e : 1.0;
}

double kll_error_ahead(uint32_t k, double delta)
{
    double e = sqrt(2.0 * log(2.0 / delta)) / (double)k;
    return e < 1.0 ? e : 1.0;
}

static bool level_holds(const struct kll *s, uint32_t h)
{
    for (uint32_t i = s->start[h]; i < s->start[h + 1]; i++) {
        if (!(s->item[i] >= s->min && s->item[i] <= s->max)) return false;
        if ((h > 0 || s->sorted) && i > s->start[h] && s->item[i - 1] > s->item[i]) return false;
    }
    return true;
}

bool kll_check(const struct kll *s)
{
    if (s->k < KLL_MIN_K || s->k > KLL_MAX_K || s->n > KLL_MAX_COUNT || s->cap[0] != s->k ||
        s->levels < 1 || s->levels > levels_at_most(s->k))
        return false;
    uint32_t capacity = 0;
    for (uint32_t depth = 0; depth < KLL_MAX_LEVELS; depth++) {
        capacity += depth < s->levels ? s->cap[depth] : 0;
        if (s->cap[depth + 1] != capacity_below(s->cap[depth])) return false;
    }
    if (s->start[s->levels] != capacity) return false;
    uint64_t weight = 0;
    for (uint32_t h = 0; h < s->levels; h++) {
        if (s->start[h] > s->start[h + 1]) return false;
        weight += (uint64_t)size_of(s, h) << h;
    }
    for (uint32_t h = 0; h < s->levels; h++)
        if (!level_holds(s, h)) return false;
    return weight == s->n && s->spread >= 0.0;
}
