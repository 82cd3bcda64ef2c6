/* route_seen.c -- see route_seen.h. */
#include "route_seen.h"

#include <stdio.h>
#include <string.h>

#include <leat/batch.h>

void route_seen_unnamed(struct route_seen *s, const char *value, uint32_t len)
{
    char text[SEEN_BYTES + 1];
    if (s->unnamed++ >= SEEN_LOOKED_AT || s->n == SEEN_VALUES || len == LEAT_NULL || !len) return;
    snprintf(text, sizeof text, "%.*s", (int)(len < SEEN_BYTES ? len : SEEN_BYTES), value);
    for (uint32_t i = 0; i < s->n; i++)
        if (!strcmp(s->value[i], text)) return;
    strcpy(s->value[s->n++], text);
}
