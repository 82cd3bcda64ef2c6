/* expression_run.c -- the stack machine (expression.h), and messages about its results.
 *
 * Finds the columns because of which an expression has no value. Finds comparisons that are valid
 * but probably not intended. */
#include "expression_steps.h"

#include <string.h>

#include "core/time/utc.h"
#include "common/cells/cell.h"
#include "core/text/number_cure.h"
#include "core/text/number_text.h"
#include "kernels/text/decimal.h"

enum {
    SHOWN = 40, /* bytes of a wrong text that a message shows */
    PLACE_BYTES = EXPRESSION_BLOCK * (sizeof(double) + sizeof(uint16_t))
};

uint64_t expression_machine_bytes(uint32_t depth)
{
    return depth * (sizeof(union leat_cells) + PLACE_BYTES);
}

int expression_machine_open(struct leat_ctx *ctx, struct expression_machine *m, uint32_t depth)
{
    m->stack = ctx->host->alloc(ctx, depth * sizeof *m->stack);
    m->cells = ctx->host->alloc(ctx, depth * PLACE_BYTES);
    if (!m->stack || !m->cells) {
        expression_machine_close(ctx, m);
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the expressions");
    }
    for (uint32_t i = 0; i < depth; i++)
        m->stack[i].number = (double *)(void *)((char *)m->cells + (size_t)i * PLACE_BYTES);
    return LEAT_OK;
}

void expression_machine_close(struct leat_ctx *ctx, struct expression_machine *m)
{
    ctx->host->free(ctx, m->stack);
    ctx->host->free(ctx, m->cells);
    *m = (struct expression_machine){0};
}

bool expression_begin(const struct expression *e, struct leat_batch *b, uint32_t *base)
{
    *base = leat_add_bytes(b, e->n_text);
    if (*base == LEAT_NULL) return false;
    memcpy(b->bytes + *base, e->text, e->n_text);
    return true;
}

/* ---- pushing columns and constants ---- */

static void run_load_texts(const struct leat_str *from, const uint32_t *row, uint32_t n,
                           struct leat_str *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[row[i]].len == LEAT_NULL ? text_none(0) : from[row[i]];
}

static double run_finite_or_none(double x) { return isfinite(x) ? x : number_missing(); }

static void run_load_numbers(const double *from, const uint32_t *row, uint32_t n, double *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = run_finite_or_none(from[row[i]]);
}

static void run_load_integers(const int64_t *from, const uint32_t *row, uint32_t n,
                              union leat_cells to)
{
    memset(expression_marks(to), 0, n * sizeof *expression_marks(to));
    for (uint32_t i = 0; i < n; i++)
        to.int64[i] = from[row[i]];
}

static void run_load_conditions(const uint8_t *from, const uint32_t *row, uint32_t n, double *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[row[i]] == LEAT_NO_BOOLEAN ? number_missing() : from[row[i]];
}

static void run_load_labels(const struct leat_batch *b, const uint32_t *row, uint32_t n, double *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = run_finite_or_none((double)b->label[row[i]]);
}

static void run_load_times(const struct leat_batch *b, const uint32_t *row, uint32_t n, double *to)
{
    for (uint32_t i = 0; i < n; i++) {
        int64_t ns = b->timestamp[row[i]];
        to[i] = ns < 0 ? number_missing() : utc_seconds(ns);
    }
}

static void run_load_raw(const struct leat_batch *b, const uint32_t *row, uint32_t n,
                         struct leat_str *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = leat_is_tombstone(b, row[i]) ? text_none(0) : b->raw[row[i]];
}

static void run_load_column(const struct call *c, const uint32_t *row, union leat_cells to)
{
    uint32_t column = c->step->arg;
    if (column == EXPRESSION_RAW)
        run_load_raw(c->b, row, c->n, to.text);
    else if (column == EXPRESSION_LABEL)
        run_load_labels(c->b, row, c->n, to.number);
    else if (column == EXPRESSION_TIME)
        run_load_times(c->b, row, c->n, to.number);
    else if (c->step->type == EXPRESSION_TEXTS)
        run_load_texts(c->b->column[column].text, row, c->n, to.text);
    else if (c->step->type == EXPRESSION_CONDITIONS)
        run_load_conditions(c->b->column[column].boolean, row, c->n, to.number);
    else if (c->step->type == EXPRESSION_INTEGERS)
        run_load_integers(c->b->column[column].int64, row, c->n, to);
    else
        run_load_numbers(c->b->column[column].number, row, c->n, to.number);
}

static void run_load_constant(const struct call *c, union leat_cells to)
{
    const struct expression_constant *k = &c->e->constant[c->step->arg];
    struct leat_str text = {c->base + k->text.off, k->text.len};
    for (uint32_t i = 0; i < c->n; i++)
        if (c->step->type == EXPRESSION_TEXTS)
            to.text[i] = text;
        else if (c->step->type == EXPRESSION_INTEGERS)
            to.int64[i] = k->integer;
        else
            to.number[i] = k->number;
}

static void run_call(const struct call *c, union leat_cells *arg)
{
    const struct expression_function *f = c->step->function;
    uint8_t type = c->step->type;
    bool whole = type == EXPRESSION_INTEGERS || type == EXPRESSION_EXACT;
    function_run *run = type == EXPRESSION_TEXTS && f->run_of_text ? f->run_of_text
                        : whole && f->run_of_integers              ? f->run_of_integers
                                                                   : f->run;
    run(c, arg);
}

/* Runs the first `steps` steps of the expression. Returns the top of the stack. */
static union leat_cells *run_steps(struct call *c, const union leat_cells *stack,
                                   const uint32_t *row, uint32_t steps)
{
    union leat_cells *top = (union leat_cells *)stack;
    for (uint32_t i = 0; i < steps; i++) {
        c->step = &c->e->step[i];
        if (c->step->kind == STEP_COLUMN)
            run_load_column(c, row, *top++);
        else if (c->step->kind == STEP_CONSTANT)
            run_load_constant(c, *top++);
        else {
            top -= c->step->n;
            run_call(c, top - c->step->depth);
            top++;
        }
    }
    return top;
}

union leat_cells expression_run(const struct expression *e, const struct expression_machine *m,
                                struct leat_batch *b, uint32_t base, const uint32_t *row,
                                uint32_t n)
{
    struct call c = {.e = e, .b = b, .base = base, .n = n};
    run_steps(&c, m->stack, row, e->n_steps);
    return m->stack[0];
}

/* ---- bad values ---- */

/* Returns the name of the column whose text step `at` reads as a number; NULL if it reads something
 * else. */
static const char *run_column_read(const struct leat_ctx *ctx, const struct expression *e,
                                   uint32_t at)
{
    for (uint32_t k = at; k-- > 0;) {
        const struct expression_step *s = &e->step[k];
        if (s->kind == STEP_COLUMN && s->at == e->step[at].at)
            return s->arg < ctx->in->n_columns ? ctx->in->column[s->arg].name : NULL;
    }
    return NULL;
}

/* True if step c->step, which has made a bad cell of the text s, can read it as a number. */
static bool run_is_number(const struct call *c, struct leat_str s)
{
    char plain[GROUPED_MAX];
    double x;
    size_t n;
    const char *p = text_of_number(c, s, plain, &n);
    return n && decimal_whole(p, p + n, &x) == DECIMAL_OK;
}

/* Rejects record r because of the text s, of which step c->step has made a bad cell. */
static void reject_text(const struct call *c, struct leat_ctx *ctx, uint32_t r, struct leat_str s,
                        const char *source)
{
    char said[NUMBER_REFUSAL];
    bool cured = true;
    const char *column = run_column_read(ctx, c->e, (uint32_t)(c->step - c->e->step));
    const struct number_refused refused = {.column = column,
                                           .n_column = column ? strlen(column) : 0,
                                           .form = form_of_arg(c->step->arg),
                                           .text = leat_text(c->b, s),
                                           .n = s.len};
    const char *what = !run_is_number(c, s) ? number_refusal(&refused, said, &cured)
                       : c->step->function == &to_same
                           ? "a whole number beyond 2^53, and a double may lose digits of it"
                           : "a whole number beyond 2^63: only a text keeps its digits";
    ctx->host->reject(ctx, c->b, r, LEAT_R_NUMBER, "'%s', character %u: '%.*s%s' is %s%s", source,
                      expression_character(source, c->step->at),
                      (int)(s.len > SHOWN ? SHOWN : s.len), refused.text, s.len > SHOWN ? "…" : "",
                      what, cured ? "" : "; number(…) would give no value");
}

void expression_reject(struct leat_ctx *ctx, const struct expression *e,
                       const struct expression_machine *m, struct leat_batch *b, uint32_t base,
                       uint32_t r, uint32_t step, const char *source)
{
    uint32_t n_bytes = b->n_bytes;
    struct call c = {.e = e, .b = b, .base = base, .n = 1};
    if (step == CELL_FULL) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "'%s': the batch has no room for the text: make batch_bytes larger",
                          source);
        return;
    }
    union leat_cells *top = run_steps(&c, m->stack, &r, step - 1);
    union leat_cells bad = top[-1 - (int)e->step[step - 1].depth];
    c.step = &e->step[step - 1];
    bool exact = c.step->type == EXPRESSION_EXACT || c.step->type == EXPRESSION_INTEGERS;
    int64_t lost;
    if (exact && c.step->n == 2 && integers_lost(&c, top - 2, &lost))
        ctx->host->reject(ctx, b, r, LEAT_R_NUMBER,
                          "'%s', character %u: %lld is a whole number beyond 2^53, and beside a "
                          "fraction it would lose digits: calculate with whole numbers, or take "
                          "text(…)",
                          source, expression_character(source, c.step->at), (long long)lost);
    else if (exact)
        ctx->host->reject(ctx, b, r, LEAT_R_NUMBER,
                          "'%s', character %u: %lld is a whole number beyond 2^53, and no double "
                          "is equal to it: text(…) keeps its digits",
                          source, expression_character(source, c.step->at),
                          (long long)bad.int64[0]);
    else
        reject_text(&c, ctx, r, bad.text[0], source);
    b->n_bytes = n_bytes;
}

/* ---- missing values ---- */

/* True if the text is blank. Here a blank text counts as missing, although it is a text
 * elsewhere. */
static bool missing_is_blank(const struct leat_batch *b, struct leat_str s)
{
    double x;
    return number_text_double(leat_text(b, s), leat_text(b, s) + s.len, &x) == 0;
}

static bool expression_run_is_missing(const struct expression_step *s, const struct leat_batch *b,
                                      uint32_t r)
{
    union leat_cells cells = b->column[s->arg];
    if (s->type == EXPRESSION_INTEGERS) return cells.int64[r] == LEAT_NO_INT64;
    if (s->type == EXPRESSION_CONDITIONS) return cells.boolean[r] == LEAT_NO_BOOLEAN;
    if (s->type == EXPRESSION_NUMBERS) return !isfinite(cells.number[r]);
    return cells.text[r].len == LEAT_NULL || missing_is_blank(b, cells.text[r]);
}

static bool missing_is_asked(const struct expression *e, uint32_t step)
{
    return step < e->n_steps && e->step[step].kind == STEP_CALL &&
           e->step[step].function->run == run_is_missing;
}

void expression_missing(const struct leat_ctx *ctx, const struct expression *e,
                        const struct leat_batch *b, uint32_t r, struct lacking *to)
{
    for (uint32_t i = 0; i < e->n_steps; i++) {
        const struct expression_step *s = &e->step[i];
        if (s->kind != STEP_COLUMN || s->arg >= ctx->in->n_columns || missing_is_asked(e, i + 1))
            continue;
        const char *name = ctx->in->column[s->arg].name;
        if (!lacking_has(to, name, strlen(name)) && expression_run_is_missing(s, b, r))
            lacking_add(to, name, strlen(name));
    }
}

/* ---- doubts ---- */

enum { FEWEST = 10, LOOKED_AT = 64 };

/* A comparison `column < 'constant'`, or with exchanged sides. */
struct expression_run_comparison {
    uint32_t column;
    const char *text; /* text of the constant */
    uint32_t len;
    double number; /* the constant as a number; NaN if it is none */
};

static bool doubts_is_order(const struct expression_step *s)
{
    const struct expression_function *const f[] = {&operator_less, &operator_at_most,
                                                   &operator_greater, &operator_at_least};
    bool order = false;
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        order = order || s->function == f[i];
    return s->kind == STEP_CALL && s->type == EXPRESSION_TEXTS && order;
}

static bool doubts_read_whole(const struct leat_column *column, const char *s, uint32_t n,
                              double *x)
{
    return cell_decimal(column, s, s + n, x) == DECIMAL_OK;
}

/* Reads a comparison from three successive steps: two operands and the operator. Returns false if
 * the steps are something else. */
static bool doubts_is_comparison(const struct expression *e, const struct expression_step *step,
                                 struct expression_run_comparison *c)
{
    const struct expression_step *a = &step[0], *b = &step[1];
    if (!doubts_is_order(&step[2])) return false;
    const struct expression_step *column = a->kind == STEP_COLUMN ? a : b;
    const struct expression_step *constant = a->kind == STEP_COLUMN ? b : a;
    if (column->kind != STEP_COLUMN || constant->kind != STEP_CONSTANT) return false;
    struct leat_str s = e->constant[constant->arg].text;
    *c = (struct expression_run_comparison){column->arg, e->text + s.off, s.len, (double)NAN};
    double x;
    if (decimal_whole(c->text, c->text + c->len, &x) == DECIMAL_OK) c->number = x;
    return column->arg < LEAT_MAX_COLUMNS;
}

static bool doubts_is_less(const char *a, uint32_t n_a, const struct expression_run_comparison *c)
{
    uint32_t n = n_a < c->len ? n_a : c->len;
    int order = memcmp(a, c->text, n);
    return order ? order < 0 : n_a < c->len;
}

/* True if nearly all texts of the column are numbers, and some would compare differently as
 * numbers. Checks LOOKED_AT of the rows, evenly spread. Sets *shown to a row that would differ. */
static bool doubts_is_doubtful(const struct expression_run_comparison *c,
                               const struct leat_column *column, const struct leat_batch *b,
                               const uint32_t *row, uint32_t n, uint32_t *shown)
{
    uint32_t texts = 0, numbers = 0, others = 0, looks = n < LOOKED_AT ? n : LOOKED_AT;
    for (uint32_t i = 0; i < looks; i++) {
        uint32_t r = row[(uint64_t)i * n / looks];
        struct leat_str s = b->column[c->column].text[r];
        double x;
        if (s.len == LEAT_NULL || !s.len) continue;
        texts++;
        if (!doubts_read_whole(column, leat_text(b, s), s.len, &x)) continue;
        numbers++;
        if (!isnan(c->number) && (x < c->number) == doubts_is_less(leat_text(b, s), s.len, c))
            continue;
        *shown = r;
        others++;
    }
    return others && numbers >= FEWEST && (uint64_t)numbers * 10 >= (uint64_t)texts * 9;
}

/* True for an operator whose result depends on each digit of its operands. */
static bool doubts_is_exact(const struct expression_step *s)
{
    function_run *const f[] = {run_add,    run_subtract, run_floor_divide,
                               run_modulo, run_equal,    run_unequal};
    bool exact = false;
    for (size_t i = 0; s->kind == STEP_CALL && i < sizeof f / sizeof *f; i++)
        exact = exact || s->function->run == f[i];
    return exact && s->type != EXPRESSION_TEXTS;
}

/* Returns a whole number of the column from 2^53 to 2^64, which may have been rounded; 0 if the
 * rows that are checked have none. */
static double doubts_rounded(const struct leat_batch *b, uint32_t column, const uint32_t *row,
                             uint32_t n)
{
    for (uint32_t i = 0, looks = n < LOOKED_AT ? n : LOOKED_AT; i < looks; i++) {
        double x = fabs(b->column[column].number[row[(uint64_t)i * n / looks]]);
        if (x >= EXPRESSION_WHOLE && x < 0x1p64) return x;
    }
    return 0;
}

/* Warns of the first operator that needs digits that a column of doubles does not keep. */
static bool doubts_warn_of_rounded(struct leat_ctx *ctx, const struct expression *e,
                                   const struct leat_batch *b, const uint32_t *row, uint32_t n,
                                   const char *source)
{
    for (uint32_t k = 0; k + 2 < e->n_steps; k++) {
        const struct expression_step *s = &e->step[k];
        if (s->kind != STEP_COLUMN || s->type != EXPRESSION_NUMBERS ||
            s->arg >= ctx->in->n_columns || !(doubts_is_exact(s + 1) || doubts_is_exact(s + 2)))
            continue;
        double x = doubts_rounded(b, s->arg, row, n);
        if (x == 0) continue;
        ctx->host->log(ctx, LEAT_WARN,
                       "'%s' calculates with column '%s', whose whole numbers beyond 2^53, such as "
                       "%.0f, may be rounded: leave it out of `numbers`, and its digits are exact",
                       source, ctx->in->column[s->arg].name, x);
        return true;
    }
    return false;
}

bool expression_warn_of_doubts(struct leat_ctx *ctx, const struct expression *e,
                               const struct leat_batch *b, const uint32_t *row, uint32_t n,
                               const char *source)
{
    struct expression_run_comparison c;
    uint32_t r = 0;
    bool warned = doubts_warn_of_rounded(ctx, e, b, row, n, source);
    for (uint32_t k = 0; k + 2 < e->n_steps; k++) {
        if (!doubts_is_comparison(e, &e->step[k], &c) || c.column >= ctx->in->n_columns ||
            !doubts_is_doubtful(&c, &ctx->in->column[c.column], b, row, n, &r))
            continue;
        warned = true;
        struct leat_str s = b->column[c.column].text[r];
        ctx->host->log(ctx, LEAT_WARN,
                       "'%s' compares texts byte by byte, but the texts of column '%s' are "
                       "numbers, such as %.*s, and '%.*s' is a text: %s",
                       source, ctx->in->column[c.column].name, (int)(s.len < SHOWN ? s.len : SHOWN),
                       leat_text(b, s), (int)(c.len < SHOWN ? c.len : SHOWN), c.text,
                       isnan(c.number) ? "compare with a number" : "write it without quotes");
    }
    return warned;
}
