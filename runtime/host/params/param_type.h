/* param_type.h -- one parameter's value: from a setting to its C type, and back to text.
 *
 * <leat/param.h> documents the input and the C type of each parameter type; quantity.h documents
 * the units of numbers. Every type but a function accepts text, because `--set k=20` arrives as
 * text.
 *
 *     bool      true, false; as text also "yes" "no" "1" "0"
 *     integer   whole numbers, including floats without a fraction (Lua's 1e6)
 *     choice    the spelling of .choices, exactly
 *     interval  a number counts examples; text with a unit of time is time
 *     list      a table of texts, unchanged; or one text, split at its commas
 *
 * .min and .max have the unit of a plain number: bytes for a size, seconds for a duration. An
 * interval has no range. Intervals, sizes and durations are never negative. A bound beyond ±9e18
 * does not bound. */
#ifndef LEAT_HOST_PARAMS_PARAM_TYPE_H
#define LEAT_HOST_PARAMS_PARAM_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include <leat/param.h>

#include "host/memory/arena.h"
#include "setting.h"

/* Value of a parameter in the configuration struct. */
union param_cell {
    int32_t small;   /* BOOL, CHOICE        */
    int64_t integer; /* INT, SIZE, DURATION */
    double number;
    const char *text; /* STRING, PATH         */
    struct leat_interval interval;
    struct leat_strings strings;
    const struct leat_function *function;
};

const char *param_type_name(uint32_t type); /* "integer"; NULL: unknown type */
size_t param_type_size(uint32_t type);      /* bytes; 0: unknown type        */

/* Reads v into *out. Returns NULL, or the fault: a sentence that starts with the parameter's name.
 * Copies texts and lists into the arena. */
const char *param_read(const struct leat_param *p, const struct value *v, struct arena *a,
                       union param_cell *out);
/* Reads the default, p->def, like param_read; NULL gives zero. */
const char *param_default(const struct leat_param *p, struct arena *a, union param_cell *out);

/* Shows the value in a filled configuration as Lua would write it: "32KB" with its quotes, true, {
 * "a", "b" }. NULL: absent. */
const char *param_show(const struct leat_param *p, const void *cfg, struct arena *a);
/* Returns the value that param_show wrote as `shown`, for param_read; any type but a function. */
struct value param_unshow(const char *shown, struct arena *a);

/* Range in words: "1 to 1000000", "at least 1KB"; NULL: no bounds. */
const char *param_range(const struct leat_param *p, struct arena *a);
/* Choices in words: "a", "b" or "c". Only for LEAT_CHOICE. */
const char *param_choices(const struct leat_param *p, struct arena *a);

#endif
