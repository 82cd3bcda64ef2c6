/* kll.c -- all quantiles of a stream in a block of fixed size, with a rank error of about n / k
 *
 * Windows keep one sketch for each group, to read the median, the 99th percentile and
 * others from it.
 *
 * New values enter level 0. When the block is full, a level is compacted: its items are sorted,
 * and every second item moves to the next level, where it represents twice as many values. The
 * other items are dropped. So an item of level h has the weight 2^h. A random bit decides whether
 * the items in odd or in even positions move. So one compaction changes the rank of a value by
 * +2^h, -2^h or 0, and by 0 on average. Higher levels have larger capacities, so compactions with
 * large errors are rare.
 *
 * Capacities: the top level has the capacity k. Each other level has two thirds of the level above
 * it, rounded up, and at least 2. Level 0 has at least 16 + k / 16, because it also buffers new
 * values. A smaller buffer would mean more and smaller compactions.
 *
 * The block has room for KLL_LEVELS such levels. A stream with k = 64 needs only 14 of them after 2
 * million values, but the rest of the room is used too: a level is compacted only if the block is
 * full. Then the lowest level that has reached its capacity is compacted. So upper levels may
 * exceed their capacity while there is room.
 *
 *   header | level L-1, sorted | level L-2, sorted | ... | level 1, sorted | level 0 ->      free |
 *          0              end[L-1]            end[L-2]                  end[1]          end[0]
 *
 * A compaction of level h works in place. The items that move up are first moved to the upper half
 * of their level. They are then merged with the level before them, starting at the ends. Finally,
 * the items after them close the gap.
 *
 *   level h+1   level h          3 5 9 | 1 4 6 7 | 8 2 ..     every second item moves up: 4 7
 *                                3 5 9 | - - 4 7 | 8 2 ..
 *                                3 4 5 7 9 | - - | 8 2 ..     merged
 *                                3 4 5 7 9 | 8 2 ..           two places are free
 *
 * If the number of items is odd, the smallest or the largest item stays in its level, as a random
 * bit decides. If the largest item always stayed, the median of 20,000 values with k = 32 would be
 * too large by .17 to .34 of its deviation, although ranks would have no bias.
 *
 * Example. k = 8 makes a block of 165 items. The values 1 .. 100 all fit, and the median is exactly
 * 50. The values 1 .. 165 fill level 0 and the block. The next value compacts level 0: 82 of the
 * 165 items move to level 1, and one item stays. With the new value, 82 items of weight 2 and 2
 * items of weight 1 represent 166 values.
 *
 * Memory beyond the largest end[0] so far is never touched. So a group with few values takes only
 * the memory pages of these values.
 *
 * Invariants (kll_is_valid()): the sum over h of 2^h times the items of level h is n; levels
 * above 0 are sorted; if there are several levels, the top one is not empty; all items are
 * within min .. max.
 *
 * Time per value: log2(length of level 0) comparisons to sort, and about one to merge, since each
 * compaction moves half of the items up. With k = 64 and 512, a random double takes 26 ns, and a
 * double of a sorted stream takes 12 to 24 ns.
 *
 * Deviations from the paper:
 * - After a random choice, the next compaction of the same level keeps the other half (Ivkin et
 *   al.). So the errors of these two compactions cancel, or only one of them errs. The total error
 *   is .7 to .9 times the error with independent bits.
 * - The paper replaces the lowest levels, of capacity 2, by a sampler. This sketch keeps them: each
 *   of them needs two items, and no rate has to be drawn.
 * - A level is compacted when the block is full, not as soon as the level reaches its capacity.
 *
 * The error. The standard deviation of a rank is up to .38 n / k for k >= 512. It is smaller for
 * smaller k, because the upper levels then have a larger part of the block. For the worst of five
 * quantiles, 99 % of the errors were below .42 to 1.13 n / k. This was measured over 60 to 400
 * seeds, with k = 64, 512 and 4096, n = .3 to 1 million, and values in random, rising, falling,
 * inward, outward and interleaved order. kll_error() returns 1.3 / k. Several sketches together
 * have a smaller error, because their errors are independent.
 *
 * Sources: Z. Karnin, K. Lang, E. Liberty, Optimal quantile approximation in streams, FOCS 2016.
 * N. Ivkin, E. Liberty, K. Lang, Z. Karnin, V. Braverman, Streaming quantiles algorithms with small
 * space and update time, 2019 (arXiv 1907.00236). */
#include "kll.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/le.h"
#include "core/mix64.h"
#include "kernels/base/sort.h"

#define is_less(a, b) ((a) < (b))
SORT(doubles, double, is_less)

#define is_lower(a, b) ((a).x < (b).x)
SORT(by_value, struct kll_item, is_lower)

/* Returns the smallest capacity of level 0, which buffers new values. */
static uint32_t buffer_of(uint32_t k) { return 16 + k / 16; }

/* Returns the capacity of the level below a level with this capacity: two thirds, rounded up. */
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

static uint32_t kll_held(const struct kll *s, uint32_t h) { return s->end[h] - s->end[h + 1]; }

/* Returns the lowest level that has reached its capacity. There is one if fewer than buffer_of(k)
 * items are free, because the block exceeds the sum of all capacities by that number. */
static uint32_t lowest_full(const struct kll *s)
{
    uint32_t full = s->levels, c = s->k, buffer = buffer_of(s->k);
    for (uint32_t h = s->levels; h--; c = below(c)) {
        if (!h && c < buffer) c = buffer;
        if (kll_held(s, h) >= c) full = h;
    }
    assert(full < s->levels);
    return full;
}

/* Returns which items a compaction of level h moves up: 1 for those in odd positions, 0 for even
 * positions. Decides at random, or for the other half if `owed` demands it. */
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

/* Merges the sorted x[0 .. i) and y[0 .. j) into x[0 .. i + j), from the end. y starts at or
 * after x + i + j. */
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

/* Moves half of the items of level h to level h + 1. Level h has at least two items. */
static void kll_compact(struct kll *s, uint32_t h)
{
    if (h + 1 == s->levels) s->levels++; /* level h has at least 8 items, so 8 * 2^h <= n */
    assert(s->levels <= KLL_LEVELS);
    uint32_t start = s->end[h + 1], count = kll_held(s, h), half = count / 2,
             odd = choose_half(s, h);
    uint32_t first =
        count % 2 ? mix64_next(&s->random) & 1 : 0; /* 1: the smallest item stays in level h */
    double *v = s->item + start;
    if (!h) doubles_sort(v, count);
    double left_over = first ? v[0] : v[count - 1];
    for (uint32_t i = half; i--;)
        v[half + i] = v[first + 2 * i + odd];
    if (count % 2) v[2 * half] = left_over;
    merge(s->item + s->end[h + 2], kll_held(s, h + 1), v + half, half);
    memmove(v + half, v + 2 * half, (s->end[0] - start - 2 * half) * sizeof *v);
    s->end[h + 1] += half;
    for (uint32_t g = 0; g <= h; g++)
        s->end[g] -= half;
}

/* Compacts until at least half of the buffer for new values is free. */
static void kll_make_room(struct kll *s)
{
    uint32_t wanted = buffer_of(s->k) / 2;
    do
        kll_compact(s, lowest_full(s));
    while (s->capacity - s->end[0] < wanted);
#ifdef LEAT_CHECKS
    assert(kll_is_valid(s, s->k));
#endif
}

void kll_add(struct kll *s, double x)
{
    assert(isfinite(x));
    x += 0.0; /* turns -0 into 0 */
    s->min = x < s->min ? x : s->min;
    s->max = x > s->max ? x : s->max;
    if (s->end[0] == s->capacity) kll_make_room(s);
    s->item[s->end[0]++] = x;
    s->n++;
}

size_t kll_work(uint32_t k, uint32_t n) { return (size_t)kll_capacity(k) * n + 2; }

/* Copies the items of s to `out` with their weights as ranks. Returns their number. */
static uint32_t copy_weighted(const struct kll *s, struct kll_item *out)
{
    for (uint32_t h = 0; h < s->levels; h++)
        for (uint32_t i = s->end[h + 1]; i < s->end[h]; i++)
            out[i] = (struct kll_item){s->item[i], (uint64_t)1 << h};
    return s->end[0];
}

/* Adds the minimum before the items (rank 1) and the maximum after them (last rank). Compactions
 * may have dropped both, but kll_at() must be exact there. */
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
        item[i].rank += item[i - 1].rank; /* sums the weights up to ranks */
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
    uint32_t low = 0, high = items - 1; /* the result is in work[low .. high] */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)work[middle].rank >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return work[low].x;
}

/* Returns the number of values that item i represents. */
static uint64_t kll_weight(const struct kll_item *work, uint32_t i)
{
    return work[i].rank - (i ? work[i - 1].rank : 0);
}

double kll_distance(const struct kll_item *work, uint32_t items, double center)
{
    uint32_t low = 0, high; /* work[low .. high - 1] are within d */
    double d = (double)NAN;
    while (low < items && work[low].x < center)
        low++;
    high = low;
    uint64_t within = 0, total = items ? work[items - 1].rank : 0;
    while (within < total - total / 2) {
        double below = low ? center - work[low - 1].x : (double)INFINITY;
        double above = high < items ? work[high].x - center : (double)INFINITY;
        d = below < above ? below : above;
        within += below < above ? kll_weight(work, --low) : kll_weight(work, high++);
    }
    return d;
}

double kll_error(uint32_t k) { return 1.3 / k; }

void kll_turn(struct kll *s, uint32_t n)
{
    le_turn_members(s, "888888444");
    le_turn(s->end, sizeof *s->end, KLL_LEVELS + 1);
    le_turn(s->item, sizeof *s->item, n);
}

/* ---- checks of a sketch that was read from a snapshot ---- */

/* True if each level begins where the level above it ends, the top level begins at 0, and all
 * levels above it are empty. */
static bool has_levels(const struct kll *s)
{
    if (!s->levels || s->levels > KLL_LEVELS || s->end[0] > s->capacity) return false;
    for (uint32_t h = 0; h < KLL_LEVELS; h++)
        if (s->end[h + 1] > s->end[h] || (h + 1 >= s->levels && s->end[h + 1])) return false;
    uint64_t in_use = ((uint64_t)1 << s->levels) - 1;
    bool has_top = s->levels == 1 || s->end[s->levels - 1];
    return has_top && !((s->kept | s->owed) & ~in_use);
}

/* True if the items of level h are within min .. max, and sorted if h > 0. */
static bool has_items(const struct kll *s, uint32_t h)
{
    for (uint32_t i = s->end[h + 1]; i < s->end[h]; i++) {
        double x = s->item[i];
        if (!(x >= s->min && x <= s->max)) return false;
        if (h && i > s->end[h + 1] && x < s->item[i - 1]) return false;
    }
    return true;
}

/* True if n is the sum of all weights. Subtracts from n, because a sum could overflow. */
static bool has_weights(const struct kll *s)
{
    uint64_t left = s->n;
    for (uint32_t h = 0; h < s->levels; h++) {
        if (kll_held(s, h) > left >> h) return false;
        left -= (uint64_t)kll_held(s, h) << h;
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
