/* examples.c -- implementation of examples.h: checks of examples. */
#include "examples.h"

#include <stdio.h>
#include <stddef.h>

enum { DECIMAL_ID_BYTES = 20 };

uint32_t examples_named_classes(const struct leat_schema *in)
{
    size_t known = offsetof(struct leat_schema, classes) + sizeof in->classes;
    return in->size >= known ? in->n_classes : 0;
}

bool examples_have_made_labels(const struct leat_schema *in)
{
    size_t known = offsetof(struct leat_schema, made_labels) + sizeof in->made_labels;
    return in->size >= known && in->made_labels;
}

void examples_count_each_once(struct leat_negotiation *n, const char *advice)
{
    size_t known = offsetof(struct leat_schema, weighted) + sizeof n->in->weighted;
    if (n->in->size < known || !n->in->weighted) return;
    if (examples_have_made_labels(n->in))
        n->diag->error(n->diag, NULL,
                       "this learner counts records, and an earlier stage makes examples of them "
                       "with importance weights (1/negatives of feature.pairs): learn these with "
                       "learn.awm, or count before that stage");
    else
        n->diag->error(n->diag, NULL,
                       "this learner counts records, and an earlier stage gives them importance "
                       "weights: %s",
                       advice);
}

bool examples_refuse_weight(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                            const char *advice)
{
    float weight = b->ex_weight[e];
    if (weight == 1 || weight == 0) return false;
    ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_OTHER,
                      "importance weight %g: this learner counts records of weight 1, and leaves "
                      "out those of weight 0: %s",
                      (double)weight, advice);
    return true;
}

int examples_negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = LEAT_SCORE_MARGIN;
    return examples_of_two_classes(cfg, n);
}

int examples_of_two_classes(const void *cfg, struct leat_negotiation *n)
{
    uint32_t named = examples_named_classes(n->in);
    if (named > 2)
        n->diag->error(n->diag, NULL, "the labels have %u classes, but this learner takes only two",
                       named);
    return LEAT_OK;
}

void examples_need_time(struct leat_negotiation *n, const struct leat_interval *half_life)
{
    if (!half_life->ns || n->in->has & LEAT_HAS_TIMESTAMP) return;
    n->diag->error(
        n->diag, "half_life",
        "a duration needs event times, and the records have none: put leat.parse.time { \"COLUMN\" "
        "} after the parser (--set time=COLUMN), or give a number of records");
}

uint32_t examples_name_bytes(int64_t name_bytes, const struct leat_schema *in)
{
    return in->has & LEAT_HAS_NAMES ? (uint32_t)name_bytes : DECIMAL_ID_BYTES;
}

uint32_t examples_max_entries(int64_t max_entries, const struct leat_schema *in)
{
    uint32_t max = (uint32_t)max_entries, known = in->entries_per_record;
    return !in->entries_per_256_bytes && known && known < max
               ? known
               : max; /* a limit that does not depend on the text's length */
}

static void reject_label(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e, uint32_t classes)
{
    double label = (double)b->ex_label[e];
    if (isnan(label))
        ctx->host->reject(
            ctx, b, b->ex_record[e], LEAT_R_LABEL,
            "the record has no label: filter such records before they become examples");
    else if (classes)
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_LABEL,
                          "label %g is not a class: classes are 0 to %u", label, classes - 1);
    else
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_LABEL,
                          "label %g is not -1, 0 or 1: name the positive label (positive = \"%g\", "
                          "or outlier = a condition), or set classes; a function of leat.label "
                          "returns true or false. To predict numbers, use learn.bias, learn.fm, "
                          "learn.sftrl, or learn.rfd_son with labels = \"numbers\" and a clip",
                          label, label);
}

bool examples_refuse_row(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                         uint32_t max_entries)
{
    const struct leat_host *h = ctx->host;
    uint32_t r = b->ex_record[e], n = b->ex_start[e + 1] - b->ex_start[e];
    double weight = (double)b->ex_weight[e];
    if (weight >= 0 && isfinite(weight) && n <= max_entries) return false;
    if (!(weight >= 0 && isfinite(weight)))
        h->reject(ctx, b, r, LEAT_R_NONFINITE,
                  "importance weight %g is not a finite number of at least 0", weight);
    else
        h->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                  "the example has %u entries, more than max_entries = %u", n, max_entries);
    return true;
}

void examples_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e, uint32_t max_entries,
                     uint32_t classes)
{
    if (examples_take_label(b->ex_label[e], classes))
        examples_refuse_row(ctx, b, e, max_entries);
    else
        reject_label(ctx, b, e, classes);
}

enum { SHOWN_NAME = 120 };

void examples_reject_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    uint32_t i = b->ex_start[e];
    while (i + 1 < b->ex_start[e + 1] && examples_values_fit(1, &b->value[i]))
        i++;
    uint32_t number = i - b->ex_start[e] + 1;
    double value = (double)b->value[i];
    char name[SHOWN_NAME], scale[40] = "";
    size_t n = leat_name_text(b, i, name, sizeof name);
    if (isfinite(value))
        snprintf(scale, sizeof scale, ": scale values below %g", (double)EXAMPLES_MAX_VALUE);
    ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_NONFINITE, "entry %u (feature %.*s) is %g%s",
                      number, (int)(n < sizeof name ? n : sizeof name), name, value, scale);
}
