/* contrast_chance.c -- see contrast_chance.h.
 *
 * Source of the test: R. Sokal, F. Rohlf, Biometry, 1981 (the G-test of independence). */
#include "contrast_chance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/loss.h"

static double likelihood(double seen, double expected)
{
    return seen > 0 && expected > 0 ? 2 * seen * loss_log(seen / expected) : 0;
}

static double evidence(const struct contrast *m, uint32_t slot)
{
    struct contrast_bounds b = contrast_slot_bounds(m, slot);
    double N1 = contrast_records(m, 1), N0 = contrast_records(m, 0);
    double n1 = fmin(N1, 0.5 * (b.low[1] + b.high[1])), n0 = fmin(N0, 0.5 * (b.low[0] + b.high[0]));
    double has = (n1 + n0) / (N1 + N0), lacks = 1 - has;
    return likelihood(n1, has * N1) + likelihood(n0, has * N0) + likelihood(N1 - n1, lacks * N1) +
           likelihood(N0 - n0, lacks * N0);
}

static double features_of(const struct contrast *m)
{
    return fmax(1, distinct_count(m->registers));
}

double contrast_luck(const struct contrast *m, uint32_t slot)
{
    return features_of(m) * loss_exp(-0.5 * evidence(m, slot));
}

/* "1-4, 9", a row at a time; "…" where there is no room for more. */
static void name_row(struct contrast_found *f)
{
    char *end = strrchr(f->more, ','), text[24];
    size_t at = strlen(f->more), room = sizeof f->more - sizeof "–4294967295, …";
    if (f->last + 1 == f->rows && at) { /* the range that it continues */
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

/* ", or lower min_count (20), min_support (0.001)"; or nothing */
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

/* "the 309 outliers (label +1)"; where both labels are asked for, it is two streams. */
static const char *kind_of(const struct contrast_found *found)
{
    return found->question.positive ? "outliers (label +1)" : "records of label +1";
}

static void no_rows(const struct contrast *m, const struct contrast_found *found, char *text,
                    size_t n)
{
    char lower[120];
    name_conditions(&found->question, lower, sizeof lower);
    snprintf(text, n,
             "no feature sets the %.0f %s apart from the %.0f other records: give other columns%s",
             contrast_records(m, 1), kind_of(found), contrast_records(m, 0), lower);
}

static void no_more_than_chance(const struct contrast *m, const struct contrast_found *found,
                                char *text, size_t n)
{
    char rows[64 + sizeof found->more] = "no row is more";
    bool some = found->chance < found->rows;
    if (some)
        snprintf(rows, sizeof rows, "%u of %u rows (all but #%s) are no more", found->chance,
                 found->rows, found->more);
    snprintf(
        text, n,
        "%s than chance: among some %.0f features luck alone makes one as uneven, with %.0f %s "
        "among %.0f records: %s",
        rows, features_of(m), contrast_records(m, 1), kind_of(found),
        contrast_records(m, 0) + contrast_records(m, 1),
        !some                      ? "give more records, or other columns"
        : found->question.positive ? "raise min_count or min_support, or lower k"
                                   : "raise min_count, or lower k");
}

/* "; no features are made of note (1000 values), id" */
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
    if (!found->asked || contrast_records(m, 1) < 1 || contrast_records(m, 0) < 1)
        return NULL; /* of one label: the host says so */
    if (found->rows && 2 * found->chance < found->rows) return NULL;
    if (found->rows)
        no_more_than_chance(m, found, text, n);
    else
        no_rows(m, found, text, n);
    if (found->chance == found->rows) name_left_out(left_out, text, n);
    return text;
}
