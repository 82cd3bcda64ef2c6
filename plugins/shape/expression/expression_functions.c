/* expression_functions.c -- the tables of functions and operators (expression_steps.h). */
#include "expression_steps.h"

#include <stdio.h>
#include <string.h>

#include "core/text/nearest.h"

static const struct expression_function functions[] = {
    {"lower", "t", 't', BOUND_CASE, run_lower, NULL, NULL, "lower(text)"},
    {"upper", "t", 't', BOUND_CASE, run_upper, NULL, NULL, "upper(text)"},
    {"trim", "t", 't', BOUND_SLICE, run_trim, NULL, NULL, "trim(text)"},
    {"substring", "tn[n", 't', BOUND_SLICE, run_substring, NULL, NULL,
     "substring(text, first, count)"},
    {"split", "ttn", 't', BOUND_SLICE, run_split, NULL, NULL, "split(text, separator, n)"},
    {"before", "tt", 't', BOUND_SLICE, run_before, NULL, NULL, "before(text, part)"},
    {"after", "tt", 't', BOUND_SLICE, run_after, NULL, NULL, "after(text, part)"},
    {"replace", "ttt", 't', BOUND_REPLACE, run_replace, NULL, NULL, "replace(text, old, new)"},
    {"text", "n", 't', BOUND_NUMBER, run_to_text, NULL, NULL, "text(number)"},
    {"bucket", "nN+", 't', BOUND_CONSTANT, run_bucket, NULL, NULL, "bucket(number, edge, …)"},
    {"length", "t", 'n', BOUND_NONE, run_length, NULL, NULL, "length(text)"},
    {"number", "t", 'n', BOUND_NONE, run_number, NULL, NULL, "number(text)"},
    {"hash", "t+", 'n', BOUND_NONE, run_hash, NULL, NULL, "hash(text, …)"},
    {"round", "e[n", 'n', BOUND_NONE, run_round, NULL, NULL, "round(number, digits)"},
    {"floor", "e", 'n', BOUND_NONE, run_floor, NULL, NULL, "floor(number)"},
    {"ceil", "e", 'n', BOUND_NONE, run_ceil, NULL, NULL, "ceil(number)"},
    {"abs", "e", 'n', BOUND_NONE, run_abs, NULL, NULL, "abs(number)"},
    {"sqrt", "n", 'n', BOUND_NONE, run_sqrt, NULL, NULL, "sqrt(number)"},
    {"log", "n", 'n', BOUND_NONE, run_log, NULL, NULL, "log(number)"},
    {"min", "ii+", 'i', BOUND_NONE, run_min, NULL, run_min_integer, "min(number, number, …)"},
    {"max", "ii+", 'i', BOUND_NONE, run_max, NULL, run_max_integer, "max(number, number, …)"},
    {"contains", "tt", 'c', BOUND_NONE, run_contains, NULL, NULL, "contains(text, part)"},
    {"starts_with", "tt", 'c', BOUND_NONE, run_starts_with, NULL, NULL, "starts_with(text, part)"},
    {"ends_with", "tt", 'c', BOUND_NONE, run_ends_with, NULL, NULL, "ends_with(text, part)"},
    {"is_missing", "a", 'c', BOUND_NONE, run_is_missing, run_is_missing_text,
     run_is_missing_integer, "is_missing(value)"},
    {"if", "ca[a", 'a', BOUND_EITHER, run_if, run_if_text, run_if_integer,
     "if(condition, then, else)"},
    {"coalesce", "aa+", 'a', BOUND_EITHER, run_coalesce, run_coalesce_text, run_coalesce_integer,
     "coalesce(value, value, …)"},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

#define OPERATOR(NAME, SIGN, TAKES, GIVES, RUN, RUN_OF_TEXT, RUN_OF_INTEGERS)                      \
    const struct expression_function operator_##NAME = {                                           \
        SIGN, TAKES, GIVES, BOUND_NONE, RUN, RUN_OF_TEXT, RUN_OF_INTEGERS, SIGN}
OPERATOR(add, "+", "ii", 'i', run_add, NULL, run_add_integer);
OPERATOR(subtract, "-", "ii", 'i', run_subtract, NULL, run_subtract_integer);
OPERATOR(multiply, "*", "ii", 'i', run_multiply, NULL, run_multiply_integer);
OPERATOR(divide, "/", "nn", 'n', run_divide, NULL, NULL);
OPERATOR(floor_divide, "//", "ii", 'i', run_floor_divide, NULL, run_floor_divide_integer);
OPERATOR(modulo, "%", "ii", 'i', run_modulo, NULL, run_modulo_integer);
OPERATOR(negate, "-", "i", 'i', run_negate, NULL, run_negate_integer);
OPERATOR(and, "and", "cc", 'c', run_and, NULL, NULL);
OPERATOR(or, "or", "cc", 'c', run_or, NULL, NULL);
OPERATOR(not, "not", "c", 'c', run_not, NULL, NULL);
OPERATOR(less, "<", "aa", 'c', run_less, run_less_text, run_less_integer);
OPERATOR(at_most, "<=", "aa", 'c', run_at_most, run_at_most_text, run_at_most_integer);
OPERATOR(greater, ">", "aa", 'c', run_greater, run_greater_text, run_greater_integer);
OPERATOR(at_least, ">=", "aa", 'c', run_at_least, run_at_least_text, run_at_least_integer);
OPERATOR(equal, "==", "aa", 'c', run_equal, run_equal_text, run_equal_integer);
OPERATOR(unequal, "!=", "aa", 'c', run_unequal, run_unequal_text, run_unequal_integer);
OPERATOR(in, "in", "a", 'c', run_in, run_in_text, run_in_integer);
const struct expression_function operator_join = {"..",     "tt", 't',  BOUND_JOIN,
                                                  run_join, NULL, NULL, ".."};
const struct expression_function to_number = {
    "a number", "t", 'n', BOUND_NONE, run_to_number, NULL, run_integer_to_number, NULL};
const struct expression_function to_double = {
    "a number", "t", 'n', BOUND_NONE, run_to_number, NULL, run_integer_to_number, NULL};
const struct expression_function to_exact = {"a number",   "t",  'n',  BOUND_NONE,
                                             run_to_exact, NULL, NULL, NULL};
const struct expression_function to_same = {"a number",  "t",  'n',  BOUND_NONE,
                                            run_to_same, NULL, NULL, NULL};
const struct expression_function operator_in_exact = {"in",         "a",  'c',  BOUND_NONE,
                                                      run_in_exact, NULL, NULL, "in"};
const struct expression_function to_text = {
    "a text", "n", 't', BOUND_NUMBER, run_to_text, NULL, run_integer_to_text, NULL};

const struct expression_function *function_find(const char *name, size_t len)
{
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strlen(functions[i].name) == len && !memcmp(functions[i].name, name, len))
            return &functions[i];
    return NULL;
}

const char *function_near(const char *name)
{
    struct nearest n = nearest_to(name);
    for (int i = 0; i < N_FUNCTIONS; i++)
        nearest_try(&n, functions[i].name);
    return n.best;
}

const char *function_names(char *out, size_t cap)
{
    size_t n = 0;
    for (int i = 0; i < N_FUNCTIONS && n < cap; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? ", " : "", functions[i].name);
    return out;
}
