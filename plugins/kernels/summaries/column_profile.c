/* column_profile.c -- implementation of column_profile.h */
#include "column_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"

static void column_profile_add_number(struct column_profile *p, double x)
{
    if (!p->numbers || x < p->low) p->low = x;
    if (!p->numbers || x > p->high) p->high = x;
    p->numbers++;
}

/* Returns the index of a text in `kept`, or n_kept if the text is not kept. */
static uint32_t column_profile_find(const struct column_profile *p, uint64_t hash)
{
    uint32_t i = 0;
    while (i < p->n_kept && p->kept[i].hash != hash)
        i++;
    return i;
}

static uint32_t column_profile_least(const struct column_profile *p)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < p->n_kept; i++)
        if (p->kept[i].count < p->kept[at].count) at = i;
    return at;
}

/* Returns a slot for a new text: a free one, or that of the text with the smallest count,
 * which is replaced. */
static struct profile_text *column_profile_enter(struct column_profile *p)
{
    if (p->n_kept < PROFILE_KEPT) {
        struct profile_text *t = &p->kept[p->n_kept++];
        *t = (struct profile_text){.count = 0};
        return t;
    }
    struct profile_text *t = &p->kept[column_profile_least(p)];
    t->excess = t->count;
    p->full = true;
    return t;
}

/* Adds the hash of a text to texts_had. A text that is kept was already added when it entered. */
static void column_profile_note(struct column_profile *p, uint64_t hash)
{
    if (p->listed || p->texts == 1)
        p->listed = (uint8_t)distinct_list(&p->texts_had, p->listed, hash);
    else
        distinct_add(p->texts_had.registers, hash);
}

void column_profile_add(struct column_profile *p, const char *text, size_t len, double number)
{
    uint64_t hash = feature_id_name(text, len);
    uint32_t at = column_profile_find(p, hash);
    p->texts++;
    if (!isnan(number)) column_profile_add_number(p, number);
    if (len > p->longest) p->longest = len;
    if (at == p->n_kept) {
        struct profile_text *t = column_profile_enter(p);
        t->hash = hash;
        t->len = (uint32_t)len;
        memcpy(t->text, text, len < PROFILE_TEXT ? len : PROFILE_TEXT);
        at = (uint32_t)(t - p->kept);
        column_profile_note(p, mix64(hash));
    }
    p->kept[at].count++;
}

double column_profile_distinct(const struct column_profile *p)
{
    if (column_profile_is_exact(p)) return p->listed ? p->listed : p->n_kept;
    return fmin(distinct_count(p->texts_had.registers), (double)p->texts);
}

static int more_first(const void *x, const void *y)
{
    const struct profile_text *a = *(const struct profile_text *const *)x,
                              *b = *(const struct profile_text *const *)y;
    uint64_t n_a = a->count - a->excess, n_b = b->count - b->excess;
    if (n_a != n_b) return n_a > n_b ? -1 : 1;
    uint32_t both = a->len < b->len ? a->len : b->len;
    int by = memcmp(a->text, b->text, both < PROFILE_TEXT ? both : PROFILE_TEXT);
    if (by) return by;
    if (a->len != b->len) return a->len < b->len ? -1 : 1;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

uint32_t column_profile_rank(const struct column_profile *p,
                             const struct profile_text *ranked[PROFILE_KEPT])
{
    for (uint32_t i = 0; i < p->n_kept; i++)
        ranked[i] = &p->kept[i];
    if (p->n_kept) qsort(ranked, p->n_kept, sizeof *ranked, more_first);
    return p->n_kept;
}
