/* model_evidence.c -- see model_evidence.h. */
#include "model_evidence.h"

#include <math.h>
#include <stdio.h>

#include "host/log/json_text.h"

static const double LEVEL = 0.05;  /* of an error anywhere in a learner  */
static const double UNLIKE = 0.02; /* counts that are not of the examples */

/* A figure that is between low and high, and its squared standard error. */
struct measured {
    double shown, low, high, square;
};

static double cell(const struct evidence_side *s, int64_t row, const char *name)
{
    uint32_t c = answer_column(s->answer, name);
    return c < s->answer->n_columns ? s->answer->values[(size_t)row * s->answer->n_columns + c]
                                    : (double)NAN;
}

/* x, x_low, x_high */
static struct measured bounds_of(const struct evidence_side *s, int64_t row, const char *name)
{
    char low[64], high[64];
    snprintf(low, sizeof low, "%s_low", name);
    snprintf(high, sizeof high, "%s_high", name);
    return (struct measured){cell(s, row, name), cell(s, row, low), cell(s, row, high), 0};
}

/* ---- the side ---- */

/* count = support_outliers P + support_inliers N, by least squares over all rows. The learner's
 * examples are others where a record makes several. P stays NaN where the rows do not fit. */
static void fit_labels(struct evidence_side *s)
{
    double oo = 0, oi = 0, ii = 0, co = 0, ci = 0, unlike = 0, total = 0;
    for (uint32_t r = 0; r < s->answer->n_rows; r++) {
        double c = cell(s, r, "count"), o = cell(s, r, "support_outliers"),
               i = cell(s, r, "support_inliers");
        oo += o * o, oi += o * i, ii += i * i, co += c * o, ci += c * i;
    }
    double p = (co * ii - ci * oi) / (oo * ii - oi * oi);
    double n = (ci * oo - co * oi) / (oo * ii - oi * oi);
    for (uint32_t r = 0; r < s->answer->n_rows; r++) {
        unlike += fabs(cell(s, r, "count") - cell(s, r, "support_outliers") * p -
                       cell(s, r, "support_inliers") * n);
        total += cell(s, r, "count");
    }
    if (!(unlike <= UNLIKE * total && p > 0 && n > 0)) return;
    s->positive = p;
    s->examples = p + n;
}

void evidence_side_init(struct evidence_side *s, const struct answer *answer, double examples)
{
    *s = (struct evidence_side){.answer = answer, .examples = examples};
    s->positive = (double)NAN;
    fit_labels(s);
    s->rarest = answer->n_rows ? (double)INFINITY : 0;
    for (uint32_t r = 0; r < answer->n_rows; r++)
        s->rarest = fmin(s->rarest, cell(s, r, "count_high"));
    for (uint32_t r = 0; r < answer->n_rows; r++)
        s->had_to_leave |= cell(s, r, "count_low") < cell(s, r, "count_high");
    if (s->had_to_leave) s->rarest = (double)INFINITY;
}

static bool has(const struct evidence_side *s, const char *name)
{
    return answer_column(s->answer, name) < s->answer->n_columns;
}

bool evidence_is_known(const struct evidence_side *s)
{
    bool by_label = has(s, "support_outliers") && has(s, "support_inliers");
    return has(s, "count_low") && has(s, "count_high") && s->examples > 0 &&
           (!by_label || !s->answer->n_rows || !isnan(s->positive));
}

/* ---- figures ---- */

static double log_ratio(double a, double of_a, double b, double of_b)
{
    return log((a + 0.5) / (of_a + 0.5)) - log((b + 0.5) / (of_b + 0.5));
}

static struct measured ratio_of(const struct evidence_side *s, int64_t row)
{
    double P = s->positive, N = s->examples - P;
    struct measured a = bounds_of(s, row, "support_outliers"),
                    b = bounds_of(s, row, "support_inliers");
    double square =
        1 / (a.shown * P + 0.5) - 1 / (P + 0.5) + 1 / (b.shown * N + 0.5) - 1 / (N + 0.5);
    return (struct measured){exp(log_ratio(a.shown * P, P, b.shown * N, N)),
                             log_ratio(a.low * P, P, b.high * N, N),
                             log_ratio(a.high * P, P, b.low * N, N), square};
}

static struct measured pmi_of(const struct evidence_side *s, int64_t row)
{
    struct measured m = bounds_of(s, row, "pmi");
    m.square =
        1 / cell(s, row, "count") + 1 / cell(s, row, "count_u") + 1 / cell(s, row, "count_v");
    return m;
}

/* Its error is that of both together (pool). */
static struct measured share_of(const struct evidence_side *s, int64_t row)
{
    struct measured m = {0, 0, s->rarest, 0};
    if (row != EVIDENCE_NONE) m = bounds_of(s, row, "count");
    return (struct measured){m.shown / s->examples, m.low / s->examples, m.high / s->examples, 0};
}

/* Were there no difference, a feature would have this share in both. */
static void pool(struct measured *a, double of_a, struct measured *b, double of_b)
{
    double p = (a->shown * of_a + b->shown * of_b) / (of_a + of_b);
    a->square = p * (1 - p) / of_a;
    b->square = p * (1 - p) / of_b;
}

/* ---- the comparison ---- */

/* From one's bounds to the other's; 0: they meet. */
static double gap(const struct measured *a, const struct measured *b)
{
    if (b->low > a->high) return b->low - a->high;
    if (b->high < a->low) return b->high - a->low;
    return 0;
}

json_t *evidence_compare(const struct evidence_side *a, int64_t row_a,
                         const struct evidence_side *b, int64_t row_b)
{
    bool both = row_a != EVIDENCE_NONE && row_b != EVIDENCE_NONE;
    bool by_label = !isnan(a->positive) && !isnan(b->positive);
    const char *measure = both && has(a, "pmi") ? "pmi" : both && by_label ? "ratio" : "share";
    struct measured (*of)(const struct evidence_side *, int64_t) = *measure == 'p'   ? pmi_of
                                                                   : *measure == 'r' ? ratio_of
                                                                                     : share_of;
    struct measured x = of(a, row_a), y = of(b, row_b);
    if (of == share_of) pool(&x, a->examples, &y, b->examples);
    double z = gap(&x, &y) / sqrt(x.square + y.square);
    if (isnan(z)) return NULL;
    const char *what = row_a == EVIDENCE_NONE   ? "new"
                       : row_b == EVIDENCE_NONE ? "gone"
                       : y.shown > x.shown      ? "rose"
                       : y.shown < x.shown      ? "fell"
                                                : "same";
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "what", what, "measure", measure, "a",
                     row_a == EVIDENCE_NONE ? json_null() : json_real_or_null(x.shown), "b",
                     row_b == EVIDENCE_NONE ? json_null() : json_real_or_null(y.shown), "z",
                     json_real_or_null(z), "p", json_real_or_null(erfc(fabs(z) * M_SQRT1_2)));
}

void evidence_judge(json_t *rows)
{
    size_t i, n = json_array_size(rows);
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        double p = json_number_value(json_object_get(row, "p"));
        json_object_set_new(row, "significant", json_boolean(p * (double)n <= LEVEL));
    }
}
