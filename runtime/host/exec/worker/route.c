/* route.c -- implementation of route.h. */
#include "route.h"

#include <stdio.h>
#include <string.h>

#include "host/flow/convert.h"

enum { KEYS_SHOWN = 10 };

/* Counts a record whose value is the name of no branch, and keeps the value for messages. len is
 * LEAT_NULL if the record has no value. */
static void route_keep_unnamed(struct route *s, const char *value, uint32_t len)
{
    char text[SEEN_BYTES + 1];
    if (s->unnamed++ >= SEEN_LOOKED_AT || s->n == SEEN_VALUES || len == LEAT_NULL || !len) return;
    snprintf(text, sizeof text, "%.*s", (int)(len < SEEN_BYTES ? len : SEEN_BYTES), value);
    for (uint32_t i = 0; i < s->n; i++)
        if (!strcmp(s->value[i], text)) return;
    strcpy(s->value[s->n++], text);
}

/* Returns the branch whose name is this value of the route's column; NO_BRANCH if there is none.
 * Sets *star to the branch "*", if the route has one. */
static uint16_t route_branch_of(const struct graph *g, const struct node *route, const char *value,
                                uint32_t len, uint16_t *star)
{
    for (uint32_t j = 0; j < route->n_out; j++) {
        const char *key = g->edge[route->out[j]].key;
        size_t n = strlen(key);
        if (n == 1 && *key == '*')
            *star = (uint16_t)j;
        else if (len == n && !memcmp(value, key, n))
            return (uint16_t)j;
    }
    return NO_BRANCH;
}

uint16_t route_branch(struct route *s, const struct graph *g, const struct node *route,
                      const struct leat_batch *b, uint32_t record)
{
    const uint32_t column = g->edge[*route->out].by_column;
    uint16_t star = NO_BRANCH;
    char out[CONVERT_TEXT];
    size_t n = 0;
    const char *text =
        convert_cell(b, column, route->schema_in.column[column].type, record, out, &n);
    uint32_t len = text ? (uint32_t)n : LEAT_NULL;
    uint16_t to = route_branch_of(g, route, text, len, &star);
    if (to == NO_BRANCH) {
        route_keep_unnamed(s, text, len);
        to = star;
    }
    if (to != NO_BRANCH) s->taken[to]++;
    return to;
}

const char *route_lost(const struct route *s, const struct graph *g, const struct node *route,
                       struct arena *a)
{
    const char *keys = "";
    for (uint32_t j = 0; j < route->n_out && j < KEYS_SHOWN; j++)
        keys = arena_printf(a, "%s%s'%s'", keys, j ? ", " : "", g->edge[route->out[j]].key);
    if (route->n_out > KEYS_SHOWN) keys = arena_printf(a, "%s, …", keys);
    const char *such = s->n ? arena_printf(a, " (it is, for example, '%s')", s->value[0]) : "";
    return arena_printf(
        a,
        "their value is not one of %s%s; add [\"*\"] = { … } to keep them, or [\"*\"] = { "
        "leat.sink.null {} } to drop them",
        keys, such);
}
