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
 * The types of all values are known before the run: texts, numbers, conditions. expression.md has
 * the rules for types and for missing values.
 *
 * An expression is compiled into steps of a stack machine, which works on blocks of records. Each
 * element of the stack is a vector of EXPRESSION_BLOCK cells, and a step is a loop over these
 * cells. So both branches of `if` are computed.
 *
 * An error does not stop the machine. A text that is not a number, for example, gives a bad cell,
 * which contains the number of the step. Later steps pass bad cells on. A record is rejected only
 * if its result is bad.
 *
 *   number   missing: NaN         bad: a NaN whose low bits are the step + 1
 *   condition  the number 1 or 0; missing and bad like a number
 *   text     missing: len = NULL  bad: len = NULL, and off = the step + 1
 *   integer  missing: INT64_MIN   bad: INT64_MIN, and the cell's mark is the step + 1
 *   exact    a number if the cell's mark is 0; an integer if it is MARK_INTEGER; otherwise a whole
 *            number beyond 2^63, rounded to a double (expression_steps.h)
 *
 * Marks follow the cells of a block (expression_marks).
 *
 * Columns of 64-bit integers, and whole-number constants used with them, are integers. Comparison,
 * choice, text and arithmetic are exact for them, except `/`. They become doubles if a function
 * needs a number. Texts of a column are exact in arithmetic. They are also exact in a comparison
 * with a number that is the double of several whole numbers.
 *
 * All texts are in the batch, including constants and texts that a step makes. */
#ifndef LEAT_SHAPE_EXPRESSION_H
#define LEAT_SHAPE_EXPRESSION_H

#include <math.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "core/bits.h"
#include "core/text/grouped.h"
#include "core/report/lacking.h"

enum {
    EXPRESSION_BLOCK = 256, /* number of records computed at a time */
    EXPRESSION_STEPS = 512,
    EXPRESSION_DEPTH = 64, /* largest size of the stack, and largest number of nested parentheses */
    EXPRESSION_CONSTANTS = 256,
    EXPRESSION_TEXT = 4096, /* most bytes of all constant texts together */
    EXPRESSION_NUMBER = 32, /* most bytes of a number as text */
    EXPRESSION_WHY = 1024   /* most bytes of a message */
};

/* Type of a value. EXPRESSION_ANY: unknown until the input is open. */
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
    uint8_t type;  /* enum expression_type of a column or constant, or of the operands of a call */
    uint8_t depth; /* for a conversion: places of the converted value below the top of the stack */
    uint8_t n;     /* number of operands of a call on the stack */
    uint32_t arg;  /* for a column or constant: its index. For a call: its first constant, the kinds
                    * of a comparison's sides, or the form of the numbers that it reads
                    * (expression_steps.h) */
    uint32_t n_constants;
    uint32_t at; /* position in the expression's text, for messages */
    const struct expression_function *function;
};

struct expression_constant {
    double number;
    int64_t integer;      /* `number` as an integer; LEAT_NO_INT64 if it is not whole */
    bool is_rounded;      /* true if `number` differs from the whole number in the text */
    struct leat_str text; /* the constant as text, a range of expression.text */
};

/* Bound on the bytes of a text value in all records of a batch: `copies` times the text of these
 * records, plus `bytes` for each record. */
struct expression_bound {
    uint32_t copies, bytes;
};

struct expression {
    enum expression_type type; /* type of the result */
    uint32_t n_steps, n_constants, n_text;
    uint32_t depth;                /* required size of the stack */
    struct grouped form;           /* how numbers are written in the result, if it is a text */
    struct expression_bound bound; /* bound on the result's text */
    struct expression_bound made;  /* bound on all texts that the expression adds to the batch */
    struct expression_step step[EXPRESSION_STEPS];
    struct expression_constant constant[EXPRESSION_CONSTANTS];
    char text[EXPRESSION_TEXT];
};

/* Indexes for values that are not columns of the schema. */
enum { EXPRESSION_RAW = LEAT_MAX_COLUMNS, EXPRESSION_LABEL, EXPRESSION_TIME };

/* Types of columns that expressions can read. Booleans become conditions. */
enum {
    EXPRESSION_TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64 | LEAT_TAKES_BOOLEAN
};
static inline enum expression_type expression_type_of_column(uint32_t type)
{
    return type == LEAT_BOOLEAN ? EXPRESSION_CONDITIONS : (enum expression_type)type;
}

/* Names that an expression may use. */
struct expression_scope {
    const struct leat_schema *schema;     /* NULL: the names are unknown, so any name is accepted */
    uint32_t n_columns;                   /* number of columns of the schema that may be used */
    struct leat_negotiation *negotiation; /* in negotiate: used to request columns of the input */
    struct leat_ctx *ctx;            /* in open: finds the columns again; both NULL: any type */
    const char *param;               /* name of the parameter with the expressions, for messages */
    struct expression_bound columns; /* bound on the text of any column */
};

struct expression_error {
    uint32_t at; /* index of the byte in the expression's text at which the error is */
    char why[EXPRESSION_WHY];
};

/* Compiles an expression. If it is wrong, returns false with the reason in *error. Sets *later if a
 * name stays unknown until the input is open. */
bool expression_compile(struct expression *e, const char *text,
                        const struct expression_scope *scope, struct expression_error *error,
                        bool *later);

/* Adds a step that converts the result for a column of type `to`. Returns false with the reason in
 * *error if that is impossible. */
bool expression_convert(struct expression *e, enum expression_type to,
                        struct expression_error *error);

/* Called by the stage's negotiate. Adds the bounds on the expression's texts. */
void expression_add_bounds(const struct expression *e, struct leat_negotiation *n);

/* Returns the number of the character at byte `at` of the text, counted from 1. */
uint32_t expression_character(const char *text, uint32_t at);

/* ---- running ---- */

/* Memory for running expressions of a limited depth. */
struct expression_machine {
    union leat_cells *stack; /* elements of EXPRESSION_BLOCK cells and as many marks */
    void *cells;
};

uint64_t expression_machine_bytes(uint32_t depth);
int expression_machine_open(struct leat_ctx *ctx, struct expression_machine *m, uint32_t depth);
void expression_machine_close(struct leat_ctx *ctx, struct expression_machine *m);

/* Appends the expression's constants to the batch, and sets *base to their position. Returns false
 * if the batch is full. */
bool expression_begin(const struct expression *e, struct leat_batch *b, uint32_t *base);

/* Computes the values of n records, at most EXPRESSION_BLOCK. The result is valid until the next
 * call. */
union leat_cells expression_run(const struct expression *e, const struct expression_machine *m,
                                struct leat_batch *b, uint32_t base, const uint32_t *row,
                                uint32_t n);

/* Rejects record r, whose result is bad. `step` is the step + 1 in the bad cell; `source` is the
 * expression's text. */
void expression_reject(struct leat_ctx *ctx, const struct expression *e,
                       const struct expression_machine *m, struct leat_batch *b, uint32_t base,
                       uint32_t r, uint32_t step, const char *source);

/* Adds to `to` the columns whose missing value in record r leaves the expression without a
 * value. */
void expression_missing(const struct leat_ctx *ctx, const struct expression *e,
                        const struct leat_batch *b, uint32_t r, struct lacking *to);

/* Warns of an operator such as `<` between a text and a column whose texts are numbers, if some
 * records would compare differently as numbers. Warns of `%`, `==` and the like of a column of
 * doubles with values from 2^53 on. Checks a few of the n records. Returns true if it
 * has warned. `source` is the expression's text. */
bool expression_warn_of_doubts(struct leat_ctx *ctx, const struct expression *e,
                               const struct leat_batch *b, const uint32_t *row, uint32_t n,
                               const char *source);

/* Return the step + 1 that is stored in a bad cell; 0 if the cell is not bad. */
static inline uint32_t expression_bad_number(double x)
{
    return isnan(x) ? (uint32_t)(bits_of_double(x) & 0xffff) : 0;
}
static inline uint32_t expression_bad_text(struct leat_str s)
{
    return s.len == LEAT_NULL ? s.off : 0;
}
/* Returns the marks of a block of integers. If an integer is missing, its mark is the step + 1 if
 * it is bad, otherwise 0. */
static inline uint16_t *expression_marks(union leat_cells c)
{
    return (uint16_t *)(void *)(c.int64 + EXPRESSION_BLOCK);
}
static inline uint32_t expression_bad_integer(union leat_cells c, uint32_t i)
{
    return c.int64[i] == LEAT_NO_INT64 ? expression_marks(c)[i] : 0;
}

#endif
