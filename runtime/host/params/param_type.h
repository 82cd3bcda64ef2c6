/* param_type.h -- converts one parameter's value from a setting to its C type, and to text.
 *
 * <leat/param.h> documents the input and the C type of each parameter type; quantity.h documents
 * the units of numbers. Every type except a function accepts text, because `--set k=20` passes
 * text.
 *
 *     bool      true, false; also as text: "yes" "no" "1" "0"
 *     integer   a whole number; may be a float without a fraction (Lua's 1e6)
 *     choice    one of .choices, with exactly this spelling
 *     interval  a number counts examples; text with a unit of time is a time
 *     list      a table of texts, unchanged; or one text, split at its commas
 *
 * .min and .max apply to the value as a plain number: bytes for a size, seconds for a duration. An
 * interval has no range. Intervals, sizes and durations are never negative. A .min or .max beyond
 * ±9e18 counts as no bound. */
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
    const char *text; /* STRING, PATH */
    struct leat_interval interval;
    struct leat_strings strings;
    const struct leat_function *function;
};

const char *param_type_name(uint32_t type); /* such as "integer"; NULL if the type is unknown */
size_t param_type_size(uint32_t type);      /* in bytes; 0 if the type is unknown */

/* Reads the setting's value v into *out and copies texts and lists into the arena. Returns NULL if
 * this succeeds; otherwise the fault, a sentence that starts with the parameter's name. */
const char *param_read(const struct leat_param *p, const struct value *v, struct arena *a,
                       union param_cell *out);
/* Reads the default p->def as param_read() does. Without a default, sets *out to zero. */
const char *param_default(const struct leat_param *p, struct arena *a, union param_cell *out);

/* Returns the parameter's value in the filled configuration `cfg`, as a script would write it:
 * "32KB" with its quotes, true, { "a", "b" }. Returns NULL if the value is absent. */
const char *param_show(const struct leat_param *p, const void *cfg, struct arena *a);
/* Converts the text `shown` of param_show() back to a value for param_read(). Works for every type
 * except functions. */
struct value param_unshow(const char *shown, struct arena *a);

/* Returns the range as text: "1 to 1000000", "at least 1KB"; NULL if the parameter has no
 * bounds. */
const char *param_range(const struct leat_param *p, struct arena *a);
/* Returns the choices of a LEAT_CHOICE as text: "a", "b" or "c". */
const char *param_choices(const struct leat_param *p, struct arena *a);

#endif
