/* setting.h -- settings of a stage as the script wrote them, without types. */
#ifndef LEAT_HOST_PARAMS_SETTING_H
#define LEAT_HOST_PARAMS_SETTING_H

#include <stddef.h>
#include <stdint.h>

struct leat_function;
struct setting;

enum value_type {
    VALUE_NIL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_LIST,
    VALUE_FUNCTION
};

struct value {
    enum value_type type;
    int64_t integer;  /* VALUE_INT, VALUE_BOOL */
    double number;    /* VALUE_FLOAT; for VALUE_INT the integer as a double */
    const char *text; /* VALUE_TEXT: ends with a NUL */
    size_t n;         /* VALUE_TEXT: number of bytes; VALUE_LIST: number of values */
    struct value *list;
    const struct setting *keyed; /* VALUE_LIST: values whose keys are no indexes, by key */
    size_t n_keyed;
    const struct leat_function *function;
};

/* One key = value in a stage's constructor. The list of unnamed values has key NULL. */
struct setting {
    const char *key;
    struct value value;
};

#endif
