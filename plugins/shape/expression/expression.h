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
 * The types of all values are known before the run: text, numbers, conditions. What expression.md
 * says to users of types and of missing values is what this does.
 *
 * An expression is compiled into steps of a stack machine. It works on blocks of records: each
 * place of the stack is a vector of EXPRESSION_BLOCK cells, and a step is one loop over them. So
 * both branches of `if` are computed, and a failure is a value, too: a text that is no number gives
 * a bad cell, which names its step. It passes through whatever needs it, and a record is rejected
 * only if its result is bad.
 *
 *   number   missing: NaN         bad: a NaN whose low bits are the step + 1
 *   condition  the number 1 or 0, or as a number
 *   text     missing: len = NULL  bad: likewise, with off = the step + 1
 *   integer  missing: the smallest; bad: the same, and the step + 1 behind the block's cells
 *   exact    an integer where there is a mark behind the block's cells, else a number
 *
 * Integers are what columns of 64-bit integers hold, with constants that are whole numbers beside
 * them: they are compared, chosen from, written and calculated with exactly, but for `/`. Where a
 * function needs a number they become doubles. The texts of a column are exact where they are
 * calculated with, or compared with numbers that several whole numbers become as doubles.
 *
 * Texts lie in the batch, those that a step makes and the constants too. */
#ifndef LEAT_SHAPE_EXPRESSION_H
#define LEAT_SHAPE_EXPRESSION_H

#include <math.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "core/bits.h"
#include "core/text/grouped.h"
#include "core/report/lacking.h"

enum {
    EXPRESSION_BLOCK = 256, /* records computed at a time                 */
    EXPRESSION_STEPS = 512,
    EXPRESSION_DEPTH = 64, /* places of the stack, and nested parentheses */
    EXPRESSION_CONSTANTS = 256,
    EXPRESSION_TEXT = 4096, /* bytes of all constants                     */
    EXPRESSION_NUMBER = 32, /* bytes that a number takes as text          */
    EXPRESSION_WHY = 1024   /* of a message                               */
};

/* What is not known before the input is open is of type ANY. */
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
    uint8_t kind;  /* enum expression_kind                                                       */
    uint8_t type;  /* enum expression_type: of a column or constant; of what a call works on      */
    uint8_t depth; /* a conversion works on the cells so many places below the top               */
    uint8_t n;     /* a call's operands on the stack                                             */
    uint32_t arg;  /* number of the column or constant; of a call its first constant; of a
                      comparison what its sides are; of what reads numbers how they are written
                      (expression_steps.h)                                                       */
    uint32_t n_constants;
    uint32_t at; /* where it stands in the text */
    const struct expression_function *function;
};

struct expression_constant {
    double number;
    int64_t integer;      /* LEAT_NO_INT64: the number is none */
    bool is_rounded;      /* the number is not the whole one that stands there */
    struct leat_str text; /* into expression.text */
};

/* What a text may take, summed over a batch: so many times the text of the records, and so many
 * bytes a record. */
struct expression_bound {
    uint32_t copies, bytes;
};

struct expression {
    enum expression_type type; /* of its value */
    uint32_t n_steps, n_constants, n_text;
    uint32_t depth;                /* places of the stack that it takes       */
    struct grouped form;           /* of a number in its value, a text        */
    struct expression_bound bound; /* of its value                            */
    struct expression_bound made;  /* of all texts that it adds to the batch  */
    struct expression_step step[EXPRESSION_STEPS];
    struct expression_constant constant[EXPRESSION_CONSTANTS];
    char text[EXPRESSION_TEXT];
};

/* Columns that are no columns of the schema. */
enum { EXPRESSION_RAW = LEAT_MAX_COLUMNS, EXPRESSION_LABEL, EXPRESSION_TIME };

/* The types of columns that expressions read. Those of booleans are conditions. */
enum {
    EXPRESSION_TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64 | LEAT_TAKES_BOOLEAN
};
static inline enum expression_type expression_type_of_column(uint32_t type)
{
    return type == LEAT_BOOLEAN ? EXPRESSION_CONDITIONS : (enum expression_type)type;
}

/* Which names there are. */
struct expression_scope {
    const struct leat_schema *schema;     /* NULL: none is known, and all are right         */
    uint32_t n_columns;                   /* the first so many of the schema                */
    struct leat_negotiation *negotiation; /* … of which those that came are asked for …     */
    struct leat_ctx *ctx;                 /* … or, in open, were; both NULL: all have types */
    const char *param;                    /* whose expressions these are                    */
    struct expression_bound columns;      /* of the text of any column                      */
};

struct expression_error {
    uint32_t at; /* byte of the text */
    char why[EXPRESSION_WHY];
};

/* false: `error` says why. `later` is set when a name is not known before the input is open. */
bool expression_compile(struct expression *e, const char *text,
                        const struct expression_scope *scope, struct expression_error *error,
                        bool *later);

/* Converts the value to text, numbers, integers or conditions, as a column of that type wants
 * it. */
bool expression_convert(struct expression *e, enum expression_type to,
                        struct expression_error *error);

/* In negotiate: what it adds to a batch. */
void expression_add_bounds(const struct expression *e, struct leat_negotiation *n);

/* The number of the character at byte `at`, from 1. */
uint32_t expression_character(const char *text, uint32_t at);

/* ---- running ---- */

/* What runs expressions of some depth. */
struct expression_machine {
    union leat_cells *stack; /* each of EXPRESSION_BLOCK cells, and as many marks of bad integers */
    void *cells;
};

uint64_t expression_machine_bytes(uint32_t depth);
int expression_machine_open(struct leat_ctx *ctx, struct expression_machine *m, uint32_t depth);
void expression_machine_close(struct leat_ctx *ctx, struct expression_machine *m);

/* Appends the constants to the batch; they lie at *base then. false: the batch is full. */
bool expression_begin(const struct expression *e, struct leat_batch *b, uint32_t *base);

/* The values for n records, at most EXPRESSION_BLOCK. Lent until the next call. */
union leat_cells expression_run(const struct expression *e, const struct expression_machine *m,
                                struct leat_batch *b, uint32_t base, const uint32_t *row,
                                uint32_t n);

/* Record r, whose value is bad: rejects it and says why. `name` is what the value is for, `source`
 * the expression's text. */
void expression_reject(struct leat_ctx *ctx, const struct expression *e,
                       const struct expression_machine *m, struct leat_batch *b, uint32_t base,
                       uint32_t r, uint32_t step, const char *source);

/* Adds to `to` the columns without a value in record r, for which the expression has none. */
void expression_missing(const struct leat_ctx *ctx, const struct expression *e,
                        const struct leat_batch *b, uint32_t r, struct lacking *to);

/* For some of the first records: warns of `<` and its like between a text and a column that holds
 * numbers as text, if the order of numbers is another one. `source`: the expression's text. */
void expression_warn_of_texts(struct leat_ctx *ctx, const struct expression *e,
                              const struct leat_batch *b, const uint32_t *row, uint32_t n,
                              const char *source);

/* The step + 1 of a bad cell; 0: it is not bad. */
static inline uint32_t expression_bad_number(double x)
{
    return isnan(x) ? (uint32_t)(bits_of_double(x) & 0xffff) : 0;
}
static inline uint32_t expression_bad_text(struct leat_str s)
{
    return s.len == LEAT_NULL ? s.off : 0;
}
/* Of a place of the stack. Of integers a mark counts where the integer is none. */
static inline uint16_t *expression_marks(union leat_cells c)
{
    return (uint16_t *)(void *)(c.int64 + EXPRESSION_BLOCK);
}
static inline uint32_t expression_bad_integer(union leat_cells c, uint32_t i)
{
    return c.int64[i] == LEAT_NO_INT64 ? expression_marks(c)[i] : 0;
}

#endif
