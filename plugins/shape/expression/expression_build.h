/* expression_build.h -- steps in the making: what is known of each value on the stack as they run.
 *
 * The parser calls build_* in the order of the steps. A constant or a column pushes a value; a call
 * takes its operands from the top and leaves its result. What an operator needs is converted
 * when its operands are known: that of `a < b` on the left lies below the right one then, so a
 * conversion says how deep it works.
 *
 * After the first failure, which `error` keeps, nothing is built any more; the parser may go on. */
#ifndef LEAT_SHAPE_EXPRESSION_BUILD_H
#define LEAT_SHAPE_EXPRESSION_BUILD_H

#include "expression_inside.h"
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

#endif
