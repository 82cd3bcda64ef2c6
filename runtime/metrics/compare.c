/* compare.c -- see compare.h. */
#include "compare.h"
#include "read_checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <leat/status.h>

#include "base/bits.h"
#include "base/mix64.h"

void compare_add(struct compare *c, uint64_t record, float label, double weight, double loss,
                 double second)
{
    uint64_t h = mix64((record + 1) * MIX64_GOLDEN);
    struct sums *g = &c->group[h % COMPARE_GROUPS];
    g->weight += weight;
    g->loss += weight * loss;
    g->second += weight * second;
    c->same += mix64(h ^ bits_of_float(label) ^ bits_of_double(weight));
    c->examples++;
}

void compare_merge(struct compare *c, const struct compare *other)
{
    c->examples += other->examples;
    c->same += other->same;
    for (uint32_t g = 0; g < COMPARE_GROUPS; g++)
        sums_add(&c->group[g], &other->group[g]);
}

static double figure(const struct sums *s, enum compare_measure m)
{
    double mean = (m == COMPARE_SECOND ? s->second : s->loss) / s->weight;
    return m == COMPARE_ROOT_LOSS ? sqrt(mean) : mean;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The difference over n of the n groups, drawn with replacement, the same for both learners. */
static double drawn_difference(const struct compare *a, const struct compare *b,
                               enum compare_measure m, const uint16_t *used, uint32_t n,
                               uint64_t *random)
{
    struct sums of_a = {0}, of_b = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t u = mix64(*random += MIX64_GOLDEN) >> 32;
        uint32_t g = used[u * n >> 32];
        sums_add(&of_a, &a->group[g]);
        sums_add(&of_b, &b->group[g]);
    }
    return figure(&of_a, m) - figure(&of_b, m);
}

bool compare_learners(const struct compare *a, const struct compare *b,
                      enum compare_measure measure, struct compare_result *out)
{
    if (!a->examples || a->examples != b->examples || a->same != b->same) return false;
    struct sums of_a = {0}, of_b = {0};
    uint16_t used[COMPARE_GROUPS];
    uint32_t n = 0;
    for (uint32_t g = 0; g < COMPARE_GROUPS; g++) {
        sums_add(&of_a, &a->group[g]);
        sums_add(&of_b, &b->group[g]);
        if (a->group[g].weight > 0) used[n++] = (uint16_t)g;
    }
    *out = (struct compare_result){figure(&of_a, measure) - figure(&of_b, measure), (double)NAN,
                                   (double)NAN};
    if (n < COMPARE_MIN_GROUPS) return true;
    double d[COMPARE_DRAWS];
    uint64_t random = a->same;
    for (int k = 0; k < COMPARE_DRAWS; k++)
        d[k] = drawn_difference(a, b, measure, used, n, &random);
    qsort(d, COMPARE_DRAWS, sizeof *d, ascending);
    out->low = d[COMPARE_DRAWS / 40];
    out->high = d[COMPARE_DRAWS - 1 - COMPARE_DRAWS / 40];
    return true;
}

int compare_verdict(const struct compare_result *r)
{
    return r->high < 0 ? -1 : r->low > 0 ? 1 : 0; /* with NaN neither holds */
}

enum { NUMBERS = COMPARE_GROUPS * sizeof(struct sums) / sizeof(double) };

void compare_write(const struct compare *c, struct leat_writer *w)
{
    w->u64(w, "compared", c->examples);
    if (!c->examples) return;
    w->u64(w, "same", c->same);
    w->array(w, "groups", LEAT_F64, c->group, NUMBERS);
}

int compare_read(struct compare *c, struct leat_reader *r)
{
    const double *groups;
    uint64_t examples, same;
    int status = read_checked_count(r, "compared", &examples);
    if (status != LEAT_OK || !examples) return status;
    if ((status = r->u64(r, "same", &same)) != LEAT_OK ||
        (status = read_checked_array(r, "groups", NUMBERS, 0, SUMS_MAX, &groups)) != LEAT_OK)
        return status;
    c->examples = examples;
    c->same = same;
    memcpy(c->group, groups, sizeof c->group);
    return LEAT_OK;
}
