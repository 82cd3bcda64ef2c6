/* kll.c -- all quantiles with an error that is a share of n, for windows that hold a sketch of each
 * group: median and the 99th percentile of one stream, from one block of a fixed size.
 *
 * The values that arrive are kept in level 0. When the block is full, a level is compacted: it is
 * sorted, every other item moves to the next level, where each stands for twice as many values, and
 * the rest are forgotten. An item of level h has the weight 2^h. Whether the items of odd or of
 * even position stay is a random bit, so that a rank errs by +2^h, -2^h or 0, and by 0 on average.
 * The higher levels are the larger ones: there are few compactions whose errors weigh much, and
 * many whose errors weigh little.
 *
 * Capacities, from the top level down: k, and of each other level two thirds of the level above it,
 * rounded up, which never falls below 2; of level 0 at least 16 + k / 16, as it is the buffer too
 * (with less of it compactions are smaller and more).
 *
 * The block has room for KLL_LEVELS such levels, and a stream needs 14 of them after 2 million
 * values with k = 64. The rest is not lost: only a full block is compacted, and then the lowest
 * level that is at its capacity, so the upper levels hold more than theirs while there is room.
 *
 *   header | level L-1, sorted | level L-2, sorted | ... | level 1, sorted | level 0 ->      free |
 *          0              end[L-1]            end[L-2]                  end[1]          end[0]
 *
 * A compaction of level h happens in the block: the items that stay move to the upper half of the
 * level's place, are merged from their ends into the level before, and what follows moves up.
 *
 *   level h+1   level h          3 5 9 | 1 4 6 7 | 8 2 ..     every second stays: 4 7
 *                                3 5 9 | - - 4 7 | 8 2 ..
 *                                3 4 5 7 9 | - - | 8 2 ..     merged
 *                                3 4 5 7 9 | 8 2 ..           two places are free
 *
 * Of an odd number the least or the largest is left over, by a random bit, and stays in its level.
 * (Always the largest made the median of 20,000 values with k = 32 too large by .17 to .34 of its
 * deviation: ranks had no bias, but the value that is found for a rank had.)
 *
 * Memory beyond end[0] that was never used is never touched: a group with few values costs the
 * pages of its few values.
 *
 * Invariants (kll_is_valid): the sum of 2^h held(h) is n; levels above 0 are sorted; the top level
 * is not empty if there are others; all items are within min .. max.
 *
 * Time: log2 of level 0's length comparisons a value to sort, then about one to merge, as half of
 * the items go one level higher each time: 26 ns for random doubles, 12 to 24 for sorted ones, with
 * k = 64 and 512.
 *
 * Where it deviates from the paper:
 * - After a random bit, the next compaction of the level keeps the other half (Ivkin et al.). Two
 *   errors in a row cancel or are one: the error is .7 to .9 of that of independent bits.
 * - The paper replaces the lowest levels, of capacity 2, by a sampler. They are kept here: they
 *   need two items each, and no rate has to be drawn.
 * - Levels are not compacted as soon as they are at their capacity, but when the block is full.
 *
 * The error: a rank's deviation is up to .38 n / k from k = 512 on, and less for smaller k, as the
 * part of the block that is left to the upper levels is larger. 99 % of errors were below .42 to
 * 1.13 n / k for the worst of five quantiles, each over 60 to 400 seeds, with k = 64, 512 and 4096,
 * n = .3 to 1 million and values in random, rising, falling, inward, outward, interleaved order.
 * kll_error() says 1.3 / k. Sketches together err less: their errors are independent.
 *
 * Sources: Z. Karnin, K. Lang, E. Liberty, Optimal quantile approximation in streams, FOCS 2016.
 * N. Ivkin, E. Liberty, K. Lang, Z. Karnin, V. Braverman, Streaming quantiles algorithms with small
 * space and update time, 2019 (arXiv 1907.00236). */
#include "kll.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/base/sort.h"

#define is_less(a, b) ((a) < (b))
SORT(doubles, double, is_less)

#define is_lower(a, b) ((a).x < (b).x)
SORT(by_value, struct kll_item, is_lower)

/* The least capacity of level 0. */
static uint32_t buffer_of(uint32_t k) { return 16 + k / 16; }

/* The capacity of the level below one of this capacity: ceil(2 / 3 of it), at least 2. */
static uint32_t below(uint32_t capacity) { return (2 * capacity + 2) / 3; }

uint32_t kll_capacity(uint32_t k)
{
    assert(k >= KLL_MIN_K && k <= KLL_MAX_K);
    uint32_t sum = 2 * buffer_of(k);
    for (uint32_t d = 0, c = k; d < KLL_LEVELS; d++, c = below(c))
        sum += c;
    return sum;
}

size_t kll_bytes(uint32_t k)
{
    return sizeof(struct kll) + (size_t)kll_capacity(k) * sizeof(double);
}

size_t kll_used(const struct kll *s) { return sizeof *s + s->end[0] * sizeof *s->item; }

void kll_init(struct kll *s, uint32_t k, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->min = (double)INFINITY;
    s->max = -(double)INFINITY;
    s->random = seed;
    s->k = k;
    s->capacity = kll_capacity(k);
    s->levels = 1;
}

static uint32_t held(const struct kll *s, uint32_t h) { return s->end[h] - s->end[h + 1]; }

/* The lowest level that is at its capacity. There is one while fewer than buffer_of(k) items are
 * free, as the block is larger by this than all capacities together. */
static uint32_t lowest_full(const struct kll *s)
{
    uint32_t full = s->levels, c = s->k, buffer = buffer_of(s->k);
    for (uint32_t h = s->levels; h--; c = below(c)) {
        if (!h && c < buffer) c = buffer;
        if (held(s, h) >= c) full = h;
    }
    assert(full < s->levels);
    return full;
}

/* Does this compaction of level h keep the items of odd position (1) or of even position (0)? */
static uint32_t choose_half(struct kll *s, uint32_t h)
{
    uint64_t bit = (uint64_t)1 << h;
    if (s->owed & bit)
        s->kept ^= bit;
    else
        s->kept = (s->kept & ~bit) | (mix64_next(&s->random) & bit);
    s->owed ^= bit;
    return s->kept >> h & 1;
}

/* x[0 .. i) and y[0 .. j), both sorted, into x[0 .. i + j), from its end. y may stand in the same
 * memory from x + i + j on. */
static void merge(double *x, uint32_t i, const double *y, uint32_t j)
{
    while (i && j) {
        double a = x[i - 1], b = y[j - 1];
        bool up = a > b;
        x[i + j - 1] = up ? a : b;
        i -= up;
        j -= !up;
    }
    memmove(x, y, j * sizeof *x);
}

/* Half of level h, which holds two or more, goes to level h + 1. */
static void compact(struct kll *s, uint32_t h)
{
    if (h + 1 == s->levels) s->levels++; /* at its capacity, 8 or more, it weighs 8 2^h <= n */
    assert(s->levels <= KLL_LEVELS);
    uint32_t start = s->end[h + 1], count = held(s, h), half = count / 2, odd = choose_half(s, h);
    uint32_t first = count % 2 ? mix64_next(&s->random) & 1 : 0; /* 1: the least is left over */
    double *v = s->item + start;
    if (!h) doubles_sort(v, count);
    double left_over = first ? v[0] : v[count - 1];
    for (uint32_t i = half; i--;)
        v[half + i] = v[first + 2 * i + odd];
    if (count % 2) v[2 * half] = left_over;
    merge(s->item + s->end[h + 2], held(s, h + 1), v + half, half);
    memmove(v + half, v + 2 * half, (s->end[0] - start - 2 * half) * sizeof *v);
    s->end[h + 1] += half;
    for (uint32_t g = 0; g <= h; g++)
        s->end[g] -= half;
}

/* Frees at least half a buffer, so that the next values need none of this. */
static void make_room(struct kll *s)
{
    uint32_t wanted = buffer_of(s->k) / 2;
    do
        compact(s, lowest_full(s));
    while (s->capacity - s->end[0] < wanted);
#ifdef LEAT_CHECKS
    assert(kll_is_valid(s, s->k));
#endif
}

void kll_add(struct kll *s, double x)
{
    assert(isfinite(x));
    x += 0.0; /* -0 is 0 */
    s->min = x < s->min ? x : s->min;
    s->max = x > s->max ? x : s->max;
    if (s->end[0] == s->capacity) make_room(s);
    s->item[s->end[0]++] = x;
    s->n++;
}

size_t kll_work(uint32_t k, uint32_t n) { return (size_t)kll_capacity(k) * n + 2; }

/* The items of s with their weights; returns how many there are. */
static uint32_t copy_weighted(const struct kll *s, struct kll_item *out)
{
    for (uint32_t h = 0; h < s->levels; h++)
        for (uint32_t i = s->end[h + 1]; i < s->end[h]; i++)
            out[i] = (struct kll_item){s->item[i], (uint64_t)1 << h};
    return s->end[0];
}

/* Before the items stands the minimum, of rank 1, and after them the maximum, of the last rank:
 * both may be forgotten, and an answer is exact there. */
uint32_t kll_gather(const struct kll *const *s, uint32_t n, struct kll_item *work)
{
    struct kll_item *item = work + 1;
    uint32_t items = 0;
    double min = (double)INFINITY, max = -(double)INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        items += copy_weighted(s[i], item + items);
        min = s[i]->min < min ? s[i]->min : min;
        max = s[i]->max > max ? s[i]->max : max;
    }
    if (!items) return 0;
    by_value_sort(item, items);
    for (uint32_t i = 1; i < items; i++)
        item[i].rank += item[i - 1].rank; /* of weights, ranks */
    uint64_t total = item[items - 1].rank;
    if (total > 1) item[items - 1].rank--;
    work[0] = (struct kll_item){min, 1};
    item[items] = (struct kll_item){max, total};
    return items + 2;
}

double kll_at(const struct kll_item *work, uint32_t items, double q)
{
    assert(q >= 0 && q <= 1);
    if (!items) return (double)NAN;
    double rank = q * (double)work[items - 1].rank;
    uint32_t low = 0, high = items - 1; /* the answer is one of work[low .. high] */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)work[middle].rank >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return work[low].x;
}

double kll_error(uint32_t k) { return 1.3 / k; }

/* ---- a state from outside ---- */

/* Each level begins where the one above it ends, the top one at 0, and none is in use above it. */
static bool has_levels(const struct kll *s)
{
    if (!s->levels || s->levels > KLL_LEVELS || s->end[0] > s->capacity) return false;
    for (uint32_t h = 0; h < KLL_LEVELS; h++)
        if (s->end[h + 1] > s->end[h] || (h + 1 >= s->levels && s->end[h + 1])) return false;
    uint64_t in_use = ((uint64_t)1 << s->levels) - 1;
    bool has_top = s->levels == 1 || s->end[s->levels - 1];
    return has_top && !((s->kept | s->owed) & ~in_use);
}

/* Items of one weight, within min .. max. */
static bool has_items(const struct kll *s, uint32_t h)
{
    for (uint32_t i = s->end[h + 1]; i < s->end[h]; i++) {
        double x = s->item[i];
        if (!(x >= s->min && x <= s->max)) return false;
        if (h && i > s->end[h + 1] && x < s->item[i - 1]) return false;
    }
    return true;
}

/* n is the sum of weights; it is limited first, so that none of the sums overflows. */
static bool has_weights(const struct kll *s)
{
    uint64_t left = s->n;
    for (uint32_t h = 0; h < s->levels; h++) {
        if (held(s, h) > left >> h) return false;
        left -= (uint64_t)held(s, h) << h;
    }
    return !left;
}

bool kll_is_valid(const struct kll *s, uint32_t k)
{
    if (s->k != k || s->capacity != kll_capacity(k) || s->n > KLL_MAX_COUNT) return false;
    if (!has_levels(s) || !has_weights(s)) return false;
    if (!s->n) return s->min == (double)INFINITY && s->max == -(double)INFINITY;
    for (uint32_t h = 0; h < s->levels; h++)
        if (!has_items(s, h)) return false;
    return isfinite(s->min) && isfinite(s->max) && s->min <= s->max;
}
