/* column_type.c -- table of column types, and a hash index of columns. */
#include "column_type.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/mix64.h"
#include "core/time/utc.h"

enum { TYPES = LEAT_TIME + 1 };

static const struct {
    const char *name, *plural;
    uint32_t bytes;      /* bytes of a cell                                      */
    uint32_t text_bytes; /* most bytes of a value that is converted to text      */
    uint32_t becomes[3]; /* types to which a column may be converted, best first */
} TYPE[TYPES] = {
    [LEAT_TEXT] = {"text", "text", 8, 0, {LEAT_NUMBER, LEAT_INT64}},
    [LEAT_NUMBER] = {"number", "numbers", 8, 24, {LEAT_TEXT, LEAT_INT64}},
    [LEAT_INT64] = {"int64", "integers", 8, 20, {LEAT_NUMBER, LEAT_TEXT}},
    [LEAT_BYTES] = {"bytes", "bytes", 8, 0, {0}},
    [LEAT_BOOLEAN] = {"boolean", "booleans", 1, 5, {LEAT_TEXT, LEAT_NUMBER, LEAT_INT64}},
    [LEAT_TIME] = {"time", "times", 8, UTC_TEXT, {LEAT_TEXT, LEAT_INT64, LEAT_NUMBER}},
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
    return text ? text : "values of an unknown type";
}

size_t column_type_bytes(uint32_t type) { return TYPE[type].bytes; }

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
    return to == LEAT_TEXT && from != to ? TYPE[from].text_bytes : 0;
}

static uint64_t column_type_hash(const char *name, size_t len)
{
    uint64_t h = len;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * MIX64_GOLDEN;
    return mix64(h);
}

static bool column_type_is_named(const struct leat_column *column, const char *name, size_t len)
{
    return strlen(column->name) == len && !memcmp(column->name, name, len);
}

/* Returns the slot of the column with this name, or the empty slot where it belongs. */
static uint32_t column_type_probe(const struct column_index *x, const struct leat_column *column,
                                  const char *name, size_t len)
{
    uint32_t mask = x->slots - 1, h = (uint32_t)column_type_hash(name, len) & mask;
    while (x->slot[h] && !column_type_is_named(&column[x->slot[h] - 1], name, len))
        h = (h + 1) & mask;
    return h;
}

static void column_type_enter(struct column_index *x, const struct leat_column *column, uint32_t i)
{
    uint32_t h = column_type_probe(x, column, column[i].name, strlen(column[i].name));
    assert(!x->slot[h]);
    x->slot[h] = i + 1;
}

void column_index_extend(struct column_index *x, struct arena *a, const struct leat_column *column,
                         uint32_t n)
{
    if (2 * n > x->slots) {
        if (!x->slots) x->slots = 64;
        while (2 * n > x->slots)
            x->slots *= 2;
        x->slot = arena_alloc(a, x->slots * sizeof *x->slot);
        x->n = 0;
    }
    while (x->n < n)
        column_type_enter(x, column, x->n++);
}

uint32_t column_index_find(const struct column_index *x, const struct leat_column *column,
                           const char *name, size_t len)
{
    /* an empty slot holds 0, and 0 - 1 is COLUMN_NONE */
    return x->n ? x->slot[column_type_probe(x, column, name, len)] - 1 : COLUMN_NONE;
}
