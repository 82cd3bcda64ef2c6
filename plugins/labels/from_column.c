/* from_column.c -- label.is, label.class and label.number: labels from a column.
 *
 * Each stage sets a record's label by the value of one column. A record without a value is filtered
 * or rejected, as the parameter `missing` says. */
#include <leat/plugin.h>

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "labels/docs.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "common/cells/strings.h"

enum { SHOWN_BYTES = 64 }; /* bytes of a text in a message */
enum {
    WATCHED = 256, /* number of texts in the parameter that are watched for a warning */
    OTHERS = 32,   /* number of different texts outside of the parameter that are counted */
    LISTED = 5     /* most texts of each kind in a message */
};

#define TEXTS_ARE_FOR_OTHERS                                                                       \
    ": to label by texts use label.is with positive = { … }, or label.class with classes"

struct from_column_label_cfg {
    struct label_cfg label;
    int32_t others;            /* label.class: enum label_missing for texts that are no class */
    struct leat_strings texts; /* label.is: texts with label +1; label.class: class names */
    double origin;             /* label.number: subtracted from the numbers */
};

/* A text in the column that is not in the parameter. */
struct from_column_label_other_text {
    uint64_t records;
    uint32_t len;
    char text[SHOWN_BYTES];
};

struct from_column_label_labels {
    uint32_t column;
    uint64_t records, without_value;
    bool came[WATCHED]; /* true for each text of the parameter that has occurred in the column */
    uint32_t missing;   /* number of false elements in `came`; while > 0, other texts are counted */
    uint32_t n_others;
    bool more; /* true if there were more than OTHERS other texts */
    struct from_column_label_other_text other[OTHERS];
    double least, most; /* label.number: of the labels before rounding; least > most: none */
    double rounded;     /* label.number: most that a label changed when it became a float */
};

#define COLUMN                                                                                     \
    LEAT_PARAM(struct label_cfg, column, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,    \
               .doc = "the column with the label")
#define MISSING                                                                                    \
    LEAT_PARAM(struct label_cfg, missing, LEAT_CHOICE, .def = "reject",                            \
               .choices = label_missing_names,                                                     \
               .doc = "what to do with a record without a value: reject it as bad, or filter it")

static const struct leat_param from_column_label_is_params[] = {
    COLUMN,
    LEAT_PARAM_AS("positive", struct from_column_label_cfg, texts, LEAT_STRINGS,
                  .flags = LEAT_REQUIRED,
                  .doc = "the texts that mean +1, byte for byte; all other texts mean -1"),
    MISSING,
};
static const struct leat_param from_column_label_class_params[] = {
    COLUMN,
    LEAT_PARAM_AS("classes", struct from_column_label_cfg, texts, LEAT_STRINGS,
                  .flags = LEAT_REQUIRED,
                  .doc = "the texts of the classes, byte for byte: the first is 0, the next 1, …"),
    LEAT_PARAM(struct from_column_label_cfg, others, LEAT_CHOICE, .def = "reject",
               .choices = label_missing_names,
               .doc = "what to do with a record with another text: reject it as bad, or filter it"),
    MISSING,
};
static const struct leat_param from_column_label_number_params[] = {
    COLUMN,
    LEAT_PARAM(
        struct from_column_label_cfg, origin, LEAT_FLOAT, .def = "0", .min = -1e300, .max = 1e300,
        .doc = "number that is subtracted from the column's before it is rounded to a float, "
               "for large numbers that differ by little, such as times"),
    MISSING,
};

/* ---- before the run ---- */

static int from_column_label_is_validate(const void *cfg, struct leat_diag *d)
{
    const struct from_column_label_cfg *c = cfg;
    if (!c->texts.n)
        d->error(d, "positive", "is empty, so no record would be labelled +1: name a text");
    return LEAT_OK;
}

static int from_column_label_class_validate(const void *cfg, struct leat_diag *d)
{
    const struct leat_strings *c = &((const struct from_column_label_cfg *)cfg)->texts;
    if (c->n < 2)
        d->error(d, "classes", "names %u class%s and must name at least two", c->n,
                 c->n == 1 ? "" : "es");
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(c->v[i], c->v[j]))
                d->error(d, "classes", "names '%s' twice: leave one out", c->v[i]);
    return LEAT_OK;
}

/* True if the column of the label is one of booleans, as a condition in shape.set makes. */
static bool from_column_label_has_booleans(const char *column, struct leat_negotiation *n)
{
    uint32_t i;
    return n->column(n, "column", column, LEAT_TAKES_TEXT | LEAT_TAKES_BOOLEAN, &i) == LEAT_OK &&
           n->in->column[i].type == LEAT_BOOLEAN;
}

/* Reports each text of the parameter that no boolean has, such as 1. */
static int from_column_label_negotiate(const struct from_column_label_cfg *c,
                                       struct leat_negotiation *n, const char *param)
{
    int status = label_negotiate_text(c, n);
    bool has_booleans = status == LEAT_OK && from_column_label_has_booleans(c->label.column, n);
    for (uint32_t i = 0; has_booleans && i < c->texts.n; i++)
        if (strcmp(c->texts.v[i], "true") != 0 && strcmp(c->texts.v[i], "false") != 0)
            n->diag->error(n->diag, param,
                           "is '%s', and column '%s' is a condition, whose texts are true and "
                           "false: give one of these",
                           c->texts.v[i], c->label.column);
    return status;
}

static int from_column_label_is_negotiate(const void *cfg, struct leat_negotiation *n)
{
    return from_column_label_negotiate(cfg, n, "positive");
}

static int from_column_label_class_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct from_column_label_cfg *c = cfg;
    n->out->n_classes = c->texts.n;
    n->out->classes = c->texts.v;
    return from_column_label_negotiate(c, n, "classes");
}

/* Ends an open: reports the figure, so that a run without input has it, too. */
static int from_column_label_opened(struct leat_ctx *ctx)
{
    ctx->host->metric(ctx, "without_value", 0);
    return LEAT_OK;
}

static int from_column_label_open_number(struct leat_ctx *ctx, void *self)
{
    const struct from_column_label_cfg *c = ctx->cfg;
    *(struct from_column_label_labels *)self =
        (struct from_column_label_labels){.column = columns_known(ctx, c->label.column, CELL_TAKES),
                                          .least = (double)INFINITY,
                                          .most = (double)-INFINITY};
    return from_column_label_opened(ctx);
}

static int from_column_label_open_texts(struct leat_ctx *ctx, void *self)
{
    const struct from_column_label_cfg *c = ctx->cfg;
    struct from_column_label_labels *st = self;
    *st = (struct from_column_label_labels){
        .column = columns_known(ctx, c->label.column, LEAT_TAKES_TEXT),
        .missing = c->texts.n < WATCHED ? c->texts.n : WATCHED};
    return from_column_label_opened(ctx);
}

/* ---- texts that never occur ---- */

static void from_column_label_saw(struct from_column_label_labels *st, uint32_t i)
{
    if (i >= WATCHED || st->came[i]) return;
    st->came[i] = true;
    st->missing--;
}

static void from_column_label_saw_other(struct from_column_label_labels *st, const char *text,
                                        uint32_t len, uint64_t records)
{
    uint32_t i = 0, kept = len < SHOWN_BYTES ? len : SHOWN_BYTES;
    while (i < st->n_others && (st->other[i].len != kept || memcmp(st->other[i].text, text, kept)))
        i++;
    if (i == OTHERS) {
        st->more = true;
        return;
    }
    if (i == st->n_others) {
        memcpy(st->other[i].text, text, kept);
        st->other[i].len = kept;
        st->n_others++;
    }
    st->other[i].records += records;
}

/* Adds to st the texts that occurred in another lane. */
static void from_column_label_add_lane(struct from_column_label_labels *st,
                                       const struct from_column_label_labels *lane)
{
    for (uint32_t i = 0; i < WATCHED; i++)
        if (lane->came[i]) from_column_label_saw(st, i);
    for (uint32_t i = 0; i < lane->n_others; i++)
        from_column_label_saw_other(st, lane->other[i].text, lane->other[i].len,
                                    lane->other[i].records);
    st->more |= lane->more;
}

static int from_column_label_more_first(const void *a, const void *b)
{
    const struct from_column_label_other_text *x = a, *y = b;
    if (x->records != y->records) return x->records > y->records ? -1 : 1;
    int by = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return by ? by : (x->len > y->len) - (x->len < y->len);
}

struct from_column_label_list {
    char text[LISTED * (SHOWN_BYTES + 40)];
    size_t len;
    uint32_t n;
};

__attribute__((format(printf, 2, 3))) static void list_add(struct from_column_label_list *l,
                                                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (l->n++ < LISTED) {
        if (l->len) l->len += (size_t)snprintf(l->text + l->len, sizeof l->text - l->len, ", ");
        int n = vsnprintf(l->text + l->len, sizeof l->text - l->len, format, args);
        l->len += (size_t)n < sizeof l->text - l->len ? (size_t)n : sizeof l->text - l->len - 1;
    }
    va_end(args);
}

static struct from_column_label_list
from_column_label_list_missing(const struct from_column_label_labels *st,
                               const struct leat_strings *texts)
{
    struct from_column_label_list l = {.len = 0};
    for (uint32_t i = 0; i < texts->n && i < WATCHED; i++)
        if (!st->came[i]) list_add(&l, "'%.*s'", SHOWN_BYTES, texts->v[i]);
    return l;
}

static struct from_column_label_list
from_column_label_list_others(struct from_column_label_labels *st)
{
    struct from_column_label_list l = {.len = 0};
    qsort(st->other, st->n_others, sizeof *st->other, from_column_label_more_first);
    for (uint32_t i = 0; i < st->n_others; i++)
        list_add(&l, "'%.*s' (%llu)", (int)st->other[i].len, st->other[i].text,
                 (unsigned long long)st->other[i].records);
    return l;
}

static bool from_column_label_is_between_blanks(const struct from_column_label_other_text *o,
                                                const char *text)
{
    size_t n = strlen(text);
    const char *at = o->text, *end = o->text + o->len;
    while (at < end && *at == ' ')
        at++;
    while (end > at && end[-1] == ' ')
        end--;
    return (size_t)(end - at) == n && o->len > n && !memcmp(at, text, n);
}

/* True if a text of the parameter that has not occurred has occurred with blanks around it. */
static bool from_column_label_have_blanks(const struct from_column_label_labels *st,
                                          const struct leat_strings *texts)
{
    for (uint32_t i = 0; i < texts->n && i < WATCHED; i++)
        for (uint32_t k = 0; k < st->n_others && !st->came[i]; k++)
            if (from_column_label_is_between_blanks(&st->other[k], texts->v[i])) return true;
    return false;
}

/* Warns of texts in the parameter that have never occurred. They may be misspelt, or belong to
 * another column. */
static void from_column_label_warn_of_missing(struct leat_ctx *ctx,
                                              struct from_column_label_labels *st,
                                              const char *param)
{
    const struct from_column_label_cfg *c = ctx->cfg;
    struct from_column_label_list missing = from_column_label_list_missing(st, &c->texts),
                                  others = from_column_label_list_others(st);
    ctx->host->log(ctx, LEAT_WARN,
                   "%s: no record of this run has %s%s in column '%s'; other texts of this column "
                   "and their records: %s%s. %s",
                   param, missing.text, missing.n > LISTED ? " and others" : "", c->label.column,
                   others.n ? others.text : "none",
                   st->more || others.n > LISTED ? " and others" : "",
                   from_column_label_have_blanks(st, &c->texts)
                       ? "Remove the blanks with trim in shape.set, or give the texts with blanks"
                       : "Give texts that the column has, byte for byte");
}

static void from_column_label_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t records = 0, without_value = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const struct from_column_label_labels *st = self[lane];
        records += st->records;
        without_value += st->without_value;
    }
    label_warn_of_missing(ctx, without_value, records, "");
}

static void from_column_label_finish_texts(struct leat_ctx *ctx, void *const *self, uint32_t lanes,
                                           const char *param)
{
    from_column_label_finish(ctx, self, lanes);
    struct from_column_label_labels *st = self[0];
    uint32_t watched = st->missing;
    for (uint32_t i = 0; i < WATCHED; i++)
        watched += st->came[i];
    for (uint32_t lane = 1; lane < lanes; lane++)
        from_column_label_add_lane(st, self[lane]);
    bool empty = st->missing == watched && !st->n_others; /* no record has reached the stage */
    if (st->missing && !empty) from_column_label_warn_of_missing(ctx, st, param);
}

static void from_column_label_is_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    from_column_label_finish_texts(ctx, self, lanes, "positive");
}

static void from_column_label_class_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    from_column_label_finish_texts(ctx, self, lanes, "classes");
}

/* ---- a record ---- */

/* Filters or rejects record r, which has no value. */
static void from_column_label_without_value(struct leat_ctx *ctx,
                                            struct from_column_label_labels *st,
                                            struct leat_batch *b, uint32_t r)
{
    st->without_value++;
    label_missing(ctx, b, r, LEAT_R_LABEL);
}

/* Ends a batch, in which the stage saw `records` records. */
static int from_column_label_saw_batch(struct leat_ctx *ctx, struct from_column_label_labels *st,
                                       uint32_t records)
{
    st->records += records;
    ctx->host->metric(ctx, "without_value", (double)st->without_value);
    return LEAT_OK;
}

/* Returns the index of `text` in the list `texts`; the number of texts if it is not in the list. */
static uint32_t from_column_label_find_text(struct from_column_label_labels *st,
                                            const struct leat_strings *texts, const char *text,
                                            uint32_t len)
{
    uint32_t i = strings_find(texts, text, len);
    if (i < texts->n)
        from_column_label_saw(st, i);
    else if (st->missing)
        from_column_label_saw_other(st, text, len, 1);
    return i;
}

static int from_column_label_is_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct from_column_label_labels *st = self;
    uint32_t records = b->n_sel;
    const struct from_column_label_cfg *c = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = b->column[st->column].text[r];
        if (s.len == LEAT_NULL || !s.len)
            from_column_label_without_value(ctx, st, b, r);
        else
            b->label[r] =
                from_column_label_find_text(st, &c->texts, leat_text(b, s), s.len) < c->texts.n
                    ? 1.0f
                    : -1.0f;
    }
    return from_column_label_saw_batch(ctx, st, records);
}

/* Filters or rejects record r, whose text is not the name of a class. */
static void from_column_label_without_class(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                            struct leat_str s)
{
    const struct from_column_label_cfg *c = ctx->cfg;
    if (c->others == LABEL_FILTER)
        leat_filter(b, r);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "column '%s': '%.*s' is not one of the classes",
                          c->label.column, (int)(s.len < SHOWN_BYTES ? s.len : SHOWN_BYTES),
                          leat_text(b, s));
}

static int from_column_label_class_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct from_column_label_labels *st = self;
    uint32_t records = b->n_sel;
    const struct from_column_label_cfg *c = ctx->cfg;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = b->column[st->column].text[r];
        if (s.len == LEAT_NULL || !s.len) {
            from_column_label_without_value(ctx, st, b, r);
            continue;
        }
        uint32_t class = from_column_label_find_text(st, &c->texts, leat_text(b, s), s.len);
        if (class == c->texts.n)
            from_column_label_without_class(ctx, b, r, s);
        else
            b->label[r] = (float)class;
    }
    return from_column_label_saw_batch(ctx, st, records);
}

/* Sets the label of record r to the number x. */
static void from_column_label_take_number(struct leat_ctx *ctx, struct from_column_label_labels *st,
                                          struct leat_batch *b, uint32_t r, double x)
{
    double y = x - ((const struct from_column_label_cfg *)ctx->cfg)->origin;
    if (!isfinite((float)y)) {
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL,
                          "column '%s': %g is outside the range of a float",
                          ctx->in->column[st->column].name, y);
        return;
    }
    b->label[r] = (float)y;
    st->least = fmin(st->least, y);
    st->most = fmax(st->most, y);
    st->rounded = fmax(st->rounded, fabs(y - (double)(float)y));
}

/* Warns if rounding to floats takes away differences between the labels. */
static void from_column_label_number_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    struct from_column_label_labels all = *(const struct from_column_label_labels *)self[0];
    const struct from_column_label_cfg *c = ctx->cfg;
    for (uint32_t lane = 1; lane < lanes; lane++) {
        const struct from_column_label_labels *st = self[lane];
        all.least = fmin(all.least, st->least);
        all.most = fmax(all.most, st->most);
        all.rounded = fmax(all.rounded, st->rounded);
    }
    from_column_label_finish(ctx, self, lanes);
    if (all.most > all.least && all.rounded > (all.most - all.least) / 1000)
        ctx->host->log(
            ctx, LEAT_WARN,
            "the labels are between %.17g and %.17g, and were rounded to floats by up to "
            "%g: subtract a number near them, origin = %.17g",
            all.least, all.most, all.rounded, floor(c->origin + all.least));
}

static int from_column_label_number_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct from_column_label_labels *st = self;
    uint32_t records = b->n_sel;
    for (LEAT_EACH_RECORD(b, r)) {
        double x;
        enum cell cell = cell_number_or(ctx, b, r, st->column, &x, TEXTS_ARE_FOR_OTHERS);
        if (cell == CELL_MISSING) from_column_label_without_value(ctx, st, b, r);
        if (cell == CELL_NUMBER) from_column_label_take_number(ctx, st, b, r, x);
    }
    return from_column_label_saw_batch(ctx, st, records);
}

static const struct leat_figure from_column_label_figures[] = {LABEL_WITHOUT_VALUE};

/* Members of struct leat_stage that the three stages have in common. */
#define FROM_COLUMN(PARAMS, OPEN)                                                                  \
    .kind = LEAT_TRANSFORM, .caps = LEAT_PARALLEL, LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_LABEL),    \
    LEAT_PARAMS(PARAMS, struct from_column_label_cfg), LEAT_FIGURES(from_column_label_figures),    \
    LEAT_INSTANCE(struct from_column_label_labels, OPEN, NULL)

const struct leat_stage label_is = {
    .name = "label.is",
    .summary = "labels records +1 whose column has a given text, all others -1",
    .doc = is_doc,
    .example = "leat.label.is { column = \"status\", positive = { \"failed\", \"timeout\" } }",
    FROM_COLUMN(from_column_label_is_params, from_column_label_open_texts),
    .validate = from_column_label_is_validate,
    .negotiate = from_column_label_is_negotiate,
    .process = from_column_label_is_process,
    .finish = from_column_label_is_finish,
};

const struct leat_stage label_class = {
    .name = "label.class",
    .summary = "labels records by the number of the class that a column names",
    .doc = class_doc,
    .example =
        "leat.label.class { column = \"kind\", classes = { \"normal\", \"dos\", \"probe\" } }",
    FROM_COLUMN(from_column_label_class_params, from_column_label_open_texts),
    .validate = from_column_label_class_validate,
    .negotiate = from_column_label_class_negotiate,
    .process = from_column_label_class_process,
    .finish = from_column_label_class_finish,
};

const struct leat_stage label_number = {
    .name = "label.number",
    .summary = "takes the number in a column as the label",
    .doc = number_doc,
    .example = "leat.label.number { column = \"clicked\" }",
    FROM_COLUMN(from_column_label_number_params, from_column_label_open_number),
    .negotiate = label_negotiate_number,
    .process = from_column_label_number_process,
    .finish = from_column_label_number_finish,
};
