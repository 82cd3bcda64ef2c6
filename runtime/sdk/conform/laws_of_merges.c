/* laws_of_merges.c -- states that are added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

enum { RECORDS = 64, FEW = 10, TIMES = 9, MAX_SCORES = 128 };
static const double TOLERANCE =
    1e-2; /* of the largest number of its kind: weights may have 8 bits */

static const char *merges(const struct subject *s)
{
    return subject_merges(s) ? NULL : "it has no merge";
}

/* The state after records of one of three streams. */
static struct trace learned(const struct subject *s, int stream, uint32_t n)
{
    struct subject other = *s;
    other.seed += (uint64_t)(stream == 2);
    struct harness *h = subject_open(&other);
    trace_feed(&other, h, (struct feeding){.flavour = stream ? OTHER : PLAIN, .to = n}, NULL);
    struct trace t = trace_bytes(h);
    subject_close(h);
    return t;
}

static void merge(struct harness *h, const struct trace *state, double weight)
{
    trial_step("merge with weight %g", weight);
    int status = harness_merge(h, state->text, state->n, weight);
    if (status == LEAT_EDATA && *h->said) trial_skips("it refuses merges: %s", h->said);
    subject_returned(h, "merge", status);
}

static struct harness *merged(const struct subject *s, const struct trace *a, double weight,
                              const struct trace *b)
{
    struct harness *h = subject_open(s);
    merge(h, a, weight);
    if (b) merge(h, b, 1);
    return h;
}

/* ---- alike up to rounding ---- */

static double largest(const struct harness_answer *a, uint32_t column)
{
    double most = 0;
    for (uint32_t r = 0; r < a->n_rows; r++)
        if (fabs(a->value[r][column]) > most) most = fabs(a->value[r][column]);
    return most;
}

/* How far a bound lies away may depend on how much was sampled. */
static bool is_bound(const char *column)
{
    return strstr(column, "_low") || strstr(column, "_high");
}

/* Below that a row may have fallen out of the answer. */
static double smallest(const struct harness_answer *a)
{
    double least = INFINITY;
    for (uint32_t r = 0; r < a->n_rows; r++)
        if (fabs(a->value[r][0]) < least) least = fabs(a->value[r][0]);
    return least;
}

static bool is_close(double a, double b, double scale)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= TOLERANCE * scale + 1e-9;
}

/* Where a row has the value NAME_low, say; NAN: nowhere. */
static double bound_of(const struct harness_answer *a, uint32_t row, uint32_t column,
                       const char *end)
{
    const size_t n = strlen(a->column[column]);
    for (uint32_t c = 0; c < a->n_columns; c++)
        if (!strncmp(a->column[c], a->column[column], n) && !strcmp(a->column[c] + n, end))
            return a->value[row][c];
    return (double)NAN;
}

/* What is estimated, with bounds, may be another value within those. */
static bool is_within(const struct harness_answer *a, uint32_t row, uint32_t column, double value)
{
    return bound_of(a, row, column, "_low") <= value && value <= bound_of(a, row, column, "_high");
}

static bool is_alike(const struct harness_answer *a, uint32_t r, const struct harness_answer *b,
                     uint32_t k, uint32_t column)
{
    const double x = a->value[r][column], y = b->value[k][column];
    return is_bound(a->column[column]) || is_close(x, y, largest(a, column)) ||
           is_within(a, r, column, y) || is_within(b, k, column, x);
}

static void same_row(const struct harness_answer *a, const struct harness_answer *b, uint32_t r,
                     const char *what)
{
    for (uint32_t k = 0; k < b->n_rows; k++) {
        if (strcmp(a->name[r], b->name[k]) != 0) continue;
        for (uint32_t c = 0; c < a->n_columns; c++)
            if (!is_alike(a, r, b, k, c))
                trial_fails("%s: %s of %s\nexpected: %.9g\nfound:    %.9g", what, a->column[c],
                            a->name[r], a->value[r][c], b->value[k][c]);
        return;
    }
    if (!b->n_rows || fabs(a->value[r][0]) > smallest(b) + TOLERANCE * largest(a, 0))
        trial_fails("%s: the answer lacks %s\nexpected: %.9g", what, a->name[r], a->value[r][0]);
}

static void same_answers(struct harness *x, struct harness *y, const char *what)
{
    static struct harness_answer a, b;
    if (!x->stage->learner->query) return;
    a = *harness_query(x, LEAT_QUERY_TOP, HARNESS_NOTES, 0);
    b = *harness_query(y, LEAT_QUERY_TOP, HARNESS_NOTES, 0);
    for (uint32_t r = 0; r < a.n_rows; r++)
        same_row(&a, &b, r, what);
    for (uint32_t r = 0; r < b.n_rows; r++)
        same_row(&b, &a, r, what);
}

static uint32_t scores_of(const struct subject *s, struct harness *h, float *score)
{
    if (!(h->out.has & LEAT_HAS_SCORE) || !h->stage->process) return 0;
    harness_clear(h);
    records_add(s, h, PLAIN, 5000, 1); /* the first is predicted before anything is learned */
    if (harness_process(h) < 0) return 0;
    for (uint32_t k = 0; k < h->b.n_ex_sel; k++)
        score[k] = h->b.score[h->b.ex_sel[k]];
    return h->b.n_ex_sel;
}

static void same_scores(const struct subject *s, struct harness *x, struct harness *y,
                        const char *what)
{
    float a[MAX_SCORES], b[MAX_SCORES];
    uint32_t n = scores_of(s, x, a), m = scores_of(s, y, b);
    for (uint32_t i = 0; i < n && i < m; i++)
        if (!is_close((double)a[i], (double)b[i], 1 + fabs((double)a[i])))
            trial_fails("%s: the score of a record\nexpected: %.9g\nfound:    %.9g", what,
                        (double)a[i], (double)b[i]);
}

static void alike(const struct subject *s, struct harness *x, struct harness *y, const char *what)
{
    trial_step("query");
    same_answers(x, y, what);
    same_scores(s, x, y, what);
    subject_close(x);
    subject_close(y);
}

/* ---- laws ---- */

static void identity(const struct subject *s)
{
    struct trace a = learned(s, 0, RECORDS), none = learned(s, 0, 0);
    struct harness *from_a = subject_open(s), *with = subject_open(s);
    if (harness_restore(from_a, a.text, a.n) < 0 || harness_restore(with, a.text, a.n) < 0)
        trial_fails("its own state is refused: %s", with->said);
    merge(with, &none, 1);
    alike(s, from_a, with, "a state merged with a fresh one");
    struct harness *again = subject_open(s), *fresh = subject_open(s);
    if (harness_restore(again, a.text, a.n) < 0) trial_fails("its own state is refused");
    merge(fresh, &a, 1);
    alike(s, again, fresh, "a fresh state merged with another");
}

static void commutes(const struct subject *s)
{
    struct trace a = learned(s, 0, RECORDS), b = learned(s, 1, RECORDS);
    alike(s, merged(s, &a, 1, &b), merged(s, &b, 1, &a), "b merged with a, against a with b");
}

static void associates(const struct subject *s)
{
    struct trace a = learned(s, 0, RECORDS), b = learned(s, 1, RECORDS), c = learned(s, 2, RECORDS);
    struct harness *left = merged(s, &a, 1, &b), *bc = merged(s, &b, 1, &c);
    struct trace right = trace_bytes(bc);
    merge(left, &c, 1);
    subject_close(bc);
    alike(s, left, merged(s, &a, 1, &right), "a + (b + c), against (a + b) + c");
}

static void counts_twice(const struct subject *s)
{
    struct trace a = learned(s, 0, RECORDS);
    alike(s, merged(s, &a, 1, &a), merged(s, &a, 2, NULL), "one merge of weight 2, against two");
}

/* A state of many records merged with one of few, as often as that makes both as heavy. */
static struct harness *evened(const struct subject *s, const struct trace *many,
                              const struct trace *few, bool at_once)
{
    struct harness *h = subject_open(s);
    merge(h, many, 1);
    for (int k = 0; k < (at_once ? 1 : TIMES); k++)
        merge(h, few, at_once ? TIMES : 1);
    return h;
}

/* Two halves of unequal size, and what learned from both. */
static void adds_up(const struct subject *s, const struct trace *few)
{
    const struct feeding all = {.flavour = OTHER, .to = TIMES * FEW + FEW};
    struct feeding rest = all;
    struct harness *whole = subject_open(s), *part = subject_open(s);
    rest.from = FEW;
    trace_feed(s, whole, all, NULL);
    trace_feed(s, part, rest, NULL);
    struct trace many = trace_bytes(part);
    subject_close(part);
    alike(s, whole, merged(s, few, 1, &many),
          "a state of 10 records merged with one of the 90 after them, against one of all");
}

static void counts_unequal(const struct subject *s)
{
    struct trace few = learned(s, 1, FEW), many = learned(s, 0, TIMES * FEW);
    alike(s, evened(s, &many, &few, false), evened(s, &many, &few, true),
          "a state of 90 records merged with one of 10 of weight 9, against nine such merges");
    alike(s, evened(s, &many, &few, false), merged(s, &few, TIMES, &many),
          "a state of 10 records of weight 9 merged with one of 90, against nine merges");
    if (s->stage->caps & LEAT_ANY_ORDER) adds_up(s, &few);
}

static const struct law laws[] = {
    {LAW("merge-identity", "a fresh state is the identity of merge", merges, identity)},
    {LAW("merge-commutes", "merges do not depend on their order", merges, commutes)},
    {LAW("merge-associates", "merges do not depend on their brackets", merges, associates)},
    {LAW("merge-weight", "a merge of weight 2 is two merges", merges, counts_twice)},
    {LAW("merge-counts", "of two states each counts by what it learned from", merges,
         counts_unequal)},
};
const struct law_table laws_of_merges = {laws, sizeof laws / sizeof *laws};
