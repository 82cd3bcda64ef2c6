/* expression_numbers.c -- steps of numbers and conditions, each a loop over a block of cells.
 *
 * A condition is the number 1 or 0. An operation on NaN gives NaN. If the result is NaN, the
 * operands are checked: the result is bad if an operand is bad, otherwise missing. A result that is
 * not finite is missing. */
#include "expression_steps.h"

#include "core/exp.h"
#include "core/pow10.h"

/* Returns the cell for an operation on a and b that has given NaN: bad if a or b is bad, otherwise
 * missing. */
static double numbers_settle(double a, double b)
{
    if (expression_bad_number(a)) return a;
    return expression_bad_number(b) ? b : number_missing();
}

static inline double numbers_finite_or(double result, double a, double b)
{
    return isfinite(result) ? result : numbers_settle(a, b);
}

#define EACH(c) for (uint32_t i = 0; i < (c)->n; i++)

#define BINARY(NAME, RESULT)                                                                       \
    void run_##NAME(const struct call *c, union leat_cells *arg)                                   \
    {                                                                                              \
        double *x = arg[0].number;                                                                 \
        const double *y = arg[1].number;                                                           \
        EACH(c)                                                                                    \
        {                                                                                          \
            double a = x[i], b = y[i];                                                             \
            x[i] = numbers_finite_or(RESULT, a, b);                                                \
        }                                                                                          \
    }
#define UNARY(NAME, RESULT)                                                                        \
    void run_##NAME(const struct call *c, union leat_cells *arg)                                   \
    {                                                                                              \
        double *x = arg[0].number;                                                                 \
        EACH(c)                                                                                    \
        {                                                                                          \
            double a = x[i];                                                                       \
            x[i] = numbers_finite_or(RESULT, a, a);                                                \
        }                                                                                          \
    }

double numbers_modulo(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* Computes the quotient from the exact remainder, because floor(a / b) may be 1 too large: a / b is
 * rounded. */
double numbers_floor_divide(double a, double b)
{
    double r = fmod(a, b), q = (a - r) / b;
    return round(r != 0 && (r < 0) != (b < 0) ? q - 1 : q);
}

static inline double numbers_logarithm(double a)
{
    return a > 0 ? exp_log_all(a) : number_missing();
}

BINARY(add, a + b)
BINARY(subtract, a - b)
BINARY(multiply, a *b)
BINARY(divide, a / b)
BINARY(floor_divide, numbers_floor_divide(a, b))
BINARY(modulo, numbers_modulo(a, b))
UNARY(negate, -a)
UNARY(abs, fabs(a))
UNARY(floor, floor(a))
UNARY(ceil, ceil(a))
UNARY(sqrt, sqrt(a))
UNARY(log, numbers_logarithm(a))

enum { DIGITS_MAX = 22 }; /* largest power of ten that is an exact double */

static double numbers_round_to(double a, double digits)
{
    double d = trunc(digits);
    if (!(fabs(d) <= DIGITS_MAX)) return isnan(d) || isnan(a) || d > 0 ? a : 0;
    double power = pow10_f64[(int)fabs(d)];
    double scaled = d < 0 ? a / power : a * power;
    if (fabs(scaled) >= 0x1p52) return a; /* there is nothing to round, or scaling overflows */
    return d < 0 ? round(scaled) * power : round(scaled) / power;
}

void run_round(const struct call *c, union leat_cells *arg)
{
    double *x = arg[0].number;
    const double *digits = arg[1].number;
    EACH(c)
    {
        double a = x[i], d = c->step->n > 1 ? digits[i] : 0;
        x[i] = isnan(d) ? numbers_settle(a, d) : numbers_finite_or(numbers_round_to(a, d), a, d);
    }
}

#define FOLD(NAME, BETTER)                                                                         \
    void run_##NAME(const struct call *c, union leat_cells *arg)                                   \
    {                                                                                              \
        double *x = arg[0].number;                                                                 \
        for (uint32_t k = 1; k < c->step->n; k++)                                                  \
            EACH(c)                                                                                \
            {                                                                                      \
                double a = x[i], b = arg[k].number[i];                                             \
                x[i] = isnan(a) || isnan(b) ? numbers_settle(a, b) : BETTER ? b : a;               \
            }                                                                                      \
    }
FOLD(min, b < a)
FOLD(max, b > a)

/* ---- comparisons ---- */

#define COMPARE(NAME, HOLDS)                                                                       \
    void run_##NAME(const struct call *c, union leat_cells *arg)                                   \
    {                                                                                              \
        double *x = arg[0].number;                                                                 \
        const double *y = arg[1].number;                                                           \
        EACH(c)                                                                                    \
        {                                                                                          \
            double a = x[i], b = y[i];                                                             \
            x[i] = isnan(a) || isnan(b) ? numbers_settle(a, b) : (HOLDS);                          \
        }                                                                                          \
    }
COMPARE(less, a < b)
COMPARE(at_most, a <= b)
COMPARE(greater, a > b)
COMPARE(at_least, a >= b)
COMPARE(equal, a == b)
COMPARE(unequal, a != b)

void run_in(const struct call *c, union leat_cells *arg)
{
    const struct expression_constant *k = c->e->constant + c->step->arg;
    double *x = arg[0].number;
    EACH(c)
    {
        uint32_t j = 0;
        if (isnan(x[i])) continue;
        while (j < c->step->n_constants && k[j].number != x[i])
            j++;
        x[i] = j < c->step->n_constants;
    }
}

/* ---- conditions: 1, 0, missing or bad ---- */

/* If one operand is false, the result is false even if the other is missing. */
void run_and(const struct call *c, union leat_cells *arg)
{
    double *x = arg[0].number;
    const double *y = arg[1].number;
    EACH(c)
    {
        double a = x[i], b = y[i];
        x[i] = a == 0 || b == 0 ? 0 : isnan(a) || isnan(b) ? numbers_settle(a, b) : 1;
    }
}

void run_or(const struct call *c, union leat_cells *arg)
{
    double *x = arg[0].number;
    const double *y = arg[1].number;
    EACH(c)
    {
        double a = x[i], b = y[i];
        x[i] = a == 1 || b == 1 ? 1 : isnan(a) || isnan(b) ? numbers_settle(a, b) : 0;
    }
}

void run_not(const struct call *c, union leat_cells *arg)
{
    double *x = arg[0].number;
    EACH(c)
    if (!isnan(x[i])) x[i] = x[i] == 0;
}

void run_if(const struct call *c, union leat_cells *arg)
{
    double *x = arg[0].number;
    EACH(c)
    {
        double otherwise = c->step->n > 2 ? arg[2].number[i] : number_missing();
        if (!isnan(x[i])) x[i] = x[i] == 1 ? arg[1].number[i] : otherwise;
    }
}

static bool numbers_is_none(double x) { return isnan(x) && !expression_bad_number(x); }

void run_coalesce(const struct call *c, union leat_cells *arg)
{
    double *x = arg[0].number;
    for (uint32_t k = 1; k < c->step->n; k++)
        EACH(c)
    if (numbers_is_none(x[i])) x[i] = arg[k].number[i];
}

void run_is_missing(const struct call *c, union leat_cells *arg)
{
    double *x = arg[0].number;
    EACH(c)
    if (!expression_bad_number(x[i])) x[i] = isnan(x[i]);
}
