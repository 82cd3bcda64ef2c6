/* expression_steps.h -- special cells, and the tables of functions and steps of expressions. */
#ifndef LEAT_SHAPE_EXPRESSION_STEPS_H
#define LEAT_SHAPE_EXPRESSION_STEPS_H

#include "expression.h"

/* ---- missing and bad cells ---- */

#define CELL_NONE                                                                                  \
    UINT64_C(0x7ff8000000000000) /* NaN of a missing number; bad: the step + 1 in its low bits */
enum { CELL_FULL = 0xffff };     /* mark of a bad cell: the batch has no room for its text */
#define EXPRESSION_WHOLE 0x1p53  /* below this limit, every whole number is a double */

static inline double number_missing(void) { return double_of_bits(CELL_NONE); }
static inline double number_bad(uint32_t step) { return double_of_bits(CELL_NONE | (step + 1)); }

static inline struct leat_str text_none(uint32_t badness)
{
    return (struct leat_str){badness, LEAT_NULL};
}
static inline double number_of_none(struct leat_str s) { return double_of_bits(CELL_NONE | s.off); }

/* Convert the form of numbers in texts to step.arg, and back. */
static inline uint32_t form_to_arg(struct grouped form)
{
    return (uint32_t)(unsigned char)form.decimal | (uint32_t)(unsigned char)form.thousands << 8;
}
static inline struct grouped form_of_arg(uint32_t arg)
{
    return (struct grouped){(char)(arg & 0xff), (char)(arg >> 8)};
}

/* Kinds of a comparison's two sides, as bits of step.arg. The bits of the right side are shifted
 * left by one. If no bit of a side is set, the side is a double. */
enum { SIDE_INTEGERS = 1, SIDE_EXACT = 4 };

/* Marks of an exact value. The digits of a whole number beyond 2^63 are rounded to a double, whose
 * mark is MARK_BEYOND + the step that has read it. Its order with another double is right unless
 * the two are equal; then, and in arithmetic, the result is bad. */
enum { MARK_INTEGER = 1, MARK_BEYOND = 2 };

static inline bool mark_is_beyond(uint32_t mark) { return mark >= MARK_BEYOND; }
static inline double number_bad_of(uint32_t mark) { return number_bad(mark - MARK_BEYOND); }

/* ---- functions ---- */

/* Call of a function on n cells. The result replaces arg[0]. */
struct call {
    const struct expression *e;
    const struct expression_step *step;
    struct leat_batch *b;
    uint32_t base; /* position of the constants in the batch */
    uint32_t n;
};
typedef void function_run(const struct call *, union leat_cells *arg);

/* Bound on the text of a result, depending on the operands. */
enum function_bound {
    BOUND_NONE,   /* the result is not a text */
    BOUND_SLICE,  /* the result is part of the first operand, so it adds nothing to the batch */
    BOUND_EITHER, /* the result is one of the operands */
    BOUND_CASE,   /* the result is the first operand in another case, at most 1.5 times as long */
    BOUND_JOIN,   /* the result is all operands, one after another */
    BOUND_REPLACE,
    BOUND_NUMBER,  /* the result is a number as text */
    BOUND_CONSTANT /* the result is one of the constants of the call */
};

/* A function or operator. `takes` has a letter for each operand: t text, n number, c condition, a
 * any type (the same for all `a`), i number or integer (the same for all `i`), e number that is not
 * rounded (a whole number that no double holds is bad), N constant numbers.
 * The operands after '[' are optional. '+' means that the last operand may be repeated. */
struct expression_function {
    const char *name, *takes;
    char gives; /* type of the result: t, n, c, a or i */
    uint8_t bound;
    function_run *run;             /* for numbers; for all types if the two below are NULL */
    function_run *run_of_text;     /* used if the operands `a` are texts */
    function_run *run_of_integers; /* used if an operand is an integer */
    const char *usage;             /* for messages, such as "substring(text, first, count)" */
};

const struct expression_function *function_find(const char *name, size_t len);
/* Returns the function whose name is most similar to a wrong name; NULL if none is similar. */
const char *function_near(const char *name);
/* Writes the names "lower, upper, …" to `out`. */
const char *function_names(char *out, size_t cap);

/* Operators and conversions. They have no function name. */
extern const struct expression_function operator_add, operator_subtract, operator_multiply,
    operator_divide, operator_floor_divide, operator_modulo, operator_negate, operator_and,
    operator_or, operator_not, operator_less, operator_at_most, operator_equal, operator_in,
    operator_join;
/* The operators >, >= and !=. */
extern const struct expression_function operator_greater, operator_at_least, operator_unequal;
extern const struct expression_function to_number, to_text, to_exact;
/* Converts texts to doubles. Makes a bad cell of a whole number that no double represents. */
extern const struct expression_function to_same;
/* Converts integers and exact values to doubles, with rounding. to_number, in contrast, makes a bad
 * cell of a whole number that no double represents. */
extern const struct expression_function to_double;
/* Operator `in` with exact values. */
extern const struct expression_function operator_in_exact;

/* Steps of numbers and conditions (expression_numbers.c). */
function_run run_add, run_subtract, run_multiply, run_divide, run_floor_divide, run_modulo,
    run_negate;
/* Return the quotient rounded down, and the remainder with the sign of b. Return NaN if b is 0. */
double numbers_floor_divide(double a, double b);
double numbers_modulo(double a, double b);
function_run run_and, run_or, run_not, run_if, run_coalesce, run_is_missing, run_in;
function_run run_less, run_at_most, run_greater, run_at_least, run_equal, run_unequal;
function_run run_abs, run_floor, run_ceil, run_round, run_sqrt, run_log, run_min, run_max;
/* Steps of integers (expression_integers.c). */
function_run run_less_integer, run_at_most_integer, run_greater_integer, run_at_least_integer,
    run_equal_integer, run_unequal_integer, run_in_integer, run_if_integer, run_coalesce_integer,
    run_is_missing_integer, run_min_integer, run_max_integer;
/* Steps of integers or exact values. One operand may be a number. */
function_run run_add_integer, run_subtract_integer, run_multiply_integer, run_floor_divide_integer,
    run_modulo_integer, run_negate_integer, run_integer_to_number, run_integer_to_text;
/* True if an operand of an arithmetic step is an integer that no double holds, and the other one
 * has a fraction, in the first cell of the block. Sets *n to the integer. */
bool integers_lost(const struct call *c, const union leat_cells *arg, int64_t *n);
/* Steps of exact values. */
function_run run_in_exact, run_to_exact, run_number, run_to_same;
/* Returns the integer in a text; LEAT_NO_INT64 if the text is no integer of 64 bits. */
int64_t integer_read(const char *s, size_t n);
/* Steps of texts (expression_texts.c). */
function_run run_less_text, run_at_most_text, run_greater_text, run_at_least_text, run_equal_text,
    run_unequal_text, run_if_text, run_coalesce_text, run_is_missing_text, run_in_text;
function_run run_lower, run_upper, run_trim, run_substring, run_split, run_before, run_after,
    run_replace, run_length, run_contains, run_starts_with, run_ends_with, run_hash, run_join;
function_run run_to_number, run_to_text, run_bucket;
/* Returns the number in a text without blanks around it, with a decimal point. Sets *n to its
 * length; 0 if the text is blank or not of the step's form. The result may be in `plain`. */
const char *text_of_number(const struct call *c, struct leat_str s, char plain[GROUPED_MAX],
                           size_t *n);

#endif
