/* expression.h -- short expressions of columns, such as "bytes / duration" or "lower(host)".
 *
 *   or         = and { "or" and }
 *   and        = not { "and" not }
 *   not        = "not" not | comparison
 *   comparison = joined [ ( "==" | "!=" | "~=" | "<" | "<=" | ">" | ">=" ) joined
 *                       | [ "not" ] "in" "(" constant { "," constant } ")" ]
 *   joined     = sum { ".." sum }
 *   sum        = product { ( "+" | "-" ) product }
 *   product    = sign { ( "*" | "/" | "//" | "%" ) sign }
 *   sign       = "-" sign | primary
 *   primary    = number | 'text' | "text" | `column` | column | function "(" … ")" | "(" or ")"
 *              | "true" | "false"
 *
 * The types of all values are known before the run: texts, numbers, conditions. expression.md tells
 * users the rules of types and of missing values.
 *
 * An expression is compiled into steps of a stack machine. It works on blocks of records: each
 * place of the stack is a vector of EXPRESSION_BLOCK cells, and a step is one loop over them. So
 * both branches of `if` are computed, and a failure is a value, too. A text that is not a number
 * gives a bad cell, which has the number of its step. Later steps pass a bad cell on, and a record
 * is rejected only if its result is bad.
 *
 *   number   missing: NaN         bad: a NaN whose low bits are the step + 1
 *   condition  the number 1 or 0, or missing or bad as a number
 *   text     missing: len = NULL  bad: len = NULL, and off = the step + 1
 *   integer  missing: the smallest; bad: the smallest, and the step + 1 behind the block's cells
 *   exact    an integer where there is a mark behind the block's cells, else a number
 *
 * Values of columns of 64-bit integers are integers, and so are whole-number constants next to
 * them. Comparison, choice, text and arithmetic are exact for them, except `/`. They become doubles
 * where a function needs a number. The texts of a column are exact in arithmetic, and in comparison
 * with a number that is the double of several whole numbers.
 *
 * All texts lie in the batch, including constants and texts that a step makes. */
#ifndef LEAT_SHAPE_EXPRESSION_H
#define LEAT_SHAPE_EXPRESSION_H

#include <math.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "core/bits.h"
#include "core/text/grouped.h"
#include "core/report/lacking.h"

enum {
    EXPRESSION_BLOCK = 256, /* records computed at a time */
    EXPRESSION_STEPS = 512,
    EXPRESSION_DEPTH = 64, /* places of the stack, and nested parentheses */
    EXPRESSION_CONSTANTS = 256,
    EXPRESSION_TEXT = 4096, /* bytes of all constants */
    EXPRESSION_NUMBER = 32, /* bytes that a number takes as text */
    EXPRESSION_WHY = 1024   /* bytes of a message */
};

/* Type of a value. ANY: not known before the input is open. */
enum expression_type {
    EXPRESSION_ANY = 0,
    EXPRESSION_TEXTS = LEAT_TEXT,
    EXPRESSION_NUMBERS = LEAT_NUMBER,
    EXPRESSION_INTEGERS = LEAT_INT64,
    EXPRESSION_CONDITIONS = 64,
    EXPRESSION_EXACT = 65
};

struct expression_function;

enum expression_kind { STEP_COLUMN, STEP_CONSTANT, STEP_CALL };

struct expression_step {
    uint8_t kind;  /* enum expression_kind */
    uint8_t type;  /* enum expression_type: of a column or constant, or of the operands of a call */
    uint8_t depth; /* places below the top of the stack where a conversion works */
    uint8_t n;     /* operands of a call on the stack */
    uint32_t arg;  /* number of the column or constant; first constant of a call; kinds of a
                    * comparison's sides; form of the numbers that a step reads
                    * (expression_steps.h) */
    uint32_t n_constants;
    uint32_t at; /* place in the text */
    const struct expression_function *function;
};

struct expression_constant {
    double number;
    int64_t integer;      /* LEAT_NO_INT64: the number is not whole */
    bool is_rounded;      /* the number is not exactly the whole one in the text */
    struct leat_str text; /* within expression.text */
};

/* Bound of the bytes of a text, summed over a batch: so many times the text of the records, and so
 * many bytes per record. */
struct expression_bound {
    uint32_t copies, bytes;
};

struct expression {
    enum expression_type type; /* type of its value */
    uint32_t n_steps, n_constants, n_text;
    uint32_t depth;                /* places of the stack that it needs */
    struct grouped form;           /* form of the numbers in its value, if that is a text */
    struct expression_bound bound; /* bound of its value */
    struct expression_bound made;  /* bound of all texts that it adds to the batch */
    struct expression_step step[EXPRESSION_STEPS];
    struct expression_constant constant[EXPRESSION_CONSTANTS];
    char text[EXPRESSION_TEXT];
};

/* Numbers for columns outside the schema. */
enum { EXPRESSION_RAW = LEAT_MAX_COLUMNS, EXPRESSION_LABEL, EXPRESSION_TIME };

/* Types of columns that expressions read. Booleans become conditions. */
enum {
    EXPRESSION_TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64 | LEAT_TAKES_BOOLEAN
};
static inline enum expression_type expression_type_of_column(uint32_t type)
{
    return type == LEAT_BOOLEAN ? EXPRESSION_CONDITIONS : (enum expression_type)type;
}

/* Names that an expression may use. */
struct expression_scope {
    const struct leat_schema *schema; /* NULL: none is known, and all names are right */
    uint32_t n_columns;               /* columns of the schema that count */
    struct leat_negotiation
        *negotiation;                /* in negotiate: asks for the input's columns among them */
    struct leat_ctx *ctx;            /* in open: finds them again; both NULL: all have types */
    const char *param;               /* parameter with the expressions */
    struct expression_bound columns; /* bound of the text of any column */
};

struct expression_error {
    uint32_t at; /* byte of the text */
    char why[EXPRESSION_WHY];
};

/* Compiles an expression. Returns false if it is wrong; `error` has the reason. *later becomes true
 * if a name is not known before the input is open. */
bool expression_compile(struct expression *e, const char *text,
                        const struct expression_scope *scope, struct expression_error *error,
                        bool *later);

/* Converts the value to text, numbers, integers or conditions, for a column of that type. */
bool expression_convert(struct expression *e, enum expression_type to,
                        struct expression_error *error);

/* Adds, in negotiate, the bounds of the expression's texts. */
void expression_add_bounds(const struct expression *e, struct leat_negotiation *n);

/* Returns the number of the character at byte `at`, from 1. */
uint32_t expression_character(const char *text, uint32_t at);

/* ---- running ---- */

/* Memory to run expressions of some depth. */
struct expression_machine {
    union leat_cells *stack; /* EXPRESSION_BLOCK cells each, and as many marks of bad integers */
    void *cells;
};

uint64_t expression_machine_bytes(uint32_t depth);
int expression_machine_open(struct leat_ctx *ctx, struct expression_machine *m, uint32_t depth);
void expression_machine_close(struct leat_ctx *ctx, struct expression_machine *m);

/* Appends the constants to the batch, at *base. Returns false if the batch is full. */
bool expression_begin(const struct expression *e, struct leat_batch *b, uint32_t *base);

/* Computes the values of n records, at most EXPRESSION_BLOCK. They are lent until the next call. */
union leat_cells expression_run(const struct expression *e, const struct expression_machine *m,
                                struct leat_batch *b, uint32_t base, const uint32_t *row,
                                uint32_t n);

/* Rejects record r, whose value is bad, with the reason. step: the step + 1 in the bad value;
 * source: the expression's text. */
void expression_reject(struct leat_ctx *ctx, const struct expression *e,
                       const struct expression_machine *m, struct leat_batch *b, uint32_t base,
                       uint32_t r, uint32_t step, const char *source);

/* Adds to `to` the columns without a value in record r, for which the expression has no value. */
void expression_missing(const struct leat_ctx *ctx, const struct expression *e,
                        const struct leat_batch *b, uint32_t r, struct lacking *to);

/* Warns of `<` or a similar operator between a text and a column of numbers as text, if some of
 * these records would compare otherwise as numbers. Looks at a few of them. Returns true if it has
 * warned. source: the expression's text. */
bool expression_warn_of_texts(struct leat_ctx *ctx, const struct expression *e,
                              const struct leat_batch *b, const uint32_t *row, uint32_t n,
                              const char *source);

/* Return the step + 1 of a bad cell, or 0 if it is not bad. */
static inline uint32_t expression_bad_number(double x)
{
    return isnan(x) ? (uint32_t)(bits_of_double(x) & 0xffff) : 0;
}
static inline uint32_t expression_bad_text(struct leat_str s)
{
    return s.len == LEAT_NULL ? s.off : 0;
}
/* Returns the marks of a place of the stack. The mark of a missing integer is the step + 1 if it is
 * bad. */
static inline uint16_t *expression_marks(union leat_cells c)
{
    return (uint16_t *)(void *)(c.int64 + EXPRESSION_BLOCK);
}
static inline uint32_t expression_bad_integer(union leat_cells c, uint32_t i)
{
    return c.int64[i] == LEAT_NO_INT64 ? expression_marks(c)[i] : 0;
}

#endif
