/* param_type.h -- one parameter's value: from what was written to its C type, and back to text.
 *
 * What each type takes and what lies in the configuration struct is told in <leat/param.h>; the
 * units of numbers in quantity.h. Text is taken for every type but a function, because `--set k=20`
 * arrives as text.
 *
 *   bool      true, false; as text also "yes" "no" "1" "0"
 *   integer   whole numbers; a float without a fraction is one (Lua's 1e6)
 *   choice    the spelling of .choices, exactly
 *   interval  a number counts examples; text with a unit of time is time
 *   list      a table of texts, taken as they are; or one text, cut at its commas
 *
 * .min and .max are in what a plain number means to the type: bytes of a size, seconds of a
 * duration. An interval has no range; it, sizes and durations are never negative. A bound beyond
 * ±9e18 is none. */
#ifndef LEAT_PLUGIN_PARAM_TYPE_H
#define LEAT_PLUGIN_PARAM_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include <leat/param.h>

#include "base/arena.h"
#include "setting.h"

/* What lies at .offset. */
union param_cell {
    int32_t small;   /* BOOL, CHOICE         */
    int64_t integer; /* INT, SIZE, DURATION  */
    double number;
    const char *text; /* STRING, PATH         */
    struct leat_interval interval;
    struct leat_strings strings;
    const struct leat_function *function;
};

const char *param_type_name(uint32_t type); /* "integer"; NULL: there is no such type */
size_t param_type_size(uint32_t type);      /* 0: there is no such type               */

/* Returns NULL, or what is wrong: a sentence that starts with the parameter's name. Texts and lists
 * are copied into the arena. */
const char *param_read(const struct leat_param *p, const struct value *v, struct arena *a,
                       union param_cell *out);
/* The same for p->def; a default of NULL is zero. */
const char *param_default(const struct leat_param *p, struct arena *a, union param_cell *out);

/* The value in a filled configuration, as it would be written in Lua: "32KB" with its quotes, true,
 * { "a", "b" }. NULL: absent. */
const char *param_show(const struct leat_param *p, const void *cfg, struct arena *a);
/* Such a text as param_read takes it; of any type but a function. */
struct value param_unshow(const char *shown, struct arena *a);

/* "1 to 1000000", "at least 1KB"; NULL when anything goes. */
const char *param_range(const struct leat_param *p, struct arena *a);
/* The choices as "a", "b" or "c". */
const char *param_choices(const struct leat_param *p, struct arena *a);

#endif
