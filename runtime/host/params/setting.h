/* setting.h -- settings of a stage as a script wrote them, copied out of Lua, not yet typed. */
#ifndef LEAT_HOST_PARAMS_SETTING_H
#define LEAT_HOST_PARAMS_SETTING_H

#include <stddef.h>
#include <stdint.h>

struct leat_function;

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
    int64_t integer;  /* INT, BOOL                              */
    double number;    /* FLOAT; for INT the integer as a double */
    const char *text; /* TEXT, ended by a NUL                   */
    size_t n;         /* TEXT: bytes; LIST: values              */
    struct value *list;
    const char *key;           /* LIST: first key that is not an index; NULL: none */
    const struct value *keyed; /* value of that key                                */
    const struct leat_function *function;
};

/* key = value in a stage's constructor; key NULL: the list of unnamed values. */
struct setting {
    const char *key;
    struct value value;
};

#endif
