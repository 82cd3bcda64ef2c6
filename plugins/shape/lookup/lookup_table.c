/* lookup_table.c -- implementation of lookup_table.h: hash table by key, and messages about
 * names. */
#include "lookup_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/text/edit_distance.h"

enum { FEWEST_SLOTS = 16, NAME_SHOWN = 60, LIST_SHOWN = 200 };

bool lookup_table_fail(struct lookup_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(t->why, sizeof t->why, format, ap);
    va_end(ap);
    return false;
}

bool lookup_table_full(struct lookup_table *t)
{
    t->line = 0;
    return lookup_table_fail(t, "does not fit into memory = %zu bytes: make memory larger",
                             t->bytes);
}

/* ---- names ---- */

static bool lookup_table_is_named(const struct lookup_table *t, const struct lookup_list *list,
                                  uint32_t i, const char *name)
{
    struct leat_str s = list->name[i];
    if (s.len != strlen(name)) return false;
    return !memcmp(name, t->text + s.off, s.len) ||
           (list->any_case && !edit_distance(name, t->text + s.off, s.len));
}

/* Returns the index of the name most similar to `name`; list->n if none is similar. */
static uint32_t lookup_table_nearest(const struct lookup_table *t, const struct lookup_list *list,
                                     const char *name)
{
    uint32_t at = list->n;
    size_t best = SIZE_MAX;
    for (uint32_t i = 0; i < list->n; i++) {
        size_t d = edit_distance(name, t->text + list->name[i].off, list->name[i].len);
        if (d >= best || d >= strlen(name) || !edit_is_near(name, d)) continue;
        best = d;
        at = i;
    }
    return at;
}

/* Returns the number of bytes of a name to print: all, or NAME_SHOWN of a longer name. */
static int lookup_table_shown(struct leat_str s)
{
    return (int)(s.len < NAME_SHOWN ? s.len : NAME_SHOWN);
}

/* Writes the names of the list, separated by commas. */
static void lookup_table_put_list(const struct lookup_table *t, const struct lookup_list *list,
                                  char text[LIST_SHOWN + 8])
{
    size_t n = 0;
    uint32_t i = 0;
    for (*text = '\0'; i < list->n && n + NAME_SHOWN + 2 < LIST_SHOWN; i++)
        n += (size_t)snprintf(text + n, LIST_SHOWN - n, "%s%.*s", i ? ", " : "",
                              lookup_table_shown(list->name[i]), t->text + list->name[i].off);
    if (i < list->n) strcpy(text + n, ", …");
}

static bool lookup_table_fail_unnamed(struct lookup_table *t, const struct lookup_list *list,
                                      const char *name)
{
    char meant[NAME_SHOWN + 32] = "", all[LIST_SHOWN + 8];
    uint32_t i = lookup_table_nearest(t, list, name);
    if (i < list->n)
        snprintf(meant, sizeof meant, ": did you mean '%.*s'?", lookup_table_shown(list->name[i]),
                 t->text + list->name[i].off);
    lookup_table_put_list(t, list, all);
    return lookup_table_fail(t, "has no %s '%.*s'%s (%ss: %s)", list->what, NAME_SHOWN, name, meant,
                             list->what, all);
}

bool lookup_table_unclear(struct lookup_table *t, const struct lookup_list *list)
{
    char all[LIST_SHOWN + 8];
    lookup_table_put_list(t, list, all);
    return lookup_table_fail(t, "has several %ss: set %s to one of %s", list->what, list->what,
                             all);
}

bool lookup_table_named(struct lookup_table *t, const struct lookup_list *list, const char *name,
                        uint32_t *at)
{
    uint32_t found = 0;
    for (uint32_t i = list->n; i-- > 0;)
        if (lookup_table_is_named(t, list, i, name)) {
            *at = i;
            found++;
        }
    if (found > 1)
        return lookup_table_fail(t, "has %u %ss named '%.*s': give them different names", found,
                                 list->what, NAME_SHOWN, name);
    return found || lookup_table_fail_unnamed(t, list, name);
}

/* ---- slots ---- */

size_t lookup_table_align(size_t n) { return (n + 63) & ~(size_t)63; }

size_t lookup_table_row_bytes(const struct lookup_table *t)
{
    return (1 + (size_t)t->columns) * sizeof(struct leat_str);
}

static uint32_t lookup_table_slot_of(const struct lookup_table *t, const char *key, size_t n)
{
    uint32_t s = (uint32_t)XXH3_64bits(key, n) & (t->slots - 1);
    for (; t->slot[s]; s = (s + 1) & (t->slots - 1)) {
        struct leat_str k = t->row[(size_t)(t->slot[s] - 1) * (1 + t->columns)];
        if (k.len == n && !memcmp(t->text + k.off, key, n)) break;
    }
    return s;
}

bool lookup_table_place(struct lookup_table *t)
{
    size_t at =
        lookup_table_align(t->n_text) + lookup_table_align(t->rows * lookup_table_row_bytes(t));
    t->slots = FEWEST_SLOTS;
    while (t->slots / 4 * 3 < t->rows)
        t->slots *= 2;
    size_t marks = lookup_table_align(t->rows * sizeof *t->mark);
    if (at + marks + t->slots * sizeof *t->slot > t->bytes) return lookup_table_full(t);
    t->mark = (struct lookup_mark *)(t->text + at);
    t->slot = (uint32_t *)(t->text + at + marks);
    t->repeated = 0;
    memset(t->mark, 0, marks + t->slots * sizeof *t->slot);
    for (uint32_t i = 0; i < t->rows; i++) {
        struct leat_str k = t->row[(size_t)i * (1 + t->columns)];
        uint32_t s = lookup_table_slot_of(t, t->text + k.off, k.len);
        if (t->slot[s] && !t->repeated++) t->repeats = i;
        if (!t->slot[s]) t->slot[s] = i + 1;
    }
    return true;
}

uint32_t lookup_table_find(const struct lookup_table *t, const char *key, size_t n)
{
    uint32_t row = t->slot[lookup_table_slot_of(t, key, n)];
    return row ? row - 1 : LOOKUP_NONE;
}
