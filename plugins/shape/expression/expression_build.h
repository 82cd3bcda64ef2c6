/* expression_build.h -- builds the steps of an expression, and tracks types and bounds of values.
 *
 * The parser calls build_* in the order of the steps. A constant or a column pushes a value. A call
 * replaces its operands on top of the stack by its result. Operands are converted when the operator
 * is known. At that time the left side of `a < b` is below the right side. So a conversion has a
 * depth, the distance from the top.
 *
 * The first failure is stored in `error`. After it, calls have no effect, and the parser may go on.
 *
 * types_* convert a value to the type that an operator requires:
 *
 *   required    from a text                      from a number   from a condition
 *   number      to_number; refused for a         -               refused
 *               constant that is no number
 *   text        -                                to_text         to_text
 *   condition   refused                          refused         -
 *   integer     constants only                   constants only  refused
 *
 * An integer counts as a number, and becomes a double if a double is required. A value of type
 * EXPRESSION_ANY, unknown until the input is open, is not converted.
 *
 * exact_* handle whole numbers of at least 2^53, which may have no double of their own. They are
 * compared as integers or texts, or refused. */
#ifndef LEAT_SHAPE_EXPRESSION_BUILD_H
#define LEAT_SHAPE_EXPRESSION_BUILD_H

#include "expression_steps.h"
#include "expression_lexer.h"

enum { BUILD_NAME_BYTES = 512 }; /* bytes of a name in a message, with its terminating 0 */

struct value {
    enum expression_type type;
    struct expression_bound bound; /* bound on the bytes of the value, if it is a text */
    int32_t constant;              /* index of the constant; -1: the value is not a constant */
    bool is_made;                  /* true for a text that is computed or constant. If false, the
                                    * text is a column's, so `<` compares it as a number */
    struct grouped form;           /* how numbers are written in the text */
    uint32_t at;
};

/* Number in the text of the expression. */
struct literal {
    double number;
    int64_t integer; /* `number` as an integer; LEAT_NO_INT64 if it is not one */
    bool is_rounded; /* true if `number` differs from the number in the text */
};

struct building {
    struct expression *e;
    struct expression_error *error;
    bool failed;
    uint32_t n;
    struct value value[EXPRESSION_DEPTH]; /* simulated stack of n values; the last one is its top */
};

__attribute__((format(printf, 3, 4))) void build_fail(struct building *b, uint32_t at,
                                                      const char *format, ...);

/* Stores a constant without pushing it. Returns its index; 0 after a failure. */
uint32_t build_constant(struct building *b, struct literal x, const char *text, size_t len,
                        uint32_t at);
/* Stores a word in quotes as a constant, without pushing it. Returns its index. */
uint32_t build_text_constant(struct building *b, const struct word *w);

/* Push a constant. */
void build_number(struct building *b, struct literal x, uint32_t at);
void build_text(struct building *b, const struct word *w);
/* Pushes a column. `index` is its index in the schema, or EXPRESSION_RAW, _LABEL or _TIME. `bound`
 * and `form` describe its text. */
void build_column(struct building *b, enum expression_type type, uint32_t index,
                  struct expression_bound bound, struct grouped form, uint32_t at);

/* Returns the value `depth` places below the top. */
struct value *build_below(struct building *b, uint32_t depth);
/* Adds a conversion of the value `depth` places below the top. f is to_number, to_double,
 * to_same, to_exact or to_text. */
void build_conversion(struct building *b, uint32_t depth, const struct expression_function *f);
/* Returns true if the value `depth` places below the top is an integer, or a constant that it makes
 * an integer. Otherwise returns false. */
bool build_integer(struct building *b, uint32_t depth);
/* Adds a call, which replaces the n values on top by its result. `type` is the type of the operands
 * that have the letter `a` (expression_steps.h). */
void build_call(struct building *b, const struct expression_function *f, uint32_t n,
                enum expression_type type, uint32_t first_constant, uint32_t n_constants,
                uint32_t at);
/* Adds a call of a function whose operands are numbers or conditions, without constants. */
void build_call_plain(struct building *b, const struct expression_function *f, uint32_t n,
                      uint32_t at);

/* ---- types ---- */

/* Returns the type for a letter in expression_function.takes or .gives. `of` is the type for the
 * letters a and i. */
enum expression_type types_given(char letter, enum expression_type of);

/* Converts the value `depth` places below the top to a type. If that is impossible, fails with a
 * message about the operator `who`. */
void types_want(struct building *b, uint32_t depth, enum expression_type type, const char *who);

/* True if one of the n values on top is an integer. */
bool types_have_integers(struct building *b, uint32_t n);

/* Gives the n values on top a common type if some are integers. If all can be integers without
 * rounding, they become integers; otherwise the integers become numbers. */
void types_join_integers(struct building *b, uint32_t n, const char *who);

/* Converts the values of type EXPRESSION_EXACT among the n on top, operands of f, to numbers. */
void types_settle_exact(struct building *b, uint32_t n, const struct expression_function *f);

/* Converts the value on top, an operand of the function `who`, for its letter in
 * expression_function.takes. */
void types_want_operand(struct building *b, char letter, const char *who);

/* Adds the arithmetic operator f on the n values on top (one or two). If f supports it, whole
 * numbers in texts and integers stay exact; results beyond 2^63 are missing. */
void types_calculate(struct building *b, const struct expression_function *f, uint32_t n,
                     uint32_t at);

/* Gives the two values on top, the sides of a comparison, the same type if one is `true` or
 * `false`. Constant true becomes 'true' if the other side is a text. Constant 'true' becomes true
 * if the other side is a condition. */
void types_join_truth(struct building *b);

/* Fails if one of the two values on top is a number, and the other a text in quotes. */
void types_check_quoted(struct building *b, const char *who);

/* Returns the common type of the n values on top; unknown types are ignored. Fails if the types
 * differ. */
enum expression_type types_same(struct building *b, uint32_t n, const char *who);

/* Prepares the two values on top for an exact comparison: as exact texts, integers or numbers.
 * Returns the kinds of the sides (SIDE_ in expression_steps.h). `order` as in exact_want. */
uint32_t types_exact_sides(struct building *b, const char *who, bool order);

/* Returns the type in which the two values on top are compared. `order` is true for `<` and similar
 * operators. */
enum expression_type types_compared(struct building *b, bool order);

/* ---- whole numbers of at least 2^53 ---- */

/* Fails with the message that several whole numbers are rounded to the constant's double. */
void exact_fail(struct building *b, uint32_t at);

/* Fails if a constant that no double represents is used as a double. */
void exact_check(struct building *b);
/* Fails if one side of == or != is a double that equals several whole numbers. */
void exact_check_sides(struct building *b);

/* True for a text that is not a constant. */
bool exact_is_text(const struct value *v);
/* True if a text in one of the two values on top must be read exactly. That is unnecessary if the
 * other value is a constant below 2^53, because no larger whole number is rounded to it. */
bool exact_is_needed(struct building *b);
/* Fails if the value `depth` places below the top is a constant of at least 2^63 that an exact text
 * cannot be compared with. `order` is true for `<` and similar operators, for which only a constant
 * that no double holds is refused. */
void exact_want(struct building *b, uint32_t depth, bool order);
/* True if the value on top of the stack must be compared exactly with the members of `in`, the
 * constants from `first` on. Fails if that is necessary, but the value is a double. */
bool exact_wants_members(struct building *b, uint32_t first, uint32_t at);

/* True for a constant text whose number has the same double as other whole numbers. */
bool exact_is_large_text(const struct building *b, const struct value *v);

#endif
