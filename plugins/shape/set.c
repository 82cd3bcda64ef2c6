/* set.c -- shape.set: columns whose values are computed by expressions, one after another.
 *
 * negotiate compiles the expressions to report mistakes. Each lane compiles them again. An
 * expression can use the columns of the expressions before it. */
#include <leat/plugin.h>

#include <string.h>

#include "shape/expression/expression.h"
#include "shape/expression/expression_lexer.h"
#include "shape/docs.h"

enum { NAME_BYTES = 512 };

struct cfg {
    struct leat_strings columns;
};

/* A definition "name = expression". */
struct definition {
    const char *text, *expression;
    char name[NAME_BYTES];
};

struct set_target {
    uint32_t column; /* index of the output column, or EXPRESSION_LABEL */
    enum expression_type type;
    uint32_t base; /* position of the expression's constants in the batch */
    const char *text, *source;
    struct expression e;
    bool doubted; /* a doubt has been reported (expression_warn_of_doubts) */
};

struct set {
    struct set_target *target;
    uint32_t n;
    struct expression_machine machine;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, columns, LEAT_STRINGS, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "each \"name = expression\" makes a new column, or changes the values of an "
                      "existing one; \"@label = expression\" sets labels"),
};

/* ---- before the run ---- */

/* Parses a definition. If it is invalid, reports the reason and returns false. */
static bool define(struct leat_diag *d, const char *text, struct definition *def)
{
    const char *p = text;
    struct word name = lexer_next(text, &p), sign = lexer_next(text, &p);
    p += strspn(p, " \t\r\n");
    bool named = (name.kind == LEX_NAME || name.kind == LEX_COLUMN) && name.len;
    *def = (struct definition){.text = text, .expression = p};
    if (!named || !word_is(&sign, "=") || name.len >= NAME_BYTES) {
        d->error(
            d, "columns",
            "'%s' does not make a column: write \"name = expression\", such as \"kilobytes = bytes "
            "/ 1000\"; write names with blanks or signs between backquotes, `unit price` = 3",
            text);
        return false;
    }
    if (name.kind == LEX_COLUMN)
        word_unquote(&name, def->name);
    else
        memcpy(def->name, name.text, name.len);
    return true;
}

static void set_report(struct leat_diag *d, const struct definition *def,
                       const struct expression_error *error)
{
    uint32_t at = (uint32_t)(def->expression - def->text) + error->at;
    d->error(d, "columns", "'%s' is wrong at character %u: %s", def->text,
             expression_character(def->text, at), error->why);
}

static uint32_t set_find(const struct leat_schema *s, const char *name)
{
    uint32_t i = 0;
    while (i < s->n_columns && strcmp(s->column[i].name, name))
        i++;
    return i;
}

static uint32_t set_column_type(enum expression_type of)
{
    return of == EXPRESSION_TEXTS || of == EXPRESSION_ANY ? LEAT_TEXT
           : of == EXPRESSION_INTEGERS                    ? LEAT_INT64
           : of == EXPRESSION_CONDITIONS                  ? LEAT_BOOLEAN
                                                          : LEAT_NUMBER;
}

static int negotiate_label(struct leat_negotiation *n, const struct definition *def,
                           const struct expression *e)
{
    struct leat_diag *d = n->diag;
    n->out->has |= LEAT_HAS_LABEL;
    if (e->type == EXPRESSION_TEXTS)
        d->error(d, "columns", "'%s': a label is a number or a condition, and this is a text",
                 def->text);
    else if (n->in->has & LEAT_HAS_EXAMPLES)
        d->error(d, "columns",
                 "'%s': labels must be set before examples are made: move this stage up",
                 def->text);
    else
        return LEAT_OK;
    return LEAT_EARG;
}

/* True if the column has a type that an expression can write. Otherwise reports an error. */
static bool is_writable(struct leat_negotiation *n, const struct definition *def, uint32_t column)
{
    uint32_t index;
    if (n->column(n, "columns", def->name, EXPRESSION_TAKES, &index) != LEAT_OK) return false;
    if (index == column) return true;
    n->diag->error(
        n->diag, "columns",
        "'%s': column '%s' holds neither text, numbers nor booleans: give the result another name",
        def->text, def->name);
    return false;
}

/* True for names that expressions can read but definitions cannot set. */
static bool set_is_given(const char *name)
{
    return !strcmp(name, "@raw") || !strcmp(name, "@timestamp");
}

/* Declares how numbers are written in the texts of a column, because the expression has changed
 * that. */
static void set_form(struct leat_negotiation *n, uint32_t column, struct grouped form)
{
    const struct leat_column *c = &n->out->column[column];
    if (c->decimal != form.decimal || c->thousands != form.thousands)
        n->number_form(n, column, form.decimal, form.thousands);
}

static int negotiate_target(struct leat_negotiation *n, const struct definition *def,
                            struct expression *e)
{
    struct expression_error error = {0};
    uint32_t column = set_find(n->out, def->name);
    if (!strcmp(def->name, "@label")) return negotiate_label(n, def, e);
    if (set_is_given(def->name) && column == n->out->n_columns) {
        n->diag->error(n->diag, "columns", "'%s': %s of a record cannot be set, only @label can",
                       def->text, def->name);
        return LEAT_EARG;
    }
    bool is_new = column == n->out->n_columns;
    uint32_t type = set_column_type(e->type);
    if (is_new && expression_convert(e, expression_type_of_column(type), &error)) {
        int status = n->add_column(n, def->name, strlen(def->name), type, NULL);
        if (status == LEAT_OK) set_form(n, column, e->form);
        return status;
    }
    if (!is_new && column < n->in->n_columns && !is_writable(n, def, column)) return LEAT_EARG;
    if (!is_new &&
        expression_convert(e, expression_type_of_column(n->out->column[column].type), &error)) {
        set_form(n, column, e->form);
        return LEAT_OK;
    }
    set_report(n->diag, def, &error);
    return LEAT_EARG;
}

/* Returns the scope of an expression: the first n_columns columns of s. `most` bounds the bytes of
 * a text in any of these columns, which comes from the batch or from an earlier expression. */
static struct expression_scope scope_of(const struct leat_schema *s, uint32_t n_columns,
                                        struct expression_bound most)
{
    return (struct expression_scope){
        .schema = s, .n_columns = n_columns, .param = "columns", .columns = most};
}

static void set_widen(struct expression_bound *most, struct expression_bound by)
{
    if (by.copies > most->copies) most->copies = by.copies;
    if (by.bytes > most->bytes) most->bytes = by.bytes;
}

static int negotiate_one(struct leat_negotiation *n, const char *text,
                         struct expression_bound *most, bool *later)
{
    struct definition def;
    struct expression e;
    struct expression_error error = {0};
    if (!define(n->diag, text, &def)) return LEAT_EARG;
    struct expression_scope scope = scope_of(n->out, n->out->n_columns, *most);
    scope.negotiation = n;
    if (!expression_compile(&e, def.expression, &scope, &error, later)) {
        set_report(n->diag, &def, &error);
        return LEAT_EARG;
    }
    int status = negotiate_target(n, &def, &e);
    set_widen(most, e.bound);
    expression_add_bounds(&e, n);
    return status;
}

static int set_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    struct expression_bound most = {1, n->in->added_bytes_per_record};
    bool later = false;
    int status = LEAT_OK;
    if (!cfg->columns.n) n->diag->error(n->diag, "columns", "is empty: give \"name = expression\"");
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        if (negotiate_one(n, cfg->columns.v[i], &most, &later) < 0) status = LEAT_EARG;
    return status < 0 ? status : later ? LEAT_LATER : LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    p->work_bytes = cfg->columns.n * sizeof(struct set_target) +
                    expression_machine_bytes(EXPRESSION_DEPTH) +
                    out->n_columns * sizeof(struct leat_column);
    return LEAT_OK;
}

/* ---- opening ---- */

static void close_set(struct leat_ctx *ctx, void *self)
{
    struct set *st = self;
    expression_machine_close(ctx, &st->machine);
    ctx->host->free(ctx, st->target);
}

static void no_report(struct leat_diag *d, const char *param, const char *format, ...) {}

/* Returns an array of the columns that the first expression can use, with room for the columns of
 * all expressions. */
static struct leat_column *begin_columns(struct leat_ctx *ctx)
{
    const struct leat_schema *in = ctx->in, *out = ctx->out;
    struct leat_column *column = ctx->host->alloc(ctx, out->n_columns * sizeof *column);
    for (uint32_t i = 0; column && i < out->n_columns; i++) {
        column[i] = out->column[i];
        column[i].decimal = i < in->n_columns ? in->column[i].decimal : '\0';
        column[i].thousands = i < in->n_columns ? in->column[i].thousands : '\0';
    }
    return column;
}

/* Compiles a definition that negotiate has accepted. column[0 .. *n_columns) are the columns that
 * the expression can use. Adds the column that it defines to the array. */
static bool set_prepare(struct leat_ctx *ctx, const char *text, struct set_target *t,
                        struct leat_column *column, uint32_t *n_columns)
{
    struct leat_diag d = {.error = no_report};
    struct definition def;
    struct expression_error error = {0};
    bool later = false;
    if (!define(&d, text, &def)) return false;
    struct leat_schema schema = *ctx->out;
    schema.column = column;
    struct expression_scope scope = scope_of(&schema, *n_columns, (struct expression_bound){0});
    scope.ctx = ctx;
    if (!expression_compile(&t->e, def.expression, &scope, &error, &later)) return false;
    t->text = text;
    t->source = def.expression;
    t->type = t->e.type;
    t->column = EXPRESSION_LABEL;
    if (!strcmp(def.name, "@label"))
        return t->type == EXPRESSION_CONDITIONS ||
               expression_convert(&t->e, EXPRESSION_NUMBERS, &error);
    t->column = set_find(ctx->out, def.name);
    if (t->column == *n_columns) ++*n_columns;
    if (t->column >= ctx->out->n_columns) return false;
    t->type = expression_type_of_column(ctx->out->column[t->column].type);
    if (!expression_convert(&t->e, t->type, &error)) return false;
    column[t->column].decimal = t->e.form.decimal;
    column[t->column].thousands = t->e.form.thousands;
    return true;
}

/* Compiles all definitions and opens the machine. `column` comes from begin_columns(). */
static int compile_all(struct leat_ctx *ctx, struct set *st, struct leat_column *column)
{
    const struct cfg *cfg = ctx->cfg;
    uint32_t depth = 1, n_columns = ctx->in->n_columns;
    st->n = cfg->columns.n;
    st->target = ctx->host->alloc(ctx, st->n * sizeof *st->target);
    if (!st->target || !column)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u expressions",
                               st->n);
    for (uint32_t i = 0; i < st->n; i++) {
        if (!set_prepare(ctx, cfg->columns.v[i], &st->target[i], column, &n_columns))
            return ctx->host->fail(ctx, LEAT_EARG, "'%s' does not fit the columns of the input",
                                   cfg->columns.v[i]);
        if (st->target[i].e.depth > depth) depth = st->target[i].e.depth;
    }
    return expression_machine_open(ctx, &st->machine, depth);
}

static int open_set(struct leat_ctx *ctx, void *self)
{
    struct leat_column *column = begin_columns(ctx);
    int status = compile_all(ctx, self, column);
    ctx->host->free(ctx, column);
    if (status != LEAT_OK) close_set(ctx, self);
    return status;
}

/* ---- records ---- */

static void set_reject(struct leat_ctx *ctx, const struct set *st, const struct set_target *t,
                       struct leat_batch *b, uint32_t r, uint32_t step)
{
    expression_reject(ctx, &t->e, &st->machine, b, t->base, r, step, t->source);
}

static float label_of(const struct set_target *t, double x)
{
    if (isnan(x)) return NAN;
    return t->e.type == EXPRESSION_CONDITIONS ? (x == 1 ? 1 : -1) : (float)x;
}

/* Stores the numbers of a block in a column of numbers, or as labels or booleans. */
static void set_put_numbers(const struct set_target *t, const struct leat_batch *b,
                            const uint32_t *row, uint32_t n, const double *x)
{
    if (t->column == EXPRESSION_LABEL) {
        for (uint32_t i = 0; i < n; i++)
            b->label[row[i]] = label_of(t, x[i]);
    } else if (t->e.type == EXPRESSION_CONDITIONS) {
        uint8_t *cell = b->column[t->column].boolean;
        for (uint32_t i = 0; i < n; i++)
            cell[row[i]] = isnan(x[i]) ? LEAT_NO_BOOLEAN : x[i] == 1;
    } else {
        double *cell = b->column[t->column].number;
        for (uint32_t i = 0; i < n; i++)
            cell[row[i]] = isnan(x[i]) ? (double)NAN : x[i];
    }
}

/* Stores the numbers of a block. Notes bad ones first, because reporting a bad cell runs the
 * machine again, which overwrites x. */
static void store_numbers(struct leat_ctx *ctx, const struct set *st, const struct set_target *t,
                          struct leat_batch *b, const uint32_t *row, uint32_t n, const double *x)
{
    uint32_t bad[EXPRESSION_BLOCK], step[EXPRESSION_BLOCK], n_bad = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t why = expression_bad_number(x[i]);
        if (!why) continue;
        bad[n_bad] = row[i];
        step[n_bad++] = why;
    }
    set_put_numbers(t, b, row, n, x);
    for (uint32_t i = 0; i < n_bad; i++)
        set_reject(ctx, st, t, b, bad[i], step[i]);
}

static void store_integers(struct leat_ctx *ctx, const struct set *st, const struct set_target *t,
                           struct leat_batch *b, const uint32_t *row, uint32_t n,
                           union leat_cells x)
{
    uint32_t bad[EXPRESSION_BLOCK], step[EXPRESSION_BLOCK], n_bad = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t why = expression_bad_integer(x, i);
        if (why) {
            bad[n_bad] = row[i];
            step[n_bad++] = why;
        }
        b->column[t->column].int64[row[i]] = x.int64[i];
    }
    for (uint32_t i = 0; i < n_bad; i++)
        set_reject(ctx, st, t, b, bad[i], step[i]);
}

static void store_texts(struct leat_ctx *ctx, const struct set *st, const struct set_target *t,
                        struct leat_batch *b, const uint32_t *row, uint32_t n,
                        const struct leat_str *s)
{
    uint32_t bad[EXPRESSION_BLOCK], step[EXPRESSION_BLOCK], n_bad = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t why = expression_bad_text(s[i]);
        if (why) {
            bad[n_bad] = row[i];
            step[n_bad++] = why;
        }
        b->column[t->column].text[row[i]] = why ? (struct leat_str){0, LEAT_NULL} : s[i];
    }
    for (uint32_t i = 0; i < n_bad; i++)
        set_reject(ctx, st, t, b, bad[i], step[i]);
}

static void set_block(struct leat_ctx *ctx, const struct set *st, const struct set_target *t,
                      struct leat_batch *b, const uint32_t *row, uint32_t n)
{
    uint32_t n_bytes = b->n_bytes;
    union leat_cells x = expression_run(&t->e, &st->machine, b, t->base, row, n);
    if (t->e.type == EXPRESSION_TEXTS) {
        store_texts(ctx, st, t, b, row, n, x.text);
    } else {
        b->n_bytes = n_bytes; /* removes texts that were only needed to compute numbers */
        if (t->e.type == EXPRESSION_INTEGERS)
            store_integers(ctx, st, t, b, row, n, x);
        else
            store_numbers(ctx, st, t, b, row, n, x.number);
    }
}

static void set_look_for_doubts(struct leat_ctx *ctx, struct set *st, const struct leat_batch *b)
{
    for (uint32_t i = 0; i < st->n && !ctx->lane; i++) {
        struct set_target *t = &st->target[i];
        if (!t->doubted)
            t->doubted = expression_warn_of_doubts(ctx, &t->e, b, b->sel, b->n_sel, t->source);
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct set *st = self;
    set_look_for_doubts(ctx, st, b);
    for (uint32_t i = 0; i < st->n; i++)
        if (!expression_begin(&st->target[i].e, b, &st->target[i].base))
            return ctx->host->fail(ctx, LEAT_EFULL, "'%s': a batch has no room for its constants",
                                   st->target[i].text);
    for (uint32_t k = 0; k < b->n_sel; k += EXPRESSION_BLOCK) {
        uint32_t n = b->n_sel - k < EXPRESSION_BLOCK ? b->n_sel - k : EXPRESSION_BLOCK;
        for (uint32_t i = 0; i < st->n; i++)
            set_block(ctx, st, &st->target[i], b, b->sel + k, n);
    }
    return LEAT_OK;
}

const struct leat_stage shape_set = {
    .name = "shape.set",
    .summary = "makes columns, or changes them, by expressions of others",
    .doc = set_doc,
    .example = "leat.shape.set { \"host = lower(host)\", \"ratio = bytes / duration\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_REWRITES | LEAT_REPLACES,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct set, open_set, close_set),
    .negotiate = set_negotiate,
    .plan = plan,
    .process = process,
};
