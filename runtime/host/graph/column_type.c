/* column_type.c -- see column_type.h. */
#include "column_type.h"

#include <string.h>

#include "core/time/utc.h"

enum { TYPES = LEAT_TIME + 1, INT64_TEXT = 20, NUMBER_TEXT = 24, BOOL_TEXT = 5 };

static const struct {
    const char *name, *plural;
    uint32_t becomes[3]; /* the best first */
} TYPE[TYPES] = {
    [LEAT_TEXT] = {"text", "text", {LEAT_NUMBER, LEAT_INT64}},
    [LEAT_NUMBER] = {"number", "numbers", {LEAT_TEXT, LEAT_INT64}},
    [LEAT_INT64] = {"int64", "integers", {LEAT_NUMBER, LEAT_TEXT}},
    [LEAT_BYTES] = {"bytes", "bytes", {0}},
    [LEAT_BOOLEAN] = {"boolean", "booleans", {LEAT_TEXT, LEAT_NUMBER, LEAT_INT64}},
    [LEAT_TIME] = {"time", "times", {LEAT_TEXT, LEAT_INT64, LEAT_NUMBER}},
};

bool column_type_is_known(uint32_t type) { return type && type < TYPES; }

const char *column_type_name(uint32_t type)
{
    return column_type_is_known(type) ? TYPE[type].name : NULL;
}

const char *column_type_plural(uint32_t type)
{
    return column_type_is_known(type) ? TYPE[type].plural : "values of an unknown type";
}

const char *column_types_text(uint32_t types, struct arena *a)
{
    const char *text = NULL;
    for (uint32_t t = TYPES; --t > 0;)
        if (types & 1u << t)
            text = !text ? TYPE[t].plural
                         : arena_printf(a, "%s%s%s", TYPE[t].plural,
                                        strstr(text, " or ") ? ", " : " or ", text);
    return text ? text : "none that is known";
}

size_t column_type_bytes(uint32_t type) { return type == LEAT_BOOLEAN ? 1 : 8; }

uint32_t column_type_choose(uint32_t type, uint32_t types)
{
    if (!column_type_is_known(type)) return 0;
    if (types & 1u << type) return type;
    for (int i = 0; i < 3 && TYPE[type].becomes[i]; i++)
        if (types & 1u << TYPE[type].becomes[i]) return TYPE[type].becomes[i];
    return 0;
}

uint32_t column_type_text_bytes(uint32_t from, uint32_t to)
{
    static const uint32_t bytes[TYPES] = {[LEAT_NUMBER] = NUMBER_TEXT,
                                          [LEAT_INT64] = INT64_TEXT,
                                          [LEAT_BOOLEAN] = BOOL_TEXT,
                                          [LEAT_TIME] = UTC_TEXT};
    return to == LEAT_TEXT && from != to ? bytes[from] : 0;
}
