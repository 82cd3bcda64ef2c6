/* nearest.h -- finds the candidate that is nearest to a misspelt name. */
#ifndef LEAT_CORE_TEXT_NEAREST_H
#define LEAT_CORE_TEXT_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { NEAREST_MAX = 48 }; /* most bytes of a word; a longer word has no near candidates */

struct nearest {
    const char *word, *best; /* best NULL: no candidate is near */
    size_t distance, steps;  /* steps: nearest_distance() of `best` */
};

static inline size_t nearest_smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Returns the number of steps from a to b. A step changes, adds or removes a letter, or swaps two
 * neighbours: 'wdith' is one step from 'width'. */
static inline size_t nearest_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[3][NEAREST_MAX + 1];
    if (n > NEAREST_MAX || m > NEAREST_MAX) return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t changed = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = nearest_smaller(changed, nearest_smaller(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = nearest_smaller(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

static inline struct nearest nearest_to(const char *word)
{
    return (struct nearest){word, NULL, strlen(word) / 3 + 2, SIZE_MAX};
}

/* Takes the candidate as `best` if it is nearer than `best`. A candidate that is a prefix of the
 * word, or the reverse, has at most distance 1. Of equal distances the one with fewer steps wins.
 */
static inline void nearest_try(struct nearest *n, const char *candidate)
{
    size_t len = strlen(n->word), k = strlen(candidate);
    size_t steps = nearest_distance(n->word, candidate), d = steps;
    bool prefix = len >= 2 && k >= 2 && !strncasecmp(n->word, candidate, nearest_smaller(len, k));
    if (prefix && d > 1) d = 1;
    bool nearer = d < n->distance || (n->best && d == n->distance && steps < n->steps);
    if (!nearer || d >= k) return;
    n->distance = d;
    n->steps = steps;
    n->best = candidate;
}

#endif
