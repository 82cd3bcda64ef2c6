/* contrast_chance.c -- the test whether a row of learn.contrast is due to chance (contrast.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contrast.h"
#include "kernels/base/always.h"
#include "kernels/base/likelihood.h"
#include "core/report/answer_report.h"

bool contrast_reaches(double low, double high, double least)
{
    return (high <= ANSWER_WIDE * low ? high : low) >= least;
}

double contrast_least_records(const struct contrast *m, const struct leat_query *q)
{
    /* With amounts, min_support is a share of their sum, which says nothing about records. */
    double support = m->shape.amounts ? 0 : q->min_support * contrast_records(m, 1);
    double least = fmax(q->min_count, support);
    /* With decay, the count of a feature that occurred once is below 1. */
    return m->opt.half_life > 0 ? least : fmax(1, least);
}

/* Counts the members with enough records. Estimates the number of other features with enough
 * records: they share the occurrences that are not those of members. */
double contrast_could_be_rows(const struct contrast *m, const struct leat_query *q)
{
    double least = contrast_least_records(m, q), counted = 0, members = 0;
    for (uint32_t s = 0; s < m->index.n; s++) {
        struct contrast_bounds b = contrast_slot_bounds(m, s);
        counted += b.low[0] + b.low[1];
        members += contrast_reaches(b.low[0] + b.low[1], b.high[0] + b.high[1], least);
    }
    double others = distinct_count(m->registers) - m->index.n;
    if (least > 0) others = fmin(others, floor((m->occurrences - counted) / least));
    return fmax(1, members + fmax(0, others));
}

/* Returns the probability of n1 or more records of kind 1 among n1 + n0 random records. In total,
 * N1 records are of kind 1 and N0 of kind 0. If the query comes again and again, returns a bound on
 * the probability that this ever happens. */
static double tail(const struct leat_query *q, double n1, double n0, double N1, double N0)
{
    return always_tail_if(q->again, fmin(n1, N1), fmin(n0, N0), N1, N0);
}

/* Returns the probability that a feature is at least as uneven by chance, among the records with
 * the counts `of`. Takes each count at the end of its bounds that makes the feature least
 * uneven. */
static double chance(const struct leat_query *q, const struct contrast_bounds *b,
                     const struct contrast_bounds *of)
{
    double more = tail(q, b->low[1], b->high[0], of->high[1], of->low[0]);
    if (q->positive) return more;
    return fmin(1, 2 * fmin(more, tail(q, b->low[0], b->high[1], of->high[0], of->low[1])));
}

/* Returns the chance of contrast_luck_of_sums() that a group of records with the masses `of` has,
 * in its part with the masses b, so much more of kind y. `of` and b are at their cautious ends.
 * most: largest masses of a record in the part, and of any record. */
static double contrast_chance_of_sums(const struct leat_query *q, const struct contrast_bounds *b,
                                      const struct contrast_bounds *of, int y, const double most[2],
                                      const double most_of_all[2])
{
    double part = fmax(most[0], most[1]), rest = fmax(most_of_all[0], most_of_all[1]);
    if (!(part > 0) || !(rest > 0)) return 1;
    double with = fmax(0, b->low[y] - most[y]) / part, against = b->high[!y] / part;
    double rest_with = fmax(0, of->high[y] - b->low[y]) / rest;
    double rest_against = fmax(0, of->low[!y] - b->high[!y] - most_of_all[!y]) / rest;
    double gain = likelihood_gain(with, against, with + rest_with, against + rest_against);
    if (!(gain > 0)) return 1;
    return fmin(1, q->again ? 784 * loss_exp(-0.98 * gain) : (1 + gain) * loss_exp(-gain));
}

/* Returns what chance() does, for sums of amounts. Labels are random, and amounts are given. For a
 * sum of kind y in a part of the records, W. Hoeffding (JASA 58, 1963, Theorem 1) bounds the
 * probability of a share x, where q is expected, by exp(-n KL(x, q)). His n is the sum over the
 * largest amount: the logarithm of the moment generating function of an amount is convex in it, and
 * 0 at 0. Part and rest are independent, and each n KL is at most exponential. So both together
 * exceed g with a probability of at most (1 + g) exp(-g). The least g over all q is
 * likelihood_gain().
 *
 * If the query comes again and again, each exp(n KL) is replaced by a mean of 28 exponential
 * martingales with steps of 30 % (kernels/base/always.h). The nearest one has at least 98 % of the
 * gain, so both together exceed g with a probability of at most 28^2 exp(-0.98 g).
 *
 * Before, the largest record of the part is left out, and the largest of the other kind from the
 * rest. So no single record makes a row sure, even if labels depend on amounts. */
static double contrast_luck_of_sums(const struct contrast *m, uint32_t slot,
                                    const struct leat_query *q, const struct contrast_bounds *b,
                                    const struct contrast_bounds *of)
{
    const struct contrast_sum sum = contrast_slot_sum(m, slot);
    double unit = contrast_mass_unit(m), most[2], all[2];
    for (int y = 0; y < 2; y++) {
        most[y] = (double)sum.largest[y] / unit;
        all[y] = (double)m->sums.largest[y] / unit;
    }
    double more = contrast_chance_of_sums(q, b, of, 1, most, all);
    if (q->positive) return more;
    return fmin(1, 2 * fmin(more, contrast_chance_of_sums(q, b, of, 0, most, all)));
}

/* Returns the probability that the member is at least as uneven by chance, among the records with
 * the masses `of`. */
static double contrast_chance_among(const struct contrast *m, uint32_t slot,
                                    const struct leat_query *q, const struct contrast_bounds *b,
                                    const struct contrast_bounds *of)
{
    return m->shape.amounts ? contrast_luck_of_sums(m, slot, q, b, of) : chance(q, b, of);
}

double contrast_luck(const struct contrast *m, uint32_t slot, const uint64_t *part,
                     const struct leat_query *q, double features)
{
    double N1 = contrast_mass(m, 1), N0 = contrast_mass(m, 0);
    struct contrast_bounds b = contrast_slot_mass(m, slot), all = {{N0, N1}, {N0, N1}};
    double most = contrast_chance_among(m, slot, q, &b, &all);
    for (int i = 0; part && part[1] && i < 3 && part[i]; i++) {
        struct contrast_bounds of = contrast_mass_of(m, part[i]);
        most = fmax(most, contrast_chance_among(m, slot, q, &b, &of));
    }
    return features * most;
}

/* Appends the row f->rows to the text f->more, such as "1-4, 9". If there is no room, appends
 * "…". */
static void name_row(struct contrast_found *f)
{
    char *end = strrchr(f->more, ','), text[24];
    size_t at = strlen(f->more), room = sizeof f->more - sizeof "–4294967295, …";
    if (f->last + 1 == f->rows && at) { /* the row extends the last range in f->more */
        char *range = strstr(end ? end : f->more, "–");
        at = range ? (size_t)(range - f->more) : at;
        snprintf(text, sizeof text, "–%u", f->rows);
    } else {
        snprintf(text, sizeof text, "%s%u", at ? ", " : "", f->rows);
    }
    if (at <= room)
        memcpy(f->more + at, text, strlen(text) + 1);
    else if (!strstr(f->more, "…"))
        memcpy(f->more + at, ", …", sizeof ", …");
    f->last = f->rows;
}

void contrast_found_row(struct contrast_found *f, double luck)
{
    f->rows++;
    if (luck > CONTRAST_CHANCE)
        f->chance++;
    else
        name_row(f);
}

/* Writes ", or lower min_count (20), min_support (0.001)" for the conditions that are set; "" if
 * there are none. */
static void name_conditions(const struct leat_query *q, char *text, size_t n)
{
    const struct {
        const char *name;
        double value;
    } of[] = {{"min_count", q->min_count},
              {"min_support", q->min_support},
              {"min_risk_ratio", q->min_risk_ratio}};
    const char *before = ", or lower ";
    *text = 0;
    for (size_t i = 0, at = 0; i < sizeof of / sizeof *of; i++) {
        if (!(of[i].value > 0) || at >= n) continue;
        at += (size_t)snprintf(text + at, n - at, "%s%s (%g)", before, of[i].name, of[i].value);
        before = ", ";
    }
}

/* Returns the name of kind 1 for a message, as in "the 309 outliers (label +1)". A query for both
 * labels compares two streams, so neither has outliers. */
static const char *contrast_chance_kind_of(const struct contrast_found *found)
{
    return found->question.positive ? "outliers (label +1)" : "records of label +1";
}

static void no_rows(const struct contrast *m, const struct contrast_found *found, char *text,
                    size_t n)
{
    char lower[120];
    name_conditions(&found->question, lower, sizeof lower);
    snprintf(text, n,
             "no feature separates the %.0f %s from the %.0f other records: give other columns%s%s",
             contrast_records(m, 1), contrast_chance_kind_of(found), contrast_records(m, 0),
             m->opt.half_life > 0 ? ", or a longer half_life" : "", lower);
}

static void too_few(const struct contrast *m, const struct contrast_found *found, char *text,
                    size_t n)
{
    snprintf(text, n,
             "half_life leaves %.1f %s and %.1f other records, too few to compare: give a longer "
             "one",
             contrast_records(m, 1), contrast_chance_kind_of(found), contrast_records(m, 0));
}

/* Returns advice for the message. With fewer features, or more records, fewer rows are due to
 * chance. */
static const char *what_to_try(const struct contrast_found *found, bool some)
{
    if (!some)
        return found->pairs
                   ? "leave out combinations (cross=1), or give more records or other columns"
                   : "give more records, or other columns";
    if (found->pairs) return "leave out combinations (cross=1), raise min_count, or lower k";
    return found->question.positive ? "raise min_count or min_support, or lower k"
                                    : "raise min_count, or lower k";
}

/* Writes why rows may be no more than chance. The test of sums is only a bound: it may be far above
 * the chance of a row (contrast_luck_of_sums). */
static void contrast_chance_reason(const struct contrast *m, char *text, size_t n)
{
    const uint64_t *largest = m->sums.largest;
    if (m->shape.amounts)
        snprintf(text, n,
                 "the test of sums cannot tell, as it counts in largest records (one has the "
                 "amount of %.3g mean ones)",
                 (double)(largest[0] > largest[1] ? largest[0] : largest[1]) /
                     contrast_mass_unit(m));
    else
        snprintf(text, n, "luck alone makes one as uneven");
}

static void no_more_than_chance(const struct contrast *m, const struct contrast_found *found,
                                char *text, size_t n)
{
    char rows[64 + sizeof found->more] = "no row is surely more", of[64] = "", reason[128];
    bool some = found->chance < found->rows;
    double least = ceil(contrast_least_records(m, &found->question));
    if (some)
        snprintf(rows, sizeof rows, "%u of %u rows (all but #%s) may be no more", found->chance,
                 found->rows, found->more);
    if (least > 1) snprintf(of, sizeof of, " of at least %.0f records", least);
    contrast_chance_reason(m, reason, sizeof reason);
    snprintf(
        text, n, "%s than chance: of %s%.0f features%s %s, with %.0f %s among %.0f records%s: %s%s",
        rows, distinct_count(m->registers) > 1.05 * m->index.n ? "at most " : "", found->features,
        of, reason, contrast_records(m, 1), contrast_chance_kind_of(found),
        contrast_records(m, 0) + contrast_records(m, 1),
        m->opt.half_life > 0 ? ", as half_life counts them" : "",
        m->shape.amounts ? "leave out amount to test counts, leave out the largest records, or "
                         : "",
        what_to_try(found, some));
}

/* Appends the columns without features: "; no features are made of note (1000 values), id". */
static void name_left_out(const struct leat_strings *columns, char *text, size_t n)
{
    const char *before = "; no features are made of ";
    size_t at = strlen(text);
    for (uint32_t i = 0; i < columns->n; i++, before = ", ") {
        if (at + strlen(before) + strlen(columns->v[i]) + sizeof ", …" > n) {
            snprintf(text + at, n - at, ", …");
            return;
        }
        at += (size_t)snprintf(text + at, n - at, "%s%s", before, columns->v[i]);
    }
}

const char *contrast_nothing(const struct contrast *m, const struct contrast_found *found,
                             const struct leat_strings *left_out, char *text, size_t n)
{
    /* the records of one kind have decayed */
    bool few = contrast_records(m, 1) < 1 || contrast_records(m, 0) < 1;
    if (!found->asked) return NULL;
    if (!m->clock.records[0] || !m->clock.records[1])
        return NULL; /* the host warns if there is only one label */
    if (found->rows && 2 * found->chance < found->rows) return NULL;
    /* A feature may make up much of a change because it changed as all do. */
    if (found->rows && found->question.order == LEAT_ORDER_CHANGE) return NULL;
    if (few)
        too_few(m, found, text, n);
    else if (found->rows)
        no_more_than_chance(m, found, text, n);
    else
        no_rows(m, found, text, n);
    if (!few && found->chance == found->rows) name_left_out(left_out, text, n);
    return text;
}
