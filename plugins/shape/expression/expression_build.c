/* expression_build.c -- implementation of expression_build.h: steps, calls, types, exact
 * numbers. */
#include "expression_build.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/text/decimal.h"

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

/* ---- whole numbers of at least 2^53 ---- */

static const double INTEGERS_END = 0x1p63;

/* True if several whole numbers are rounded to the double x. */
static bool exact_is_shared(double x) { return fabs(x) >= EXPRESSION_WHOLE; }

void exact_fail(struct building *b, uint32_t at)
{
    build_fail(b, at,
               "beyond 2^53 different whole numbers count as equal: read the column as text, or as "
               "integers (parse.json, parse.avro)");
}

void exact_check(struct building *b)
{
    const struct expression *e = b->e;
    for (uint32_t i = 0; i < e->n_steps && !b->failed; i++) {
        const struct expression_step *s = &e->step[i];
        bool number = s->kind == STEP_CONSTANT && s->type == EXPRESSION_NUMBERS;
        if (number && e->constant[s->arg].is_rounded) exact_fail(b, s->at);
    }
}

/* True for a constant number. */
static bool exact_is_number(const struct value *v)
{
    return v->type == EXPRESSION_NUMBERS && v->constant >= 0;
}

static double exact_number_of(const struct building *b, const struct value *v)
{
    return b->e->constant[v->constant].number;
}

void exact_check_sides(struct building *b)
{
    for (uint32_t i = 0; i < 2 && !b->failed; i++) {
        const struct value *v = build_below(b, 1 - i);
        if (exact_is_number(v) && exact_is_shared(exact_number_of(b, v))) exact_fail(b, v->at);
    }
}

bool exact_is_text(const struct value *v) { return v->type == EXPRESSION_TEXTS && v->constant < 0; }

/* True if `text` must be read exactly when it is compared with `other`: it is exact already, or
 * `other` is not a constant below 2^53. */
static bool exact_is_met(const struct building *b, const struct value *text,
                         const struct value *other)
{
    if (text->type == EXPRESSION_EXACT) return true;
    return exact_is_text(text) &&
           !(exact_is_number(other) && !exact_is_shared(exact_number_of(b, other)));
}

bool exact_is_needed(struct building *b)
{
    const struct value *x = build_below(b, 1), *y = build_below(b, 0);
    return exact_is_met(b, x, y) || exact_is_met(b, y, x);
}

static void exact_fail_beyond(struct building *b, uint32_t at)
{
    build_fail(b, at,
               "a text is compared as a whole number only up to 2^63: compare texts, as in id == "
               "'9223372036854775808', or doubles, as in number(id) > 1e20");
}

void exact_want(struct building *b, uint32_t depth)
{
    const struct value *v = build_below(b, depth);
    if (exact_is_number(v) && fabs(exact_number_of(b, v)) >= INTEGERS_END)
        exact_fail_beyond(b, v->at);
}

bool exact_wants_members(struct building *b, uint32_t first, uint32_t at)
{
    bool shared = false, beyond = false;
    for (uint32_t i = first; i < b->e->n_constants; i++) {
        const struct expression_constant *k = &b->e->constant[i];
        shared |= exact_is_shared(k->number);
        beyond |= k->integer == LEAT_NO_INT64 && fabs(k->number) >= INTEGERS_END;
    }
    bool exact = build_below(b, 0)->type == EXPRESSION_EXACT;
    if (!shared) return exact;
    if (!exact && !exact_is_text(build_below(b, 0)))
        exact_fail(b, at);
    else if (beyond)
        exact_fail_beyond(b, at);
    return true;
}

bool exact_is_large_text(const struct building *b, const struct value *v)
{
    double x;
    if (v->constant < 0) return false;
    const struct expression_constant *k = &b->e->constant[v->constant];
    const char *text = b->e->text + k->text.off;
    return decimal_whole(text, text + k->text.len, &x) == DECIMAL_OK &&
           (exact_is_shared(x) || lexer_is_rounded(text, k->text.len, x));
}

/* ---- types ---- */

static const char *types_type_text(enum expression_type type)
{
    return type == EXPRESSION_TEXTS        ? "a text"
           : type == EXPRESSION_CONDITIONS ? "a condition"
                                           : "a number";
}

enum expression_type types_given(char letter, enum expression_type of)
{
    return letter == 't'   ? EXPRESSION_TEXTS
           : letter == 'n' ? EXPRESSION_NUMBERS
           : letter == 'c' ? EXPRESSION_CONDITIONS
                           : of;
}

/* True unless v is a constant text that does not contain a number. */
static bool types_is_number(const struct building *b, const struct value *v)
{
    double x;
    if (v->constant < 0) return true;
    const char *s = b->e->text + b->e->constant[v->constant].text.off;
    return decimal_whole(s, s + b->e->constant[v->constant].text.len, &x) == DECIMAL_OK;
}

/* Returns a remedy for using `and`, `or` or `not` with values, as in Lua. */
static const char *types_cure(const char *who)
{
    if (!strcmp(who, "not")) return ": is_missing(x) is true if x has no value";
    if (strcmp(who, "and") != 0 && strcmp(who, "or") != 0) return "";
    return ": to choose one of two values write if(condition, a, b), or coalesce(x, 0), which is 0 "
           "if x has no value";
}

void types_want(struct building *b, uint32_t depth, enum expression_type type, const char *who)
{
    if (b->failed) return;
    struct value *v = build_below(b, depth);
    if (v->type == type || v->type == EXPRESSION_ANY || type == EXPRESSION_ANY) return;
    if (type == EXPRESSION_INTEGERS && build_integer(b, depth)) return;
    if (type == EXPRESSION_CONDITIONS)
        build_fail(b, v->at, "%s wants a condition, such as x > 0, and this is %s%s", who,
                   types_type_text(v->type), types_cure(who));
    else if (v->type == EXPRESSION_CONDITIONS && type != EXPRESSION_TEXTS)
        build_fail(b, v->at, "%s wants %s, and this is a condition: write if(condition, 1, 0)", who,
                   types_type_text(type));
    else if (type == EXPRESSION_INTEGERS)
        build_fail(b, v->at, "%s wants a whole number of 64 bits, and this is %s", who,
                   v->type == EXPRESSION_TEXTS ? "a text" : "a double");
    else if (type == EXPRESSION_NUMBERS && !types_is_number(b, v))
        build_fail(b, v->at, "%s wants a number, and this text is not one", who);
    else if (type == EXPRESSION_NUMBERS && exact_is_large_text(b, v))
        exact_fail(b, v->at);
    else
        build_conversion(b, depth, type == EXPRESSION_NUMBERS ? &to_number : &to_text);
}

bool types_have_integers(struct building *b, uint32_t n)
{
    for (uint32_t i = 0; i < n && !b->failed; i++)
        if (build_below(b, i)->type == EXPRESSION_INTEGERS) return true;
    return false;
}

static bool types_is_whole(struct building *b, uint32_t depth)
{
    const struct value *v = build_below(b, depth);
    return v->type == EXPRESSION_INTEGERS || (v->type == EXPRESSION_NUMBERS && v->constant >= 0 &&
                                              b->e->constant[v->constant].integer != LEAT_NO_INT64);
}

void types_join_integers(struct building *b, uint32_t n, const char *who)
{
    bool whole = true;
    if (!types_have_integers(b, n)) return;
    for (uint32_t i = 0; i < n; i++)
        whole = whole && types_is_whole(b, i);
    for (uint32_t i = 0; i < n && !b->failed; i++)
        if (whole)
            build_integer(b, i);
        else if (build_below(b, i)->type == EXPRESSION_INTEGERS)
            types_want(b, i, EXPRESSION_NUMBERS, who);
}

/* Accepts operands of any type, unlike other types_ functions. */
void types_settle_exact(struct building *b, uint32_t n, const char *who)
{
    for (uint32_t i = 0; i < n && !b->failed; i++)
        if (build_below(b, i)->type == EXPRESSION_EXACT) types_want(b, i, EXPRESSION_NUMBERS, who);
}

/* Prepares one side of an exact comparison: makes it an exact value, an integer or a number.
 * Returns its kind (SIDE_). A constant below 2^53 becomes an integer only if `integers`. */
static uint32_t types_exact_side(struct building *b, uint32_t depth, bool integers, const char *who)
{
    const struct value *v = build_below(b, depth);
    if (b->failed) return 0;
    if (exact_is_text(v)) build_conversion(b, depth, &to_exact);
    if (v->type == EXPRESSION_EXACT) return SIDE_EXACT;
    bool small = v->constant >= 0 && fabs(exact_number_of(b, v)) < EXPRESSION_WHOLE;
    if ((integers || !small) && build_integer(b, depth)) return SIDE_INTEGERS;
    types_want(b, depth, EXPRESSION_NUMBERS, who);
    return 0;
}

uint32_t types_exact_sides(struct building *b, const char *who)
{
    uint32_t left = types_exact_side(b, 1, true, who), right = types_exact_side(b, 0, true, who);
    if (!b->failed && left & SIDE_EXACT) exact_want(b, 0);
    if (!b->failed && right & SIDE_EXACT) exact_want(b, 1);
    return left | right << 1;
}

/* True if the value may be a whole number that no double represents. */
static bool types_is_exact(const struct value *v)
{
    return v->type == EXPRESSION_INTEGERS || v->type == EXPRESSION_EXACT || exact_is_text(v);
}

void types_calculate(struct building *b, const struct expression_function *f, uint32_t n,
                     uint32_t at)
{
    uint32_t sides = 0, integers = 0;
    bool exact = false;
    for (uint32_t i = 0; i < n && !b->failed; i++)
        exact = exact || types_is_exact(build_below(b, i));
    bool has_integers = types_have_integers(b, n);
    for (uint32_t i = n; i-- > 0 && !b->failed;)
        if (exact && f->run_of_integers)
            sides |= types_exact_side(b, i, has_integers, f->name) << (n - 1 - i);
        else if (build_below(b, i)->type == EXPRESSION_EXACT)
            build_conversion(b, i, &to_double);
        else
            types_want(b, i, EXPRESSION_NUMBERS, f->name);
    for (uint32_t i = 0; i < n; i++)
        integers += (sides >> i & SIDE_INTEGERS) != 0;
    enum expression_type type = !(exact && f->run_of_integers) ? EXPRESSION_NUMBERS
                                : integers == n                ? EXPRESSION_INTEGERS
                                                               : EXPRESSION_EXACT;
    build_call(b, f, n, type, sides, 0, at);
}

/* Replaces the constant true or false (or 'true' or 'false') by the same truth value of another
 * type. */
static void types_respell(struct building *b, uint32_t depth, bool holds, enum expression_type type)
{
    struct value *v = build_below(b, depth);
    const char *text = type == EXPRESSION_TEXTS ? holds ? "true" : "false" : NULL;
    struct literal x = {holds, LEAT_NO_INT64, false};
    uint32_t k = build_constant(b, x, text, text ? strlen(text) : 0, v->at);
    for (uint32_t i = 0; i < b->e->n_steps && !b->failed; i++) {
        struct expression_step *s = &b->e->step[i];
        if (s->kind != STEP_CONSTANT || s->arg != (uint32_t)v->constant) continue;
        s->arg = k;
        s->type = text ? EXPRESSION_TEXTS : EXPRESSION_NUMBERS;
    }
    v->constant = (int32_t)k;
    v->type = type;
}

/* Returns 1 for the constant text 'true', 0 for 'false', and -1 for others. */
static int types_truth(const struct building *b, const struct value *v)
{
    if (v->type != EXPRESSION_TEXTS || v->constant < 0) return -1;
    struct leat_str s = b->e->constant[v->constant].text;
    const char *text = b->e->text + s.off;
    if (s.len == 4 && !memcmp(text, "true", 4)) return 1;
    return s.len == 5 && !memcmp(text, "false", 5) ? 0 : -1;
}

void types_join_truth(struct building *b)
{
    for (uint32_t i = 0; i < 2 && !b->failed; i++) {
        const struct value *v = build_below(b, i), *other = build_below(b, 1 - i);
        int truth = types_truth(b, v);
        if (other->type == EXPRESSION_CONDITIONS && truth >= 0)
            types_respell(b, i, truth, EXPRESSION_CONDITIONS);
        else if (other->type == EXPRESSION_TEXTS && other->constant < 0 && v->constant >= 0 &&
                 v->type == EXPRESSION_CONDITIONS)
            types_respell(b, i, b->e->constant[v->constant].number == 1, EXPRESSION_TEXTS);
    }
}

void types_check_quoted(struct building *b, const char *who)
{
    for (uint32_t i = 0; i < 2 && !b->failed; i++) {
        const struct value *text = build_below(b, i), *number = build_below(b, 1 - i);
        bool is_number = number->type == EXPRESSION_NUMBERS || number->type == EXPRESSION_INTEGERS;
        if (text->type != EXPRESSION_TEXTS || text->constant < 0) continue;
        if (!is_number && number->type != EXPRESSION_EXACT) continue;
        const struct expression_constant *k = &b->e->constant[text->constant];
        build_fail(b, text->at,
                   "%s stands between a number and the text '%.*s': write a number without quotes",
                   who, (int)k->text.len, b->e->text + k->text.off);
    }
}

enum expression_type types_same(struct building *b, uint32_t n, const char *who)
{
    enum expression_type type = EXPRESSION_ANY;
    for (uint32_t i = n; i-- > 0 && !b->failed;) {
        const struct value *v = build_below(b, i);
        if (type == EXPRESSION_ANY) type = v->type;
        if (v->type != type && v->type != EXPRESSION_ANY)
            build_fail(b, v->at, "%s wants values of one type, and this is %s after %s: write %s",
                       who, types_type_text(v->type), types_type_text(type),
                       type == EXPRESSION_TEXTS ? "text(…)" : "number(…)");
    }
    return type;
}

enum expression_type types_compared(struct building *b, bool order)
{
    const struct value *x = build_below(b, 1), *y = build_below(b, 0);
    bool conditions = x->type == EXPRESSION_CONDITIONS || y->type == EXPRESSION_CONDITIONS;
    if (conditions && !order) return EXPRESSION_CONDITIONS;
    bool unknown = x->type == EXPRESSION_ANY || y->type == EXPRESSION_ANY;
    bool text = x->type == EXPRESSION_TEXTS || y->type == EXPRESSION_TEXTS;
    /* a constant text and a value of unknown type are compared as texts, because the text may be no
     * number */
    if (unknown && text && !order) return EXPRESSION_TEXTS;
    if (x->type != EXPRESSION_TEXTS || y->type != EXPRESSION_TEXTS) return EXPRESSION_NUMBERS;
    return order && !x->is_made && !y->is_made ? EXPRESSION_NUMBERS : EXPRESSION_TEXTS;
}
