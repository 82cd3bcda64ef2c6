/* setting.h -- the settings of a stage as a script wrote them, copied out of Lua and not yet
 * typed. */
#ifndef LEAT_HOST_PLUGIN_SETTING_H
#define LEAT_HOST_PLUGIN_SETTING_H

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
    int64_t integer;  /* INT, BOOL                           */
    double number;    /* FLOAT; for INT the same as a double */
    const char *text; /* TEXT, ended by NUL                  */
    size_t n;         /* TEXT: bytes; LIST: values           */
    struct value *list;
    const char *key;           /* LIST: the first of its keys that is no place; NULL: none */
    const struct value *keyed; /* what stands there                                        */
    const struct leat_function *function;
};

/* key = value in a stage's constructor; key NULL: the list of unnamed values. */
struct setting {
    const char *key;
    struct value value;
};

#endif
