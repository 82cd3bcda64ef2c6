/* edit_distance.c -- implementation of edit_distance.h */
#include "edit_distance.h"

#include <stdint.h>
#include <string.h>

static size_t less(size_t a, size_t b) { return a < b ? a : b; }

static char edit_distance_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

size_t edit_distance(const char *a, const char *b, size_t n)
{
    size_t row[EDIT_MAX + 1];
    if (n > EDIT_MAX) return n;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t changed =
                corner + (edit_distance_lower(a[i - 1]) != edit_distance_lower(b[j - 1]));
            corner = row[j];
            row[j] = less(changed, 1 + less(row[j], row[j - 1]));
        }
    }
    return row[n];
}

int edit_is_near(const char *word, size_t distance) { return distance <= 1 + strlen(word) / 4; }

/* True if `word` has at least three letters and `of` begins with it, as iso8601 begins with iso. */
static int is_beginning(const char *word, const char *of)
{
    size_t n = strlen(word);
    return n >= 3 && strlen(of) >= n && edit_distance(word, of, n) == 0;
}

const char *edit_nearest(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    for (; *words; words++) {
        size_t d = is_beginning(word, *words) ? 1 : edit_distance(word, *words, strlen(*words));
        if (d >= best || !edit_is_near(word, d)) continue;
        best = d;
        nearest = *words;
    }
    return nearest;
}
