/* expression_integers.c -- steps of 64-bit integers, each a loop over a block of cells.
 *
 * Nothing is rounded, also if an integer is compared with a double. An exact value is an integer or
 * a double. */
#include "expression_steps.h"

#include <string.h>

#include "core/exact_number.h"
#include "core/report/text_out.h"
#include "core/text/number_text.h"
#include "kernels/text/decimal.h"

#define EACH(c) for (uint32_t i = 0; i < (c)->n; i++)

int64_t integer_read(const char *s, size_t n)
{
    int64_t x;
    return number_text_int64(s, s + n, &x) > 0 ? x : LEAT_NO_INT64;
}

static bool integers_is_none(int64_t x) { return x == LEAT_NO_INT64; }

/* Returns a missing or bad integer as a number: a NaN with the integer's mark. */
static double integers_double_of_none(union leat_cells x, uint32_t i)
{
    return double_of_bits(CELL_NONE | expression_marks(x)[i]);
}

/* True if cell i of exact values is an integer. */
static bool integers_is_whole(union leat_cells x, uint32_t i)
{
    return expression_marks(x)[i] == MARK_INTEGER;
}

static void integers_set(union leat_cells to, uint32_t i, union leat_cells from)
{
    to.int64[i] = from.int64[i];
    expression_marks(to)[i] = expression_marks(from)[i];
}

static void integers_set_none(union leat_cells to, uint32_t i, uint32_t mark)
{
    to.int64[i] = LEAT_NO_INT64;
    expression_marks(to)[i] = (uint16_t)mark;
}

/* ---- comparisons; one side may be a double ---- */

/* Returns side k of a comparison. If that side has no value, returns NaN and sets *none to the
 * side's missing or bad cell. A bad cell that is already in *none stays. */
static struct exact_number integers_side(const struct call *c, union leat_cells x, uint32_t k,
                                         uint32_t i, double *none)
{
    uint32_t is = c->step->arg >> k;
    bool integer = is & SIDE_INTEGERS || (is & SIDE_EXACT && integers_is_whole(x, i));
    bool missing = integer ? integers_is_none(x.int64[i]) : isnan(x.number[i]);
    if (!missing) return integer ? exact_integer(x.int64[i]) : exact_double(x.number[i]);
    if (!expression_bad_number(*none))
        *none = integer ? integers_double_of_none(x, i) : x.number[i];
    return exact_double((double)NAN);
}

/* True if one of the operands has an integer in this block. Columns of exact values have integers
 * only in few blocks. */
static bool integers_have(const struct call *c, const union leat_cells *arg)
{
    uint16_t marks = 0;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t is = c->step->arg >> k;
        if (is & SIDE_INTEGERS) return true;
        if (!(is & SIDE_EXACT)) continue;
        EACH(c)
        marks |= expression_marks(arg[k])[i];
    }
    return marks;
}

/* Returns the order of the two sides. Sets *none to a NaN if a side has no value, or if the sides
 * are equal, but one of them is rounded. */
static int integers_order(const struct call *c, const union leat_cells *arg, uint32_t i,
                          double *none)
{
    struct exact_number a = integers_side(c, arg[0], 0, i, none);
    int order = exact_order(a, integers_side(c, arg[1], 1, i, none));
    for (uint32_t k = 0; k < 2 && !order; k++) {
        uint32_t mark = c->step->arg >> k & SIDE_EXACT ? expression_marks(arg[k])[i] : 0;
        if (mark_is_beyond(mark)) *none = number_bad_of(mark);
    }
    return order;
}

#define COMPARE(NAME, HOLDS)                                                                       \
    void run_##NAME##_integer(const struct call *c, union leat_cells *arg)                         \
    {                                                                                              \
        if (!integers_have(c, arg)) {                                                              \
            run_##NAME(c, arg);                                                                    \
            return;                                                                                \
        }                                                                                          \
        EACH(c)                                                                                    \
        {                                                                                          \
            double none = 0;                                                                       \
            int order = integers_order(c, arg, i, &none);                                          \
            arg[0].number[i] = isnan(none) ? none : (HOLDS);                                       \
        }                                                                                          \
    }
COMPARE(less, order == -1)
COMPARE(at_most, order <= 0)
COMPARE(greater, order == 1)
COMPARE(at_least, order == 0 || order == 1)
COMPARE(equal, order == 0)
COMPARE(unequal, order != 0)

static bool integers_is_constant(const struct expression_constant *k, struct exact_number x)
{
    return !exact_order(x, integers_is_none(k->integer) ? exact_double(k->number)
                                                        : exact_integer(k->integer));
}

void run_in_integer(const struct call *c, union leat_cells *arg)
{
    const struct expression_constant *k = c->e->constant + c->step->arg;
    EACH(c)
    {
        int64_t x = arg[0].int64[i];
        uint32_t j = 0;
        while (j < c->step->n_constants && !integers_is_constant(&k[j], exact_integer(x)))
            j++;
        arg[0].number[i] =
            integers_is_none(x) ? integers_double_of_none(arg[0], i) : j < c->step->n_constants;
    }
}

void run_in_exact(const struct call *c, union leat_cells *arg)
{
    const struct expression_constant *k = c->e->constant + c->step->arg;
    EACH(c)
    {
        double x = arg[0].number[i];
        bool integer = integers_is_whole(arg[0], i);
        uint32_t j = 0, mark = expression_marks(arg[0])[i];
        if (!integer && isnan(x)) continue;
        struct exact_number exact = integer ? exact_integer(arg[0].int64[i]) : exact_double(x);
        while (j < c->step->n_constants && !integers_is_constant(&k[j], exact))
            j++;
        bool is_in = j < c->step->n_constants;
        arg[0].number[i] = is_in && mark_is_beyond(mark) ? number_bad_of(mark) : is_in;
    }
}

void run_is_missing_integer(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    arg[0].number[i] = expression_bad_integer(arg[0], i) ? integers_double_of_none(arg[0], i)
                                                         : integers_is_none(arg[0].int64[i]);
}

/* ---- choice ---- */

void run_if_integer(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    {
        double x = arg[0].number[i];
        if (isnan(x))
            integers_set_none(arg[0], i, expression_bad_number(x));
        else if (x == 1)
            integers_set(arg[0], i, arg[1]);
        else if (c->step->n > 2)
            integers_set(arg[0], i, arg[2]);
        else
            integers_set_none(arg[0], i, 0);
    }
}

void run_coalesce_integer(const struct call *c, union leat_cells *arg)
{
    for (uint32_t k = 1; k < c->step->n; k++)
        EACH(c)
    if (integers_is_none(arg[0].int64[i]) && !expression_marks(arg[0])[i])
        integers_set(arg[0], i, arg[k]);
}

#define FOLD(NAME, BETTER)                                                                         \
    void run_##NAME##_integer(const struct call *c, union leat_cells *arg)                         \
    {                                                                                              \
        for (uint32_t k = 1; k < c->step->n; k++)                                                  \
            EACH(c)                                                                                \
            {                                                                                      \
                int64_t a = arg[0].int64[i], b = arg[k].int64[i];                                  \
                if (expression_bad_integer(arg[0], i)) continue;                                   \
                if (integers_is_none(b) || (!integers_is_none(a) && (BETTER)))                     \
                    integers_set(arg[0], i, arg[k]);                                               \
            }                                                                                      \
    }
FOLD(min, b < a)
FOLD(max, b > a)

/* ---- arithmetic ---- */

/* Operand of an arithmetic step: the integer n if `whole`, otherwise the double x, which may be
 * missing or bad. */
struct exact {
    bool whole;
    int64_t n;
    double x; /* if `whole`, n as a double */
};

/* Reads a cell. A double that is a whole number below 2^63 counts as an integer too. */
static struct exact integers_cell(const struct call *c, union leat_cells x, uint32_t k, uint32_t i)
{
    uint32_t is = c->step->arg >> k;
    uint32_t mark = is & SIDE_EXACT ? expression_marks(x)[i] : 0;
    bool integer = is & SIDE_INTEGERS || mark == MARK_INTEGER;
    if (mark_is_beyond(mark)) return (struct exact){.x = number_bad_of(mark)};
    if (integer && integers_is_none(x.int64[i]))
        return (struct exact){.x = integers_double_of_none(x, i)};
    if (integer) return (struct exact){true, x.int64[i], (double)x.int64[i]};
    double d = x.number[i];
    bool whole = fabs(d) < 0x1p63 && d == trunc(d);
    return (struct exact){whole, whole ? (int64_t)d : 0, d};
}

/* Sets *r to the result. Returns false if the result is not an integer of 64 bits. */
typedef bool integers_exact(int64_t a, int64_t b, int64_t *r);

static bool integers_add(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_add_overflow(a, b, r) && *r != LEAT_NO_INT64;
}

static bool integers_subtract(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_sub_overflow(a, b, r) && *r != LEAT_NO_INT64;
}

static bool integers_multiply(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_mul_overflow(a, b, r) && *r != LEAT_NO_INT64;
}

static bool integers_modulo(int64_t a, int64_t b, int64_t *r)
{
    if (!b) return false;
    *r = a % b;
    if (*r && (*r < 0) != (b < 0)) *r += b;
    return true;
}

static bool integers_floor_divide(int64_t a, int64_t b, int64_t *r)
{
    if (!b) return false;
    *r = a / b - (a % b && (a % b < 0) != (b < 0));
    return true;
}

static void integers_put(const struct call *c, union leat_cells to, uint32_t i, struct exact r)
{
    bool large = r.whole && !(fabs(r.x) < EXPRESSION_WHOLE);
    if (c->step->type == EXPRESSION_INTEGERS && !r.whole)
        integers_set_none(to, i, expression_bad_number(r.x));
    else if (c->step->type == EXPRESSION_INTEGERS || large)
        to.int64[i] = r.n;
    else
        to.number[i] = r.x;
    if (c->step->type == EXPRESSION_EXACT) expression_marks(to)[i] = large ? MARK_INTEGER : 0;
}

/* True if a is an integer that no double holds, and b has a fraction. */
static bool integers_lose(struct exact a, struct exact b)
{
    return a.whole && !exact_fits_double(a.n) && b.x != trunc(b.x);
}

bool integers_lost(const struct call *c, const union leat_cells *arg, int64_t *n)
{
    struct exact a = integers_cell(c, arg[0], 0, 0), b = integers_cell(c, arg[1], 1, 0);
    *n = integers_lose(a, b) ? a.n : b.n;
    return integers_lose(a, b) || integers_lose(b, a);
}

/* Returns the result of an operation. If a and b are integers, it is the result of `exact`, or
 * missing beyond 2^63. Otherwise it is x, the caller's result in doubles; a bad one if the fraction
 * of an operand would cost the other one digits. */
static struct exact integers_apply(const struct call *c, struct exact a, struct exact b,
                                   integers_exact *exact, double x)
{
    struct exact r = {.whole = a.whole && b.whole};
    bool loses = !r.whole && (integers_lose(a, b) || integers_lose(b, a));
    if (loses && isfinite(x))
        return (struct exact){.x = number_bad((uint32_t)(c->step - c->e->step))};
    if (!r.whole && isfinite(x)) return (struct exact){.x = x};
    if (r.whole && exact(a.n, b.n, &r.n)) return (struct exact){true, r.n, (double)r.n};
    bool bad = expression_bad_number(a.x);
    return (struct exact){.x = bad ? a.x : expression_bad_number(b.x) ? b.x : number_missing()};
}

/* Defines a step that computes in doubles first, because a result below 2^53 is exact. */
#define ARITHMETIC(NAME, RESULT)                                                                   \
    void run_##NAME##_integer(const struct call *c, union leat_cells *arg)                         \
    {                                                                                              \
        bool integers = integers_have(c, arg);                                                     \
        EACH(c)                                                                                    \
        {                                                                                          \
            if (!integers) {                                                                       \
                double a = arg[0].number[i], b = arg[1].number[i], x = RESULT;                     \
                expression_marks(arg[0])[i] = 0;                                                   \
                if (fabs(x) < EXPRESSION_WHOLE) {                                                  \
                    arg[0].number[i] = x;                                                          \
                    continue;                                                                      \
                }                                                                                  \
            }                                                                                      \
            struct exact p = integers_cell(c, arg[0], 0, i), q = integers_cell(c, arg[1], 1, i);   \
            double a = p.x, b = q.x;                                                               \
            integers_put(c, arg[0], i, integers_apply(c, p, q, integers_##NAME, RESULT));          \
        }                                                                                          \
    }
ARITHMETIC(add, a + b)
ARITHMETIC(subtract, a - b)
ARITHMETIC(multiply, a *b)
ARITHMETIC(modulo, numbers_modulo(a, b))
ARITHMETIC(floor_divide, numbers_floor_divide(a, b))

void run_negate_integer(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    {
        struct exact a = integers_cell(c, arg[0], 0, i);
        integers_put(c, arg[0], i, (struct exact){a.whole, -a.n, isnan(a.x) ? a.x : -a.x});
    }
}

/* ---- conversions ---- */

/* Converts an integer to a double. If no double represents it, to_number makes a bad cell;
 * to_double rounds. */
static double integers_to_number(const struct call *c, int64_t n)
{
    bool strict = c->step->function == &to_number;
    return strict && !exact_fits_double(n) ? number_bad((uint32_t)(c->step - c->e->step))
                                           : (double)n;
}

void run_integer_to_number(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    {
        uint32_t mark =
            c->step->type == EXPRESSION_EXACT ? expression_marks(arg[0])[i] : MARK_INTEGER;
        if (mark_is_beyond(mark) && c->step->function == &to_number)
            arg[0].number[i] = number_bad_of(mark);
        if (mark != MARK_INTEGER) continue;
        arg[0].number[i] = integers_is_none(arg[0].int64[i])
                               ? integers_double_of_none(arg[0], i)
                               : integers_to_number(c, arg[0].int64[i]);
    }
}

static void integers_write(const struct call *c, union leat_cells to, uint32_t i, const char *s,
                           uint32_t n)
{
    uint32_t off = leat_add_bytes(c->b, n);
    if (off != LEAT_NULL) memcpy(c->b->bytes + off, s, n);
    to.text[i] = off == LEAT_NULL ? text_none(CELL_FULL) : (struct leat_str){off, n};
}

void run_integer_to_text(const struct call *c, union leat_cells *arg)
{
    const uint16_t *mark = expression_marks(arg[0]);
    bool exact = c->step->type == EXPRESSION_EXACT;
    EACH(c)
    {
        char out[TEXT_NUMBER];
        int64_t n = arg[0].int64[i];
        double x = arg[0].number[i];
        if (exact && mark_is_beyond(mark[i]))
            arg[0].text[i] = text_none(mark[i] - MARK_BEYOND + 1);
        else if (exact && !mark[i] && isnan(x))
            arg[0].text[i] = text_none(expression_bad_number(x));
        else if (exact && !mark[i])
            integers_write(c, arg[0], i, out,
                           (uint32_t)(x == trunc(x) && fabs(x) < EXPRESSION_WHOLE
                                          ? text_format_int(out, (int64_t)x)
                                          : text_format_double(out, x)));
        else if (integers_is_none(n))
            arg[0].text[i] = text_none(mark[i]);
        else
            integers_write(c, arg[0], i, out, (uint32_t)text_format_int(out, n));
    }
}

/* ---- exact texts ---- */

/* True if the text has only digits and a sign. */
static bool integers_are_digits(const char *s, size_t n)
{
    size_t i = *s == '-' || *s == '+';
    while (i < n && decimal_is_digit(s[i]))
        i++;
    return i == n;
}

/* Returns the length of a number without a fraction of zeros, as in 12.00. */
static size_t integers_length(const char *s, size_t n)
{
    size_t end = n;
    while (end > 1 && s[end - 1] == '0')
        end--;
    return s[end - 1] == '.' ? end - 1 : n;
}

/* Returns the mark of a text that is a number. If it is an integer, sets *whole to it. */
static uint32_t integers_mark(const struct call *c, struct leat_str text, int64_t *whole)
{
    char plain[GROUPED_MAX];
    size_t n;
    const char *s = text_of_number(c, text, plain, &n);
    n = integers_length(s, n);
    if (number_text_int64(s, s + n, whole) > 0) return MARK_INTEGER;
    return integers_are_digits(s, n) ? MARK_BEYOND + (uint32_t)(c->step - c->e->step) : 0;
}

/* Calls run_to_number. Returns true if a number of the block is at least 2^53; then `text` has the
 * texts of the block. */
static bool integers_read(const struct call *c, union leat_cells *arg,
                          struct leat_str text[EXPRESSION_BLOCK])
{
    bool large = false;
    memcpy(text, arg[0].text, c->n * sizeof *text);
    run_to_number(c, arg);
    EACH(c)
    large |= fabs(arg[0].number[i]) >= EXPRESSION_WHOLE;
    return large;
}

void run_to_exact(const struct call *c, union leat_cells *arg)
{
    struct leat_str text[EXPRESSION_BLOCK];
    uint16_t *mark = expression_marks(arg[0]);
    memset(mark, 0, c->n * sizeof *mark);
    if (!integers_read(c, arg, text)) return;
    EACH(c)
    {
        int64_t whole = 0;
        if (!(fabs(arg[0].number[i]) >= EXPRESSION_WHOLE)) continue;
        mark[i] = (uint16_t)integers_mark(c, text[i], &whole);
        if (mark[i] == MARK_INTEGER) arg[0].int64[i] = whole;
    }
}

void run_number(const struct call *c, union leat_cells *arg) { run_to_exact(c, arg); }

void run_to_same(const struct call *c, union leat_cells *arg)
{
    struct leat_str text[EXPRESSION_BLOCK];
    if (!integers_read(c, arg, text)) return;
    EACH(c)
    {
        int64_t whole = 0;
        if (!(fabs(arg[0].number[i]) >= EXPRESSION_WHOLE)) continue;
        uint32_t mark = integers_mark(c, text[i], &whole);
        if (mark_is_beyond(mark) || (mark && !exact_fits_double(whole)))
            arg[0].number[i] = number_bad((uint32_t)(c->step - c->e->step));
    }
}
