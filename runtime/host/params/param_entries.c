/* param_entries.c -- implementation of param_entries.h. */
#include "param_entries.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

struct param_entries_to {
    struct arena *a;
    const char **item;
    uint32_t n;
    const struct value *wrong; /* a value that is no entry; or NULL */
};

/* Returns the text of an entry: "key=value"; NULL if the value is of another type. A text with '='
 * that has only its index as a key is an entry already. */
static const char *entry_text(struct arena *a, const char *key, bool is_index,
                              const struct value *v)
{
    bool text = v->type == VALUE_TEXT && !memchr(v->text, 0, v->n);
    if (text && is_index && strchr(v->text, '=')) return arena_strndup(a, v->text, v->n);
    if (text) return arena_printf(a, "%s=%s", key, v->text);
    if (v->type == VALUE_FLOAT && v->number == floor(v->number) && fabs(v->number) < 0x1p63)
        return arena_printf(a, "%s=%.0f", key, v->number);
    return v->type == VALUE_INT ? arena_printf(a, "%s=%" PRId64, key, v->integer) : NULL;
}

/* Adds the entries of a table. `path` is the key of the table with a '/', or "". Returns the key of
 * a value that is no entry; or NULL. */
static const char *entries_add(struct param_entries_to *to, const char *path,
                               const struct value *table)
{
    for (size_t i = 0; i < table->n + table->n_keyed; i++) {
        const bool is_index = i < table->n;
        const struct setting *keyed = is_index ? NULL : &table->keyed[i - table->n];
        const struct value *v = is_index ? &table->list[i] : &keyed->value;
        const char *key = is_index ? arena_printf(to->a, "%s%zu", path, i + 1)
                                   : arena_printf(to->a, "%s%s", path, keyed->key);
        const char *inner = NULL;
        if (v->type == VALUE_NIL) continue;
        if (v->type == VALUE_LIST && !*path)
            inner = entries_add(to, arena_printf(to->a, "%s/", key), v);
        else if (!(to->item[to->n++] = entry_text(to->a, key, is_index, v)))
            to->wrong = v;
        if (inner || to->wrong) return inner ? inner : key;
    }
    return NULL;
}

/* Returns the number of values in a table and in the tables in it. */
static size_t entries_count(const struct value *table)
{
    size_t n = table->n + table->n_keyed;
    for (size_t i = 0; i < table->n; i++)
        if (table->list[i].type == VALUE_LIST) n += entries_count(&table->list[i]);
    for (size_t i = 0; i < table->n_keyed; i++)
        if (table->keyed[i].value.type == VALUE_LIST) n += entries_count(&table->keyed[i].value);
    return n;
}

const char *param_entries(const struct value *table, struct arena *a, struct leat_strings *out,
                          const struct value **wrong)
{
    struct param_entries_to to = {a, arena_alloc(a, (entries_count(table) + 1) * sizeof *to.item),
                                  0, NULL};
    const char *key = entries_add(&to, "", table);
    *out = (struct leat_strings){to.item, to.n, 0};
    *wrong = to.wrong;
    return key;
}
