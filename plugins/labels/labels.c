/* labels.c -- label.is, label.class and label.number: labels that stand in a column.
 *
 * All read one column of each record and set its label; a record without a value is filtered or
 * rejected, as `missing` says. */
#include <leat/plugin.h>

#include "support/cell.h"

enum missing { MISSING_REJECT, MISSING_FILTER };
static const char *const missings[] = {"reject", "filter", NULL};

struct cfg {
    const char *column;
    int32_t missing;              /* enum missing */
    int32_t others;               /* enum missing, of texts that are no class: label.class */
    struct leat_strings positive; /* label.is; of label.class: the classes                 */
};

struct labels {
    uint32_t column;
};

#define COLUMN                                                                                     \
    {                                                                                              \
        .name = "column", .type = LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,           \
        .offset = offsetof(struct cfg, column), .doc = "the column with the label"                 \
    }
#define MISSING                                                                                    \
    {                                                                                              \
        .name = "missing", .type = LEAT_CHOICE, .offset = offsetof(struct cfg, missing),           \
        .def = "reject", .choices = missings,                                                      \
        .doc = "what becomes of a record without a value: rejected as bad, or filtered"            \
    }

static const struct leat_param is_params[] = {
    COLUMN,
    {.name = "positive",
     .type = LEAT_STRINGS,
     .flags = LEAT_REQUIRED,
     .offset = offsetof(struct cfg, positive),
     .doc = "the texts that mean +1, byte for byte; all others mean -1"},
    MISSING,
};
static const struct leat_param class_params[] = {
    COLUMN,
    {.name = "classes",
     .type = LEAT_STRINGS,
     .flags = LEAT_REQUIRED,
     .offset = offsetof(struct cfg, positive),
     .doc = "the texts of the classes, byte for byte: the first is 0, the next 1, …"},
    {.name = "others",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, others),
     .def = "reject",
     .choices = missings,
     .doc = "what becomes of a record with another text: rejected as bad, or filtered"},
    MISSING,
};
static const struct leat_param number_params[] = {COLUMN, MISSING};

/* ---- before the start ---- */

static int is_validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    if (!c->positive.n) d->error(d, "positive", "is empty: no record would be labelled +1");
    return LEAT_OK;
}

static int class_validate(const void *cfg, struct leat_diag *d)
{
    const struct leat_strings *c = &((const struct cfg *)cfg)->positive;
    if (c->n < 2) d->error(d, "classes", "must name at least two");
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(c->v[i], c->v[j])) d->error(d, "classes", "names '%s' twice", c->v[i]);
    return LEAT_OK;
}

static int negotiate(const void *cfg, struct leat_negotiation *n, uint32_t *column)
{
    const struct cfg *c = cfg;
    if (n->in->has & LEAT_HAS_EXAMPLES)
        n->diag->error(n->diag, NULL,
                       "examples are made by an earlier stage, and have their labels from then: "
                       "put the label before it");
    else if (n->in->has & LEAT_HAS_LABEL)
        n->diag->error(n->diag, NULL, "an earlier stage makes labels: leave out one of the two");
    return n->column(n, "column", c->column, column);
}

static int text_negotiate(const void *cfg, struct leat_negotiation *n)
{
    uint32_t column;
    int s = negotiate(cfg, n, &column);
    if (s == LEAT_OK && n->in->column[column].type == LEAT_NUMBER)
        n->diag->error(n->diag, "column",
                       "column '%s' holds numbers, and texts are compared: leave it out of the "
                       "parser's numbers, or use label.number",
                       n->in->column[column].name);
    return s < 0 ? s : LEAT_OK;
}

static int class_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct leat_strings *c = &((const struct cfg *)cfg)->positive;
    n->out->n_classes = c->n;
    n->out->classes = c->v;
    return text_negotiate(cfg, n);
}

static int number_negotiate(const void *cfg, struct leat_negotiation *n)
{
    uint32_t column;
    int s = negotiate(cfg, n, &column);
    return s < 0 ? s : LEAT_OK;
}

static int open_labels(struct leat_ctx *ctx, void *self)
{
    ((struct labels *)self)->column = cell_column(ctx, ((const struct cfg *)ctx->cfg)->column);
    return LEAT_OK;
}

/* ---- a record ---- */

static void without_value(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r)
{
    const struct cfg *c = ctx->cfg;
    if (c->missing == MISSING_FILTER)
        leat_filter(b, r);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "column '%s' is empty", c->column);
}

/* Which of the given texts this is; the number of them when it is none. */
static uint32_t which(const struct cfg *c, const char *text, uint32_t len)
{
    uint32_t i = 0;
    while (i < c->positive.n &&
           (strlen(c->positive.v[i]) != len || memcmp(c->positive.v[i], text, len)))
        i++;
    return i;
}

static int is_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct labels *st = self;
    const struct cfg *c = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = b->column[st->column].text[r];
        if (s.len == LEAT_NULL || !s.len)
            without_value(ctx, b, r);
        else
            b->label[r] = which(c, leat_text(b, s), s.len) < c->positive.n ? 1.0f : -1.0f;
    }
    return LEAT_OK;
}

/* Not one of the classes. */
static void without_class(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, struct leat_str s)
{
    const struct cfg *c = ctx->cfg;
    if (c->others == MISSING_FILTER)
        leat_filter(b, r);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "column '%s': '%.*s' is none of the classes",
                          c->column, (int)(s.len < 64 ? s.len : 64), leat_text(b, s));
}

static int class_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct labels *st = self;
    const struct cfg *c = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = b->column[st->column].text[r];
        if (s.len == LEAT_NULL || !s.len) {
            without_value(ctx, b, r);
            continue;
        }
        uint32_t class = which(c, leat_text(b, s), s.len);
        if (class == c->positive.n)
            without_class(ctx, b, r, s);
        else
            b->label[r] = (float)class;
    }
    return LEAT_OK;
}

static int number_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct labels *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        double x;
        enum cell cell = cell_number(ctx, b, r, st->column, &x);
        if (cell == CELL_MISSING) without_value(ctx, b, r);
        if (cell != CELL_NUMBER) continue;
        if (isfinite((float)x))
            b->label[r] = (float)x;
        else
            ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "column '%s': %g is too large for a label",
                              ctx->in->column[st->column].name, x);
    }
    return LEAT_OK;
}

const struct leat_stage label_is = {
    .name = "label.is",
    .summary = "labels the records +1 whose column holds a given text, all others -1",
    .doc = "The label is +1 where the column's text is one of `positive`, byte for byte, else -1: "
           "one class against the rest. A record whose column is empty has no label: it is "
           "rejected, or filtered with missing = \"filter\".",
    .example = "leat.label.is { column = \"status\", positive = { \"failed\", \"timeout\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    .needs = LEAT_HAS_COLUMNS,
    .makes = LEAT_HAS_LABEL,
    LEAT_PARAMS(is_params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct labels),
    .validate = is_validate,
    .negotiate = text_negotiate,
    .open = open_labels,
    .process = is_process,
};

const struct leat_stage label_class = {
    .name = "label.class",
    .summary = "numbers the classes that a column names",
    .doc = "The label is the place of the column's text among `classes`, from 0: for learners that "
           "tell several classes apart, which take their number and names from here. A record "
           "with another text is rejected, or filtered with others = \"filter\"; one whose column "
           "is empty has no label: it is rejected, or filtered with missing = \"filter\".",
    .example =
        "leat.label.class { column = \"kind\", classes = { \"normal\", \"dos\", \"probe\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    .needs = LEAT_HAS_COLUMNS,
    .makes = LEAT_HAS_LABEL,
    LEAT_PARAMS(class_params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct labels),
    .validate = class_validate,
    .negotiate = class_negotiate,
    .open = open_labels,
    .process = class_process,
};

const struct leat_stage label_number = {
    .name = "label.number",
    .summary = "takes the number in a column as the label",
    .doc = "The label is the column's number, rounded to a float. Classifiers take -1 (or 0) and "
           "+1 and reject other labels; regression takes any. Text that is no finite number is "
           "rejected. A record whose column is empty has no label: it is rejected, or filtered "
           "with missing = \"filter\".",
    .example = "leat.label.number { column = \"clicked\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    .needs = LEAT_HAS_COLUMNS,
    .makes = LEAT_HAS_LABEL,
    LEAT_PARAMS(number_params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct labels),
    .negotiate = number_negotiate,
    .open = open_labels,
    .process = number_process,
};
