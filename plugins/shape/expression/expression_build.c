/* expression_build.c -- steps, constants and calls of an expression (expression_build.h). */
#include "expression_build.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COPIES_MAX = 1 << 12, BYTES_MAX = 1 << 24 };

void build_fail(struct building *b, uint32_t at, const char *format, ...)
{
    va_list ap;
    if (b->failed) return;
    b->failed = true;
    b->error->at = at;
    va_start(ap, format);
    vsnprintf(b->error->why, sizeof b->error->why, format, ap);
    va_end(ap);
}

/* ---- steps and constants ---- */

static void build_add_step(struct building *b, struct expression_step s)
{
    if (b->failed) return;
    if (b->e->n_steps == EXPRESSION_STEPS)
        build_fail(b, s.at, "the expression is too long: it has more than %d steps",
                   EXPRESSION_STEPS);
    else
        b->e->step[b->e->n_steps++] = s;
}

static void build_push(struct building *b, struct value v)
{
    if (b->failed) return;
    if (b->n == EXPRESSION_DEPTH) {
        build_fail(b, v.at, "the expression is nested too deep, or a function has too many values");
        return;
    }
    b->value[b->n++] = v;
    if (b->n > b->e->depth) b->e->depth = b->n;
}

uint32_t build_constant(struct building *b, struct literal x, const char *text, size_t len,
                        uint32_t at)
{
    struct expression *e = b->e;
    if (e->n_constants == EXPRESSION_CONSTANTS || len > EXPRESSION_TEXT - e->n_text)
        build_fail(b, at, "the expression has too many constants");
    if (b->failed) return 0;
    e->constant[e->n_constants] = (struct expression_constant){.number = x.number,
                                                               .integer = x.integer,
                                                               .is_rounded = x.is_rounded,
                                                               .text = {e->n_text, (uint32_t)len}};
    if (len) memcpy(e->text + e->n_text, text, len);
    e->n_text += (uint32_t)len;
    return e->n_constants++;
}

void build_number(struct building *b, struct literal x, uint32_t at)
{
    uint32_t k = build_constant(b, x, NULL, 0, at);
    build_add_step(b, (struct expression_step){
                          .kind = STEP_CONSTANT, .type = EXPRESSION_NUMBERS, .arg = k, .at = at});
    build_push(b, (struct value){.type = EXPRESSION_NUMBERS, .constant = (int32_t)k, .at = at});
}

uint32_t build_text_constant(struct building *b, const struct word *w)
{
    char text[EXPRESSION_TEXT];
    if (w->len <= sizeof text) {
        struct literal none = {.number = (double)NAN, .integer = LEAT_NO_INT64};
        return build_constant(b, none, text, word_unquote(w, text), w->at);
    }
    build_fail(b, w->at, "the text is longer than %d bytes", EXPRESSION_TEXT);
    return 0;
}

void build_text(struct building *b, const struct word *w)
{
    uint32_t k = build_text_constant(b, w);
    build_add_step(b, (struct expression_step){
                          .kind = STEP_CONSTANT, .type = EXPRESSION_TEXTS, .arg = k, .at = w->at});
    build_push(b, (struct value){.type = EXPRESSION_TEXTS,
                                 .bound = {0, (uint32_t)w->len},
                                 .constant = (int32_t)k,
                                 .is_made = true,
                                 .at = w->at});
}

void build_column(struct building *b, enum expression_type type, uint32_t index,
                  struct expression_bound bound, struct grouped form, uint32_t at)
{
    build_add_step(b, (struct expression_step){
                          .kind = STEP_COLUMN, .type = (uint8_t)type, .arg = index, .at = at});
    build_push(b, (struct value){.type = type,
                                 .bound = bound,
                                 .constant = -1,
                                 .is_made = index == EXPRESSION_RAW,
                                 .form = form,
                                 .at = at});
}

/* ---- bounds on the length of texts ---- */

static struct expression_bound build_widen(struct expression_bound a, struct expression_bound b)
{
    uint64_t copies = (uint64_t)a.copies + b.copies, bytes = (uint64_t)a.bytes + b.bytes;
    return (struct expression_bound){copies > COPIES_MAX ? COPIES_MAX : (uint32_t)copies,
                                     bytes > BYTES_MAX ? BYTES_MAX : (uint32_t)bytes};
}

static struct expression_bound build_times(struct expression_bound a, uint32_t n)
{
    struct expression_bound sum = {0};
    for (uint32_t i = 0; i < n && i < COPIES_MAX; i++)
        sum = build_widen(sum, a);
    return sum;
}

static struct expression_bound build_larger(struct expression_bound a, struct expression_bound b)
{
    return (struct expression_bound){a.copies > b.copies ? a.copies : b.copies,
                                     a.bytes > b.bytes ? a.bytes : b.bytes};
}

static struct expression_bound build_replaced(const struct building *b, const struct value *v)
{
    uint32_t grows = 2;
    if (v[1].constant >= 0 && v[2].constant >= 0) {
        uint32_t old = b->e->constant[v[1].constant].text.len;
        uint32_t new = b->e->constant[v[2].constant].text.len;
        grows = old && new > old ? (new + old - 1) / old : 1;
    }
    return build_times(v[0].bound, grows);
}

/* Returns the bound on the result of a call. v has the n operands. */
static struct expression_bound build_result_bound(struct building *b,
                                                  const struct expression_function *f,
                                                  const struct value *v, uint32_t n)
{
    struct expression_bound sum = {0}, most = {0};
    for (uint32_t i = 0; i < n; i++) {
        sum = build_widen(sum, v[i].bound);
        most = build_larger(most, v[i].bound);
    }
    if (f->bound == BOUND_SLICE) return v[0].bound;
    if (f->bound == BOUND_EITHER) return most;
    if (f->bound == BOUND_CONSTANT || f->bound == BOUND_NUMBER)
        return (struct expression_bound){0, 2 * EXPRESSION_NUMBER};
    if (f->bound == BOUND_NONE) return (struct expression_bound){0};
    struct expression_bound made = f->bound == BOUND_CASE   ? build_times(v[0].bound, 2)
                                   : f->bound == BOUND_JOIN ? sum
                                                            : build_replaced(b, v);
    b->e->made = build_widen(b->e->made, made);
    return made;
}

/* ---- form of numbers in texts ---- */

/* Returns the form of numbers that the n texts have in common, not counting constants;
 * GROUPED_UNSURE if the forms differ. */
static struct grouped build_joined_form(const struct value *v, uint32_t n)
{
    const struct value *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].type != EXPRESSION_TEXTS || v[i].constant >= 0) continue;
        if (first && !grouped_is_same(&first->form, &v[i].form))
            return (struct grouped){.decimal = GROUPED_UNSURE};
        first = &v[i];
    }
    return first ? first->form : (struct grouped){0};
}

/* Returns the form of the numbers in a call's result. A part of a text keeps the text's form.
 * Results that the script composes, by replacing or joining texts, have the plain form. */
static struct grouped build_result_form(const struct expression_function *f, const struct value *v,
                                        uint32_t n)
{
    bool part = f->bound == BOUND_SLICE || f->bound == BOUND_CASE;
    return part                       ? v[0].form
           : f->bound == BOUND_EITHER ? build_joined_form(v, n)
                                      : (struct grouped){0};
}

/* ---- calls ---- */

struct value *build_below(struct building *b, uint32_t depth)
{
    assert(b->failed || depth < b->n);
    return &b->value[b->n - 1 - depth];
}

void build_conversion(struct building *b, uint32_t depth, const struct expression_function *f)
{
    struct value *v = build_below(b, depth);
    build_add_step(b, (struct expression_step){.kind = STEP_CALL,
                                               .type = (uint8_t)v->type,
                                               .n = 1,
                                               .depth = (uint8_t)depth,
                                               .arg = f == &to_text ? 0 : form_to_arg(v->form),
                                               .at = v->at,
                                               .function = f});
    v->constant = -1;
    v->is_made = true;
    v->form = (struct grouped){0};
    v->type = f == &to_exact  ? EXPRESSION_EXACT
              : f == &to_text ? EXPRESSION_TEXTS
                              : EXPRESSION_NUMBERS;
    v->bound = (struct expression_bound){0, f == &to_text ? EXPRESSION_NUMBER : 0};
    b->e->made = build_widen(b->e->made, v->bound);
}

bool build_integer(struct building *b, uint32_t depth)
{
    struct value *v = build_below(b, depth);
    if (v->type == EXPRESSION_INTEGERS) return true;
    if (v->constant < 0 || v->type == EXPRESSION_CONDITIONS) return false;
    struct expression_constant *k = &b->e->constant[v->constant];
    if (v->type == EXPRESSION_TEXTS)
        k->integer = integer_read(b->e->text + k->text.off, k->text.len);
    if (k->integer == LEAT_NO_INT64) return false;
    for (uint32_t i = 0; i < b->e->n_steps; i++) {
        struct expression_step *s = &b->e->step[i];
        if (s->kind == STEP_CONSTANT && s->arg == (uint32_t)v->constant)
            s->type = EXPRESSION_INTEGERS;
    }
    v->type = EXPRESSION_INTEGERS;
    return true;
}

void build_call(struct building *b, const struct expression_function *f, uint32_t n,
                enum expression_type type, uint32_t first_constant, uint32_t n_constants,
                uint32_t at)
{
    if (b->failed) return;
    struct value *v = &b->value[b->n - n];
    uint32_t arg = f->run == run_number ? form_to_arg(v[0].form) : first_constant;
    build_add_step(b, (struct expression_step){.kind = STEP_CALL,
                                               .type = (uint8_t)type,
                                               .n = (uint8_t)n,
                                               .arg = arg,
                                               .n_constants = n_constants,
                                               .at = at,
                                               .function = f});
    v[0] = (struct value){.type = types_given(f->gives, type),
                          .bound = build_result_bound(b, f, v, n),
                          .constant = -1,
                          .is_made = true,
                          .form = build_result_form(f, v, n),
                          .at = at};
    b->n -= n - 1;
}

void build_call_plain(struct building *b, const struct expression_function *f, uint32_t n,
                      uint32_t at)
{
    build_call(b, f, n, EXPRESSION_NUMBERS, 0, 0, at);
}

void expression_add_bounds(const struct expression *e, struct leat_negotiation *n)
{
    /* reserves bytes of the batch for the constants, which expression_begin() adds to it */
    uint32_t names = (e->n_text + LEAT_ADDED_NAME - 1) / LEAT_ADDED_NAME;
    n->add_bounds(n, &(struct leat_bounds){.copies_text = e->made.copies,
                                           .added_bytes_per_record = e->made.bytes,
                                           .added_names = names});
}
