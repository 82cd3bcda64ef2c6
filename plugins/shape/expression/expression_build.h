/* expression_build.h -- steps in the making: types and bounds of the values on the stack.
 *
 * The parser calls build_* in the order of the steps. A constant or a column pushes a value. A call
 * takes its operands from the top and leaves its result. Operands are converted when the operator
 * is known: then the left side of `a < b` lies below the right one, so a conversion has a depth.
 *
 * After the first failure, which `error` keeps, nothing more is built; the parser may go on.
 *
 * types_* convert a value to the type that an operator wants:
 *
 *   wanted      of a text                        of a number     of a condition
 *   number      to_number; refused if it is      -               refused
 *               a constant that is no number
 *   text        -                                to_text         to_text
 *   condition   refused                          refused         -
 *   integer     constants only                   constants only  refused
 *
 * An integer counts as a number, and becomes a double where a double is wanted. A value of type
 * EXPRESSION_ANY, not known before the input is open, stays as it is.
 *
 * exact_* find whole numbers from 2^53 on, which no double holds, or which share a double. They are
 * compared as integers or texts, or refused. */
#ifndef LEAT_SHAPE_EXPRESSION_BUILD_H
#define LEAT_SHAPE_EXPRESSION_BUILD_H

#include "expression_steps.h"
#include "expression_lexer.h"

enum { BUILD_NAME_BYTES = 512 }; /* bytes of a name in a message, with its 0 */

struct value {
    enum expression_type type;
    struct expression_bound bound; /* bound of a text */
    int32_t constant;              /* -1: no constant */
    bool is_made;        /* an expression of text, not a bare column, so `<` compares it as text */
    struct grouped form; /* form of a number in a text */
    uint32_t at;
};

/* Number in the text of the expression. */
struct literal {
    double number;
    int64_t integer; /* same number, or LEAT_NO_INT64 */
    bool is_rounded; /* number is not exactly the one in the text */
};

struct building {
    struct expression *e;
    struct expression_error *error;
    bool failed;
    uint32_t n;
    struct value value[EXPRESSION_DEPTH]; /* n values; the last is on top */
};

__attribute__((format(printf, 3, 4))) void build_fail(struct building *b, uint32_t at,
                                                      const char *format, ...);

/* Keeps a constant without pushing it. Returns its number, or 0 after a failure. */
uint32_t build_constant(struct building *b, struct literal x, const char *text, size_t len,
                        uint32_t at);
/* Keeps a word in quotes as a constant, without pushing it. */
uint32_t build_text_constant(struct building *b, const struct word *w);

/* Push a value. */
void build_number(struct building *b, struct literal x, uint32_t at);
void build_text(struct building *b, const struct word *w);
/* Pushes a column. index: in the schema, or EXPRESSION_RAW, _LABEL, _TIME. bound: of its text;
 * form: of a number in it. */
void build_column(struct building *b, enum expression_type type, uint32_t index,
                  struct expression_bound bound, struct grouped form, uint32_t at);

/* Returns the value `depth` places below the top. */
struct value *build_below(struct building *b, uint32_t depth);
/* Converts a value to a number or a text. f: to_number, to_exact or to_text. */
void build_conversion(struct building *b, uint32_t depth, const struct expression_function *f);
/* Makes a value an integer if it is one, or a constant that can be one. Returns false if it
 * stays. */
bool build_integer(struct building *b, uint32_t depth);
/* Replaces the n values on top by the call's result. type: of operands `a`. */
void build_call(struct building *b, const struct expression_function *f, uint32_t n,
                enum expression_type type, uint32_t first_constant, uint32_t n_constants,
                uint32_t at);
/* Calls a function of numbers and conditions, without constants. */
void build_call_plain(struct building *b, const struct expression_function *f, uint32_t n,
                      uint32_t at);

/* ---- types ---- */

/* Returns the type for a letter of expression_function.takes or .gives; `of` for a and i. */
enum expression_type types_given(char letter, enum expression_type of);

/* Converts a value to a type, or fails in the name of the operator `who`. */
void types_want(struct building *b, uint32_t depth, enum expression_type type, const char *who);

/* True if one of the n values on top is an integer. */
bool types_have_integers(struct building *b, uint32_t n);

/* Joins integers and others among the n values on top. If all can be integers without rounding,
 * they become integers; else the integers become numbers. */
void types_join_integers(struct building *b, uint32_t n, const char *who);

/* Converts the exact ones of the n values on top to numbers. */
void types_settle_exact(struct building *b, uint32_t n, const char *who);

/* Calculates with the n values on top, one or two. Whole numbers of texts and integers stay exact
 * if f can, and are missing beyond 2^63. */
void types_calculate(struct building *b, const struct expression_function *f, uint32_t n,
                     uint32_t at);

/* Joins truth constants with their other side: true becomes 'true' next to a text, and 'true'
 * becomes true next to a condition. The same holds for false. */
void types_join_truth(struct building *b);

/* Fails if one of the two values on top is a number, and the other a text in quotes. */
void types_check_quoted(struct building *b, const char *who);

/* Returns the type of the first known of the n values on top. Fails if they have different
 * types. */
enum expression_type types_same(struct building *b, uint32_t n, const char *who);

/* Makes the two values on top sides of an exact comparison: exact texts, integers, numbers. Returns
 * their kinds (expression_steps.h). */
uint32_t types_exact_sides(struct building *b, const char *who);

/* Returns the type in which the two values on top are compared. order: by `<` or a similar
 * operator. */
enum expression_type types_compared(struct building *b, bool order);

/* ---- whole numbers ---- */

/* Fails because of a constant that shares its double. */
void exact_fail(struct building *b, uint32_t at);

/* Fails if a rounded constant is used as a double. */
void exact_check(struct building *b);
/* Fails if a double on one side of == or != equals several whole numbers. */
void exact_check_sides(struct building *b);

/* True for a text that is not a constant. */
bool exact_is_text(const struct value *v);
/* True if a text on one of the two sides must be read exactly. It need not be next to a constant
 * below 2^53, because no whole number beyond is rounded to that. */
bool exact_is_needed(struct building *b);
/* Fails if the value is a constant beyond 2^63, to which texts are exact. */
void exact_want(struct building *b, uint32_t depth);
/* True if the value on top must be exact because of the members of `in`, whose constants begin at
 * `first`. Fails if it is a number that cannot be. */
bool exact_wants_members(struct building *b, uint32_t first, uint32_t at);

/* True for a constant text with a number that shares its double. */
bool exact_is_large_text(const struct building *b, const struct value *v);

#endif
