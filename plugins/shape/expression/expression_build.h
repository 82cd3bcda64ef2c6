/* expression_build.h -- steps in the making: what is known of each value on the stack as they run.
 *
 * The parser calls build_* in the order of the steps. A constant or a column pushes a value; a call
 * takes its operands from the top and leaves its result. What an operator needs is converted
 * when its operands are known: that of `a < b` on the left lies below the right one then, so a
 * conversion says how deep it works.
 *
 * After the first failure, which `error` keeps, nothing is built any more; the parser may go on.
 *
 * types_* make of a value what an operator wants:
 *
 *   wanted      of a text                        of a number   of a condition
 *   number      to_number, unless it is a        -             refused
 *               constant that is none: refused
 *   text        -                                to_text       refused
 *   condition   refused                          refused       -
 *   integer     refused, but for constants       the same      refused
 *
 * An integer is taken for a number, and becomes a double where one is wanted. What is not known
 * before the input is open, EXPRESSION_ANY, is taken as it is.
 *
 * exact_* find whole numbers that a double does not have, or not alone: from 2^53 on they are
 * compared as integers or texts, or refused. */
#ifndef LEAT_SHAPE_EXPRESSION_BUILD_H
#define LEAT_SHAPE_EXPRESSION_BUILD_H

#include "expression_steps.h"
#include "expression_lexer.h"

enum { BUILD_NAME_BYTES = 512 }; /* of a name in a message, with its 0 */

struct value {
    enum expression_type type;
    struct expression_bound bound; /* of a text                                            */
    int32_t constant;              /* -1: it is none                                       */
    bool is_made;                  /* a text that is no bare column: `<` compares as texts */
    struct grouped form;           /* of a number in a text                                */
    uint32_t at;
};

/* A number that stands in the expression. */
struct literal {
    double number;
    int64_t integer; /* the same, or LEAT_NO_INT64 */
    bool is_rounded; /* number is not what stands there */
};

struct building {
    struct expression *e;
    struct expression_error *error;
    bool failed;
    uint32_t n;
    struct value value[EXPRESSION_DEPTH]; /* n of them; the last is on top */
};

__attribute__((format(printf, 3, 4))) void build_fail(struct building *b, uint32_t at,
                                                      const char *format, ...);

/* Keeps a constant without a value on the stack; its number, or 0 after a failure. */
uint32_t build_constant(struct building *b, struct literal x, const char *text, size_t len,
                        uint32_t at);
/* The same of a word in quotes. */
uint32_t build_text_constant(struct building *b, const struct word *w);

/* Each pushes a value. */
void build_number(struct building *b, struct literal x, uint32_t at);
void build_text(struct building *b, const struct word *w);
/* index: of a column of the schema, or EXPRESSION_RAW, _LABEL, _TIME. bound: of its text; form: of
 * a number in it. */
void build_column(struct building *b, enum expression_type type, uint32_t index,
                  struct expression_bound bound, struct grouped form, uint32_t at);

/* The value so deep below the top; 0: on top. */
struct value *build_below(struct building *b, uint32_t depth);
/* The value so deep becomes a number or a text: f is to_number, to_exact or to_text. */
void build_conversion(struct building *b, uint32_t depth, const struct expression_function *f);
/* The value so deep becomes an integer, if it is one or a constant that can be; false: it stays. */
bool build_integer(struct building *b, uint32_t depth);
/* The n values on top become one. `type` is that of operands `a`. */
void build_call(struct building *b, const struct expression_function *f, uint32_t n,
                enum expression_type type, uint32_t first_constant, uint32_t n_constants,
                uint32_t at);
/* The same of a function of numbers and conditions without constants. */
void build_call_plain(struct building *b, const struct expression_function *f, uint32_t n,
                      uint32_t at);

/* ---- types ---- */

/* Of a letter of expression_function.takes or .gives; `of` for a and i. */
enum expression_type types_given(char letter, enum expression_type of);

/* The value so deep becomes one of this type; `who` wants it. */
void types_want(struct building *b, uint32_t depth, enum expression_type type, const char *who);

/* Is one of the n values on top an integer? */
bool types_have_integers(struct building *b, uint32_t n);

/* Integers among the n values on top: those beside them become integers if all can, which rounds
 * nothing; else the integers become numbers. */
void types_join_integers(struct building *b, uint32_t n, const char *who);

/* Of the n values on top those that are exact become numbers. */
void types_settle_exact(struct building *b, uint32_t n, const char *who);

/* Arithmetic of the n values on top, one or two. Whole numbers of texts and of integers are exact
 * if f can, and missing beyond 2^63. */
void types_calculate(struct building *b, const struct expression_function *f, uint32_t n,
                     uint32_t at);

/* true beside a text becomes 'true', and 'true' beside a condition true; so false. */
void types_join_truth(struct building *b);

/* Fails if one of the two on top is a number, and the other a text in quotes. */
void types_check_quoted(struct building *b, const char *who);

/* The n values on top must have one type: that of the first which is known. */
enum expression_type types_same(struct building *b, uint32_t n, const char *who);

/* The two on top become sides that are compared exactly: texts that are exact, integers, numbers.
 * Returns what they are (expression_steps.h). */
uint32_t types_exact_sides(struct building *b, const char *who);

/* As what the two on top are compared; order: by `<` or its like. */
enum expression_type types_compared(struct building *b, bool order);

/* ---- whole numbers ---- */

/* Fails where such a constant stands. */
void exact_fail(struct building *b, uint32_t at);

/* Fails if a constant that is rounded is used as a double. */
void exact_check(struct building *b);
/* The same of the two sides of == or !=, which are doubles: one that other whole numbers equal. */
void exact_check_sides(struct building *b);

/* Is it a text, and none that stands in the expression? */
bool exact_is_text(const struct value *v);
/* Must a text on one of the two sides be read exactly? Not beside a constant below 2^53: no whole
 * number beyond is rounded to that. */
bool exact_is_needed(struct building *b);
/* Fails if the value so deep is a constant that texts, which are exact to 2^63, cannot meet. */
void exact_want(struct building *b, uint32_t depth);
/* Must the text on top be exact beside the numbers of `in`, which begin at `first`? Fails where a
 * number on top would have to be. */
bool exact_wants_members(struct building *b, uint32_t first, uint32_t at);

/* A constant text that is such a number. */
bool exact_is_large_text(const struct building *b, const struct value *v);

#endif
