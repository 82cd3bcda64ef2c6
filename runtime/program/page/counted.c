/* counted.c -- the first sentences of a page whose summary has none: a snapshot has no script. */
#include <math.h>
#include <string.h>

#include "fields.h"
#include "parts.h"

static bool counted_shows_rate(const json_t *answer)
{
    const json_t *shown = field(answer, "shown");
    for (size_t i = 0; i < json_array_size(shown); i++) {
        const char *name = json_string_value(json_array_get(shown, i));
        if (name && !strcmp(name, "rate")) return true;
    }
    return false;
}

/* Returns "46.4 % of the 53,940 records are outliers", from the base rate of the first answer; ""
 * if it has none. The rate of a model that adds up amounts is that of sums. A table without rates
 * does not speak of outliers. */
static const char *counted_rate(const struct page *p)
{
    const json_t *answer = json_array_get(field(p->summary, "answers"), 0),
                 *row = json_array_get(field(answer, "rows"), 0);
    double rate = field_number(row, "base_rate");
    const char *noun = field_text(answer, "noun");
    const char *count = field_count(field_number(answer, "examples"), p->arena);
    if (!(rate >= 0)) return "";
    bool sums = json_object_get(row, "amount");
    return arena_printf(p->arena, "%.3g %% of the %s%s %s %s %s", 100 * rate,
                        sums ? "sum over " : "", count, *noun ? noun : "examples",
                        sums ? "comes from" : "are",
                        counted_shows_rate(answer) ? "outliers"
                        : sums                     ? "those with a label above 0"
                                                   : "positive: their label is above 0");
}

/* Returns "awm is wrong on 32.8 % of the records, the best constant on 36.4 %" for the learner of
 * labels that errs least; "" if there is none. */
static const char *counted_errors(const struct page *p, const json_t *const *stage, uint32_t n)
{
    const json_t *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        double error = field_number(field(stage[i], "metrics"), "error_rate");
        if (isnan(error)) continue;
        if (!best || error < field_number(field(best, "metrics"), "error_rate")) best = stage[i];
    }
    if (!best) return "";
    const json_t *metrics = field(best, "metrics");
    return arena_printf(p->arena,
                        "%s is wrong on %.1f %% of the %s records, the best constant on %.1f %%",
                        field_text(best, "id"), 100 * field_number(metrics, "error_rate"),
                        field_count(field_number(metrics, "examples"), p->arena),
                        100 * field_number(metrics, "error_rate_constant"));
}

/* Returns the same for the learner of numbers with the least RMSE. */
static const char *counted_rmse(const struct page *p, const json_t *const *stage, uint32_t n)
{
    const json_t *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        double rmse = field_number(field(stage[i], "metrics"), "rmse");
        if (isnan(rmse)) continue;
        if (!best || rmse < field_number(field(best, "metrics"), "rmse")) best = stage[i];
    }
    if (!best) return "";
    const json_t *metrics = field(best, "metrics");
    return arena_printf(
        p->arena, "%s predicts %s records with an RMSE of %.4g, the best constant with %.4g",
        field_text(best, "id"), field_count(field_number(metrics, "examples"), p->arena),
        field_number(metrics, "rmse"), field_number(metrics, "rmse_constant"));
}

void part_counted(const struct page *p)
{
    const json_t *stage[PAGE_PREDICTORS];
    uint32_t n = page_predictors(p, stage, PAGE_PREDICTORS);
    if (*field_text(p->summary, "asked") || *field_text(p->summary, "answered")) return;
    const char *rate = counted_rate(p);
    const char *says[] = {rate, *rate ? "" : counted_errors(p, stage, n),
                          *rate ? "" : counted_rmse(p, stage, n)};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (*says[i]) page_say(p, SHEET_LEAD, arena_printf(p->arena, "%s.", says[i]));
}
