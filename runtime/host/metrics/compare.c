/* compare.c -- implementation of compare.h. */
#include "compare.h"
#include "read_checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <leat/status.h>

#include "core/bits.h"
#include "core/mix64.h"

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

static int compare_ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Lists the groups that have examples, in ascending order, and returns their number n. */
static uint32_t list_used(const struct compare *c, uint16_t used[COMPARE_GROUPS])
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < COMPARE_GROUPS; g++)
        if (c->group[g].weight > 0) used[n++] = (uint16_t)g;
    return n;
}

/* Draws each replicate: n groups with replacement from the n groups that have examples. */
void compare_draw(const struct compare *c, struct compare_draws *to)
{
    uint16_t used[COMPARE_GROUPS];
    uint32_t n = list_used(c, used);
    uint64_t random = c->same;
    for (int k = 0; k < COMPARE_DRAWS; k++) {
        struct sums sum = {0};
        for (uint32_t i = 0; i < n; i++) {
            uint64_t u = mix64_next(&random) >> 32;
            sums_add(&sum, &c->group[used[u * n >> 32]]);
        }
        to->of[k] = sum;
    }
}

bool compare_alike(const struct compare *a, const struct compare *b)
{
    return a->examples && a->examples == b->examples && a->same == b->same;
}

static struct sums total(const struct compare *c)
{
    struct sums sum = {0};
    for (uint32_t g = 0; g < COMPARE_GROUPS; g++)
        sums_add(&sum, &c->group[g]);
    return sum;
}

void compare_learners(const struct compare *a, const struct compare_draws *drawn_a,
                      const struct compare *b, const struct compare_draws *drawn_b,
                      enum compare_measure measure, struct compare_result *out)
{
    struct sums of_a = total(a), of_b = total(b);
    uint16_t used[COMPARE_GROUPS];
    *out = (struct compare_result){figure(&of_a, measure) - figure(&of_b, measure), (double)NAN,
                                   (double)NAN};
    if (list_used(a, used) < COMPARE_MIN_GROUPS) return;
    double d[COMPARE_DRAWS];
    for (int k = 0; k < COMPARE_DRAWS; k++)
        d[k] = figure(&drawn_a->of[k], measure) - figure(&drawn_b->of[k], measure);
    qsort(d, COMPARE_DRAWS, sizeof *d, compare_ascending);
    out->low = d[COMPARE_DRAWS / 40];
    out->high = d[COMPARE_DRAWS - 1 - COMPARE_DRAWS / 40];
}

int compare_verdict(const struct compare_result *r)
{
    return r->high < 0 ? -1 : r->low > 0 ? 1 : 0; /* 0 if the bounds are NaN */
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
